"""The command `tfprof-report`: parse the arguments, call the command, exit with its code."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from functools import cache
from typing import Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from tfprof_report.cli.arrow_command import ArrowCommand
from tfprof_report.cli.commands.baseline_group import baseline
from tfprof_report.cli.console import echo, lost_output, say, say_verbatim, standard_streams
from tfprof_report.cli.help import GroupedCommand, UncutHelpGroup
from tfprof_report.cli.memory import keep_freed_memory
from tfprof_report.cli.params.declare import Parsed, parses, takes
from tfprof_report.cli.params.report_options import DiffValues, ReportValues
from tfprof_report.cli.params.small_commands import AcceptValues, InitValues, NoValues
from tfprof_report.cli.params.spelling import spell
from tfprof_report.cli.params.text_options import AdviseValues, RulesValues, ShellValues, ViewValues
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


_VIEWS = {
    "scope": "Print tfprof's scope view: nodes by name, as a tree of scopes.",
    "graph": "Print tfprof's graph view: from outputs to inputs, each node below its first consumer.",
    "op": "Print tfprof's op view: one row per op type.",
    "code": "Print tfprof's code view: nodes by the call stack that built them.",
}


_takes_view = takes(ViewValues)


def _add_view(name: str, text: str) -> None:
    @app.command(name, cls=ArrowCommand, help=text)
    @_takes_view
    def _(values: ViewValues) -> None:
        from tfprof_report.cli.commands.text_view import print_view

        print_view(name, values)


for _name, _text in _VIEWS.items():
    _add_view(_name, _text)


@app.command("advise", cls=ArrowCommand)
@takes(AdviseValues)
def advise(values: AdviseValues) -> None:
    """Print tfprof's advice: what takes the most time, idle accelerators, slow operations."""
    from tfprof_report.cli.commands.advise import print_advice

    print_advice(values)


@app.command("shell", cls=ArrowCommand)
@takes(ShellValues)
def shell(values: ShellValues) -> int:
    """Start tfprof's interactive shell on one model; it also runs a script from standard input."""
    from tfprof_report.cli.shell.shell import run_shell

    return run_shell(values)


@app.command("rules", cls=GroupedCommand)
@takes(RulesValues)
def rules(values: RulesValues) -> None:
    """Print the FLOPs rules: op type, class, rule set, formula and source, separated by tabs."""
    from tfprof_report.cli.commands.rules import print_rules

    print_rules(values)


@app.command("report", cls=ArrowCommand)
@parses(ReportValues)
def report(parsed: Parsed[ReportValues]) -> int:
    """Write a report of one model, or of several: HTML, Markdown, Parquet and JSON."""
    keep_freed_memory()
    from tfprof_report.cli.commands.report import write
    from tfprof_report.cli.config.file import rules_applied

    with rules_applied(parsed) as (values, applied):
        return write(values, applied)


@app.command("diff", cls=ArrowCommand)
@parses(DiffValues)
def diff(parsed: Parsed[DiffValues]) -> int:
    """Write a report of HEAD compared with BASE, and judge the gates."""
    keep_freed_memory()
    from tfprof_report.cli.commands.report import write_diff
    from tfprof_report.cli.config.file import rules_applied

    with rules_applied(parsed) as (values, applied):
        return write_diff(values, applied)


@app.command("accept", cls=ArrowCommand)
@takes(AcceptValues)
def accept(values: AcceptValues) -> None:
    """Print entries for an acknowledged file that accept the changes that failed the gates of a report."""
    from tfprof_report.cli.commands.accept import print_accepted

    print_accepted(values)


@app.command("init", cls=GroupedCommand)
@takes(InitValues)
def init(values: InitValues) -> None:
    """Set up a repository: write a rules file and the recipe of its CI host; or print a profiling program."""
    from tfprof_report.cli.commands.init import set_up

    set_up(values)


@app.command("schema", cls=GroupedCommand)
@takes(NoValues)
def schema(_: NoValues) -> None:
    """Print the JSON Schema of rules files, with which editors check and complete them."""
    from tfprof_report.cli.config.schema import schema_text

    echo(schema_text(), nl=False)


app.add_typer(baseline)


def main(arguments: Iterable[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code; any error is one line on standard error."""
    with standard_streams():
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
        return int(_command(given)(given, prog_name=app.info.name, standalone_mode=False) or ExitCode.OK)
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


def _command(given: Sequence[str]) -> Callable[..., int | None]:
    """Return the command line that parses `given`: with the command that it names, else with all."""
    names = {info.name for info in app.registered_commands} | {info.name for info in app.registered_groups}
    return _build(given[0] if given and given[0] in names else None)


@cache
def _build(name: str | None) -> Callable[..., int | None]:
    """Return the command line with one command or all, built once for all calls of `main`: all take a while."""
    part = copy(app)
    part.registered_commands = [info for info in app.registered_commands if name in (None, info.name)]
    part.registered_groups = [info for info in app.registered_groups if name in (None, info.name)]
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
