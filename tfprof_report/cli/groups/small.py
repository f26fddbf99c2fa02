"""Declare the commands with a few options of their own: `rules`, `accept`, `init` and `schema`."""

from __future__ import annotations

import typer

from tfprof_report.cli.arrow_command import ArrowCommand
from tfprof_report.cli.console import echo
from tfprof_report.cli.help import GroupedCommand
from tfprof_report.cli.params.declare import takes
from tfprof_report.cli.params.small_commands import AcceptValues, InitValues, NoValues, RulesValues

commands = typer.Typer()


@commands.command("rules", cls=GroupedCommand)
@takes(RulesValues)
def _rules(values: RulesValues) -> None:
    """Print the FLOPs rules: op type, class, rule set, formula and source, separated by tabs."""
    from tfprof_report.cli.commands.rules import print_rules

    print_rules(values)


@commands.command("accept", cls=ArrowCommand)
@takes(AcceptValues)
def _accept(values: AcceptValues) -> None:
    """Print entries for an acknowledged file that accept the changes that failed the gates of a report."""
    from tfprof_report.cli.commands.accept import print_accepted

    print_accepted(values)


@commands.command("init", cls=GroupedCommand)
@takes(InitValues)
def _init(values: InitValues) -> None:
    """Set up a repository: write a rules file and the recipe of its CI host; or print a profiling program."""
    from tfprof_report.cli.commands.init import set_up

    set_up(values)


@commands.command("schema", cls=GroupedCommand)
@takes(NoValues)
def _schema(_: NoValues) -> None:
    """Print the JSON Schema of rules files, with which editors check and complete them."""
    from tfprof_report.cli.config.schema import schema_text

    echo(schema_text(), nl=False)
