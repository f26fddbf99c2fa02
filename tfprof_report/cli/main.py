"""The command `tfprof-report`: parse the arguments, call the command, exit with its code."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from copy import copy
from functools import cache
from importlib import import_module
from typing import Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from tfprof_report.cli.console import echo, lost_output, say, say_verbatim, standard_streams
from tfprof_report.cli.help import UncutHelpGroup
from tfprof_report.cli.memory import seldom_collected
from tfprof_report.cli.params.spelling import spell
from tfprof_report.clock import fixed_time
from tfprof_report.errors import ExitCode, InputError, InternalError, OptionError, TfprofReportError

# Heavy imports (pyarrow, pandas) are inside the commands, so that --help is fast.

_INTERRUPTED = 128 + signal.SIGINT


app = typer.Typer(
    name="tfprof-report",
    cls=UncutHelpGroup,
    help="Reports what a TensorFlow model costs in FLOPs, parameters, memory and time, and what a change did to it.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _print_version(value: bool) -> None:  # noqa: FBT001 (typer calls it with the flag)
    if value:
        from tfprof_report import __version__

        echo(f"tfprof-report {__version__}")
        raise typer.Exit


@app.callback()
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
    **dict.fromkeys(("accept", "init", "schema"), "small"),
    "baseline": "baselines",
    "history": "baselines",
    **dict.fromkeys(("compare", "index"), "across"),
}
"""The module of `cli.groups` that declares each command, in the order of the help."""


def main(arguments: Iterable[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code; any error is one line on standard error.

    Without `arguments`, those of the process are taken, and it is taken to end with the command.
    """
    with standard_streams(), seldom_collected() if arguments is None else nullcontext():
        _end_in_order()
        code = _run(spell(list(sys.argv[1:] if arguments is None else arguments)))
        problem = lost_output()
        if problem is not None and not isinstance(problem, BrokenPipeError):  # a reader may stop reading, as head does
            say(f"standard output: cannot be written ({problem.strerror})")
            code = ExitCode.INPUT
    sys.exit(int(code))


def _run(given: Sequence[str]) -> int:
    """Return the exit code of a command line, after its error, if any, is printed."""
    try:
        code = _call(given)
    except TfprofReportError as error:
        say(str(error))
        if "--verbose" in given and error.details:
            say_verbatim(error.details)
        return error.exit_code
    if code == _INTERRUPTED:  # also the code that typer returns for a KeyboardInterrupt
        say("interrupted")
    return code


def _call(given: Sequence[str]) -> int:
    """Return the exit code of a command line; every error is a TfprofReportError."""
    try:
        fixed_time()
        return int(command_line(_named(given))(given, prog_name=app.info.name, standalone_mode=False) or ExitCode.OK)
    except TfprofReportError:
        raise
    except TyperException as error:
        if type(error).__name__ != "NoArgsIsHelpError":
            raise OptionError(_usage(error)) from error
        echo(error.message)
        return ExitCode.USAGE
    except KeyboardInterrupt:
        return _INTERRUPTED
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
    part = copy(app)
    part.registered_commands = [
        info for each, group in groups.items() for info in group.registered_commands if info.name == each
    ]
    part.registered_groups = [
        info for each, group in groups.items() for info in group.registered_groups if info.name == each
    ]
    return typer.main.get_command(part)


def _end_in_order() -> None:
    """Turn SIGTERM and SIGHUP into SystemExit, so that temporary files are removed; SIGINT is a KeyboardInterrupt."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores it
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def _usage(error: TyperException) -> str:
    """Return typer's message for a usage error, and which --help to read."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else app.info.name
    return f"{error.format_message().replace('Value error, ', '').rstrip('.')}; see {command} --help"
