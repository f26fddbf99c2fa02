"""What commands print: lines on standard error, progress on a terminal, output that may be cut short."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tfprof_report.errors import log_line


def say(line: str) -> None:
    """Print one line on standard error; where nobody can read it, the exit code has to do."""
    with suppress(OSError):
        print(f"tfprof-report: {log_line(line)}", file=sys.stderr)  # noqa: T201


@contextmanager
def may_be_cut_short() -> Iterator[None]:
    """Print to standard output within, of which a reader such as `head` may have enough at any time."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()


def _discard_output() -> None:
    """Let what is still to be printed go nowhere, also at the end of the process."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows what is going on, on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("starting") as status:
        yield lambda words: status.update(escape(words))


def repeat(message: str) -> None:
    """Print on standard error what the native tool prints there, in its own words."""
    print(message, file=sys.stderr)  # noqa: T201
