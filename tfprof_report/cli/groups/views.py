"""Declare the commands that print what tfprof prints of a model: views, advice, and the shell for both."""

from __future__ import annotations

import typer

from tfprof_report.cli.arrow_command import ArrowCommand
from tfprof_report.cli.params.declare import takes
from tfprof_report.cli.params.text_options import AdviseValues, ShellValues, ViewValues

commands = typer.Typer()

_VIEWS = {
    "scope": "Print tfprof's scope view: nodes by name, as a tree of scopes.",
    "graph": "Print tfprof's graph view: from outputs to inputs, each node below its first consumer.",
    "op": "Print tfprof's op view: one row per op type.",
    "code": "Print tfprof's code view: nodes by the call stack that built them.",
}


_takes_view = takes(ViewValues)


def _add_view(name: str, text: str) -> None:
    @commands.command(name, cls=ArrowCommand, help=text)
    @_takes_view
    def _(values: ViewValues) -> None:
        from tfprof_report.cli.commands.text_view import print_view

        print_view(name, values)


for _name, _text in _VIEWS.items():
    _add_view(_name, _text)


@commands.command("advise", cls=ArrowCommand)
@takes(AdviseValues)
def _advise(values: AdviseValues) -> None:
    """Print tfprof's advice: what takes the most time, idle accelerators, slow operations."""
    from tfprof_report.cli.commands.advise import print_advice

    print_advice(values)


@commands.command("shell", cls=ArrowCommand)
@takes(ShellValues)
def _shell(values: ShellValues) -> int:
    """Start tfprof's interactive shell on one model; it also runs a script from standard input."""
    from tfprof_report.cli.shell.shell import run_shell

    return run_shell(values)
