"""Slow drift of a noisy figure, of which no single step is large enough to be seen."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Floats
from tfprof_report.history.noise import persistence
from tfprof_report.record import record

MIN_DRIFT_POINTS = 10
"""Values that a stretch needs before it is said to drift."""

SIGNIFICANT = 0.001
"""Values drift where the p-value of the trend test is below this."""

_MOST_POINTS = 500
"""Longer stretches are thinned to medians before the slope is taken, which compares each point with each other."""


@record
class Drift:
    """A steady trend: `total` is its size from end to end, in the unit of the values; `level` is where it starts."""

    level: float
    total: float
    p_value: float


def drift(values: Floats) -> Drift | None:
    """Return the drift of a stretch without change points, None if it has none that is significant.

    Its significance is that of the Mann-Kendall test, which only looks at the order of values, with its variance raised
    for noise that persists (Yue and Wang, 2004); its size is the Theil-Sen slope by the length.
    """
    if len(values) < MIN_DRIFT_POINTS or np.ptp(values) == 0:
        return None
    from scipy import stats  # noqa: PLC0415 (takes half a second, and only series of many points need it)

    kept = persistence(values)
    seen = stats.kendalltau(np.arange(len(values)), values, method="asymptotic").pvalue
    p_value = float(2 * stats.norm.sf(stats.norm.isf(seen / 2) * ((1 - kept) / (1 + kept)) ** 0.5))
    if p_value >= SIGNIFICANT:
        return None
    size = -(-len(values) // _MOST_POINTS)
    blocks = values[: len(values) // size * size].reshape(-1, size)
    slope, middle, *_ = stats.theilslopes(np.median(blocks, axis=1), np.arange(len(blocks)) * size + (size - 1) / 2)
    total = float(slope) * (len(values) - 1)
    return Drift(level=float(middle), total=total, p_value=p_value)
