"""Gates on the rows that a glob matches: nodes, scopes or op types."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tfprof_report.arrays import Bools, Floats, Ints
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.acknowledge import accept, accepted_rows
from tfprof_report.compare.gates.context import NOUNS, Case, moved_share, other_rules, result_of, unknown_everywhere
from tfprof_report.compare.gates.limits import Figure, RowOutcomes, hold_rows, judge_figure
from tfprof_report.compare.gates.on_times import compares_times, times_of_rows, too_few_steps, with_evidence
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.gates.verdict import WORST_ROWS, GateResult, GateStatus, JudgedRow
from tfprof_report.formatting import called, plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """All rows of a gate's subject held to it, whether or not it judges them.

    figures, accepted : as measured, and with base's figures as far as changes were accepted
    likely : of a time that broke its limit, how likely steps of one machine do so by chance
    """

    figures: RowFigures
    accepted: RowFigures
    outcomes: RowOutcomes
    likely: Floats | None = None


def hold(gate: Gate, case: Case) -> Held:
    """Hold all rows of a gate's subject to it."""
    comparison, subjects = case.comparison, case.subjects
    in_doubt = bool(_common_doubts(gate, comparison))
    if comparison and compares_times(gate) and not too_few_steps(case):
        times = times_of_rows(gate, case, comparison)
        outcomes = hold_rows(gate, times.figures, has_base=True, in_doubt=in_doubt)
        outcomes, likely = times.test(outcomes)
        return Held(figures=times.figures, accepted=times.figures, outcomes=outcomes, likely=likely)
    figures = subjects.figures(gate.subject, gate.metric)
    accepted = accepted_rows(gate, figures, case.accepted, subjects)
    outcomes = hold_rows(gate, figures, has_base=comparison is not None, in_doubt=in_doubt)
    if accepted is not figures:
        remaining = hold_rows(gate, accepted, has_base=True, in_doubt=in_doubt).failed
        outcomes = replace(outcomes, failed=outcomes.failed & remaining, accepted=outcomes.failed & ~remaining)
    return Held(figures=figures, accepted=accepted, outcomes=outcomes)


def judge_rows(gate: Gate, judged: Bools, case: Case) -> GateResult:
    """Judge the rows that a glob matches and no later gate takes."""
    held = hold(gate, case)
    outcomes = held.outcomes
    count = int((judged & ~outcomes.unknown).sum())
    if not count and gate.is_optional:
        return unknown_everywhere(gate, case)
    if count and compares_times(gate) and (shortage := too_few_steps(case)):
        return result_of(gate, GateStatus.INCONCLUSIVE, shortage)
    rows = _worst_first(gate, held, judged)[:WORST_ROWS].tolist()
    worst = [judge_row(gate, held, row, case) for row in rows]
    counts = _Counts(
        judged=count,
        **{word: int((getattr(outcomes, word) & judged).sum()) for word in ("failed", "open", "accepted", "unknown")},
    )
    status, text = _sentence(gate, counts, worst)
    return result_of(gate, status, text, judged=counts.judged - counts.open, failed=counts.failed, rows=worst)


