"""Compares whole columns of figures with the limits of a gate, exactly, in integers. A model total is one row."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tfprof_report.arrays import Bools, Floats
from tfprof_report.compare.exact_figures import Exact, times
from tfprof_report.compare.gates.policy import Bound, Gate, Limit, Scale
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.gates.verdict import GateStatus
from tfprof_report.record import record


@record
class RowOutcomes:
    """The outcomes of a gate on n rows; at most one of the first four is true for a row, and if none is it passed.

    failed : the figure is not allowed
    open : inconclusive, because the figures are not comparable
    unknown : the figure is unknown on both sides, so the row was not judged
    accepted : allowed only because of an acknowledgement
    from_zero : the figure grew from 0, which no relative upper limit allows
    excess : how far a figure is beyond its limit, in its unit; rounded, for sorting only
    p_value : of the rank test, for a time that exceeds its limit; NaN for all others
    close : memory beyond its limit, but no further than steps of a side differ among themselves, and so not failed
    """

    failed: Bools
    open: Bools
    unknown: Bools
    accepted: Bools
    from_zero: Bools
    excess: Floats
    p_value: Floats
    close: Bools

    def status(self, row: int) -> GateStatus:
        """Return the outcome of one row."""
        if self.failed[row]:
            return GateStatus.FAILED
        if self.open[row] or self.unknown[row]:
            return GateStatus.INCONCLUSIVE
        return GateStatus.ACKNOWLEDGED if self.accepted[row] else GateStatus.PASSED


def hold_rows(gate: Gate, rows: RowFigures, *, in_doubt: bool = False) -> RowOutcomes:
    """Evaluate a gate on every row; `in_doubt` if no figure of base is comparable with head's.

    A sum with an unknown part is a lower bound. On one, an upper budget fails if the known part exceeds it and is open
    otherwise, and a lower budget holds if the known part reaches it and is open otherwise. A relative gate is open if
    a node that either side lacks a figure for is not known to be equal on the other. Growth from 0 fails a relative
    gate with an upper bound, since there is nothing to measure it against; but not up to a floor, which needs no base.
    """
    upper = [limit for limit in gate.limits if limit.bound is not Bound.AT_LEAST]
    from_zero = ((rows.base == 0) & (rows.head != 0) & (not gate.is_budget and bool(upper))).astype(bool)
    for floor in (limit.floor for limit in upper if limit.floor is not None):
        from_zero &= (_beyond_difference(floor, rows) > 0).astype(bool)
    unknown = ~rows.base_known & ~rows.head_known
    excess = np.full(len(rows), -np.inf)
    failed, doubtful = from_zero.copy(), np.zeros(len(rows), dtype=bool)
    for limit in gate.limits:
        beyond = _beyond(limit, rows)
        may_grow = (rows.head_unknown > 0) & gate.is_budget
        is_over = (beyond > 0).astype(bool) & (limit.bound is not Bound.AT_LEAST)
        is_under = (beyond < 0).astype(bool) & (limit.bound is not Bound.AT_MOST)
        failed |= is_over | (is_under & ~may_grow)
        doubtful |= may_grow & (is_under | (limit.bound is not Bound.AT_LEAST))
        excess = np.maximum(excess, _distance(limit, rows))
    if gate.is_budget:
        failed &= rows.head_known
        is_open = ~unknown & ~failed & (~rows.head_known | doubtful)
    else:
        is_open = ~unknown & (
            (rows.base_known != rows.head_known) | (rows.base_open > 0) | (rows.head_open > 0) | in_doubt
        )
        failed &= ~unknown & ~is_open
    return RowOutcomes(
        failed=failed,
        open=is_open,
        unknown=unknown,
        accepted=np.zeros(len(rows), dtype=bool),
        from_zero=from_zero,
        excess=excess,
        p_value=np.full(len(rows), np.nan),
        close=np.zeros(len(rows), dtype=bool),
    )


def _beyond(limit: Limit, rows: RowFigures) -> Exact:
    """Return integers with the sign of figure - limit.

    With a limit p / q both sides of a comparison are multiplied by the denominators, such as ``head * q - p * divisor``
    for a budget. A figure is beyond a limit with a floor only if it is beyond both.
    """
    p, q = limit.value.numerator, limit.value.denominator
    match limit.scale:
        case Scale.BUDGET:
            return _difference(times(rows.head, q), p * rows.divisor)
        case Scale.DIFFERENCE:
            return _beyond_difference(limit.value, rows)
        case Scale.PERCENT:
            beyond = _difference(times(_difference(rows.head, rows.base), 100 * q), times(abs(rows.base), p))
            if limit.floor is None:
                return beyond
            nearer = np.minimum if limit.bound is Bound.AT_MOST else np.maximum
            both: Exact = nearer(beyond, _beyond_difference(limit.floor, rows))
            return both


def _beyond_difference(value: Fraction, rows: RowFigures) -> Exact:
    """Return integers with the sign of ``head - base - value``."""
    p, q = value.numerator, value.denominator
    return _difference(times(_difference(rows.head, rows.base), q), p * rows.divisor)


def _difference(left: Exact, right: Exact | int) -> Exact:
    """Return ``left - right`` without overflow."""
    if isinstance(right, int) and abs(right) >= 2**62:
        left = left.astype(object)
    return left - right


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
            if limit.floor is not None:
                nearer = np.minimum if limit.bound is Bound.AT_MOST else np.maximum
                beyond = nearer(beyond, head - base - float(limit.floor))
    distance: Floats = {Bound.AT_MOST: beyond, Bound.AT_LEAST: -beyond, Bound.EXACTLY: np.abs(beyond)}[limit.bound]
    return distance
