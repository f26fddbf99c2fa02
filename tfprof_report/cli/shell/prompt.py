"""The prompt of the interactive shell: history, and completion of commands, options, attributes and names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.history import FileHistory, InMemoryHistory

from tfprof_report.cli.shell.lines import CHOICES, COMMANDS, LISTS, OPTIONS
from tfprof_report.errors import OutputError

if TYPE_CHECKING:
    from prompt_toolkit.document import Document

    from tfprof_report.model.node_table import NodeTable

PROMPT = "tfprof> "
MAX_NAMES = 100
"""Maximum number of names that are offered at once."""

_AFTER_SLASH = chr(ord("/") + 1)


def make_session(table: NodeTable, history: str | None) -> PromptSession[str]:
    """Return a session that keeps its history in the file `history`, or in memory if that is None.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    if history is not None:
        try:
            Path(history).open("a").close()
        except OSError as error:
            raise OutputError(f"cannot be written ({error.strerror})", file=history, option="--history") from error
    return PromptSession(
        history=FileHistory(history) if history is not None else InMemoryHistory(),
        completer=ShellCompleter(table),
        complete_while_typing=False,
    )


class ShellCompleter(Completer):
    """Completes the last word of a line; names of nodes level by level, like the path of a file."""

    def __init__(self, table: NodeTable) -> None:
        self._steps = [str(step) for step in (-1, *table.step_numbers)]
        # sorted on first use, since there may be a million
        self._names: Callable[[], list[str]] = cache(lambda: sorted(table.column("name").to_pylist()))
        self._types: Callable[[], list[str]] = cache(lambda: sorted(set(table.ops.to_pylist())))

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Yield completions of the word before the cursor."""
        del complete_event
        *before, word = document.text_before_cursor.split(" ")
        if not any(before):
            yield from _starting(word, COMMANDS)
        elif word.startswith("-"):
            dashes = word[: len(word) - len(word.lstrip("-"))]
            yield from _starting(word, [dashes + name for name in OPTIONS])
        else:
            option = next((each for each in reversed(before) if each), "").lstrip("-").replace("-", "_")
            part = word.rpartition(",")[2] if option in LISTS else word
            yield from self._values(option, part.lstrip("\"'"))

    def _values(self, option: str, part: str) -> Iterator[Completion]:
        if option == "step":
            yield from _starting(part, self._steps)
        elif option == "account_type_regexes":
            yield from _starting(part, self._types())
        elif option.endswith("_name_regexes"):
            yield from _starting(part, next_levels(self._names(), part))
        else:
            yield from _starting(part, CHOICES.get(option, ()))


def _starting(part: str, words: Iterable[str]) -> Iterator[Completion]:
    return (Completion(word, start_position=-len(part)) for word in words if word.startswith(part))


def next_levels(names: Sequence[str], part: str) -> Iterator[str]:
    """Yield completions of `part` from sorted names, each up to the next ``/``; at most `MAX_NAMES`."""
    at = bisect_left(names, part)
    for _ in range(MAX_NAMES):
        if at == len(names) or not names[at].startswith(part):
            return
        level, slash, _ = names[at][len(part) :].partition("/")
        found = part + level + slash
        yield found
        # jump over all names below this level: chr(ord("/") + 1) sorts right after them
        at = bisect_left(names, part + level + _AFTER_SLASH, at) if slash else at + 1
