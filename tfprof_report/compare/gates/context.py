"""The shared context of judging: sides, accepted changes, doubts that apply to all rows, and building results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

from tfprof_report.clock import moment
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.acknowledge import NOTHING_ACCEPTED, Accepted, settle
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.policy import ANY_NAME, Gate, Policy, Subject
from tfprof_report.compare.gates.precedence import GateRows, rows_of_gates
from tfprof_report.compare.gates.reference import NO_STORE, Found, NotFound, PastTotals, References
from tfprof_report.compare.gates.subjects import Subjects
from tfprof_report.compare.gates.verdict import (
    AcknowledgedChange,
    AcknowledgedStatus,
    GateResult,
    GateStatus,
    JudgedRow,
    MeasuredFrom,
)
from tfprof_report.compare.side import Side
from tfprof_report.formatting import amount, called, share
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.record import record

NOUNS = {Subject.MODEL: "model", Subject.NODE: "node", Subject.SCOPE: "scope", Subject.OP: "op type"}

NO_BASELINE = "there is no baseline to measure it against"


@record
class Case:
    """What is judged.

    is_new : base has other models but not this one, so there is no comparison
    base_missing : there is no baseline, and none is required
    found : for a drift gate, the report that takes the place of base, or why there is none
    """

    head: Side
    comparison: Comparison | None
    subjects: Subjects
    accepted: Accepted = NOTHING_ACCEPTED
    is_new: bool = False
    base_missing: bool = False
    found: Found | NotFound | None = None

    @property
    def totals(self) -> PastTotals | None:
        """The totals that a drift gate is relative to; None with a comparison, or without either."""
        return self.found.totals if isinstance(self.found, Found) and self.comparison is None else None

    @property
    def has_base(self) -> bool:
        """Whether there is anything that a relative gate can be measured from."""
        return self.comparison is not None or self.totals is not None

    @property
    def base_word(self) -> str:
        """What base is called in a sentence."""
        return "base" if self.found is None else "the reference"

    def start_of(self, metric: str) -> Fraction | None:
        """Return the accepted total of a metric, from which drift is measured; None if none was, or it has expired."""
        accepted = [change for change, _ in self.accepted.on(metric) if is_start(change)]
        return Fraction(str(accepted[-1].value)) if accepted else None


def is_start(change: AcknowledgedChange) -> bool:
    """Return whether drift can be measured from an accepted value: it is of all nodes, and has not expired."""
    return change.node == ANY_NAME and change.status is not AcknowledgedStatus.EXPIRED


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
    is_relative = comparison is not None or any(gate.reference for gate in policy.gates)
    return Case(
        head=head,
        comparison=comparison,
        subjects=subjects,
        accepted=settle(policy.acknowledged if is_relative else (), subjects, today or moment().date()),
        is_new=is_new,
        base_missing=base_missing,
    )


def cases_of(main: Case, policy: Policy, references: References, today: date | None) -> dict[Gate, Case]:
    """Return what each gate judges: a drift gate has another base than `main`, those of one report share it."""
    alone = main if main.comparison is None else None
    of_reports: dict[str, Case] = {}
    cases: dict[Gate, Case] = {}
    for gate in policy.gates:
        if gate.reference is None:
            cases[gate] = main
            continue
        found = references.get(gate, NO_STORE)
        if isinstance(found, Found) and found.comparison:
            case = of_reports.get(found.report) or case_of(main.head, found.comparison, policy, today)
            of_reports[found.report] = case
        else:
            case = alone = alone or case_of(main.head, None, policy, today)
        cases[gate] = replace(case, found=found)
    return cases


def rows_by_case(gates: Sequence[Gate], cases: Mapping[Gate, Case]) -> tuple[GateRows, ...]:
    """Return the rows of each gate: drift gates compete with those of the same reference, whose rows are theirs."""
    rows: dict[int, GateRows] = {}
    for reference in dict.fromkeys(gate.reference for gate in gates):
        places = [place for place, gate in enumerate(gates) if gate.reference == reference]
        group = [gates[place] for place in places]
        subjects = cases[next((gate for gate in group if gate.subject is not Subject.MODEL), group[0])].subjects
        rows |= zip(places, rows_of_gates(group, subjects.names), strict=True)
    return tuple(rows[place] for place in range(len(gates)))


def why_not_comparable(comparison: Comparison, max_unmatched: Fraction) -> list[str]:
    """Return why no gate that depends on a comparison can be decided: too few nodes have a partner."""
    if not comparison.matched_nodes:
        return ["nothing is comparable, no node of head has a name that base knows"]
    matching = comparison.matching
    if (matching.unmatched_share or 0) > max_unmatched:
        alone = share(matching.unmatched, matching.nodes)
        return [f"{alone} of the nodes have no partner, more than {float(100 * max_unmatched):g} %"]
    return []


def start_words(change: AcknowledgedChange) -> str:
    """Return that drift is measured from an accepted value."""
    value = amount(Fraction(str(change.value)), UNITS[change.metric])
    return f"measured from the acknowledged {value} until {change.expires}: {called(change.reason)}"


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
        reference=MeasuredFrom(words=gate.reference.words) if gate.reference else None,
    )


def unknown_everywhere(gate: Gate, case: Case) -> GateResult:
    """Return the result of an optional gate whose metric is unknown on all sides."""
    sides = "neither side knows" if case.has_base else "head does not know"
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
