"""The only module that prints: results on standard output; errors, warnings and notes on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

import typer

from tfprof_report.errors import log_line


def say(line: str) -> None:
    """Print one line on standard error; if that is closed or full, the exit code alone has to report the problem."""
    with suppress(OSError):
        print(f"tfprof-report: {log_line(line)}", file=sys.stderr)


def say_verbatim(message: str) -> None:
    """Print on standard error, unchanged: the native tool's messages, or the details of an error."""
    print(message, file=sys.stderr)


def echo(text: str, *, nl: bool = True) -> None:
    """Print text on standard output, with a newline unless `nl` is false."""
    typer.echo(text, nl=nl)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on standard output; control characters are escaped, so that each stays one line."""
    for line in lines:
        echo(log_line(line))


def write_text(pieces: Iterable[str]) -> None:
    """Write pieces of text to standard output, on every system in UTF-8 and without translating newlines."""
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    for piece in pieces:
        sys.stdout.write(piece)
    sys.stdout.flush()


@contextmanager
def ignoring_broken_pipe() -> Iterator[None]:
    """Ignore that the reader of standard output, such as `head`, closes the pipe while the block prints."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()


def discard_output() -> None:
    """Discard further output, including what Python flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the current step, on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("starting") as status:
        yield lambda words: status.update(escape(words))
