"""Holds figures to the limits of a gate: exactly, one figure in fractions or whole columns in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tfprof_report.arrays import Bools, Floats
from tfprof_report.compare.exact_figures import Exact, times
from tfprof_report.compare.exact_totals import as_number
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.policy import Bound, Gate, Limit, Scale
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.gates.verdict import GateStatus, JudgedRow
from tfprof_report.formatting import amount, change, percent_of

LARGEST_MOVE = 100
"""A known share may move by one part in this many, a percentage point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOutcomes:
    """What a gate finds of n rows; at most one of the first four holds of a row, and where none does it passed.

    failed, open, unknown : it is not allowed; nobody can tell; both sides are unknown, so it was not judged
    accepted : it would not be allowed without an acknowledgement
    excess : how far a figure is beyond what is allowed, in its unit; only good for an order
    """

    failed: Bools
    open: Bools
    unknown: Bools
    accepted: Bools
    excess: Floats


def hold_rows(gate: Gate, rows: RowFigures, *, has_base: bool, in_doubt: bool = False) -> RowOutcomes:
    """Hold every row to a gate; `in_doubt` where no figure of base is to be compared with head's.

    A budget that known figures of head break has failed, whatever is not known. Growth from 0 fails a relative gate
    that sets an upper bound.
    """
    holds = np.ones(len(rows), dtype=bool)
    excess = np.full(len(rows), -np.inf)
    for limit in gate.limits:
        beyond = _beyond(limit, rows)
        holds &= _is_within(limit.bound, beyond)
        excess = np.maximum(excess, _distance(limit, rows))
    if not gate.is_budget and any(limit.bound is not Bound.AT_LEAST for limit in gate.limits):
        holds &= ~((rows.base == 0) & (rows.head != 0)).astype(bool)
    doubtful = _doubtful(rows) & rows.base_known if has_base else np.zeros(len(rows), dtype=bool)
    nowhere = np.zeros(len(rows), dtype=bool)
    if gate.is_budget:
        failed = rows.head_known & ~holds
        lost = rows.base_known & ~rows.head_known if has_base else nowhere
        unknown = ~rows.head_known & ~lost
        is_open = lost | (doubtful & ~failed & ~unknown)
    else:
        unknown = ~rows.base_known & ~rows.head_known
        partly_new = (rows.base_nodes[1] == 0) & (rows.head_nodes[0] < rows.head_nodes[1])
        is_open = ~unknown & ((rows.base_known != rows.head_known) | doubtful | partly_new | in_doubt)
        failed = ~holds & ~unknown & ~is_open
    return RowOutcomes(failed=failed, open=is_open, unknown=unknown, accepted=nowhere, excess=excess)


def _beyond(limit: Limit, rows: RowFigures) -> Exact:
    """Return whole numbers with the sign of figure - limit.

    ``head * q - p * divisor`` for a budget p / q; both sides of every comparison are multiplied until they are whole.
    """
    p, q = limit.value.numerator, limit.value.denominator
    match limit.scale:
        case Scale.BUDGET:
            return _difference(times(rows.head, q), p * rows.divisor)
        case Scale.DIFFERENCE:
            return _difference(times(_difference(rows.head, rows.base), q), p * rows.divisor)
        case Scale.PERCENT:
            return _difference(times(_difference(rows.head, rows.base), 100 * q), times(abs(rows.base), p))


def _difference(left: Exact, right: Exact | int) -> Exact:
    """Return ``left - right`` without a limit."""
    if isinstance(right, int) and abs(right) >= 2**62:
        left = left.astype(object)
    return left - right


def _is_within(bound: Bound, beyond: Exact) -> Bools:
    match bound:
        case Bound.AT_MOST:
            within = beyond <= 0
        case Bound.AT_LEAST:
            within = beyond >= 0
        case Bound.EXACTLY:
            within = beyond == 0
    return within.astype(bool)


def _distance(limit: Limit, rows: RowFigures) -> Floats:
    """Return how far each figure is beyond a limit, rounded."""
    base, head = (side.astype(np.float64) / rows.divisor for side in (rows.base, rows.head))
    value = float(limit.value)
    match limit.scale:
        case Scale.BUDGET:
            beyond = head - value
        case Scale.DIFFERENCE:
            beyond = head - base - value
        case Scale.PERCENT:
            beyond = head - base - np.abs(base) * (value / 100)
    distance: Floats = {Bound.AT_MOST: beyond, Bound.AT_LEAST: -beyond, Bound.EXACTLY: np.abs(beyond)}[limit.bound]
    return distance


