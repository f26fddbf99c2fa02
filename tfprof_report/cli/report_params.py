"""The parameters of commands that write a report folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tfprof_report.cli.function_params import Functions, function_params
from tfprof_report.cli.params import leave_out_params, option

_REPORT = "Report"
_MODELS = "Several models"


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
        **function_params(_REPORT, Functions.ON),
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
