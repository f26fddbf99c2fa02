"""The parameters of commands that write a report folder."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tfprof_report.cli.params.common import leave_out_params, option
from tfprof_report.cli.params.function_options import function_params
from tfprof_report.vocabulary import Annotations, BaselineMissing, Functions

_REPORT = "Report"
_GATES = "Gates"
_BASELINE = "Baseline"
_HOSTS = "Hosts"
_MODELS = "Several models"

SOURCE = "A graph file, or a folder with graph.pb, run_meta or run_meta_N, and tfprof_log or op_log."
SIDE = SOURCE[:-1] + "; or the folder of an earlier report."
"""What a side of a comparison may be."""


def report_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters of commands that write a report folder."""
    return {
        "out": option(
            str | None,
            "--out",
            panel=_REPORT,
            text="Folder to write; needed, here or in the rules file.",
            metavar="DIR",
        ),
        **function_params(_REPORT, Functions.ON),
        **leave_out_params(_REPORT),
        "max_chars": option(
            int | None,
            "--max-chars",
            panel=_REPORT,
            text="Most characters of report.md, --comment and --summary, 1000 or more: the most important first. "
            "[default: 60000, for hosts what they take]",
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


def gate_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters that say what a verdict is held to."""
    return {
        "config": option(
            str | None,
            "--config",
            panel=_GATES,
            text="Rules file; else tfprof-report.toml or [tool.tfprof_report] of pyproject.toml in this folder or one "
            'above it. "none" for no rules file.',
            metavar="FILE",
        ),
        "gate": option(
            list[str] | None,
            "--gate",
            panel=_GATES,
            text='What must hold, such as "params <= +0" or "float_ops <= +1%"; repeatable. Beside --model it is '
            'for each model, and "NAME: params <= +0" for one.',
            metavar="GATE",
        ),
        "fail_on_unknown": option(
            bool,
            "--fail-on-unknown/--no-fail-on-unknown",
            panel=_GATES,
            text="Fail, as a gate does, if FLOPs or parameters of a node are unknown.",
            default=False,
        ),
        "acknowledged": option(
            str | None,
            "--acknowledged",
            panel=_GATES,
            text="File of changes that were accepted, each with a reason and the day on which it ends.",
            metavar="FILE",
        ),
        "explain": option(
            list[str] | None,
            "--explain",
            panel=_GATES,
            text="Print which gates judged this node, scope or op type, and the numbers; repeatable.",
            metavar="NODE",
        ),
        "name_map": option(
            str | None,
            "--name-map",
            panel=_GATES,
            text="File that says which nodes of base are called what in head.",
            metavar="FILE",
        ),
        "max_unmatched": option(
            str | None,
            "--max-unmatched",
            panel=_GATES,
            text="Part of the nodes without a partner above which the verdict is inconclusive. [default: 50%]",
            metavar="PERCENT",
        ),
        "threshold": option(
            str | None,
            "--threshold",
            panel=_GATES,
            text="Changes below this part of base's total are folded: counted, the largest named. [default: 0.1%]",
            metavar="PERCENT",
        ),
        "only_if_changed": option(
            bool,
            "--only-if-changed/--no-only-if-changed",
            panel=_GATES,
            text="Where nothing but time changed and no gate failed, write verdict.json alone.",
            default=False,
        ),
    }


def baseline_param() -> dict[str, tuple[Any, Any]]:
    """Return the parameter that names the baseline of a report."""
    text = f"Compare with this: {SIDE[0].lower()}{SIDE[1:-1]}, beside --model one of several models."
    return {
        "baseline": (Annotated[str | None, typer.Option("--baseline", help=text, metavar="BASE")], None),
    }


def baseline_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters about the baseline itself."""
    return {
        "baseline_missing": option(
            BaselineMissing,
            "--baseline-missing",
            panel=_BASELINE,
            text="Where the baseline is not there: fail (exit code 4), warn and report without it, or ok: report "
            "without it. [default: fail]",
            default=BaselineMissing.FAIL,
            metavar="|".join(BaselineMissing),
        ),
        "max_baseline_age": option(
            str | None,
            "--max-baseline-age",
            panel=_BASELINE,
            text="Refuse a baseline report that is older, such as 30d or 12h. [default: any age]",
            metavar="AGE",
        ),
    }


def host_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters that write for the hosts of repositories."""
    return {
        "summary": option(
            str | None,
            "--summary",
            panel=_HOSTS,
            text="Append the Markdown to this file, within 1 MiB: GitHub's $GITHUB_STEP_SUMMARY.",
            metavar="FILE",
        ),
        "comment": option(
            str | None,
            "--comment",
            panel=_HOSTS,
            text="Write the comment of a pull request: at most 65,536 characters, with a hidden marker to find it by.",
            metavar="FILE",
        ),
        "annotations": option(
            Annotations,
            "--annotations",
            panel=_HOSTS,
            text="Print at most ten annotations for this host, the worst first. [default: none]",
            default=Annotations.NONE,
            metavar="|".join(Annotations),
        ),
        "junit": option(str | None, "--junit", panel=_HOSTS, text="Write JUnit XML: a case per gate.", metavar="FILE"),
        "openmetrics": option(
            str | None,
            "--openmetrics",
            panel=_HOSTS,
            text="Write the totals as OpenMetrics text, such as GitLab's metrics reports.",
            metavar="FILE",
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
