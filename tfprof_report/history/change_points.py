"""Where a noisy figure changes its level."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Floats
from tfprof_report.history.splits import best_splits

MIN_POINTS = 4
"""Points of a new level that confirm it: a change among the last three of a series is not reported yet."""

_WORST = 9.0
_PENALTY = 18.0


def change_points(values: Floats) -> tuple[int, ...]:
    """Return the places where a new level begins (the first value of it), in ascending order.

    `values` are known figures in the order of their commits, with noise or without. A level has at least `MIN_POINTS`
    values, so that one outlier, or a few, are none, and a change is reported once its level has so many.
    """
    if len(values) < 2 * MIN_POINTS:
        return ()
    noise = _noise(values)
    found = best_splits((values - np.median(values)) / noise, worst=_WORST, penalty=_PENALTY)
    return tuple(found)


def _noise(values: Floats) -> float:
    return max(float(np.median(np.abs(np.diff(values)))) * 1.4826 / 2**0.5, 1e-12 * float(np.abs(values).max()), 1e-300)
