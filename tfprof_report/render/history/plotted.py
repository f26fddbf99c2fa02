"""What a chart of a figure shows, with scripts and without: where its points are, and where its line is interrupted."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Bools, Floats, Ints, to_ints
from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.history.budgets import Budget
from tfprof_report.history.history_data import Line, ModelHistory
from tfprof_report.history.in_order import COMMIT_NUMBER, ERA
from tfprof_report.record import record

_GAP = 3
"""A gap is longer than this many times the usual distance of two reports, in commits."""
FAR = 1.5
"""A budget is drawn if it is at most this many times the highest figure; otherwise the text names it."""


@record
class Plotted:
    """A figure by row of the reports in order.

    numbers : the number of the commit of each row
    values, known : the figure, and whether it is wholly known
    piece : of each known row the number of the piece of the line it is in: a line ends at a gap, at a break of
        counting, and where the figure is not known
    low, high : the range of the figures and of the budgets that are near
    """

    model: ModelHistory
    line: Line
    numbers: Ints
    values: Floats
    known: Bools
    piece: Ints
    low: float
    high: float

    @property
    def rows(self) -> Ints:
        """The rows whose figure is known."""
        return np.flatnonzero(self.known)

    @property
    def near(self) -> list[Budget]:
        """The budgets that are in the range."""
        return [budget for budget in self.line.budgets if float(budget.most) <= self.high]


def plotted(model: ModelHistory, line: Line) -> Plotted:
    """Return what a chart of a figure of a model shows that has reports."""
    column = model.rows[line.stem].combine_chunks()
    known = column.is_valid().to_numpy(zero_copy_only=False)
    values = column.to_numpy(zero_copy_only=False).astype(np.float64)
    low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 1.0)
    limits = [float(budget.most) for budget in line.budgets if float(budget.most) <= FAR * high]
    numbers = to_ints(model.rows[COMMIT_NUMBER])
    return Plotted(
        model=model,
        line=line,
        numbers=numbers,
        values=values,
        known=known,
        piece=_pieces(numbers, np.flatnonzero(known), to_ints(model.rows[ERA])),
        low=min([low, *limits]),
        high=max([high, *limits]),
    )


def _pieces(numbers: Ints, rows: Ints, era: Ints) -> Ints:
    usual = float(np.median(np.diff(numbers))) if len(numbers) > 1 else 1.0
    is_gap = np.diff(numbers[rows]) > (1 if usual <= 1 else _GAP * usual)
    is_cut = is_gap | (np.diff(rows) > 1) | (np.diff(era[rows]) != 0)
    return np.cumsum(np.append([0] * bool(len(rows)), is_cut)).astype(np.int64)


def breaks(model: ModelHistory) -> list[int]:
    """Return the rows from which figures are counted in another way than in the row before."""
    found: list[int] = (np.flatnonzero(np.diff(to_ints(model.rows[ERA]))) + 1).tolist()
    return found


def failures(model: ModelHistory) -> Bools:
    """Return at which reports a gate failed."""
    return np.array([outcome == Outcome.FAILED for outcome in model.rows["outcome"].to_pylist()], dtype=bool)