def judge_row(gate: Gate, held: Held, row: int, case: Case) -> JudgedRow:
    """Return one row of a gate in words."""
    name = str(case.subjects.names(gate.subject)[row])
    figure = figure_at(held.figures, row, name)
    if case.comparison is None:
        figure = replace(figure, base=None)
    elif figure.base is not None:
        figure = replace(figure, doubts=_doubts(gate, held.figures, row, case.comparison))
    judged = judge_figure(gate, figure)
    if held.likely is not None:
        return with_evidence(judged, float(held.likely[row]))
    changes = [
        change
        for change, nodes in case.accepted.on(gate.metric)
        if (nodes & case.subjects.in_row(gate.subject, row)).any()
    ]
    base = Fraction(int(held.accepted.base[row]), held.accepted.divisor)
    return accept(gate, judged, figure, base, changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    judged: int
    failed: int
    open: int
    accepted: int
    unknown: int


def _sentence(gate: Gate, counts: _Counts, worst: list[JudgedRow]) -> tuple[GateStatus, str]:
    """Return the outcome of a gate on rows, in a word and as a sentence."""
    rows = plural(counts.judged, NOUNS[gate.subject])
    example = f"{called(worst[0].name or '')}: {worst[0].text}" if worst else ""
    rest = [f"{counts.unknown:,} unknown"] if counts.unknown else []
    if counts.failed:
        rest = ([f"{counts.open:,} cannot be judged"] if counts.open else []) + rest
        text = f"{counts.failed:,} of {rows} {'fails' if counts.failed == 1 else 'fail'}, the worst {example}"
        return GateStatus.FAILED, "; ".join([text, *rest])
    if counts.open:
        return GateStatus.INCONCLUSIVE, "; ".join(
            [f"{counts.open:,} of {rows} cannot be judged, such as {example}", *rest]
        )
    if not counts.judged:
        return GateStatus.INCONCLUSIVE, f"{gate.metric} of {plural(counts.unknown, NOUNS[gate.subject])} is unknown"
    if counts.accepted:
        text = f"{counts.accepted:,} of {rows} {'holds' if counts.accepted == 1 else 'hold'} as acknowledged: {example}"
        return GateStatus.ACKNOWLEDGED, "; ".join([text, *rest])
    closest = f", the closest {example}" if worst else ", none changed"
    return GateStatus.PASSED, "; ".join([f"{rows} {'holds' if counts.judged == 1 else 'hold'}{closest}", *rest])


def _common_doubts(gate: Gate, comparison: Comparison | None) -> list[str]:
    """Return what puts all rows in doubt that are compared with base."""
    if comparison is None or gate.is_budget:
        return []
    return other_rules(gate, comparison) if comparison.matched_nodes else ["no row matched"]


def _worst_first(gate: Gate, held: Held, judged: Bools) -> Ints:
    """Return the rows to name: that fail, that are open, that are accepted. Without one, those nearest to the limit.

    Of rows that did not change only budgets have something to say.
    """
    outcomes, figures = held.outcomes, held.figures
    rows = np.flatnonzero(judged & (outcomes.failed | outcomes.open | outcomes.accepted))
    if not len(rows):
        is_near = ~outcomes.unknown if gate.is_budget else (figures.base != figures.head).astype(bool)
        rows = np.flatnonzero(judged & is_near)
    rank = np.select([mask[rows] for mask in (outcomes.failed, outcomes.open, outcomes.accepted)], [0, 1, 2], 3)
    order: Ints = rows[np.lexsort((rows, -outcomes.excess[rows], rank))]
    return order


def figure_at(figures: RowFigures, row: int, name: str) -> Figure:
    """Return the figure of one row."""
    base, head = (
        Fraction(int(values[row]), figures.divisor) if known[row] else None
        for values, known in ((figures.base, figures.base_known), (figures.head, figures.head_known))
    )
    return Figure(name=name, base=base, head=head)


def _doubts(gate: Gate, figures: RowFigures, row: int, comparison: Comparison) -> tuple[str, ...]:
    """Return what puts the figure of one row in doubt, where base has one."""
    doubts = _common_doubts(gate, comparison)
    for count, words in ((figures.lost, "from known to unknown"), (figures.now_known, "from unknown to known")):
        if count[row]:
            doubts.append(f"{plural(int(count[row]), 'node')} of it changed {words}")
    old, new = ((int(known[row]), int(could[row])) for known, could in (figures.base_nodes, figures.head_nodes))
    doubts += moved_share(old, new)
    if not gate.is_budget and not old[1] and new[0] < new[1]:
        doubts.append(f"only {new[0]:,} of its {plural(new[1], 'new node')} are known")
    return tuple(doubts)
