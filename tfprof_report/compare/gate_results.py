"""One gate's outcome: on the total over the whole model, or on the rows that its glob matches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow.compute as pc

from tfprof_report.compare.acknowledge import NOTHING_ACCEPTED, Accepted, accept, accepted_rows, accepted_total
from tfprof_report.compare.gate_grammar import OPTION
from tfprof_report.compare.judged_figure import Figure, judge_figure
from tfprof_report.compare.limits import LARGEST_MOVE, RowOutcomes, judge_rows
from tfprof_report.compare.node_figures import Bools
from tfprof_report.compare.policy import Gate, Subject
from tfprof_report.compare.precedence import GateRows
from tfprof_report.compare.result import (
    WORST_ROWS,
    Comparison,
    GateResult,
    GateStatus,
    JudgedRow,
    Measured,
    RowStatus,
    State,
    TotalDelta,
)
from tfprof_report.compare.subjects import RowFigures, Subjects
from tfprof_report.compare.totals import DEVICE_PEAK, exact_total
from tfprof_report.compare.wording import called, plural, share
from tfprof_report.errors import OptionError
from tfprof_report.ingest.arrays import Ints
from tfprof_report.model.float_ops import FLOP_STEMS

_NOUNS = {Subject.MODEL: "model", Subject.NODE: "node", Subject.SCOPE: "scope", Subject.OP: "op type"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is judged. Without a comparison `is_new` says that base lacks the model, `base_missing` that there is none
    and need not be.
    """

    head: Measured
    comparison: Comparison | None
    subjects: Subjects
    accepted: Accepted = NOTHING_ACCEPTED
    is_new: bool = False
    base_missing: bool = False


def judge_gate(gate: Gate, rows: GateRows, case: Case) -> GateResult:
    """Return what a gate finds in its rows.

    Raises
    ------
    OptionError
        A gate of the command line is relative to a base, and there is none.
    """
    if not rows.matched.any():
        sides = "base or head" if case.comparison else "head"
        text = f"no {_NOUNS[gate.subject]} of {sides} has a name that {called(gate.glob)} matches"
        return _result(gate, GateStatus.INCONCLUSIVE, text)
    if rows.winner is not None:
        return _result(gate, GateStatus.SKIPPED, f"later gates judge all that it matches: {named(rows.winner)}")
    if case.comparison is None and not gate.is_budget:
        return _without_base(gate, case)
    if gate.subject is Subject.MODEL:
        return _judge_model(gate, case)
    return _judge_rows(gate, rows.judged, case)


def named(gate: Gate | GateResult) -> str:
    """Return a gate as a sentence names it: ``params <= +0``, ``params <= +0 (node decoder/**)``."""
    text = gate.text if isinstance(gate, Gate) else gate.gate
    return text if gate.subject is Subject.MODEL else f"{text} ({gate.subject} {called(gate.glob)})"


def _result(
    gate: Gate, status: GateStatus, text: str, *, judged: int = 0, failed: int = 0, rows: Iterable[JudgedRow] = ()
) -> GateResult:
    return GateResult(
        gate=gate.text,
        status=status,
        text=text,
        metric=gate.metric,
        subject=gate.subject,
        glob=gate.glob,
        level=gate.level,
        source=gate.source,
        judged=judged,
        failed=failed,
        rows=tuple(rows),
    )


def _without_base(gate: Gate, case: Case) -> GateResult:
    if case.is_new:
        words = "the model is new, base has none to measure it against"
        return _result(gate, GateStatus.INCONCLUSIVE, words)
    if gate.source == OPTION and not case.base_missing:
        raise OptionError(
            "a limit with a sign is relative to base and needs a baseline",
            option=f'{OPTION} "{gate.text}"',
            advice="compare with a baseline, or leave out the sign for an absolute budget",
        )
    return _result(gate, GateStatus.SKIPPED, "there is no baseline to measure it against")


