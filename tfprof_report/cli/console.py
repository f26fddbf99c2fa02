"""The only place that prints: results on standard output, what is to be said of them on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

import typer

from tfprof_report.errors import log_line


def say(line: str) -> None:
    """Print one line on standard error; where nobody can read it, the exit code has to do."""
    with suppress(OSError):
        print(f"tfprof-report: {log_line(line)}", file=sys.stderr)


def repeat(message: str) -> None:
    """Print on standard error, as it is, what the native tool prints there or what lies behind an error."""
    print(message, file=sys.stderr)


def echo(text: str, *, nl: bool = True) -> None:
    """Print a line, or text without a newline behind it, on standard output."""
    typer.echo(text, nl=nl)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output, each of which stays one."""
    for line in lines:
        echo(log_line(line))


def write_text(pieces: Iterable[str]) -> None:
    """Write pieces of text to standard output: in UTF-8 and with the newlines that they have, on every system."""
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    for piece in pieces:
        sys.stdout.write(piece)
    sys.stdout.flush()


@contextmanager
def may_be_cut_short() -> Iterator[None]:
    """Print to standard output within, of which a reader such as `head` may have enough at any time."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
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
