"""What a line is held to: from the measured sides to one figure, and whether it meets the goal.

Every function here is pure. A figure is what the goal is about, such as a ratio; sides are known by name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, Protocol

from benchmark.measure import Sample

OURS, WARM, NATIVE, LESS = "ours", "ours, warm", "native", "less"
"""Names of sides: our process, one call in our process, the native call, and what is subtracted from ours."""

Quantity = Literal["cpu", "wall", "peak"]
UNITS: dict[Quantity, tuple[str, float]] = {"cpu": ("s", 1), "wall": ("s wall", 1), "peak": ("GB", 1e9)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the table: what was measured, and how it compares with the goal.

    `ours` and `native` are CPU seconds, or what the goal is about; None where there is no such side. `value` is None if
    it could not be measured; the goal is then neither met nor missed.
    """

    ours: float | None
    native: float | None
    value: float | None
    unit: str
    goal: float
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Return whether the value meets the goal; None without a value."""
        if self.value is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


class Goal(Protocol):
    """A limit on a figure of the measured sides."""

    def judge(self, sides: Mapping[str, Sample], sizes: Mapping[str, float]) -> Figure:
        """Return the figure. `sizes` says how much input each side has, in the unit that the goal divides by."""
        ...


@dataclass(frozen=True, slots=True)
class Faster:
    """The native call takes at least `times` the CPU time of ours.

    Ours is the whole process, start and imports and all, or with ``warm`` a second call in the same process. The native
    side never counts the import of TensorFlow.
    """

    times: float
    warm: bool = False

    def judge(self, sides: Mapping[str, Sample], sizes: Mapping[str, float]) -> Figure:
        """Return native CPU time by ours."""
        del sizes
        ours = sides[WARM].call if self.warm else sides[OURS].cpu
        native = sides[NATIVE].call if NATIVE in sides else None
        return Figure(ours=ours, native=native, value=ratio(native, ours), unit="x", goal=self.times, at_least=True)


@dataclass(frozen=True, slots=True)
class Within:
    """Our whole process stays within a limit: seconds of CPU, seconds of wall-clock time, or 10^9 bytes of memory."""

    limit: float
    quantity: Quantity = "cpu"

    def judge(self, sides: Mapping[str, Sample], sizes: Mapping[str, float]) -> Figure:
        """Return what our process took."""
        del sizes
        unit, by = UNITS[self.quantity]
        value = getattr(sides[OURS], self.quantity) / by
        return Figure(ours=value, native=None, value=value, unit=unit, goal=self.limit)


@dataclass(frozen=True, slots=True)
class Extra:
    """Our process takes at most so many CPU seconds more than the side that is subtracted from it."""

    limit: float

    def judge(self, sides: Mapping[str, Sample], sizes: Mapping[str, float]) -> Figure:
        """Return the difference."""
        del sizes
        ours = sides[OURS].cpu
        return Figure(ours=ours, native=None, value=ours - sides[LESS].cpu, unit="s more", goal=self.limit)


@dataclass(frozen=True, slots=True)
class PerMegabyte:
    """What our process takes more than the side that is subtracted, in CPU seconds per 10^6 bytes of its input."""

    limit: float

    def judge(self, sides: Mapping[str, Sample], sizes: Mapping[str, float]) -> Figure:
        """Return the difference by the size of our input."""
        ours = sides[OURS].cpu
        value = (ours - sides[LESS].cpu) / (sizes[OURS] / 1e6)
        return Figure(ours=ours, native=None, value=value, unit="s/MB", goal=self.limit)


@dataclass(frozen=True, slots=True)
class Growth:
    """CPU time, without that of the start (the side that is subtracted), grows with at most this power of the size."""

    limit: float

    def judge(self, sides: Mapping[str, Sample], sizes: Mapping[str, float]) -> Figure:
        """Return the largest exponent between two sizes; `ours` is the time of the largest input."""
        start = sides[LESS].cpu
        found = exponents((sizes[name], side.cpu - start) for name, side in sides.items() if name != LESS)
        ours = max(side.cpu for side in sides.values())
        return Figure(ours=ours, native=None, value=max(found, default=None), unit="exponent", goal=self.limit)


def ratio(native: float | None, ours: float) -> float | None:
    """Return how many times longer the native side takes; None without one."""
    return None if native is None or ours <= 0 else native / ours


def exponents(points: Iterable[tuple[float, float]]) -> list[float]:
    """Return the powers of the size that times grow with, from each size to the next: 1 is linear, 2 quadratic.

    Points are sizes with their times; those that took no time are left out.
    """
    logs = sorted((math.log(size), math.log(seconds)) for size, seconds in points if size > 0 and seconds > 0)
    return [(late - early) / (more - less) for (less, early), (more, late) in pairwise(logs) if more > less]
