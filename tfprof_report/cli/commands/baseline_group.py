"""The commands of a store of baselines: their parameters. What they do is in `store`, behind heavy imports."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tfprof_report.cli.help import GroupedCommand, WholeGroup
from tfprof_report.cli.params.common import common_params, option, takes
from tfprof_report.vocabulary import BaselineMissing

_STORE = "A folder, or a URL of an object store, such as s3://BUCKET/PATH?region=REGION or gs://BUCKET/PATH."
_PANEL = "Which and how many"

baseline = typer.Typer(
    name="baseline",
    cls=WholeGroup,
    help="Keep report folders in a store, and find the one to compare with: a folder, S3 or GCS.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _arguments(**more: str) -> dict[str, tuple[Any, Any]]:
    """Return the store, and what else a command needs, as arguments."""
    texts = {"store": _STORE, **more}
    return {
        name: (Annotated[str, typer.Argument(metavar=name.upper(), help=text, show_default=False)], ...)
        for name, text in texts.items()
    }


def _model(text: str) -> dict[str, tuple[Any, Any]]:
    return {"model": option(str | None, "--model", panel=_PANEL, text=text, metavar="NAME")}


def _json() -> dict[str, tuple[Any, Any]]:
    return {"as_json": option(bool, "--json", panel=_PANEL, text="Print JSON, for programs.", default=False)}


@baseline.command("save", cls=GroupedCommand)
@takes(
    _arguments(report="The folder of a finished report, of one model or of several."),
    _model("Name of the model in the store; of a report of several models, which one. [default: all of them]"),
    {
        "commit": option(
            str | None,
            "--commit",
            panel=_PANEL,
            text="Commit that the report is of. [default: the one that it names]",
            metavar="SHA",
        )
    },
    common_params(),
)
def _save(**values: Any) -> None:
    """Save a report in the store, under its model and commit."""
    from tfprof_report.cli.commands.baseline import save_report

    save_report(values)


@baseline.command("pick", cls=GroupedCommand)
@takes(
    _arguments(),
    _model("Name of the model in the store."),
    {
        "ancestors": option(
            str | None,
            "--ancestors",
            panel=_PANEL,
            text='Commits to look for, the nearest first, as git rev-list prints them; "-" for standard input.',
            metavar="FILE",
        ),
        "out": option(
            str | None,
            "--out",
            panel=_PANEL,
            text="Copy the report to this folder; an object store needs it. [default: its folder in the store is "
            "printed]",
            metavar="DIR",
        ),
        "baseline_missing": option(
            BaselineMissing,
            "--baseline-missing",
            panel=_PANEL,
            text="Where no ancestor has a report: fail (exit code 4), warn, or ok. [default: fail]",
            default=BaselineMissing.FAIL,
            metavar="|".join(BaselineMissing),
        ),
    },
    _json(),
    common_params(),
)
def _pick(**values: Any) -> None:
    """Find the report of the nearest ancestor that has one; say how many commits back it is."""
    from tfprof_report.cli.commands.baseline import pick_report

    pick_report(values)


@baseline.command("list", cls=GroupedCommand)
@takes(_arguments(), _model("Only this model. [default: all]"), _json(), common_params())
def _list(**values: Any) -> None:
    """List the reports of the store: model, commit, when it was saved and its size, separated by tabs."""
    from tfprof_report.cli.commands.baseline import list_reports

    list_reports(values)


@baseline.command("prune", cls=GroupedCommand)
@takes(
    _arguments(),
    _model("Only this model. [default: all]"),
    {
        "keep": option(
            int | None,
            "--keep",
            panel=_PANEL,
            text="Keep the newest report of this many commits of each model, whatever their age.",
            metavar="N",
        ),
        "older_than": option(
            str | None,
            "--older-than",
            panel=_PANEL,
            text="Remove only what was saved longer ago, such as 90d, 12h or 8w. [default: any age]",
            metavar="AGE",
        ),
        "dry_run": option(bool, "--dry-run", panel=_PANEL, text="Say what would be removed.", default=False),
    },
    common_params(),
)
def _prune(**values: Any) -> None:
    """Remove reports from the store, also what saves that were interrupted left."""
    from tfprof_report.cli.commands.baseline import prune_reports

    prune_reports(values)
