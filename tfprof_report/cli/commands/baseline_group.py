"""Declare the commands of `baseline`; their implementation is in `baseline.py`, which has heavy imports."""

from __future__ import annotations

import typer

from tfprof_report.cli.help import GroupedCommand, UncutHelpGroup
from tfprof_report.cli.params.declare import takes
from tfprof_report.cli.params.small_commands import ListValues, PickValues, PruneValues, SaveValues

baseline = typer.Typer(
    name="baseline",
    cls=UncutHelpGroup,
    help="Keep report folders in a store (a folder, S3 or GCS), and find the one to compare with.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@baseline.command("save", cls=GroupedCommand)
@takes(SaveValues)
def _save(values: SaveValues) -> None:
    """Save a report in the store, under its model and commit."""
    from tfprof_report.cli.commands.baseline import save_report

    save_report(values)


@baseline.command("pick", cls=GroupedCommand)
@takes(PickValues)
def _pick(values: PickValues) -> None:
    """Find the report of the nearest ancestor that has one; print its folder, and how many commits back it is."""
    from tfprof_report.cli.commands.baseline import pick_report

    pick_report(values)


@baseline.command("list", cls=GroupedCommand)
@takes(ListValues)
def _list(values: ListValues) -> None:
    """List the reports of the store: model, commit, time of saving and size, separated by tabs."""
    from tfprof_report.cli.commands.baseline import list_reports

    list_reports(values)


@baseline.command("prune", cls=GroupedCommand)
@takes(PruneValues)
def _prune(values: PruneValues) -> None:
    """Remove old reports from the store, and what interrupted saves left behind."""
    from tfprof_report.cli.commands.baseline import prune_reports

    prune_reports(values)
