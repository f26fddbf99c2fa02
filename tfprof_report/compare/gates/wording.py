"""Words the outcome of a gate on a row; the outcome itself is decided in `limits` and `hold`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

from tfprof_report.compare.comparison import Comparison, State
from tfprof_report.compare.exact_totals import as_number
from tfprof_report.compare.gates.context import Case, common_doubts
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.hold import HeldRows
from tfprof_report.compare.gates.policy import Bound, Gate, Limit, Scale, Subject
from tfprof_report.compare.gates.subjects import changed_nodes
from tfprof_report.compare.gates.verdict import AcknowledgedStatus, GateStatus, JudgedRow
from tfprof_report.formatting import amount, called, change, percent_of, plural, share

_WHY_NOT = (AcknowledgedStatus.EXPIRED, AcknowledgedStatus.OTHER_VALUE)
"""Acknowledgements without effect that are mentioned where a figure fails."""


def row_in_words(gate: Gate, held: HeldRows, row: int, case: Case) -> JudgedRow:
    """Return one row as a gate judged it; a gate on the whole model has a single row."""
    (base, head), status = held.figures.at(row), held.outcomes.status(row)
    is_known = head is not None and (gate.is_budget or base is not None)
    text, reason = _sentence(gate, held, row), None
    if status is GateStatus.INCONCLUSIVE and is_known:
        text = f"{text}, but {' and '.join(_doubts(gate, held, row, case.comparison))}"
    elif not np.isnan(p_value := held.outcomes.p_value[row]):
        by_chance = "" if status is GateStatus.FAILED else ", which chance explains"
        text = f"{text}, by medians over steps{by_chance} (p = {p_value:.2g})"
    elif status in (GateStatus.FAILED, GateStatus.ACKNOWLEDGED) and not gate.is_budget:
        text, reason = _with_accepted(text, gate, held, row, case)
    return judged_row(
        None if gate.subject is Subject.MODEL else str(case.subjects.names(gate.subject)[row]),
        status,
        base,
        head,
        allowed=allowed_words(gate, base) if is_known or gate.is_budget else "",
        text=text,
        reason=reason,
    )


def judged_row(
    name: str | None,
    status: GateStatus,
    base: Fraction | None,
    head: Fraction | None,
    *,
    text: str,
    allowed: str = "",
    reason: str | None = None,
) -> JudgedRow:
    """Return a row, with the difference of its figures."""
    return JudgedRow(
        name=name,
        status=status,
        base=as_number(base),
        head=as_number(head),
        delta=as_number(None if base is None or head is None else head - base),
        percent=percent_of(base, head),
        allowed=allowed,
        text=text,
        reason=reason,
    )


def allowed_words(gate: Gate, base: Fraction | None) -> str:
    """Return ``at most 1,246.34``, ``from 99 to 101 bytes``: what a gate allows a figure to be."""
    unit = UNITS[gate.metric]
    if len(gate.limits) > 1:
        low, high = (_allowed_by(limit, base) for limit in gate.limits)
        return f"from {amount(low)} to {amount(high, unit)}"
    words = {Bound.AT_MOST: "at most", Bound.AT_LEAST: "at least", Bound.EXACTLY: "exactly"}
    limit = gate.limits[0]
    return f"{words[limit.bound]} {amount(_allowed_by(limit, base), unit)}"


def _allowed_by(limit: Limit, base: Fraction | None) -> Fraction:
    """Return the figure that a limit allows at most, at least or exactly."""
    if limit.scale is Scale.BUDGET:
        return limit.value
    base = base or Fraction(0)
    return base + (limit.value if limit.scale is Scale.DIFFERENCE else abs(base) * limit.value / 100)


def _sentence(gate: Gate, held: HeldRows, row: int) -> str:
    """Return a sentence with both figures and what is allowed, or with the side on which the figure is unknown."""
    base, head = held.figures.at(row)
    if gate.is_budget and head is not None:
        return f"{amount(head)}, allowed {allowed_words(gate, None)}"
    if base is None or head is None:
        sides = {"base": base is None and not gate.is_budget, "head": head is None}
        return f"{gate.metric} of {' and '.join(side for side, is_unknown in sides.items() if is_unknown)} is unknown"
    if held.outcomes.from_zero[row] and not held.outcomes.open[row]:
        return f"{change(base, head)}, and growth from 0 fails every relative upper limit"
    return f"{change(base, head)}, allowed {allowed_words(gate, base)}"


def _doubts(gate: Gate, held: HeldRows, row: int, comparison: Comparison | None) -> list[str]:
    """Return why the figures of base and head are not comparable."""
    common, own = common_doubts(gate, comparison), [*_own_doubts(gate, held, row, comparison)]
    if gate.subject is not Subject.MODEL:
        return common + own
    if common and comparison and not comparison.matched_nodes:
        return common  # without a matched row no other doubt matters
    return own + common


def _own_doubts(gate: Gate, held: HeldRows, row: int, comparison: Comparison | None) -> Iterator[str]:
    figures, outcomes = held.figures, held.outcomes
    for count, state, words in (
        (figures.lost[row], State.LOST, "from known to unknown"),
        (figures.now_known[row], State.NOW_KNOWN, "from unknown to known"),
    ):
        if count and gate.subject is Subject.MODEL:
            example = called(str(changed_nodes(comparison, gate.metric, state)[0]))
            yield f"{plural(int(count), 'matched row')} changed {words}, such as {example}"
        elif count:
            yield f"{plural(int(count), 'node')} of it changed {words}"
    old, new = ((int(known[row]), int(could[row])) for known, could in (figures.base_nodes, figures.head_nodes))
    if outcomes.has_moved[row]:
        yield f"its known share moved from {share(*old)} to {share(*new)}"
    if outcomes.is_partly_new[row]:
        yield f"only {new[0]:,} of its {plural(new[1], 'new node')} are known"


def _with_accepted(text: str, gate: Gate, held: HeldRows, row: int, case: Case) -> tuple[str, str | None]:
    """Return the sentence of a row beyond its limits with its acknowledgements, and the reason of those in effect."""
    changes = [
        each for each, nodes in case.accepted.on(gate.metric) if (nodes & case.subjects.in_row(gate.subject, row)).any()
    ]
    if held.outcomes.accepted[row]:
        holding = [each for each in changes if each.status is AcknowledgedStatus.HOLDS]
        return _joined([text, *(each.text for each in holding)], ", "), _joined((each.reason for each in holding), "; ")
    (base, _), (accepted, _) = held.figures.at(row), held.accepted.at(row)
    notes = [each.text for each in changes if each.status in _WHY_NOT]
    if base is not None and accepted is not None and accepted != base:
        sign = "+" if accepted > base else ""
        notes.insert(0, f"{sign}{amount(accepted - base, UNITS[gate.metric])} of it acknowledged")
    return _joined([text, *notes], ", "), None


def _joined(words: Iterable[str], separator: str) -> str:
    """Join words without duplicates."""
    return separator.join(dict.fromkeys(words))
