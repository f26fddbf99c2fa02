"""Compares whole columns of figures with the limits of a gate, exactly, in integers. A model total is one row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof_report.arrays import Bools, Floats
from tfprof_report.compare.exact_figures import Exact, times
from tfprof_report.compare.gates.policy import Bound, Gate, Limit, Scale
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.gates.verdict import GateStatus

_LARGEST_MOVE = 100
"""A known share may move by at most 1 / this: a percentage point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOutcomes:
    """The outcomes of a gate on n rows; at most one of the first four is true for a row, and if none is it passed.

    failed : the figure is not allowed
    open : inconclusive, because the figures are not comparable
    unknown : the figure is unknown on both sides, so the row was not judged
    accepted : allowed only because of an acknowledgement
    from_zero : the figure grew from 0, which no relative upper limit allows
    has_moved, is_partly_new : why a row may be open: its known share moved; it is new and only partly known
    excess : how far a figure is beyond its limit, in its unit; rounded, for sorting only
    p_value : of the rank test, for a time that exceeds its limit; NaN for all others
    """

    failed: Bools
    open: Bools
    unknown: Bools
    accepted: Bools
    from_zero: Bools
    has_moved: Bools
    is_partly_new: Bools
    excess: Floats
    p_value: Floats

    def status(self, row: int) -> GateStatus:
        """Return the outcome of one row."""
        if self.failed[row]:
            return GateStatus.FAILED
        if self.open[row] or self.unknown[row]:
            return GateStatus.INCONCLUSIVE
        return GateStatus.ACKNOWLEDGED if self.accepted[row] else GateStatus.PASSED


def hold_rows(gate: Gate, rows: RowFigures, *, in_doubt: bool = False) -> RowOutcomes:
    """Evaluate a gate on every row; `in_doubt` if no figure of base is comparable with head's.

    A budget that the known figures of head exceed fails, whatever else is unknown. Growth from 0 fails a relative gate
    with an upper bound, since there is nothing to measure it against.
    """
    has_upper = any(limit.bound is not Bound.AT_LEAST for limit in gate.limits)
    from_zero = ((rows.base == 0) & (rows.head != 0) & (not gate.is_budget and has_upper)).astype(bool)
    holds = ~from_zero
    excess = np.full(len(rows), -np.inf)
    for limit in gate.limits:
        holds &= _is_within(limit.bound, _beyond(limit, rows))
        excess = np.maximum(excess, _distance(limit, rows))
    (old_known, old_all), (new_known, new_all) = rows.base_nodes, rows.head_nodes
    # abs(new_known / new_all - old_known / old_all) > 1 / _LARGEST_MOVE, without division
    has_moved = _LARGEST_MOVE * np.abs(new_known * old_all - old_known * new_all) > old_all * new_all
    has_moved &= (old_all > 0) & (new_all > 0)
    is_partly_new = (old_all == 0) & (new_known < new_all) & (not gate.is_budget)
    doubtful = rows.base_known & ((rows.lost > 0) | (rows.now_known > 0) | has_moved)
    unknown = ~rows.base_known & ~rows.head_known
    if gate.is_budget:
        failed = rows.head_known & ~holds
        is_open = rows.base_known & (~rows.head_known | doubtful) & ~failed
    else:
        is_open = ~unknown & ((rows.base_known != rows.head_known) | doubtful | is_partly_new | in_doubt)
        failed = ~holds & ~unknown & ~is_open
    return RowOutcomes(
        failed=failed,
        open=is_open,
        unknown=unknown,
        accepted=np.zeros(len(rows), dtype=bool),
        from_zero=from_zero,
        has_moved=has_moved,
        is_partly_new=is_partly_new,
        excess=excess,
        p_value=np.full(len(rows), np.nan),
    )


def _beyond(limit: Limit, rows: RowFigures) -> Exact:
    """Return integers with the sign of figure - limit.

    With a limit p / q both sides of a comparison are multiplied by the denominators, such as ``head * q - p * divisor``
    for a budget.
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
    """Return ``left - right`` without overflow."""
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
    """Return how far each figure is beyond a limit, in float64."""
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
