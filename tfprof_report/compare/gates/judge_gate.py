"""Judges one gate: its outcome, the rows that it names, and the sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof_report.arrays import Bools, Ints
from tfprof_report.compare.gates.context import NO_BASELINE, NOUNS, Case, named, result_of, unknown_everywhere
from tfprof_report.compare.gates.grammar import OPTION
from tfprof_report.compare.gates.hold import HeldRows, hold
from tfprof_report.compare.gates.on_memory import why_informs
from tfprof_report.compare.gates.on_times import compares_times, why_no_medians
from tfprof_report.compare.gates.on_totals import is_time, too_few_steps, why_totals_inform
from tfprof_report.compare.gates.policy import Gate, Level, Subject
from tfprof_report.compare.gates.precedence import GateRows
from tfprof_report.compare.gates.reference import NotFound
from tfprof_report.compare.gates.verdict import WORST_ROWS, GateResult, GateStatus, JudgedRow, MeasuredFrom
from tfprof_report.compare.gates.wording import row_in_words
from tfprof_report.errors import OptionError
from tfprof_report.formatting import called, plural
from tfprof_report.record import record


def judge_gate(gate: Gate, rows: GateRows, case: Case) -> GateResult:
    """Return the result of a gate on its rows; of a drift gate also from which report it is measured.

    Raises
    ------
    OptionError
        A gate of the command line is relative, and there is no base.
    """
    found = case.found
    if found is None or rows.winner is not None:
        return _judge(gate, rows, case)
    if isinstance(found, NotFound):
        return result_of(gate, GateStatus.NO_REFERENCE, found.reason)
    if found.doubt:
        result = result_of(gate, GateStatus.INCONCLUSIVE, f"{gate.metric} cannot be compared: {found.doubt}")
    else:
        result = _judge(gate, rows, case)
    facts = {name: getattr(found, name) for name in ("report", "commit", "commits_back", "age_seconds")}
    reference = MeasuredFrom(words=found.words, **facts)
    return replace(result, reference=reference, text=f"{result.text}, {found.words}")


def _judge(gate: Gate, rows: GateRows, case: Case) -> GateResult:
    if problem := case.subjects.problem(gate.subject):
        return result_of(gate, GateStatus.INCONCLUSIVE, f"{NOUNS[gate.subject]}s cannot be judged: {problem}")
    if not rows.matched.any():
        sides = f"{case.base_word} or head" if case.comparison else "head"
        text = f"no {NOUNS[gate.subject]} of {sides} has a name that {called(gate.glob)} matches"
        return result_of(gate, GateStatus.INCONCLUSIVE, text)
    if rows.winner is not None:
        return result_of(gate, GateStatus.SKIPPED, f"later gates judge all that it matches: {named(rows.winner)}")
    if not case.has_base and not gate.is_budget:
        return _without_base(gate, case)
    held = hold(gate, case)
    if gate.subject is Subject.MODEL:
        result = _judge_total(gate, held, case)
    else:
        result = _judge_rows(gate, held, rows.judged, case)
    if case.totals:
        reason = why_totals_inform(gate, held.outcomes, case.totals, case.head)
    else:
        reason = why_informs(gate, case.comparison)
    if not result.judged or reason is None:
        return result
    return replace(result, level=Level.INFORM, text=f"{result.text}, {reason}")


def _without_base(gate: Gate, case: Case) -> GateResult:
    if case.is_new:
        words = "the model is new, base has none to measure it against"
        return result_of(gate, GateStatus.INCONCLUSIVE, words)
    if gate.source == OPTION and not case.base_missing:
        raise OptionError(
            "a limit with a sign is relative to base and needs a baseline",
            option=f'{OPTION} "{gate.text}"',
            advice="compare with a baseline, or leave out the sign for an absolute budget",
        )
    return result_of(gate, GateStatus.SKIPPED, NO_BASELINE)


def _judge_total(gate: Gate, held: HeldRows, case: Case) -> GateResult:
    """Judge the total over the whole model, which is a single row."""
    base, head = held.figures.at(0)
    if gate.is_optional and base is None and head is None:
        return unknown_everywhere(gate, case)
    if not gate.is_budget and case.comparison and case.comparison.total_of(gate.metric) is None:
        text = f"{gate.metric} was not compared, since a side has no such figure"
        return result_of(gate, GateStatus.INCONCLUSIVE, text)
    is_known = base is not None and head is not None
    if is_known and case.comparison and compares_times(gate) and (reason := why_no_medians(gate, case.comparison)):
        return result_of(gate, GateStatus.INCONCLUSIVE, reason)
    if is_known and case.totals and is_time(gate) and (reason := too_few_steps(gate, case.totals, case.head)):
        return result_of(gate, GateStatus.INCONCLUSIVE, reason)
    row = row_in_words(gate, held, 0, case)
    judged, failed = row.status is not GateStatus.INCONCLUSIVE, row.status is GateStatus.FAILED
    return result_of(gate, row.status, row.text, judged=int(judged), failed=int(failed), rows=[row])


def _judge_rows(gate: Gate, held: HeldRows, judged: Bools, case: Case) -> GateResult:
    """Judge the rows that the glob matches and that no later gate overrides."""
    outcomes = held.outcomes
    count = int((judged & ~outcomes.unknown).sum())
    if not count and gate.is_optional:
        return unknown_everywhere(gate, case)
    if count and case.comparison and compares_times(gate) and (reason := why_no_medians(gate, case.comparison)):
        return result_of(gate, GateStatus.INCONCLUSIVE, reason)
    worst = [row_in_words(gate, held, row, case) for row in _worst_first(gate, held, judged)[:WORST_ROWS].tolist()]
    counts = _Counts(
        judged=count,
        **{word: int((getattr(outcomes, word) & judged).sum()) for word in ("failed", "open", "accepted", "unknown")},
    )
    status, text = _sentence(gate, counts, worst)
    return result_of(gate, status, text, judged=counts.judged - counts.open, failed=counts.failed, rows=worst)


def _worst_first(gate: Gate, held: HeldRows, judged: Bools) -> Ints:
    """Return the rows to name: failed, then open, then accepted ones; without any, those nearest to the limit.

    Unchanged rows are named for budgets only.
    """
    outcomes, figures = held.outcomes, held.figures
    rows = np.flatnonzero(judged & (outcomes.failed | outcomes.open | outcomes.accepted))
    if not len(rows):
        is_near = ~outcomes.unknown if gate.is_budget else (figures.base != figures.head).astype(bool)
        rows = np.flatnonzero(judged & is_near)
    rank = np.select([mask[rows] for mask in (outcomes.failed, outcomes.open, outcomes.accepted)], [0, 1, 2], 3)
    order: Ints = rows[np.lexsort((rows, -outcomes.excess[rows], rank))]
    return order


@record
class _Counts:
    judged: int
    failed: int
    open: int
    accepted: int
    unknown: int


def _sentence(gate: Gate, counts: _Counts, worst: list[JudgedRow]) -> tuple[GateStatus, str]:
    """Return the outcome of a gate on rows, as status and sentence."""
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
