"""Judges all gates and sums them up in a verdict; a single gate is judged in `judge_gate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.compare.exact_totals import known_share
from tfprof_report.compare.gates.context import (
    case_of,
    cases_of,
    is_start,
    named,
    rows_by_case,
    start_words,
    why_not_comparable,
)
from tfprof_report.compare.gates.judge_gate import judge_gate
from tfprof_report.compare.gates.policy import Level, Policy, Subject
from tfprof_report.compare.gates.reference import References
from tfprof_report.compare.gates.verdict import (
    AcknowledgedChange,
    AcknowledgedStatus,
    GateResult,
    GateStatus,
    Outcome,
    Verdict,
)
from tfprof_report.compare.side import Side
from tfprof_report.formatting import plural

NO_UNKNOWN = "--fail-on-unknown"
"""The text of the gate that forbids unknown FLOPs and parameters."""

_HOLDS = (GateStatus.PASSED, GateStatus.ACKNOWLEDGED)

_WANTED = {"float_ops": "FLOPs", "params": "parameters"}


def judge(
    head: Side,
    comparison: Comparison | None,
    policy: Policy,
    *,
    is_new: bool = False,
    base_missing: bool = False,
    today: date | None = None,
    references: References | None = None,
) -> Verdict:
    """Judge head against its base if there is a comparison, else against budgets alone.

    The exit code is 1 if a gate failed, else 5 if a gate is inconclusive, head has no nodes, no row matched or too many
    nodes have no partner (`Policy.max_unmatched`), else 0. Gates of level inform are judged but do not affect it. The
    outcome is OK only if a gate of level fail passed or was acknowledged: where there are no such gates, or all of them
    are skipped, nothing was judged.

    A gate is inconclusive if its metric is unknown on a side that it needs, and as `limits.hold_rows` says where a
    figure is a lower bound, since nodes that could have a figure have none.

    Growth from 0 fails every relative gate with an upper bound (``<=``, ``==``), since there is nothing to measure it
    against. A lower bound (``>=``) holds, since its purpose is to detect a loss. A new row counts as growth from 0, a
    removed one as a decrease to 0.

    With `Policy.fail_on_unknown` a node of head that could have FLOPs or parameters but has no figure counts as a
    failed gate. With `is_new` base has other models but not this one: relative gates are inconclusive. With
    `base_missing` there is no baseline, and none is required: relative gates are skipped, and the outcome is "no
    baseline".

    `Policy.acknowledged` are in effect up to their date, compared with `today` (by default the current date). A gate
    that fails but would hold if base already had the acknowledged figures is acknowledged instead. Budgets are never
    acknowledged.

    A drift gate is judged like a relative one, with the report in `references` in place of base. Where there is none,
    it neither holds nor fails.

    Raises
    ------
    OptionError
        A gate of the command line is relative, there is no base, and neither `is_new` nor `base_missing` is set.
    """
    case = case_of(head, comparison, policy, today, is_new=is_new, base_missing=base_missing)
    cases = cases_of(case, policy, references or {}, today)
    rows = rows_by_case(policy.gates, cases)
    results = tuple(judge_gate(gate, each, cases[gate]) for gate, each in zip(policy.gates, rows, strict=True))
    results += (_judge_unknown(head),) if policy.fail_on_unknown else ()
    decisive = [result for result in results if result.level is Level.FAIL]
    failed, still_open = (
        [f"{named(result)}: {result.text}" for result in decisive if result.status is status]
        for status in (GateStatus.FAILED, GateStatus.INCONCLUSIVE)
    )
    open_points = _blocking_reasons(head, comparison, policy.max_unmatched) + still_open
    lacks_base = comparison is None and any(
        result.status is GateStatus.SKIPPED and not gate.is_budget and not gate.reference
        for gate, result in zip(policy.gates, results, strict=False)
    )
    applies = {
        Outcome.FAILED: failed,
        Outcome.INCONCLUSIVE: open_points,
        Outcome.NO_BASELINE: base_missing or lacks_base,
        Outcome.NOT_JUDGED: not any(result.status in _HOLDS for result in decisive),
    }
    outcome = Outcome.worst(outcome for outcome, found in applies.items() if found)
    tail = [f"{_compared_rows(head, comparison)}, {_gate_count(results)}", *_partly_known(head, decisive)]
    return Verdict(
        text=f"{outcome.upper()}: {'; '.join([*failed, *open_points, *tail])}.",
        outcome=outcome,
        gates=results,
        acknowledged=_with_starts(case.accepted.changes, results),
    )


def _with_starts(
    changes: Sequence[AcknowledgedChange], results: Sequence[GateResult]
) -> tuple[AcknowledgedChange, ...]:
    """Return accepted changes in which those hold that a drift gate was measured from."""
    used = {
        result.metric
        for result in results
        if result.reference and result.subject is Subject.MODEL and result.status is GateStatus.ACKNOWLEDGED
    }
    return tuple(
        replace(change, status=AcknowledgedStatus.HOLDS, text=start_words(change))
        if change.metric in used and is_start(change) and change.status is not AcknowledgedStatus.HOLDS
        else change
        for change in changes
    )


def _judge_unknown(head: Side) -> GateResult:
    """Judge whether FLOPs and parameters of head, which depend on the graph alone, are all known."""
    shares = {words: known_share(head, stem) for stem, words in _WANTED.items()}
    missing = [
        f"{words} of {capable - known:,} of {plural(capable, 'node')} are unknown"
        for words, (known, capable) in shares.items()
        if known < capable
    ]
    text = " and ".join(missing) or f"{' and '.join(_WANTED.values())} of all nodes are known"
    status = GateStatus.FAILED if missing else GateStatus.PASSED
    return GateResult(gate=NO_UNKNOWN, status=status, text=text, judged=len(_WANTED), failed=len(missing))


def _blocking_reasons(head: Side, comparison: Comparison | None, max_unmatched: Fraction) -> list[str]:
    """Return why the verdict cannot be OK, whatever the gates found."""
    if head.nodes.num_rows == 0:
        return ["head has no nodes"]
    return why_not_comparable(comparison, max_unmatched) if comparison else []


def _compared_rows(head: Side, comparison: Comparison | None) -> str:
    if comparison is None:
        return f"{plural(head.nodes.num_rows, 'node')} without a baseline"
    counts = comparison.counts
    compared = sum(total.delta is not None for total in comparison.all_totals)
    return (
        f"{plural(comparison.matched_nodes, 'row')} matched ({counts[RowStatus.CHANGED]:,} changed), "
        f"{counts[RowStatus.NEW]:,} new, {counts[RowStatus.REMOVED]:,} removed, {plural(compared, 'figure')} compared"
    )


def _partly_known(head: Side, results: Sequence[GateResult]) -> list[str]:
    """Return the gated metrics whose total in head is partial, so that a green verdict does not hide it."""
    nothing = (GateStatus.SKIPPED, GateStatus.NO_REFERENCE)
    judged = [result for result in results if result.metric and result.status not in nothing]
    shares = {result.metric: known_share(head, result.metric) for result in judged if result.metric}
    return [
        f"{metric} of head is known for {known:,} of {plural(capable, 'node')}"
        for metric, (known, capable) in shares.items()
        if 0 < known < capable
    ]


def _gate_count(results: Sequence[GateResult]) -> str:
    """Return how many of the deciding gates passed, and the number of the others by outcome."""
    if not results:
        return "no gates"
    decisive = [result for result in results if result.level is Level.FAIL]
    count = {status: sum(result.status is status for result in decisive) for status in GateStatus}
    passed, accepted, lost, skipped = (
        count[status]
        for status in (GateStatus.PASSED, GateStatus.ACKNOWLEDGED, GateStatus.NO_REFERENCE, GateStatus.SKIPPED)
    )
    judged = len(decisive) - accepted - lost - skipped
    words = [f"{'' if passed == judged else f'{passed:,} of '}{plural(judged, 'gate')} passed"] if judged else []
    for number, word in ((accepted, "acknowledged"), (lost, "without a reference"), (skipped, "skipped")):
        if number:
            words.append(f"{number:,} {word}" if words else f"{plural(number, 'gate')} {word}")
    return ", ".join(words + _informing(results))


def _informing(results: Sequence[GateResult]) -> list[str]:
    informing = [result for result in results if result.level is Level.INFORM]
    broken = sum(result.status is GateStatus.FAILED for result in informing)
    words = f"{plural(len(informing), 'gate')} {'informs' if len(informing) == 1 else 'inform'}"
    breaks = f" ({broken:,} {'does' if broken == 1 else 'do'} not hold)" if broken else ""
    return [words + breaks] if informing else []
