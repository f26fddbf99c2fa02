"""The parameters of commands that write a report folder."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from tfprof_report.cli.params import leave_out_params, option

_REPORT = "Report"
_MODELS = "Several models"


class Functions(StrEnum):
    """Whether functions are inlined, as words of the command line."""

    ON = "on"
    OFF = "off"


class Cond(StrEnum):
    """Which branches count, as words of the command line."""

    MAX = "max"
    SUM = "sum"
    NONE = "none"


class Loops(StrEnum):
    """How often loops count, as words of the command line."""

    TRIP_COUNT = "trip-count"
    RUN_META = "run-meta"
    ONCE = "once"


def report_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters of commands that write a report folder."""
    return {
        "out": (
            Annotated[str, typer.Option("--out", help="Folder to write.", metavar="DIR", rich_help_panel=_REPORT)],
            ...,
        ),
        "gate": option(
            list[str] | None,
            "--gate",
            panel=_REPORT,
            text='What must hold, such as "params <= +0" or "float_ops <= +1%"; repeatable. Beside --model it is '
            'for each model, and "NAME: params <= +0" for one.',
            metavar="GATE",
        ),
        "fail_on_unknown": option(
            bool,
            "--fail-on-unknown",
            panel=_REPORT,
            text="Fail, as a gate does, if FLOPs or parameters of a node are unknown.",
            default=False,
        ),
        "functions": option(
            Functions,
            "--functions",
            panel=_REPORT,
            text="on: the nodes of functions stand below each node that calls them; off: only the graph's own nodes, "
            "as in tfprof. [default: on]",
            default=Functions.ON,
            metavar="|".join(Functions),
        ),
        "cond": option(
            Cond,
            "--cond",
            panel=_REPORT,
            text="Branches of If and Case that count: the one with most FLOPs, all, or none. [default: max]",
            default=Cond.MAX,
            metavar="|".join(Cond),
        ),
        "loops": option(
            Loops,
            "--loops",
            panel=_REPORT,
            text="Iterations of loops that count: as many as constants prove, as run metadata has executions (else "
            "unknown), or one. [default: trip-count]",
            default=Loops.TRIP_COUNT,
            metavar="|".join(Loops),
        ),
        **leave_out_params(_REPORT),
        "max_chars": option(
            int | None,
            "--max-chars",
            panel=_REPORT,
            text="Most characters of report.md, 1000 or more: what fits, the most important first. [default: 60000]",
            metavar="N",
        ),
        **_names(""),
        **_names("base-"),
        "timestamp": option(
            str | None,
            "--timestamp",
            panel=_REPORT,
            text="Time of the report; else SOURCE_DATE_EPOCH, else now.",
            metavar="TEXT",
        ),
    }


def _names(side: str) -> dict[str, tuple[Any, Any]]:
    """Return the parameters that name what was measured; those of a base win over the names in its report."""
    texts = {"label": "Name of the model or run", "commit": "Commit that was measured", "branch": "Its branch"}
    return {
        f"{side.replace('-', '_')}{word}": option(
            str | None,
            f"--{side}{word}",
            panel=_REPORT,
            text=f"{text}{', of base' if side else ''}.",
            metavar="TEXT",
        )
        for word, text in texts.items()
    }


def models_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters that name several models and their bases."""
    return {
        "model": option(
            list[str] | None,
            "--model",
            panel=_MODELS,
            text="One of several models, in place of INPUTS; repeatable. Its report goes to DIR/NAME, an index of "
            "all to DIR.",
            metavar="NAME=INPUTS",
        ),
        "base_model": option(
            list[str] | None,
            "--base-model",
            panel=_MODELS,
            text="What the model of this name is compared with; repeatable. Or --baseline with an earlier DIR.",
            metavar="NAME=INPUTS",
        ),
    }
