"""Decides which figures a gate allows: whole columns, in whole numbers, exactly. The total of a model is one row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof_report.arrays import Bools, Floats
from tfprof_report.compare.exact_figures import Exact, times
from tfprof_report.compare.gates.policy import Bound, Gate, Limit, Scale
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.gates.verdict import GateStatus

_LARGEST_MOVE = 100
"""A known share may move by one part in this many, a percentage point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOutcomes:
    """What a gate finds of n rows; at most one of the first four holds of a row, and where none does it passed.

    failed, open, unknown : it is not allowed; nobody can tell; no side knows it, so it was not judged
    accepted : it would not be allowed without an acknowledgement
    from_zero : it grew from 0, which no relative upper limit allows
    has_moved, is_partly_new : why it may be open: its known share moved; base lacks it, and head knows a part of it
    excess : how far a figure is beyond what is allowed, in its unit; only good for an order
    p_value : of a time that broke its limit, how likely steps of one machine do so by chance; NaN of all else
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
    """Hold every row to a gate; `in_doubt` where no figure of base is to be compared with head's.

    A budget that known figures of head break has failed, whatever is not known: base has no say in it. Growth from 0
    fails a relative gate that sets an upper bound: there is nothing to measure it against.
    """
    has_upper = any(limit.bound is not Bound.AT_LEAST for limit in gate.limits)
    from_zero = ((rows.base == 0) & (rows.head != 0) & (not gate.is_budget and has_upper)).astype(bool)
    holds = ~from_zero
    excess = np.full(len(rows), -np.inf)
    for limit in gate.limits:
        holds &= _is_within(limit.bound, _beyond(limit, rows))
        excess = np.maximum(excess, _distance(limit, rows))
    (old_known, old_all), (new_known, new_all) = rows.base_nodes, rows.head_nodes
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
