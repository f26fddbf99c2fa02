"""The shared context of judging: sides, accepted changes, doubts that apply to all rows, and building results."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from tfprof_report.clock import moment
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.acknowledge import NOTHING_ACCEPTED, Accepted, settle
from tfprof_report.compare.gates.policy import Gate, Policy, Subject
from tfprof_report.compare.gates.subjects import Subjects
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, JudgedRow
from tfprof_report.compare.side import Side
from tfprof_report.formatting import called
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.record import record

NOUNS = {Subject.MODEL: "model", Subject.NODE: "node", Subject.SCOPE: "scope", Subject.OP: "op type"}

NO_BASELINE = "there is no baseline to measure it against"


@record
class Case:
    """What is judged.

    is_new : base has other models but not this one, so there is no comparison
    base_missing : there is no baseline, and none is required
    """

    head: Side
    comparison: Comparison | None
    subjects: Subjects
    accepted: Accepted = NOTHING_ACCEPTED
    is_new: bool = False
    base_missing: bool = False


def case_of(
    head: Side,
    comparison: Comparison | None,
    policy: Policy,
    today: date | None,
    *,
    is_new: bool = False,
    base_missing: bool = False,
) -> Case:
    """Return what is judged, with the changes accepted as of `today`, by default the current date."""
    subjects = Subjects(head, comparison)
    return Case(
        head=head,
        comparison=comparison,
        subjects=subjects,
        accepted=settle(policy.acknowledged if comparison else (), subjects, today or moment().date()),
        is_new=is_new,
        base_missing=base_missing,
    )


def named(gate: Gate | GateResult) -> str:
    """Return the text that names a gate in a sentence: ``params <= +0``, ``params <= +0 (node decoder/**)``."""
    text = gate.text if isinstance(gate, Gate) else gate.gate
    return text if gate.subject is Subject.MODEL else f"{text} ({gate.subject} {called(gate.glob)})"


def result_of(
    gate: Gate, status: GateStatus, text: str, *, judged: int = 0, failed: int = 0, rows: Iterable[JudgedRow] = ()
) -> GateResult:
    """Return the outcome of a gate."""
    return GateResult(
        gate=gate.text,
        status=status,
        text=text,
        metric=gate.metric,
        subject=gate.subject,
        glob=gate.glob,
        level=gate.level,
        source=gate.source,
        owner=gate.owner,
        judged=judged,
        failed=failed,
        rows=tuple(rows),
    )


def unknown_everywhere(gate: Gate, case: Case) -> GateResult:
    """Return the result of an optional gate whose metric is unknown on all sides."""
    sides = "neither side knows" if case.comparison else "head does not know"
    return result_of(gate, GateStatus.SKIPPED, f"{sides} {gate.metric}")


def common_doubts(gate: Gate, comparison: Comparison | None) -> list[str]:
    """Return why no figure of base is comparable with head's; empty if they are. A budget does not depend on base."""
    if comparison is None or gate.is_budget:
        return []
    if not comparison.matched_nodes:
        return ["no row matched"]
    if not comparison.has_same_counting:
        versions = (side.counting_version for side in (comparison.base, comparison.head))
        return ["base was counted by counting version {}, head by {}".format(*versions)]
    if gate.metric in FLOP_STEMS and not comparison.has_same_rules:
        return [f"base was counted by the rules {comparison.base.rules}, head by {comparison.head.rules}"]
    return []