def _judge_model(gate: Gate, case: Case) -> GateResult:
    """Judge the total over the whole model."""
    total = total_of(gate.metric, case.comparison) if case.comparison else None
    base = total.exact_base if total else None
    head = exact_total(case.head, gate.metric) if gate.is_budget or total is None else total.exact_head
    if gate.is_optional and base is None and head is None:
        return _unknown_everywhere(gate, case)
    if case.comparison and total is None and not gate.is_budget:
        text = f"{gate.metric} was not compared, since a side has no such figure"
        return _result(gate, GateStatus.INCONCLUSIVE, text)
    doubts = _doubts(gate, total, case.comparison) if case.comparison else []
    figure = Figure(base=base, head=head, doubts=tuple(doubts))
    with_accepted = base if base is None else accepted_total(gate.metric, base, case.accepted, case.subjects)
    changes = [change for change, _ in case.accepted.on(gate.metric)]
    row = accept(gate, judge_figure(gate, figure), figure, with_accepted, changes)
    is_judged = row.status is not GateStatus.INCONCLUSIVE
    failed = int(row.status is GateStatus.FAILED)
    return _result(gate, row.status, row.text, judged=int(is_judged), failed=failed, rows=[row])


def _unknown_everywhere(gate: Gate, case: Case) -> GateResult:
    sides = "neither side knows" if case.comparison else "head does not know"
    return _result(gate, GateStatus.SKIPPED, f"{sides} {gate.metric}")


def total_of(metric: str, comparison: Comparison) -> TotalDelta | None:
    """Return the totals of a metric on both sides, None where a side has no such figure."""
    if metric == DEVICE_PEAK:
        return comparison.device_peak
    return next((total for total in comparison.totals if total.stem == metric), None)


def _doubts(gate: Gate, total: TotalDelta | None, comparison: Comparison) -> list[str]:
    """Return why the totals of base and head are not of the same things, if they are not."""
    if not gate.is_budget and not matched_nodes(comparison):
        return ["no row matched"]
    doubts = []
    if total is not None and total.exact_base is not None:  # else a budget is judged by head alone
        if f"state_{gate.metric}" in comparison.nodes.column_names:
            states = comparison.nodes[f"state_{gate.metric}"]
            for state, words in ((State.LOST, "from known to unknown"), (State.NOW_KNOWN, "from unknown to known")):
                names = comparison.nodes["name"].filter(pc.equal(states, state.value))
                if len(names):
                    doubts.append(
                        f"{plural(len(names), 'matched row')} changed {words}, such as {called(str(names[0]))}"
                    )
        doubts += _moved((total.base_known, total.base_capable), (total.head_known, total.head_capable))
    return doubts + _other_rules(gate, comparison)


def _moved(base: tuple[int, int], head: tuple[int, int]) -> list[str]:
    """Return that the known share moved by more than a point, if it did; each side is known and capable nodes."""
    if not base[1] or not head[1] or abs(Fraction(*head) - Fraction(*base)) * LARGEST_MOVE <= 1:
        return []
    return [f"its known share moved from {share(*base)} to {share(*head)}"]


def _other_rules(gate: Gate, comparison: Comparison) -> list[str]:
    if gate.is_budget or gate.metric not in FLOP_STEMS or comparison.base_rules == comparison.head_rules:
        return []
    return [f"base was counted by the rules {comparison.base_rules}, head by {comparison.head_rules}"]


def matched_nodes(comparison: Comparison) -> int:
    """Return how many nodes both sides have."""
    return comparison.counts[RowStatus.CHANGED] + comparison.counts[RowStatus.UNCHANGED]


def _judge_rows(gate: Gate, judged: Bools, case: Case) -> GateResult:
    """Judge the rows that a glob matches and no later gate takes."""
    comparison, subjects = case.comparison, case.subjects
    figures = subjects.figures(gate.subject, gate.metric)
    accepted = accepted_rows(gate, figures, case.accepted, subjects)
    in_doubt = bool(_common_doubts(gate, comparison))
    outcomes = judge_rows(gate, figures, has_base=comparison is not None, in_doubt=in_doubt)
    if accepted is not figures:
        remaining = judge_rows(gate, accepted, has_base=True, in_doubt=in_doubt).failed
        outcomes = replace(outcomes, failed=outcomes.failed & remaining, accepted=outcomes.failed & ~remaining)
    count = int((judged & ~outcomes.unknown).sum())
    if not count and gate.is_optional:
        return _unknown_everywhere(gate, case)
    worst = [
        _judge_row(gate, figures, accepted, row, case)
        for row in _worst_first(gate, figures, outcomes, judged)[:WORST_ROWS].tolist()
    ]
    counts = _Counts(
        judged=count,
        **{word: int((getattr(outcomes, word) & judged).sum()) for word in ("failed", "open", "accepted", "unknown")},
    )
    status, text = _sentence(gate, counts, worst)
    return _result(gate, status, text, judged=counts.judged - counts.open, failed=counts.failed, rows=worst)


