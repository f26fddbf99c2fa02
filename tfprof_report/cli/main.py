"""The command `tfprof-report`: parses, calls, exits. What is printed goes through `console`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from tfprof_report.cli.commands.baseline_group import baseline
from tfprof_report.cli.console import discard_output, echo, may_be_cut_short, repeat, say
from tfprof_report.cli.help import GroupedCommand
from tfprof_report.cli.params.common import (
    ROWS,
    checker_params,
    common_params,
    context_param,
    input_params,
    leave_out_params,
    option_params,
    output_params,
    rules_params,
    semantics_param,
    spell,
    takes,
)
from tfprof_report.cli.params.function_options import function_params
from tfprof_report.cli.params.report_options import (
    SIDE,
    SOURCE,
    baseline_param,
    baseline_params,
    gate_params,
    host_params,
    models_params,
    report_params,
)
from tfprof_report.cli.params.small_commands import accept_params, init_params
from tfprof_report.clock import fixed_time
from tfprof_report.errors import ExitCode, TfprofReportError
from tfprof_report.options import REPORT_OPTIONS, Options
from tfprof_report.vocabulary import FlopsRules, Functions, Preset

# Heavy imports (pyarrow, pandas) stay inside commands: --help answers at once.

_INTERRUPTED = 128 + signal.SIGINT


_TEXT_DEFAULTS = Options()


app = typer.Typer(
    name="tfprof-report",
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


_HISTORY = "Keep the lines that were typed in this file. [default: only until the shell ends]"


_VIEWS = {
    "scope": "Print tfprof's scope view: nodes by name, as a tree of scopes.",
    "graph": "Print tfprof's graph view: from outputs to inputs, each below its first consumer.",
    "op": "Print tfprof's op view: one row per op type.",
    "code": "Print tfprof's code view: by the call stacks that built the nodes.",
}


def _add_view(name: str, text: str) -> None:
    @app.command(name, cls=GroupedCommand, help=text)
    @takes(
        input_params(source="INPUTS", text=SOURCE),
        option_params(_TEXT_DEFAULTS, semantics=Preset.TFPROF),
        function_params(ROWS, Functions.OFF),
        leave_out_params(),
        output_params(),
        common_params(),
    )
    def _(**values: Any) -> None:
        from tfprof_report.cli.commands.text_view import print_view

        print_view(name, values, _TEXT_DEFAULTS)


for _name, _text in _VIEWS.items():
    _add_view(_name, _text)


@app.command("advise", cls=GroupedCommand)
@takes(
    input_params(source="INPUTS", text=SOURCE),
    checker_params(),
    {"semantics": semantics_param(Preset.TFPROF)},
    common_params(),
)
def advise(**values: Any) -> None:
    """Print tfprof's advice: what takes most time, idle accelerators, slow operations."""
    from tfprof_report.cli.commands.advise import print_advice

    print_advice(values)


@app.command("shell", cls=GroupedCommand)
@takes(
    input_params(source="INPUTS", text=SOURCE),
    option_params(_TEXT_DEFAULTS, semantics=Preset.TFPROF),
    function_params(ROWS, Functions.OFF),
    leave_out_params(),
    output_params(),
    {"history": (Annotated[str | None, typer.Option("--history", help=_HISTORY, metavar="FILE")], None)},
    common_params(),
)
def shell(**values: Any) -> int:
    """Ask one model many questions: tfprof's interactive shell, also for a script on standard input."""
    from tfprof_report.cli.shell.shell import run_shell

    return run_shell(values, _TEXT_DEFAULTS)


@app.command("rules", cls=GroupedCommand)
@takes(rules_params(), common_params())
def rules(**values: Any) -> None:
    """Print the FLOPs rules: op type, class, whose rule it is, formula and source, separated by tabs."""
    from tfprof_report.cli.commands.rules import print_rules

    print_rules(values)


