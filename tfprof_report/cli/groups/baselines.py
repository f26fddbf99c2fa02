"""Declare the commands of a store: `baseline` and `history`."""

from __future__ import annotations

import typer

from tfprof_report.cli.arrow_command import ArrowCommand
from tfprof_report.cli.help import UncutHelpGroup
from tfprof_report.cli.params.baseline_options import COUNTED, ListValues, PickValues, PruneValues, SaveValues
from tfprof_report.cli.params.declare import Parsed, parses, takes
from tfprof_report.cli.params.history_options import HistoryValues

_baseline = typer.Typer(
    cls=UncutHelpGroup,
    help="Keep report folders in a store (a folder, S3 or GCS), and find the one to compare with.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
commands = typer.Typer()
commands.add_typer(_baseline, name="baseline")


@_baseline.command("save", cls=ArrowCommand)
@takes(SaveValues)
def _save(values: SaveValues) -> None:
    """Save a report in the store, under its model and commit."""
    from tfprof_report.cli.commands.baseline import save_report

    save_report(values)


@_baseline.command("pick", cls=ArrowCommand)
@parses(PickValues)
def _pick(parsed: Parsed[PickValues]) -> None:
    """Find the usable report of the nearest ancestor; print its folder, and how many commits back it is."""
    from tfprof_report.cli.commands.pick import pick_report
    from tfprof_report.cli.config.file import rules_applied

    with rules_applied(parsed) as (values, applied):
        is_stated = values.job.gates.config is not None or any(path.startswith(COUNTED) for path in parsed.given)
        pick_report(values, is_stated=is_stated or applied.file is not None)


@_baseline.command("list", cls=ArrowCommand)
@takes(ListValues)
def _list(values: ListValues) -> None:
    """List the reports of the store: model, commit, time of saving and size, separated by tabs."""
    from tfprof_report.cli.commands.baseline import list_reports

    list_reports(values)


@_baseline.command("prune", cls=ArrowCommand)
@takes(PruneValues)
def _prune(values: PruneValues) -> None:
    """Remove old reports from the store, and what interrupted saves left behind."""
    from tfprof_report.cli.commands.baseline import prune_reports

    prune_reports(values)


@commands.command("history", cls=ArrowCommand)
@parses(HistoryValues)
def _history(parsed: Parsed[HistoryValues]) -> int:
    """Write how the figures of the models in a store moved over commits, and which commits moved them."""
    from tfprof_report.cli.commands.over_time.show_history import show_history
    from tfprof_report.cli.config.file import rules_applied

    with rules_applied(parsed) as (values, applied):
        return show_history(values, applied)
