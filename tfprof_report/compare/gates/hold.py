"""Evaluates a gate on all rows of its subject: times and memory by their steps, with accepted changes in base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tfprof_report.compare.exact_figures import Exact
from tfprof_report.compare.gates.context import Case, common_doubts, is_start
from tfprof_report.compare.gates.limits import RowOutcomes, hold_rows
from tfprof_report.compare.gates.on_memory import excuse_spread
from tfprof_report.compare.gates.on_times import apply_rank_test, compares_times, medians_of, why_no_medians
from tfprof_report.compare.gates.on_totals import excuse_past_spread, figures_against
from tfprof_report.compare.gates.policy import Gate, Subject
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.record import record


@record
class HeldRows:
    """A gate evaluated on all rows of its subject, whether or not it judges them; the whole model is a single row.

    figures : as measured
    accepted : with base's figures replaced by head's where changes were accepted
    """

    figures: RowFigures
    accepted: RowFigures
    outcomes: RowOutcomes


def hold(gate: Gate, case: Case) -> HeldRows:
    """Evaluate a gate on all rows of its subject."""
    comparison, figures = case.comparison, figures_of(gate, case)
    in_doubt = bool(common_doubts(gate, comparison))
    if comparison and compares_times(gate) and not why_no_medians(gate, comparison):
        medians = medians_of(gate, case.subjects, comparison)
        outcomes = apply_rank_test(hold_rows(gate, medians.figures, in_doubt=in_doubt), medians)
        return HeldRows(figures=medians.figures, accepted=medians.figures, outcomes=outcomes)
    accepted, outcomes = figures, _excused(hold_rows(gate, figures, in_doubt=in_doubt), gate, figures, case)
    for base in _accepted_bases(gate, figures, case) if outcomes.failed.any() else ():
        accepted = replace(figures, base=base)
        held = hold_rows(gate, accepted, in_doubt=in_doubt)
        still = _excused(held, gate, figures, case, moved=base - figures.base).failed
        holds = outcomes.accepted | (outcomes.failed & ~still)
        outcomes = replace(outcomes, failed=outcomes.failed & still, accepted=holds)
    return HeldRows(figures=figures, accepted=accepted, outcomes=outcomes)


def figures_of(gate: Gate, case: Case) -> RowFigures:
    """Return the figures of all rows of a gate's subject on both sides."""
    figures = case.subjects.figures(gate.subject, gate.metric, gate.unknown_ok)
    return figures_against(figures, gate, case.totals) if case.totals else figures


def _excused(
    outcomes: RowOutcomes, gate: Gate, figures: RowFigures, case: Case, *, moved: Exact | int = 0
) -> RowOutcomes:
    """Return outcomes in which memory that varies among steps has failed only where the steps lie apart."""
    if case.totals:
        return excuse_past_spread(outcomes, gate, figures, case.totals, case.head, moved=moved)
    return excuse_spread(outcomes, gate, figures, case.subjects, moved=moved)


def _accepted_bases(gate: Gate, figures: RowFigures, case: Case) -> Iterator[Exact]:
    """Yield base's figures with accepted changes in them, in the order in which they are tried.

    An accepted total of the whole model is also where drift is measured from: a reference stays the same while head
    moves on.
    """
    if gate.is_budget:
        return
    nodes = case.accepted.nodes_of(gate.metric)
    if case.totals and any(is_start(change) for change in case.accepted.holding(gate.metric)):
        yield figures.head
    elif not case.totals and nodes is not None:
        yield case.subjects.base_with(gate.subject, gate.metric, nodes)
    if gate.reference and gate.subject is Subject.MODEL and (start := case.start_of(gate.metric)) is not None:
        yield np.array([round(start * figures.divisor)], dtype=object)