@app.command("report", cls=GroupedCommand)
@takes(
    context_param(),
    input_params(source="INPUTS", text=SIDE),
    models_params(),
    baseline_param(),
    input_params("base-"),
    report_params(),
    gate_params(),
    baseline_params(),
    host_params(),
    option_params(REPORT_OPTIONS, semantics=Preset.CORRECTED, rules=FlopsRules.EXTENDED),
    common_params(),
)
def report(*, context: typer.Context, **values: Any) -> int:
    """Write a report of one model, or of several: HTML, Markdown, Parquet and JSON."""
    from tfprof_report.cli.commands.report import write
    from tfprof_report.cli.config.file import rules_applied

    with rules_applied(values, _given(context)) as ruled:
        return write(ruled, REPORT_OPTIONS)


@app.command("diff", cls=GroupedCommand)
@takes(
    context_param(),
    {
        "base": (Annotated[str | None, typer.Argument(metavar="BASE", help=SIDE, show_default=False)], None),
        "head": (Annotated[str | None, typer.Argument(metavar="HEAD", help="The same.", show_default=False)], None),
    },
    input_params("base-"),
    input_params("head-"),
    report_params(),
    gate_params(),
    baseline_params(),
    host_params(),
    option_params(REPORT_OPTIONS, semantics=Preset.CORRECTED, rules=FlopsRules.EXTENDED),
    common_params(),
)
def diff(*, context: typer.Context, **values: Any) -> int:
    """Write a report of HEAD compared with BASE, and judge the gates."""
    from tfprof_report.cli.commands.report import write_diff
    from tfprof_report.cli.config.file import rules_applied

    names = {"inputs": "head", "baseline": "base", **{name: f"head_{name}" for name in input_params()}}
    with rules_applied(values, _given(context), names=names) as ruled:
        return write_diff(ruled, REPORT_OPTIONS)


@app.command("accept", cls=GroupedCommand)
@takes(accept_params(), common_params())
def accept(**values: Any) -> None:
    """Print the entries of an acknowledged file that accept what the gates of a report found."""
    from tfprof_report.cli.commands.accept import print_accepted

    print_accepted(values)


@app.command("init", cls=GroupedCommand)
@takes(init_params(), common_params())
def init(**values: Any) -> None:
    """Set up a repository: a first rules file and the recipe of its CI host; or print a program that profiles."""
    from tfprof_report.cli.commands.init import set_up

    set_up(values)


@app.command("schema", cls=GroupedCommand)
@takes(common_params())
def schema(**_: Any) -> None:
    """Print the JSON Schema of rules files, which editors check and complete them by."""
    from tfprof_report.cli.config.schema import schema_text

    echo(schema_text(), nl=False)


def _given(context: typer.Context) -> frozenset[str]:
    """Return the parameters that stand on the command line."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, source in sources.items() if source and source.name == "COMMANDLINE")


app.add_typer(baseline)


def main(arguments: Iterable[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code; whatever goes wrong is one line on standard error."""
    _open_closed_streams()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # as an exception it cleans up
    given = spell(list(sys.argv[1:] if arguments is None else arguments))
    verbose = "--verbose" in given
    code: int = ExitCode.OK
    try:
        fixed_time()
        with may_be_cut_short():
            code = app(given, prog_name=app.info.name, standalone_mode=False) or ExitCode.OK
    except TfprofReportError as error:
        say(str(error))
        if verbose and error.details:
            repeat(error.details)
        code = error.exit_code
    except TyperException as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            echo(error.message)
        else:
            say(_usage(error))
        code = ExitCode.USAGE
    except MemoryError:
        say("out of memory; give the job more, or smaller inputs")
        code = ExitCode.INPUT
    except OSError as error:  # files have errors of their own: what is left is standard output
        discard_output()
        say(f"{error.filename or 'standard output'}: cannot be written ({error.strerror})")
        code = ExitCode.INPUT
    except Exception as error:
        if verbose:
            raise
        say(f"internal error ({type(error).__name__}: {error}); run with --verbose for the traceback and report it")
        code = ExitCode.INPUT
    if code == _INTERRUPTED:  # what typer makes of a KeyboardInterrupt
        say("interrupted")
    sys.exit(int(code))


def _usage(error: TyperException) -> str:
    """Return typer's words for a usage error, and where to read on."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else app.info.name
    return f"{error.format_message().replace('Value error, ', '').rstrip('.')}; see {command} --help"


def _open_closed_streams() -> None:
    """Let output that the caller closed go nowhere, before a file of ours takes its descriptor."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r" if name == "stdin" else "w"))  # noqa: SIM115
