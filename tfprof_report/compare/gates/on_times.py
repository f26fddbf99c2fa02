"""Gates on times relative to base: they compare medians over steps, and fail only if a rank test is significant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tfprof_report.arrays import Floats, Ints
from tfprof_report.compare.comparison import Comparison, TimeChange
from tfprof_report.compare.exact_figures import Exact
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.limits import RowOutcomes
from tfprof_report.compare.gates.policy import Gate, Subject
from tfprof_report.compare.gates.subjects import RowFigures, Subjects
from tfprof_report.compare.step_times import MIN_STEPS, SIGNIFICANT, figures_of_nodes, rank_test
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS_PER_MICRO, Unit


def compares_times(gate: Gate) -> bool:
    """Return whether a gate compares times of head with those of base. A budget is compared with the mean instead."""
    return UNITS[gate.metric] is Unit.MICROS and not gate.is_budget


def why_no_medians(gate: Gate, comparison: Comparison) -> str | None:
    """Return why times cannot be compared step by step, None if they can."""
    base, head = (len(side.step_numbers) for side in (comparison.base, comparison.head))
    if min(base, head) < MIN_STEPS:
        return f"not enough steps ({base:,} and {head:,}, {MIN_STEPS} are needed)"
    if gate.subject is Subject.MODEL and _change_of_total(gate, comparison) is None:
        return f"{gate.metric} is not known step by step"
    return None


@record
class Medians:
    """The medians of n rows over steps; `likely` returns the p-values of the rank test for some rows."""

    figures: RowFigures
    likely: Callable[[Ints], Floats]


def medians_of(gate: Gate, subjects: Subjects, comparison: Comparison) -> Medians:
    """Return the medians of a time for the rows of a gate's subject; `why_no_medians` must have returned None."""
    figures = subjects.figures(gate.subject, gate.metric, gate.unknown_ok)
    # Twice the median in nanoseconds, over twice the divisor: a whole number even for an even number of steps.
    divisor = 2 * NANOS_PER_MICRO
    if change := _change_of_total(gate, comparison):
        medians = (side.exact_median or 0 for side in (change.base, change.head))
        base, head = (np.array([int(divisor * median)], dtype=object) for median in medians)
        p_value = change.p_value
        return Medians(
            figures=replace(figures, base=base, head=head, divisor=divisor),
            likely=lambda rows: np.full(len(rows), p_value),
        )
    old, new = (
        subjects.sum_steps(gate.subject, figures_of_nodes(side, gate.metric), is_head=is_head)
        for side, is_head in ((comparison.base, False), (comparison.head, True))
    )
    return Medians(
        figures=replace(figures, base=_twice_median(old), head=_twice_median(new), divisor=divisor),
        likely=lambda rows: rank_test(old[rows], new[rows]),
    )


def apply_rank_test(outcomes: RowOutcomes, medians: Medians) -> RowOutcomes:
    """Return outcomes in which only rows with a significant difference have failed."""
    p_value = np.full(len(outcomes.failed), np.nan)
    rows = np.flatnonzero(outcomes.failed)
    if len(rows):
        p_value[rows] = medians.likely(rows)
    return replace(outcomes, failed=outcomes.failed & (p_value < SIGNIFICANT), p_value=p_value)


def _change_of_total(gate: Gate, comparison: Comparison) -> TimeChange | None:
    """Return the change of a total time over steps; None for a gate on rows, and without a test."""
    if gate.subject is not Subject.MODEL:
        return None
    changes = (change for change in comparison.times if change.stem == gate.metric)
    return next((change for change in changes if change.p_value is not None), None)


def _twice_median(times: Exact) -> Exact:
    ordered, count = np.sort(times, axis=1), times.shape[1]
    medians: Exact = ordered[:, (count - 1) // 2] + ordered[:, count // 2]
    return medians
