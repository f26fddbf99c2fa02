"""Gates on memory relative to base: they fail only where the steps of both sides lie clearly apart.

TensorFlow reuses the buffer of an input for an output only while no other op holds it, so the memory that a step of an
unchanged graph asks for, and holds at once, depends on the order in which threads run. Output memory follows from
shapes alone. ci/README.md has the rates that were measured.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof_report.arrays import Bools
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.exact_figures import Exact, times
from tfprof_report.compare.gates.limits import RowOutcomes
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.compare.gates.subjects import RowFigures, Subjects
from tfprof_report.compare.side import Side
from tfprof_report.compare.step_times import MIN_STEPS, figures_of_nodes, peaks_of_steps
from tfprof_report.schema.metrics import DEVICE_PEAK, VARYING


def compares_memory(gate: Gate) -> bool:
    """Return whether a gate compares memory that varies with that of base. A budget is compared with the figure."""
    return gate.metric in VARYING and not gate.is_budget


def why_informs(gate: Gate, comparison: Comparison | None) -> str | None:
    """Return why a gate that judged a figure can only inform, None if it can do more."""
    if comparison is None or not compares_memory(gate):
        return None
    base, head = (len(side.step_numbers) for side in (comparison.base, comparison.head))
    if min(base, head) >= MIN_STEPS:
        return None
    return f"which only informs: not enough steps ({base:,} and {head:,}, {MIN_STEPS} are needed)"


def excuse_spread(
    outcomes: RowOutcomes, gate: Gate, figures: RowFigures, subjects: Subjects, *, moved: Exact | int = 0
) -> RowOutcomes:
    """Return outcomes in which only rows whose steps lie apart have failed; with too few steps they stay as they are.

    They lie apart where the distance between the sides, from the highest step of one to the lowest of the other, is
    larger than the ranges of the steps of both sides together.

    Parameters
    ----------
    figures : the rows as measured
    moved : how far accepted changes move base, over the divisor of `figures`
    """
    comparison = subjects.comparison
    if not (comparison and compares_memory(gate) and outcomes.failed.any()) or why_informs(gate, comparison):
        return outcomes
    base, head = (
        times(_figures_of_steps(gate, side, subjects, is_head=is_head).astype(object), figures.divisor)
        for side, is_head in ((comparison.base, False), (comparison.head, True))
    )
    base += np.reshape(moved, (-1, 1))
    close = outcomes.failed & ~lie_apart(base, head)
    return replace(outcomes, failed=outcomes.failed & ~close, close=close)


def _figures_of_steps(gate: Gate, side: Side, subjects: Subjects, *, is_head: bool) -> Exact:
    """Return the figure of each row of a gate's subject in each step of a side."""
    if gate.metric == DEVICE_PEAK:
        return np.array([peaks_of_steps(side)], dtype=object)
    return subjects.sum_steps(gate.subject, figures_of_nodes(side, gate.metric), is_head=is_head)


def lie_apart(base: Exact, head: Exact) -> Bools:
    """Return for each row whether the steps of both sides, its columns, lie apart (`excuse_spread`)."""
    lowest, highest = ([ends(side, axis=1) for side in (base, head)] for ends in (np.min, np.max))
    distance = np.maximum(lowest[1] - highest[0], lowest[0] - highest[1])
    ranges = sum(high - low for low, high in zip(lowest, highest, strict=True))
    apart: Bools = (distance > ranges).astype(bool)
    return apart
