"""The only module that prints: results on standard output; errors, warnings and notes on standard error.

Both streams are UTF-8 on every system. What cannot be written stops no command: the rest of the output is dropped, and
`main` asks `lost_output` for the reason when the work is done.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from tfprof_report.errors import for_terminal, log_line, shown

_SHOWN = "tfprof_report.shown"
codecs.register_error(_SHOWN, lambda error: (shown(_unencoded(error)), getattr(error, "end", 0)))


def _unencoded(error: UnicodeError) -> str:
    """Return the characters of a text that UTF-8 has no bytes for: lone surrogates."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end]


_LAYOUT = "\n\t"
"""Control characters of tfprof's own text."""


class _Sink(io.RawIOBase):
    """The bytes of a standard stream, dropped after the first error, which `problem` keeps."""

    def __init__(self, target: BinaryIO) -> None:
        self._target: Any = getattr(target, "raw", target)  # without a buffer, whose rest Python would flush at exit
        self.problem: OSError | None = None

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self._target.isatty())

    def fileno(self) -> int:
        return int(self._target.fileno())

    def write(self, data: Any) -> int:
        if self.problem is None:
            try:
                return int(self._target.write(data))
            except OSError as error:
                self.problem = error
        return len(data)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Let standard output and standard error drop what cannot be written, in the block."""
    saved = {name: _opened(name) for name in ("stdin", "stdout", "stderr")}
    for name in ("stdout", "stderr"):
        buffer = getattr(saved[name], "buffer", None)
        if buffer is not None:
            saved[name].flush()
            sink = _Sink(buffer)
            lines = name == "stderr" or sink.isatty()
            setattr(
                sys,
                name,
                io.TextIOWrapper(
                    io.BufferedWriter(sink), encoding="utf-8", errors=_SHOWN, newline="\n", line_buffering=lines
                ),
            )
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = saved["stdout"], saved["stderr"]


def _opened(name: str) -> TextIO:
    """Return a standard stream; a closed one becomes the null device, before an opened file gets its descriptor."""
    if getattr(sys, name) is None:
        setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115
    stream: TextIO = getattr(sys, name)
    return stream


def lost_output() -> OSError | None:
    """Return why standard output was not written to its end, None if it was."""
    sys.stdout.flush()
    sink = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return sink.problem if isinstance(sink, _Sink) else None


def is_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def say(line: str) -> None:
    """Print one line on standard error; if that is closed or full, the exit code alone has to report the problem."""
    print(f"tfprof-report: {log_line(line)}", file=sys.stderr)


def say_verbatim(message: str) -> None:
    """Print on standard error: the native tool's messages, or the details of an error; unchanged but at a terminal."""
    print(for_terminal(message, keep=_LAYOUT) if sys.stderr.isatty() else message, file=sys.stderr)


def echo(text: str, *, nl: bool = True) -> None:
    """Print text on standard output, with a newline unless `nl` is false; at a terminal without control characters."""
    print(for_terminal(text, keep=_LAYOUT) if is_terminal() else text, end="\n" if nl else "", flush=True)


def print_path(path: str) -> None:
    """Print a path on standard output: for a program with the bytes that it has, at a terminal escaped."""
    if is_terminal():
        echo(log_line(path))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(os.fsencode(f"{path}\n"))
    sys.stdout.buffer.flush()


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output; control characters are escaped, so that each stays one line."""
    for line in lines:
        echo(log_line(line))


def write_text(pieces: Iterable[str]) -> None:
    """Write pieces of text to standard output, as long as somebody reads them.

    A terminal gets no control characters but those of the layout, whatever names, values or options contain.
    """
    escape = is_terminal()
    for piece in pieces:
        sys.stdout.write(for_terminal(piece, keep=_LAYOUT) if escape else piece)
        if lost_output():
            return


def in_ci() -> bool:
    """Return whether this is a job of CI, whose logs keep every state of a progress bar; its hosts set ``CI``."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def has_progress() -> bool:
    """Return whether `progress` shows anything: standard error is a terminal, and this is not a job of CI."""
    return sys.stderr.isatty() and not in_ci()


@contextmanager
def progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Yield a function that begins the next of about `steps` steps, with the words for it.

    The step, how many are done and the time left are shown on standard error if `has_progress`.
    """
    with _bar(steps) as show:
        begun = count()

        def begin(words: str) -> None:
            done = next(begun)  # steps begin in threads, too
            show(words, done, max(steps, done + 1))

        yield begin


@contextmanager
def finishing(steps: int) -> Iterator[Callable[[str], None]]:
    """Yield a function that says that one of `steps` steps is done, which run at the same time; see `progress`."""
    with _bar(steps) as show:
        finished = count(1)
        yield lambda words: show(words, next(finished), steps)


_FOR_A_BAR = 60
"""Least columns of a terminal in which there is room for a bar beside the words."""


@contextmanager
def _bar(steps: int) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that shows words, and how many steps are done of how many."""
    if not has_progress():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.table import Column

    console = Console(stderr=True, soft_wrap=True)  # a line that is printed meanwhile stays one
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        *([BarColumn(bar_width=20)] if console.width >= _FOR_A_BAR else []),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as shown:
        task = shown.add_task("starting", total=steps)
        yield lambda words, done, total: shown.update(task, description=log_line(words), completed=done, total=total)
