"""The best split of a noisy series into stretches of one level each, whatever a few outliers are."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Floats

_LEVELS = 400
"""Levels that are tried: every value of a series up to this length, evenly spread quantiles of a longer one."""

_NEARER = 1e-3
"""Weight of a logarithm that gives a value far from two levels to the nearer one, and never adds up to a level."""


def best_splits(values: Floats, *, worst: float, penalty: float) -> list[int]:
    """Return where new levels begin in the split of least cost, in ascending order.

    The cost of a point is the square of its distance from its level, but at most `worst`, so that no outlier buys a
    level of its own; each new level costs `penalty`. This is the biweight loss of Fearnhead and Rigaill, "Changepoint
    Detection in the Presence of Outliers" (JASA, 2019). They search all levels with piecewise functions; here the
    levels are values of the series, so that a step of the search is a few operations on one array.
    """
    shares = np.linspace(0, 1, min(len(values), _LEVELS))
    levels = np.unique(np.quantile(values, shares, method="nearest"))
    cost = np.zeros(len(levels))
    since = np.zeros(len(levels), dtype=np.int64)
    begins = np.empty(len(values), dtype=np.int64)
    for place, value in enumerate(values.tolist()):
        squares = (value - levels) ** 2
        cost += np.minimum(squares, worst) + _NEARER * np.log1p(squares)
        least = cost.argmin()
        begins[place] = since[least]
        cost -= cost[least]
        since[cost > penalty] = place + 1
        np.minimum(cost, penalty, out=cost)
    found, begin = [], int(begins[-1])
    while begin > 0:
        found.append(begin)
        begin = int(begins[begin - 1])
    return found[::-1]
