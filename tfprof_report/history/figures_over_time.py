"""The table of figures: now, some days ago, at the last release, the best ever, and how far the budget is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction

import pyarrow as pa

from tfprof_report.formatting import percent_of
from tfprof_report.history.budgets import NEAR, Budget, Standing
from tfprof_report.history.in_order import ERA
from tfprof_report.history.steps import Moves
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number

WEEK, MONTH = timedelta(days=7), timedelta(days=30)


@record
class Figure:
    """A figure of a report: row in order, value, and a lower bound where the value is not wholly known.

    `reason` says why there is nothing to compare with: no report is that old, or it is counted in another way.
    """

    row: int | None = None
    value: Number | None = None
    at_least: Number | None = None
    reason: str = ""


@record
class FigureOverTime:
    """A line of the table.

    week, month, release : the figure 7 and 30 days before the newest commit, and at the last release
    best : the lowest level since figures are counted as they are now; of a noisy figure a median
    budget : the tightest budget, and `distance` what is left of it: negative beyond it, None if unknown
    """

    stem: str
    now: Figure
    week: Figure
    month: Figure
    release: Figure
    best: Figure
    budget: Budget | None = None
    distance: Fraction | None = None

    @property
    def standing(self) -> Standing | None:
        """Where the figure stands to its budget; None without one. A lower bound may be beyond it, never within."""
        if self.budget is None:
            return None
        least = self.now.at_least if self.now.value is None else self.now.value
        if least is not None and Fraction(least) > self.budget.most:
            return Standing.BEYOND
        if self.distance is None:
            return Standing.UNKNOWN
        return Standing.NEAR if self.distance <= NEAR * abs(self.budget.most) else Standing.WITHIN

    def percent(self, then: Figure) -> float | None:
        """Return the change from `then` to now in percent; None if one is unknown."""
        if then.value is None or self.now.value is None:
            return None
        return percent_of(Fraction(then.value), Fraction(self.now.value))

    def from_row(self, begin: int) -> FigureOverTime:
        """Return the same where row `begin` of the reports is row 0: figures before it are of no row."""
        return replace(
            self,
            now=_moved(self.now, begin),
            week=_moved(self.week, begin),
            month=_moved(self.month, begin),
            release=_moved(self.release, begin),
            best=_moved(self.best, begin),
        )


def _moved(figure: Figure, begin: int) -> Figure:
    return replace(figure, row=None if figure.row is None or figure.row < begin else figure.row - begin)


def figure_over_time(
    rows: pa.Table,
    times: Sequence[datetime | None],
    stem: str,
    moves: Moves,
    *,
    release: int | None,
    budgets: Sequence[Budget],
) -> FigureOverTime:
    """Return the line of a figure.

    Parameters
    ----------
    times : the date of each row
    release : the row of the last release, None if no report is of one or before it
    budgets : those on this figure
    """
    last = rows.num_rows - 1
    now = figure_at(rows, stem, last)
    of_era = [level for level in moves.levels if _era(rows, level.first) == _era(rows, last)]
    best = min(of_era, key=lambda level: level.value, default=None)
    budget = min(budgets, key=lambda each: each.most, default=None)
    return FigureOverTime(
        stem=stem,
        now=now,
        week=_ago(rows, times, stem, WEEK),
        month=_ago(rows, times, stem, MONTH),
        release=_compared(rows, stem, release, "no report of a release"),
        best=Figure(row=best.first, value=best.value) if best else Figure(reason="never known"),
        budget=budget,
        distance=budget.left(now.value) if budget else None,
    )


def figure_at(rows: pa.Table, stem: str, row: int) -> Figure:
    """Return the figure of a row."""
    value = rows[stem][row].as_py()
    at_least = rows[f"{stem}_at_least"][row].as_py() if value is None else None
    return Figure(row=row, value=value, at_least=at_least, reason="not known" if value is None else "")


def row_at(times: Sequence[datetime | None], moment: datetime) -> int | None:
    """Return the last row whose date is not after `moment`; None if there is none."""
    return next((row for row in range(len(times) - 1, -1, -1) if (at := times[row]) and at <= moment), None)


def _ago(rows: pa.Table, times: Sequence[datetime | None], stem: str, age: timedelta) -> Figure:
    newest = times[-1]
    row = None if newest is None else row_at(times, newest - age)
    return _compared(rows, stem, row, "no report is that old" if newest else "commits have no date")


def _compared(rows: pa.Table, stem: str, row: int | None, problem: str) -> Figure:
    """Return the figure of a row, if it may be compared with that of the last one."""
    if row is None:
        return Figure(reason=problem)
    if _era(rows, row) != _era(rows, rows.num_rows - 1):
        return Figure(row=row, reason="counted in another way")
    return figure_at(rows, stem, row)


def _era(rows: pa.Table, row: int) -> int:
    return int(rows[ERA][row].as_py())
