"""Evaluates a gate on all rows of its subject: times and memory by their steps, with accepted changes in base."""

from __future__ import annotations

from dataclasses import replace

from tfprof_report.compare.gates.context import Case, common_doubts
from tfprof_report.compare.gates.limits import RowOutcomes, hold_rows
from tfprof_report.compare.gates.on_memory import excuse_spread
from tfprof_report.compare.gates.on_times import apply_rank_test, compares_times, medians_of, why_no_medians
from tfprof_report.compare.gates.policy import Gate
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
    subjects, comparison = case.subjects, case.comparison
    in_doubt = bool(common_doubts(gate, comparison))
    if comparison and compares_times(gate) and not why_no_medians(gate, comparison):
        medians = medians_of(gate, subjects, comparison)
        outcomes = apply_rank_test(hold_rows(gate, medians.figures, in_doubt=in_doubt), medians)
        return HeldRows(figures=medians.figures, accepted=medians.figures, outcomes=outcomes)
    figures = accepted = subjects.figures(gate.subject, gate.metric, gate.unknown_ok)
    outcomes = excuse_spread(hold_rows(gate, figures, in_doubt=in_doubt), gate, figures, subjects)
    nodes = case.accepted.nodes_of(gate.metric)
    if nodes is not None and not gate.is_budget and outcomes.failed.any():
        accepted = replace(figures, base=subjects.base_with(gate.subject, gate.metric, nodes))
        moved = accepted.base - figures.base
        still = excuse_spread(hold_rows(gate, accepted, in_doubt=in_doubt), gate, figures, subjects, moved=moved).failed
        outcomes = replace(outcomes, failed=outcomes.failed & still, accepted=outcomes.failed & ~still)
    return HeldRows(figures=figures, accepted=accepted, outcomes=outcomes)
