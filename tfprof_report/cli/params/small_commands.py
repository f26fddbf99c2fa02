"""The parameters of the command that accepts changes. What it does is in `accept`, behind heavy imports."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tfprof_report.cli.params.common import option
from tfprof_report.vocabulary import Host, Snippet

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


def init_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters that say what to write."""
    return {
        "host": option(
            Host | None,
            "--host",
            panel=_PANEL,
            text="CI host to write the recipe of. [default: the one that the repository shows]",
            metavar="|".join(Host),
        ),
        "force": option(bool, "--force", panel=_PANEL, text="Replace files that are there.", default=False),
        "snippet": option(
            Snippet | None,
            "--snippet",
            panel=_PANEL,
            text="Write no file: print a program that writes the profile of a model, of a TF1 session, a tf.function "
            "or a Keras model.",
            metavar="|".join(Snippet),
        ),
    }
