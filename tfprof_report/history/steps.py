"""Finds where a figure moved from one level to another. Counts are exact, so every change is one; times are not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Floats, Ints, to_ints
from tfprof_report.formatting import percent_of, unit_of
from tfprof_report.history.change_points import change_points
from tfprof_report.history.in_order import ERA
from tfprof_report.record import record
from tfprof_report.schema.metrics import DEVICE_PEAK, VARYING, Number, Unit

FEWEST_STEPS = 2
"""Steps that a report needs to show whether its memory differs from step to step."""


_MANY, _OFTEN = 8, 4
"""Memory that differs from the report before in more than every fourth report, of at least eight, varies by itself."""


@record
class Level:
    """Reports among which a figure did not move: rows `first` to `last` of the reports in order, and its value.

    `value` is that of all of them where the figure is exact, else their median.
    """

    first: int
    last: int
    value: Number


@record
class Step:
    """A move of a figure from one level to another.

    before, row : the last row of reports with the old level whose figure is known, and the first one with the new
    base, head : the values of both levels
    """

    stem: str
    before: int
    row: int
    base: Number
    head: Number
    is_noisy: bool = False

    @property
    def delta(self) -> Number:
        """By how much the figure moved."""
        return self.head - self.base

    @property
    def percent(self) -> float | None:
        """The same in percent of the old level; None from 0."""
        return percent_of(Fraction(self.base), Fraction(self.head))


@record
class Moves:
    """How a figure moved over the reports of a model: its levels and the steps between those of an era."""

    levels: tuple[Level, ...]
    steps: tuple[Step, ...]
    is_noisy: bool

    def level_at(self, row: int) -> Level | None:
        """Return the level that a row of reports is in; None if it is in none."""
        return next((level for level in self.levels if level.first <= row <= level.last), None)

    def from_row(self, begin: int) -> Moves:
        """Return the moves over the reports from row `begin` on, which is row 0 there."""
        return replace(
            self,
            levels=tuple(
                replace(level, first=max(level.first - begin, 0), last=level.last - begin)
                for level in self.levels
                if level.last >= begin
            ),
            steps=tuple(
                replace(step, before=step.before - begin, row=step.row - begin)
                for step in self.steps
                if step.before >= begin
            ),
        )


def is_noisy(rows: pa.Table, stem: str) -> bool:
    """Return whether a figure may differ without a change of the model.

    Times do, and requested memory; the peak of a device where steps of a report differ, where no report has several
    steps to tell, or where it moves from run to run.
    """
    if stem != DEVICE_PEAK:
        return stem in VARYING or unit_of(stem) is Unit.MICROS
    several = rows.filter(pc.greater_equal(rows["steps"], FEWEST_STEPS))
    low, high = several[f"{stem}_low"], several[f"{stem}_high"]
    known = low.is_valid()
    if not pc.any(known).as_py() or pc.any(pc.not_equal(low, high)).as_py():
        return True
    peaks = rows[stem].drop_null().to_numpy()
    return len(peaks) >= _MANY and int(np.count_nonzero(np.diff(peaks))) * _OFTEN > len(peaks)


def find_moves(rows: pa.Table, stem: str) -> Moves:
    """Return the levels and steps of a figure over reports in order; of unknown figures nothing is said."""
    noisy = is_noisy(rows, stem)
    column = rows[stem].combine_chunks()
    known = np.flatnonzero(column.is_valid().to_numpy(zero_copy_only=False))
    values = column.take(pa.array(known))
    era = to_ints(rows[ERA])[known]
    ends = np.append(np.flatnonzero(np.diff(era)) + 1, len(known)) if len(known) else np.zeros(0, dtype=np.int64)
    levels: list[Level] = []
    steps: list[Step] = []
    begin = 0
    for end in ends.tolist():
        found = list(_levels(values.slice(begin, end - begin), known[begin:end], noisy=noisy))
        levels += found
        steps += _steps(found, stem, noisy=noisy)
        begin = end
    return Moves(levels=tuple(levels), steps=tuple(steps), is_noisy=noisy)


def _levels(values: pa.Array, rows: Ints, *, noisy: bool) -> Iterator[Level]:
    """Yield the levels of the known figures of one era."""
    numbers = values.to_numpy(zero_copy_only=False)
    starts = change_points(numbers.astype(np.float64)) if noisy else (np.flatnonzero(np.diff(numbers)) + 1).tolist()
    for begin, end in pairwise([0, *starts, len(numbers)]):
        value = _median(numbers[begin:end].astype(np.float64)) if noisy else values[begin].as_py()
        yield Level(first=int(rows[begin]), last=int(rows[end - 1]), value=value)


def _median(values: Floats) -> float:
    return float(np.median(values))


def _steps(levels: list[Level], stem: str, *, noisy: bool) -> Iterator[Step]:
    for old, new in pairwise(levels):
        yield Step(stem=stem, before=old.last, row=new.first, base=old.value, head=new.value, is_noisy=noisy)