def _judge_row(gate: Gate, figures: RowFigures, accepted: RowFigures, row: int, case: Case) -> JudgedRow:
    """Return one row of a gate in words."""
    name = str(case.subjects.names(gate.subject)[row])
    figure = figure_of_row(gate, figures, row, name, case.comparison)
    changes = [
        change
        for change, nodes in case.accepted.on(gate.metric)
        if (nodes & case.subjects.in_row(gate.subject, row)).any()
    ]
    base = Fraction(int(accepted.base[row]), accepted.divisor)
    return accept(gate, judge_figure(gate, figure), figure, base, changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    judged: int
    failed: int
    open: int
    accepted: int
    unknown: int


def _sentence(gate: Gate, counts: _Counts, worst: list[JudgedRow]) -> tuple[GateStatus, str]:
    """Return the outcome of a gate on rows, in a word and as a sentence."""
    rows = plural(counts.judged, _NOUNS[gate.subject])
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
        return GateStatus.INCONCLUSIVE, f"{gate.metric} of {plural(counts.unknown, _NOUNS[gate.subject])} is unknown"
    if counts.accepted:
        text = f"{counts.accepted:,} of {rows} {'holds' if counts.accepted == 1 else 'hold'} as acknowledged: {example}"
        return GateStatus.ACKNOWLEDGED, "; ".join([text, *rest])
    closest = f", the closest {example}" if worst else ", none changed"
    return GateStatus.PASSED, "; ".join([f"{rows} {'holds' if counts.judged == 1 else 'hold'}{closest}", *rest])


def _common_doubts(gate: Gate, comparison: Comparison | None) -> list[str]:
    """Return what puts all rows in doubt that are compared with base."""
    if comparison is None or gate.is_budget:
        return []
    return _other_rules(gate, comparison) if matched_nodes(comparison) else ["no row matched"]


def _worst_first(gate: Gate, figures: RowFigures, outcomes: RowOutcomes, judged: Bools) -> Ints:
    """Return the rows to name: that fail, that are open, that are accepted, then those nearest to the limit.

    Of rows that did not change only budgets have something to say.
    """
    is_close = ~outcomes.unknown if gate.is_budget else (figures.base != figures.head).astype(bool)
    rows = np.flatnonzero(judged & (outcomes.failed | outcomes.open | is_close))
    rank = np.select([mask[rows] for mask in (outcomes.failed, outcomes.open, outcomes.accepted)], [0, 1, 2], 3)
    order: Ints = rows[np.lexsort((rows, -outcomes.excess[rows], rank))]
    return order


def figure_of_row(gate: Gate, figures: RowFigures, row: int, name: str, comparison: Comparison | None) -> Figure:
    """Return the figure of one row with what puts it in doubt."""
    base, head = (
        Fraction(int(values[row]), figures.divisor) if known[row] else None
        for values, known in ((figures.base, figures.base_known), (figures.head, figures.head_known))
    )
    if comparison is None:
        return Figure(name=name, base=None, head=head)
    doubts = _common_doubts(gate, comparison)
    if base is not None:
        for count, words in ((figures.lost, "from known to unknown"), (figures.now_known, "from unknown to known")):
            if count[row]:
                doubts.append(f"{plural(int(count[row]), 'node')} of it changed {words}")
        old, new = ((int(known[row]), int(could[row])) for known, could in (figures.base_nodes, figures.head_nodes))
        doubts += _moved(old, new)
        if not gate.is_budget and not old[1] and new[0] < new[1]:
            doubts.append(f"only {new[0]:,} of its {plural(new[1], 'new node')} are known")
    return Figure(name=name, base=base, head=head, doubts=tuple(doubts))
