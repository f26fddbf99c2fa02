"""Where a noisy figure changes its level."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Floats
from tfprof_report.history.noise import noise_of
from tfprof_report.history.splits import best_splits

MIN_POINTS = 4
"""Values of a new level that confirm it: a change among the last three of a series is not reported yet."""

_WORST = 9.0
"""What an outlier costs: the square of three standard deviations."""

_PENALTY = 18.5
"""What a new level costs: a little more than two outliers."""

_BETTER = 3.0
"""By how much a step must fit better than a straight line, so that drift is not told as stairs."""


def change_points(values: Floats) -> tuple[int, ...]:
    """Return the places where a new level begins (of its first value), in ascending order.

    `values` are known, finite figures in the order of their commits, with noise or without. Each level has at least
    `MIN_POINTS` of them, so a change is reported once so many follow it. Outliers are no change, nor are up to four
    values after which the old level is back. The places do not depend on unit or offset of the values.
    """
    if len(values) < 2 * MIN_POINTS:
        return ()
    scaled = (values - np.median(values)) / noise_of(values)
    begins = best_splits(scaled, worst=_WORST, penalty=_PENALTY)
    return tuple(_clear_steps(scaled, begins))


def _clear_steps(values: Floats, begins: list[int]) -> list[int]:
    """Return the places that stay when the least clear one is dropped until each is a clear step."""
    bounds = [0, *begins, len(values)]
    clear = [_clearness(values, *bounds[at : at + 3]) for at in range(len(begins))]
    while clear and min(clear) < (True, _BETTER):
        least = clear.index(min(clear))
        del clear[least], bounds[least + 1]
        for at in range(max(least - 1, 0), min(least + 1, len(clear))):
            clear[at] = _clearness(values, *bounds[at : at + 3])
    return bounds[1:-1]


def _clearness(values: Floats, first: int, begin: int, stop: int) -> tuple[bool, float]:
    """Return whether the levels on both sides of a place are long enough, and how much better they fit than a line."""
    before, after, whole = values[first:begin], values[begin:stop], values[first:stop]
    by_step = _cost(before - np.median(before)) + _cost(after - np.median(after))
    flat = whole - _resistant_slope(whole) * np.arange(len(whole))
    return min(len(before), len(after)) >= MIN_POINTS, _cost(flat - np.median(flat)) - by_step


def _resistant_slope(values: Floats) -> float:
    """Return the slope between the medians of the first and the last third (Tukey, 1977), per value."""
    third = max(len(values) // 3, 1)
    rise = np.median(values[-third:]) - np.median(values[:third])
    return float(rise / (len(values) - third))


def _cost(residuals: Floats) -> float:
    return float(np.minimum(residuals**2, _WORST).sum())
