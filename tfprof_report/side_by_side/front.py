"""Pareto fronts: which models no other model beats in every figure.

A model beats another if it needs no more of any figure and less of at least one. Models with equal figures do not beat
each other. A model can be on no front that uses a figure which is not wholly known of it, or which is counted in
another way than that of the first column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from tfprof_report.record import record
from tfprof_report.schema.metrics import DEVICE_PEAK, ESTIMATED_PEAK, WALL
from tfprof_report.side_by_side.counted_otherwise import Otherwise
from tfprof_report.side_by_side.report_column import Column

Point = Sequence[Fraction]


@record
class Place:
    """The place of a column among those of a front.

    lacks : the figures of the front that cannot be used of it; it is not on the front then
    beaten_by : the numbers of the columns on the front that beat it
    """

    lacks: tuple[str, ...] = ()
    beaten_by: tuple[int, ...] = ()

    @property
    def is_on(self) -> bool:
        """Whether the column is on the front."""
        return not self.lacks and not self.beaten_by


@record
class Front:
    """The front of some figures, and the place of each column. Without figures nothing beats anything."""

    stems: tuple[str, ...]
    places: tuple[Place, ...]

    @property
    def on(self) -> tuple[int, ...]:
        """The numbers of the columns that are on the front."""
        return tuple(number for number, place in enumerate(self.places) if place.is_on)

    @property
    def judged(self) -> tuple[int, ...]:
        """The numbers of the columns of which all figures are known."""
        return tuple(number for number, place in enumerate(self.places) if not place.lacks)


@record
class Fronts:
    """The front of all figures, and that of each two of them.

    unused : figures of which no column has one that can be used
    values : by figure the value of each column, None where it cannot be used
    """

    whole: Front
    pairs: tuple[Front, ...]
    unused: tuple[str, ...]
    values: Mapping[str, tuple[Fraction | None, ...]]


def find_fronts(columns: Sequence[Column], otherwise: Sequence[Sequence[Otherwise]]) -> Fronts:
    """Return the fronts of FLOPs, parameters, peak memory and the time of a step.

    The peak is the measured one, or the estimate if that is known of more columns; the two are never mixed.
    """
    usable = {
        stem: tuple(_value(column, stem, apart) for column, apart in zip(columns, otherwise, strict=True))
        for stem in ("float_ops", "params", DEVICE_PEAK, ESTIMATED_PEAK, WALL)
    }
    counts = {stem: sum(value is not None for value in values) for stem, values in usable.items()}
    peak = ESTIMATED_PEAK if counts[ESTIMATED_PEAK] > counts[DEVICE_PEAK] else DEVICE_PEAK
    stems = [stem for stem in ("float_ops", "params", peak, WALL) if counts[stem]]
    unused = tuple(stem for stem in ("float_ops", "params", peak, WALL) if not counts[stem])
    values = {stem: usable[stem] for stem in stems}
    return Fronts(
        whole=_front(stems, values, len(columns)),
        pairs=tuple(_front(pair, values, len(columns)) for pair in combinations(stems, 2)),
        unused=unused,
        values=values,
    )


def _value(column: Column, stem: str, otherwise: Sequence[Otherwise]) -> Fraction | None:
    is_apart = any(stem in each.stems for each in otherwise)
    return None if is_apart or not column.known(stem) else column.totals[stem].value


def _front(stems: Sequence[str], values: Mapping[str, Sequence[Fraction | None]], count: int) -> Front:
    of_columns = [{stem: values[stem][number] for stem in stems} for number in range(count)]
    points = {
        number: [value for value in found.values() if value is not None]
        for number, found in enumerate(of_columns)
        if None not in found.values()
    }
    on = pareto(points)
    return Front(
        stems=tuple(stems),
        places=tuple(
            Place(beaten_by=tuple(other for other in on if beats(points[other], points[number])))
            if number in points
            else Place(lacks=tuple(stem for stem, value in found.items() if value is None))
            for number, found in enumerate(of_columns)
        ),
    )


def pareto(points: Mapping[int, Point]) -> tuple[int, ...]:
    """Return the numbers of the points that no other point beats, in order."""
    return tuple(
        number for number, point in points.items() if not any(beats(other, point) for other in points.values())
    )


def beats(one: Point, other: Point) -> bool:
    """Return whether a point is nowhere above another, and somewhere below it."""
    pairs = list(zip(one, other, strict=True))
    return all(mine <= theirs for mine, theirs in pairs) and any(mine < theirs for mine, theirs in pairs)
