"""Causes of changes against what was changed (``tests/data/edits``)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from examples import every

from tfprof_report.compare.causes.cause_kinds import CauseKind
from tfprof_report.compare.causes.layer_causes import STEMS
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.job import Job, run
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import METRICS

FOLDER = Path(__file__).parents[2] / "data" / "edits"
TRUTHS = {path.parent.name: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*/truth.json"))}

WORDS = {
    CauseKind.NARROWER: "wider",
    CauseKind.SHALLOWER: "deeper",
    CauseKind.ADDED: "layer_added",
    CauseKind.REMOVED: "layer_removed",
    CauseKind.REPLACED: "layer_replaced",
    CauseKind.SEQUENCE: "sequence_length",
    CauseKind.SHARED: "weights_shared",
    CauseKind.NAMES: "names_only",
    CauseKind.NOW_UNKNOWN: "now_unknown",
}

DIFFERS = {CauseKind.INPUT_SIZE, CauseKind.OUTPUT_SIZE, CauseKind.OTHER_OPS, CauseKind.ATTRIBUTES, CauseKind.UNKNOWN}
"""Kinds that say what differs: right where the truth has no kind for the edit."""

FOLLOWS = {CauseKind.OTHER_INPUT, CauseKind.INPUT_SIZE, CauseKind.OUTSIDE, CauseKind.NAMES, CauseKind.UNKNOWN}
"""Kinds that may come with any other: what an edit does to the layers after it, and to their numbers."""


@cache
def report_of(name: str) -> Report:
    base, head = (InputPaths(graph=str(FOLDER / name / f"{side}.pb.gz")) for side in ("base", "head"))
    return run(Job(head=head, base=base, policy=Policy()), lambda _: None)


@pytest.mark.parametrize("name", every(4, TRUTHS))
def test_recorded_edit(name: str) -> None:
    report, truth = report_of(name), TRUTHS[name]
    check_kinds(report, truth)
    check_sizes(report, truth)
    check_parts(report)
    check_layers(report)


def check_kinds(report: Report, truth: dict[str, Any]) -> None:
    """Check that each edit is found, and no other kind claimed."""
    found = {cause.kind for cause in report.causes}
    claimed = {WORDS.get(kind, str(kind)) for kind in found}
    wanted = [{cause["kind"], *cause.get("accepted", ())} for cause in truth["causes"]]
    differs = bool(found & DIFFERS) or found == {CauseKind.OUTSIDE}
    for kinds in wanted:
        assert kinds & claimed or ("unknown" in kinds and differs), (kinds, claimed)
    others = {kind for kind in found - FOLLOWS if not any(WORDS.get(kind, str(kind)) in kinds for kinds in wanted)}
    assert others <= (DIFFERS if any("unknown" in kinds for kinds in wanted) else set())


def check_sizes(report: Report, truth: dict[str, Any]) -> None:
    """Check that causes have the sizes that were edited."""
    found = {(reason.base, reason.head) for cause in report.causes for reason in cause.reasons}
    for cause in truth["causes"]:
        size = cause.get("sizes")
        if cause["kind"] in ("wider", "batch", "sequence_length") and size and isinstance(size["base"], int):
            assert (f"{size['base']:,}", f"{size['head']:,}") in found, (cause, found)


def check_parts(report: Report) -> None:
    """Check that the parts of causes add up to the change of each figure."""
    assert report.comparison is not None
    for stem in STEMS:
        total = report.comparison.total_of(stem)
        if total is not None and total.delta is not None:
            assert sum(cause.parts.get(stem, 0) for cause in report.causes) == total.delta, stem


def check_layers(report: Report) -> None:
    """Check that layers add up to the totals, by phase too."""
    layers = report.head.layers
    for total in (total for total in report.totals if total.stem in METRICS):
        values: list[Any] = layers[total.stem].to_pylist()
        assert sum(value or 0 for value in values) == (total.value or 0), total.stem
    phases = ("forward_float_ops", "backward_float_ops", "optimizer_float_ops")
    assert sum(sum(layers[phase].to_pylist()) for phase in phases) == (report.values["float_ops"] or 0)


SENTENCES = {
    "resnet_stages": (
        "stage3 got wider (64 to 80); stage3_unit gained 1 (stage3_unit6); stage1_unit lost 1 (stage1_unit3)."
    ),
    "wider_one": "block2 got wider (12 to 18).",
    "bigger_batch": "the batch is 32 instead of 8.",
    "kernel_3_to_5": "the kernel of block2_conv is 5x5 instead of 3x3.",
    "sgd_to_adam": "the optimizer is adam instead of sgd.",
    "layer_norm_added": "tokens_ln is new; nodes that are in no layer changed.",
    "conv_to_separable": "conv2 was replaced by conv2_depthwise, conv2_pointwise.",
    "tf1_scope_renamed": "names begin with model/net/ instead of tower/.",
    "custom_op": "the FLOPs of hidden are not known any more.",
    "no_change": "",
}


@pytest.mark.parametrize("name", every(4, SENTENCES))
def test_the_sentence(name: str) -> None:
    assert report_of(name).sentence == SENTENCES[name]
