"""The parameters of the command that accepts changes. What it does is in `accept`, behind heavy imports."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tfprof_report.cli.params import option

_PANEL = "What to write"


def accept_params() -> dict[str, tuple[Any, Any]]:
    """Return the report and what its entries say."""
    return {
        "dir": (
            Annotated[
                str,
                typer.Argument(
                    metavar="DIR", help="The folder of a report, of which gates failed.", show_default=False
                ),
            ],
            ...,
        ),
        "reason": option(str, "--reason", panel=_PANEL, text="Why, in a sentence.", default=..., metavar="TEXT"),
        "expires": option(
            str,
            "--expires",
            panel=_PANEL,
            text="The last day on which the entries count, such as 2027-01-31.",
            default=...,
            metavar="DAY",
        ),
        "model": option(
            str | None,
            "--model",
            panel=_PANEL,
            text="Of a report of several models, which one; of one model, its label, so that the entries are for it "
            "alone. [default: all of them]",
            metavar="NAME",
        ),
    }
