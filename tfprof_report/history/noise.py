"""How noisy a series is, judged from its differences, which steps and drift hardly touch."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Floats

_DEVIATIONS = 1.4826 / 2**0.5
"""A median of absolute differences by this is the standard deviation of normal noise."""

_EXACT = 1e-12
"""Differences below this share of the largest value are rounding."""

_MOST_PERSISTENT = 0.9

_ALLOWANCE = 2.0
"""Standard errors (one over the square root of the length) that are taken for chance in `persistence`."""


def noise_of(values: Floats) -> float:
    """Return the standard deviation of independent noise that moves averages as much as this noise does.

    Never 0: of values that mostly repeat exactly it is a rounding error.
    """
    single = float(np.median(np.abs(_moves(values)))) * _DEVIATIONS
    rounding = max(float(np.abs(values).max()) * _EXACT, float(np.finfo(np.float64).tiny))
    if single <= rounding:
        return rounding
    kept = persistence(values)
    return single * float((1 + kept) ** 0.5 / (1 - kept))


def persistence(values: Floats) -> float:
    """Return which share of a deviation the next value still has, from 0 (independent noise) to 0.9.

    The coefficient of a first-order autoregression, from the correlation of successive differences. Those beyond three
    standard deviations, such as steps and outliers, are left out.
    """
    moves = _moves(values)
    moves[np.abs(moves) > 3 * 1.4826 * np.median(np.abs(moves))] = 0
    if not moves.any():
        return 0.0
    correlation = float(moves[1:] @ moves[:-1]) / float(moves @ moves)
    return min(max(1 + 2 * correlation - _ALLOWANCE / float(np.sqrt(len(values))), 0.0), _MOST_PERSISTENT)


def _moves(values: Floats) -> Floats:
    """Return the differences of successive values, less their median, which is that of drift."""
    differences = np.diff(values)
    return differences - np.median(differences)
