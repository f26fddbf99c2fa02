"""The commands of a store of baselines. What they do is in `baseline`, behind heavy imports."""

from __future__ import annotations

import typer

from tfprof_report.cli.help import GroupedCommand, WholeGroup
from tfprof_report.cli.params.declare import takes
from tfprof_report.cli.params.small_commands import ListValues, PickValues, PruneValues, SaveValues

baseline = typer.Typer(
    name="baseline",
    cls=WholeGroup,
    help="Keep report folders in a store, and find the one to compare with: a folder, S3 or GCS.",
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
    """Find the report of the nearest ancestor that has one; say how many commits back it is."""
    from tfprof_report.cli.commands.baseline import pick_report

    pick_report(values)


@baseline.command("list", cls=GroupedCommand)
@takes(ListValues)
def _list(values: ListValues) -> None:
    """List the reports of the store: model, commit, when it was saved and its size, separated by tabs."""
    from tfprof_report.cli.commands.baseline import list_reports

    list_reports(values)


@baseline.command("prune", cls=GroupedCommand)
@takes(PruneValues)
def _prune(values: PruneValues) -> None:
    """Remove reports from the store, also what saves that were interrupted left."""
    from tfprof_report.cli.commands.baseline import prune_reports

    prune_reports(values)
