"""A reference for gates: judges one figure at a time in exact fractions, without columns."""

from __future__ import annotations

from fractions import Fraction

from tfprof_report.compare.gates.policy import Bound, Gate, Scale


def holds(gate: Gate, base: Fraction | None, head: Fraction) -> bool:
    """Return whether a gate with one limit allows a figure; `base` is not needed for a budget."""
    (limit,) = gate.limits
    allowed = limit.value
    if limit.scale is not Scale.BUDGET:
        base, is_lower = base or Fraction(0), limit.bound is Bound.AT_LEAST
        if limit.floor is not None and (head - base >= limit.floor if is_lower else head - base <= limit.floor):
            return True
        if base == 0 and head != 0 and not is_lower:
            return False
        allowed = base + (limit.value if limit.scale is Scale.DIFFERENCE else abs(base) * limit.value / 100)
    return {Bound.AT_MOST: head <= allowed, Bound.AT_LEAST: head >= allowed, Bound.EXACTLY: head == allowed}[
        limit.bound
    ]
