"""Parses a command line and runs its command: for `main`, and for a worker that runs many in one process."""

from __future__ import annotations

import io
import signal
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib import import_module
from typing import Annotated

import typer
from typer.exceptions import TyperException

from tfprof_report.cli.console import echo
from tfprof_report.cli.help import UncutHelpGroup
from tfprof_report.cli.params.spelling import TFPROF, spell
from tfprof_report.clock import fixed_time
from tfprof_report.errors import ExitCode, InputError, InternalError, OptionError, TfprofReportError
from tfprof_report.old_names import NO_COMMAND, Place, now
from tfprof_report.record import record

# Heavy imports (pyarrow, pandas) are inside the commands, so that --help is fast.

INTERRUPTED = 128 + signal.SIGINT
"""The exit code after Ctrl-C."""


PROGRAM = "tfprof-report"
SUMMARY = "Reports what a TensorFlow model costs in FLOPs, parameters, memory and time, and what a change did to it."


def _print_version(value: bool) -> None:  # noqa: FBT001 (typer calls it with the flag)
    if value:
        from tfprof_report import __version__

        echo(f"tfprof-report {__version__}")
        raise typer.Exit


def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    del version


_MODULE_OF = {
    **dict.fromkeys(("scope", "graph", "op", "code", "advise", "shell"), "views"),
    "rules": "small",
    **dict.fromkeys(("report", "diff"), "reports"),
    "batch": "batches",
    **dict.fromkeys(("accept", "init", "schema"), "small"),
    "baseline": "baselines",
    "history": "baselines",
    **dict.fromkeys(("compare", "index"), "across"),
}
"""The module of `cli.groups` that declares each command, in the order of the help."""


def call(given: Sequence[str]) -> int:
    """Return the exit code of a command line; every error is a TfprofReportError."""
    try:
        fixed_time()
        return int(command_line(_named(given))(given, prog_name=PROGRAM, standalone_mode=False) or ExitCode.OK)
    except TfprofReportError:
        raise
    except TyperException as error:
        if type(error).__name__ != "NoArgsIsHelpError":
            raise OptionError(_usage(error, given)) from error
        echo(error.message)
        return ExitCode.USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemoryError as error:
        raise InputError("out of memory; give the job more, or smaller inputs") from error
    except OSError as error:  # where files are used their errors are reported, so this one no command foresees
        reason = f"cannot be read or written ({error.strerror or error})"
        raise InputError(reason, file=str(error.filename or "a file"), details=_traceback()) from error
    except Exception as error:
        advice = "run with --verbose for the traceback and report it"
        problem = f"internal error ({type(error).__name__}: {error})"
        raise InternalError(problem, advice=advice, details=_traceback()) from error


def _traceback() -> str:
    from traceback import format_exc

    return format_exc()


def _named(given: Sequence[str]) -> str | None:
    """Return the command that a command line names, None if it has to be parsed to tell."""
    return given[0] if given and given[0] in _MODULE_OF else None


@cache
def command_line(name: str | None = None) -> Callable[..., int | None]:
    """Return the command line with one command or all, built once for all calls of `main`: all take a while."""
    names = tuple(_MODULE_OF) if name is None else (name,)
    groups = {each: import_module(f"tfprof_report.cli.groups.{_MODULE_OF[each]}").commands for each in names}
    part = typer.Typer(
        name=PROGRAM,
        cls=UncutHelpGroup,
        callback=_root,
        help=SUMMARY,
        add_completion=name is None,  # its options import pydantic, which takes as long as a small command
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    part.registered_commands = [
        info for each, group in groups.items() for info in group.registered_commands if info.name == each
    ]
    part.registered_groups = [
        info for each, group in groups.items() for info in group.registered_groups if info.name == each
    ]
    return typer.main.get_command(part)


def _usage(error: TyperException, given: Sequence[str]) -> str:
    """Return typer's message for a usage error, and what to write instead or which --help to read."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else PROGRAM
    option = getattr(error, "option_name", None)
    if option in TFPROF and option == given[0].partition("=")[0]:
        return f"{option} is given without a command; {NO_COMMAND}"
    if option is not None and (advice := now(Place.OPTION, option)) is not None:
        return f"No such option: {option}; {advice}"
    if context and not context.parent and (advice := now(Place.COMMAND, given[0])) is not None:
        return f"No such command '{given[0]}'; {advice}"
    return f"{error.format_message().replace('Value error, ', '').rstrip('.')}; see {command} --help"


@record
class Ended:
    """How a command line ended, and what it printed: on standard output, and on standard error without its error.

    error : the one line of its error, if it ended with one
    """

    code: int
    out: str
    messages: str
    error: str | None = None


def call_quietly(given: Sequence[str]) -> Ended:
    """Run a command line and return how it ended; nothing is printed, and no handler of signals is set.

    Other threads must not print meanwhile. What ends the process, such as KeyboardInterrupt, ends this call too.
    """
    out, messages = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
    error = None
    with redirect_stdout(out), redirect_stderr(messages):
        try:
            code = call(spell(given))
        except TfprofReportError as problem:
            code, error = problem.exit_code, str(problem)
    return Ended(code=code, out=_text(out), messages=_text(messages), error=error)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