def _doubtful(rows: RowFigures) -> Bools:
    """Return which rows' figures are of other nodes on the two sides: some were lost or came."""
    (old_known, old_all), (new_known, new_all) = rows.base_nodes, rows.head_nodes
    has_moved = LARGEST_MOVE * np.abs(new_known * old_all - old_known * new_all) > old_all * new_all
    doubtful: Bools = (rows.lost > 0) | (rows.now_known > 0) | (has_moved & (old_all > 0) & (new_all > 0))
    return doubtful


def holds(limit: Limit, base: Fraction | None, head: Fraction) -> bool:
    """Return whether one figure is within a limit; `base` is not needed for a budget."""
    allowed = allowed_by(limit, base)
    match limit.bound:
        case Bound.AT_MOST:
            return head <= allowed
        case Bound.AT_LEAST:
            return head >= allowed
        case Bound.EXACTLY:
            return head == allowed


def allowed_by(limit: Limit, base: Fraction | None) -> Fraction:
    """Return the figure at which a limit stands."""
    if limit.scale is Scale.BUDGET:
        return limit.value
    base = base or Fraction(0)
    return base + (limit.value if limit.scale is Scale.DIFFERENCE else abs(base) * limit.value / 100)


def allowed_words(gate: Gate, base: Fraction | None) -> str:
    """Return ``at most 1,246.34``, ``from 99 to 101 bytes``: what a gate allows a figure to be."""
    unit = UNITS[gate.metric]
    if len(gate.limits) > 1:
        low, high = (allowed_by(limit, base) for limit in gate.limits)
        return f"from {amount(low)} to {amount(high, unit)}"
    words = {Bound.AT_MOST: "at most", Bound.AT_LEAST: "at least", Bound.EXACTLY: "exactly"}
    limit = gate.limits[0]
    return f"{words[limit.bound]} {amount(allowed_by(limit, base), unit)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A metric of the whole model (`name` None) or of one row; None where unknown.

    doubts : why the figures of base and head are not of the same things
    """

    base: Fraction | None
    head: Fraction | None
    name: str | None = None
    doubts: tuple[str, ...] = ()


def judge_figure(gate: Gate, figure: Figure) -> JudgedRow:
    """Hold one figure to a gate.

    A budget that the known figures of head break has failed whatever else is in doubt: base has no say in it. Growth
    from 0 fails a relative gate that sets an upper bound: there is nothing to measure it against.
    """
    status, text, allowed = (_judge_budget if gate.is_budget else _judge_growth)(gate, figure)
    base, head = figure.base, figure.head
    return JudgedRow(
        name=figure.name,
        status=status,
        base=as_number(base),
        head=as_number(head),
        delta=as_number(None if base is None or head is None else head - base),
        percent=percent_of(base, head),
        allowed=allowed,
        text=text,
    )


def _judge_budget(gate: Gate, figure: Figure) -> tuple[GateStatus, str, str]:
    if figure.head is None:
        return GateStatus.INCONCLUSIVE, f"{gate.metric} of head is unknown", allowed_words(gate, None)
    allowed = allowed_words(gate, None)
    text = f"{amount(figure.head)}, allowed {allowed}"
    if not all(holds(limit, None, figure.head) for limit in gate.limits):
        return GateStatus.FAILED, text, allowed
    return *_unless(figure.doubts, GateStatus.PASSED, text), allowed


def _judge_growth(gate: Gate, figure: Figure) -> tuple[GateStatus, str, str]:
    base, head = figure.base, figure.head
    if base is None or head is None:
        sides = "base and head" if base is None and head is None else "base" if base is None else "head"
        return GateStatus.INCONCLUSIVE, f"{gate.metric} of {sides} is unknown", ""
    allowed = allowed_words(gate, base)
    text = f"{change(base, head)}, allowed {allowed}"
    if figure.doubts:
        return *_unless(figure.doubts, GateStatus.PASSED, text), allowed
    if base == 0 and head != 0 and any(limit.bound is not Bound.AT_LEAST for limit in gate.limits):
        return (
            GateStatus.FAILED,
            f"{change(base, head)}, and growth from 0 fails every relative upper limit",
            allowed_words(gate, base),
        )
    is_held = all(holds(limit, base, head) for limit in gate.limits)
    return GateStatus.PASSED if is_held else GateStatus.FAILED, text, allowed


def _unless(doubts: Sequence[str], status: GateStatus, text: str) -> tuple[GateStatus, str]:
    return (GateStatus.INCONCLUSIVE, f"{text}, but {' and '.join(doubts)}") if doubts else (status, text)
