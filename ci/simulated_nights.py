"""Simulated series of nights: noise of several kinds, with steps, drift or neither."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.signal import lfilter

from tfprof_report.arrays import Floats

CHOOSING, SCORING = 0, 1
"""Seeds: parameters of the methods were chosen on series of the first, their scores are on series of the second."""

LENGTHS = (30, 60, 100, 200, 300)
SEVERAL = 300
"""Nights of a series with several steps."""

EDGE = 8
"""Nights before the first and after the last step."""

Noise = Callable[[np.random.Generator, int], Floats]


def _autoregressive(kept: float) -> Noise:
    def draw(draws: np.random.Generator, count: int) -> Floats:
        fresh = draws.normal(size=count + 50) * np.sqrt(1 - kept**2)
        return np.asarray(lfilter([1], [1, -kept], fresh)[50:])

    return draw


def _outliers(draws: np.random.Generator, count: int) -> Floats:
    is_bad = draws.random(count) < 0.04  # noqa: PLR2004 (one night in 25)
    return draws.normal(size=count) + is_bad * draws.exponential(15, size=count)


NOISES: Mapping[str, Noise] = {
    "normal": lambda draws, count: draws.normal(size=count),
    "heavy tails": lambda draws, count: draws.standard_t(3, size=count) / np.sqrt(3),
    "bad nights": _outliers,
    "skewed": lambda draws, count: draws.exponential(size=count) - 1,
    "persists 0.3": _autoregressive(0.3),
    "persists 0.6": _autoregressive(0.6),
}
"""Noise with a standard deviation of 1: `heavy tails` is Student's t with 3 degrees of freedom, of `bad nights` 4 % are
slower by 15 on average, and what `persists` keeps so much of the deviation of the night before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nights:
    """The figure of each night, and the nights whose commit changed it."""

    values: Floats
    changes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What series have in common; the `spread` of its noise, `steps` and `drift` (from end to end) are in percent.

    Steps are anywhere but for the ends of a series; if `nights_since` is given, there is one, so long ago.
    """

    noise: str = "normal"
    spread: float = 1
    steps: tuple[float, ...] = ()
    drift: float = 0
    nights_since: int | None = None

    def series(self, seed: int, count: int) -> Iterator[Nights]:
        """Return so many series around 100; each step goes up or down, by chance."""
        for number in range(count):
            draws = np.random.default_rng([seed, number])
            length = int(draws.choice(LENGTHS)) if len(self.steps) <= 1 else SEVERAL
            spots = np.arange(EDGE, length - EDGE + 1, 1 if len(self.steps) <= 1 else 2 * EDGE)
            if self.nights_since is not None:
                spots = np.array([length - self.nights_since])
            changes = np.sort(draws.choice(spots, size=len(self.steps), replace=False))
            level = np.linspace(0, self.drift, length)
            for change, step in zip(changes, self.steps, strict=True):
                level[change:] += step * draws.choice([-1, 1])
            noise = self.spread * NOISES[self.noise](draws, length)
            yield Nights(values=100 + level + noise, changes=tuple(changes.tolist()))
