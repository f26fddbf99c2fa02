"""Gates on times relative to base: they go by medians over steps, and fail where a rank test says so too."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tfprof_report.arrays import Floats
from tfprof_report.compare.comparison import Comparison, TimeChange
from tfprof_report.compare.exact_figures import Exact
from tfprof_report.compare.gates.context import Case
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.limits import Figure, RowOutcomes
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.gates.verdict import GateStatus, JudgedRow
from tfprof_report.compare.step_times import MIN_STEPS, SIGNIFICANT, rank_test, times_of_nodes
from tfprof_report.schema.metrics import Unit


def compares_times(gate: Gate) -> bool:
    """Return whether a gate holds times of head against those of base. A budget is held to the mean."""
    return UNITS[gate.metric] is Unit.MICROS and not gate.is_budget


def too_few_steps(case: Case) -> str | None:
    """Return that a side has too few steps for a finding about times, None if both have enough."""
    base = len(case.comparison.base.step_numbers) if case.comparison else 0
    head = len(case.head.step_numbers)
    if min(base, head) >= MIN_STEPS:
        return None
    return f"not enough steps ({base:,} and {head:,}, {MIN_STEPS} are needed)"


def change_of(metric: str, comparison: Comparison) -> TimeChange | None:
    """Return how the total of a time changed over steps."""
    return next((change for change in comparison.times if change.stem == metric), None)


def median_figure(figure: Figure, change: TimeChange) -> Figure:
    """Return a figure with the medians over steps in place of the means."""
    return replace(figure, base=change.base.exact_median, head=change.head.exact_median)


def with_evidence(row: JudgedRow, p_value: float) -> JudgedRow:
    """Return a figure that failed with what the rank test says; where it sees chance, the figure holds."""
    if row.status is not GateStatus.FAILED:
        return row
    if p_value < SIGNIFICANT:
        return replace(row, text=f"{row.text}, by medians over steps (p = {p_value:.2g})")
    text = f"{row.text}, by medians over steps, which chance explains (p = {p_value:.2g})"
    return replace(row, status=GateStatus.PASSED, text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowTimes:
    """A time of n rows: medians over steps, and the time in each step of either side (a row each, a column a step)."""

    figures: RowFigures
    base: Exact
    head: Exact

    def test(self, outcomes: RowOutcomes) -> tuple[RowOutcomes, Floats]:
        """Return outcomes in which a row that chance explains has not failed, and how likely each that broke is so."""
        likely = np.ones(len(self.figures))
        rows = np.flatnonzero(outcomes.failed)
        if len(rows):
            likely[rows] = rank_test(self.base[rows], self.head[rows])
        return replace(outcomes, failed=outcomes.failed & (likely < SIGNIFICANT)), likely


def times_of_rows(gate: Gate, case: Case, comparison: Comparison) -> RowTimes:
    """Return a time of the rows of a gate's subject; both sides have steps."""
    subjects = case.subjects
    figures = subjects.figures(gate.subject, gate.metric)
    base, head = (
        subjects.sum_steps(gate.subject, times_of_nodes(side, gate.metric), is_head=side is comparison.head)
        for side in (comparison.base, comparison.head)
    )
    # twice the median, which is a whole number
    medians = replace(figures, base=_twice_median(base), head=_twice_median(head), divisor=2)
    return RowTimes(figures=medians, base=base, head=head)


def _twice_median(times: Exact) -> Exact:
    ordered, count = np.sort(times, axis=1), times.shape[1]
    medians: Exact = ordered[:, (count - 1) // 2] + ordered[:, count // 2]
    return medians
