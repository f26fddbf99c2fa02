"""Judges gates in exact numbers. Their grammar is in `gate_grammar`, the words for figures in `wording`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pyarrow.compute as pc

from tfprof_report.compare.gate_grammar import OPTION, UNITS, parse_gate
from tfprof_report.compare.policy import Bound, Gate, Limit, Policy, Scale
from tfprof_report.compare.result import (
    Comparison,
    GateResult,
    GateStatus,
    Measured,
    RowStatus,
    State,
    TotalDelta,
    Verdict,
)
from tfprof_report.compare.totals import DEVICE_PEAK, exact_total, known_share
from tfprof_report.compare.wording import OUTCOMES, amount, change, plural, share
from tfprof_report.errors import ExitCode, OptionError, one_line
from tfprof_report.model.float_ops import FLOP_STEMS

__all__ = ["Gate", "judge", "parse_gate"]

_LARGEST_MOVE = Fraction(1, 100)
"""How far the known share of a gated metric may move between the sides: one percentage point."""


NO_UNKNOWN = "--fail-on-unknown"
"""What stands for a gate where the user wants no unknown FLOPs and parameters."""

_WANTED = {"float_ops": "FLOPs", "params": "parameters"}


def judge(
    head: Measured,
    comparison: Comparison | None,
    policy: Policy,
    *,
    is_new: bool = False,
) -> Verdict:
    """Judge what was measured: with a comparison against its base, without one against budgets alone.

    1 if a gate failed, else 5 if a gate is inconclusive, head has no nodes or no row matched, else 0.

    A gate is inconclusive where its metric is unknown on a side it needs; and, as soon as base knows the metric, where
    a matched row changed between known and unknown or the known share moved by more than a point. A budget that the
    known figures of head break has failed all the same: base has no say in it.

    Growth from 0 fails every relative gate that sets an upper bound (``<=``, ``==``): there is nothing to measure it
    against. A lower bound (``>=``) holds, since it is there to notice a loss.

    With `Policy.fail_on_unknown` a node of head that could have FLOPs or parameters and has no figure fails as a gate
    does. With `is_new` head is one of several models, of which base has the others: relative gates are inconclusive.

    Raises
    ------
    OptionError
        A gate is relative to a base, there is no comparison, and head is not new.
    """
    results = tuple(_judge_gate(gate, head, comparison, is_new=is_new) for gate in policy.gates)
    results += (_judge_unknown(head),) if policy.fail_on_unknown else ()
    failed = [result for result in results if result.status is GateStatus.FAILED]
    open_points = _nothing_to_judge(head, comparison) + [
        f"{result.gate}: {result.text}" for result in results if result.status is GateStatus.INCONCLUSIVE
    ]
    findings = ((ExitCode.GATE_FAILED, failed), (ExitCode.INCONCLUSIVE, open_points))
    code = ExitCode.worst([code for code, found in findings if found])
    reasons = [f"{result.gate}: {result.text}" for result in failed] + open_points
    tail = [f"{_what_was_seen(head, comparison)}, {_gate_count(results)}", *_partly_known(head, policy.gates)]
    return Verdict(text=f"{OUTCOMES[code]}: {'; '.join([*reasons, *tail])}.", exit_code=int(code), gates=results)


def _judge_gate(gate: Gate, head: Measured, comparison: Comparison | None, *, is_new: bool) -> GateResult:
    limit = gate.limits[0]
    if limit.scale is Scale.BUDGET:
        status, text = _judge_budget(gate, head, comparison)
    elif comparison is None and is_new:
        status, text = GateStatus.INCONCLUSIVE, "the model is new, base has none to measure it against"
    elif comparison is None:
        raise OptionError(
            "a limit with a sign is relative to base and needs a baseline",
            option=f'{OPTION} "{gate.text}"',
            advice="compare with a baseline, or leave out the sign for an absolute budget",
        )
    else:
        status, text = _judge_growth(gate, comparison)
    return GateResult(gate=gate.text, status=status, text=text)


def _judge_unknown(head: Measured) -> GateResult:
    """Judge whether head has unknown figures among those that depend on the graph alone."""
    shares = {words: known_share(head, stem) for stem, words in _WANTED.items()}
    missing = [
        f"{words} of {capable - known:,} of {plural(capable, 'node')} are unknown"
        for words, (known, capable) in shares.items()
        if known < capable
    ]
    text = " and ".join(missing) or f"{' and '.join(_WANTED.values())} of all nodes are known"
    return GateResult(gate=NO_UNKNOWN, status=GateStatus.FAILED if missing else GateStatus.PASSED, text=text)


def _judge_budget(gate: Gate, head: Measured, comparison: Comparison | None) -> tuple[GateStatus, str]:
    """Judge head against a number."""
    limit = gate.limits[0]
    value = exact_total(head, gate.metric)
    if value is None:
        return GateStatus.INCONCLUSIVE, f"{gate.metric} of head is unknown"
    text = f"{amount(value)}, {_allowed(gate.metric, limit, limit.value)}"
    if not _holds(limit.bound, value, limit.value):
        return GateStatus.FAILED, text
    doubts = _doubts(gate.metric, comparison)
    return (GateStatus.INCONCLUSIVE, f"{text}, but {' and '.join(doubts)}") if doubts else (GateStatus.PASSED, text)


def _judge_growth(gate: Gate, comparison: Comparison) -> tuple[GateStatus, str]:
    """Judge head against base."""
    total = _total_of(gate.metric, comparison)
    if total is None:
        return GateStatus.INCONCLUSIVE, f"{gate.metric} was not compared, since a side has no such figure"
    base, head = total.exact_base, total.exact_head
    if base is None or head is None:
        sides = "base and head" if base is None and head is None else "base" if base is None else "head"
        return GateStatus.INCONCLUSIVE, f"{gate.metric} of {sides} is unknown"
    limit = gate.limits[0]
    step = limit.value if limit.scale is Scale.DIFFERENCE else abs(base) * limit.value / 100
    text = f"{change(base, head)}, {_allowed(gate.metric, limit, base + step)}"
    if not _matched(comparison):
        return GateStatus.INCONCLUSIVE, f"{text}, but no row matched"
    doubts = _doubts(gate.metric, comparison)
    if gate.metric in FLOP_STEMS and comparison.base_rules != comparison.head_rules:
        doubts.append(f"base was counted by the rules {comparison.base_rules}, head by {comparison.head_rules}")
    if doubts:
        return GateStatus.INCONCLUSIVE, f"{text}, but {' and '.join(doubts)}"
    if total.state is State.NEW_FROM_ZERO and limit.bound is not Bound.AT_LEAST:
        return GateStatus.FAILED, f"{change(base, head)}, and growth from 0 fails every relative upper limit"
    return (GateStatus.PASSED if _holds(limit.bound, head, base + step) else GateStatus.FAILED), text


def _holds(bound: Bound, value: Fraction, limit: Fraction) -> bool:
    match bound:
        case Bound.AT_MOST:
            return value <= limit
        case Bound.AT_LEAST:
            return value >= limit
        case Bound.EXACTLY:
            return value == limit


def _total_of(metric: str, comparison: Comparison) -> TotalDelta | None:
    if metric == DEVICE_PEAK:
        return comparison.device_peak
    return next((total for total in comparison.totals if total.stem == metric), None)


def _doubts(metric: str, comparison: Comparison | None) -> list[str]:
    """Return why the figures of base and head are not of the same things, if they are not."""
    total = _total_of(metric, comparison) if comparison else None
    if comparison is None or total is None or total.exact_base is None:
        return []  # a budget is judged by head alone where base knows nothing
    doubts = []
    if f"state_{metric}" in comparison.nodes.column_names:
        states = comparison.nodes[f"state_{metric}"]
        for state, words in ((State.LOST, "from known to unknown"), (State.NOW_KNOWN, "from unknown to known")):
            names = comparison.nodes["name"].filter(pc.equal(states, state.value))
            if len(names):
                doubts.append(f"{plural(len(names), 'matched row')} changed {words}, such as {one_line(str(names[0]))}")
    if total.base_capable and total.head_capable:
        old = Fraction(total.base_known, total.base_capable)
        new = Fraction(total.head_known, total.head_capable)
        if abs(new - old) > _LARGEST_MOVE:
            doubts.append(
                f"its known share moved from {share(total.base_known, total.base_capable)} "
                f"to {share(total.head_known, total.head_capable)}"
            )
    return doubts


def _nothing_to_judge(head: Measured, comparison: Comparison | None) -> list[str]:
    """Return why there is no green whatever the gates say."""
    if head.nodes.num_rows == 0:
        return ["head has no nodes"]
    if comparison is not None and not _matched(comparison):
        return ["nothing is comparable, no node of head has a name that base knows"]
    return []


def _matched(comparison: Comparison) -> int:
    return comparison.counts[RowStatus.CHANGED] + comparison.counts[RowStatus.UNCHANGED]


def _what_was_seen(head: Measured, comparison: Comparison | None) -> str:
    if comparison is None:
        return f"{plural(head.nodes.num_rows, 'node')} without a baseline"
    counts = comparison.counts
    totals = [*comparison.totals, *([comparison.device_peak] if comparison.device_peak else [])]
    compared = sum(total.delta is not None for total in totals)
    return (
        f"{plural(_matched(comparison), 'row')} matched ({counts[RowStatus.CHANGED]:,} changed), "
        f"{counts[RowStatus.NEW]:,} new, {counts[RowStatus.REMOVED]:,} removed, {plural(compared, 'metric')} compared"
    )


def _partly_known(head: Measured, gates: Sequence[Gate]) -> list[str]:
    """Return of which gated metrics head's total leaves nodes out, so that no green hides it."""
    shares = {gate.metric: known_share(head, gate.metric) for gate in gates}
    return [
        f"{metric} of head is known for {known:,} of {plural(capable, 'node')}"
        for metric, (known, capable) in shares.items()
        if 0 < known < capable
    ]


def _gate_count(results: Sequence[GateResult]) -> str:
    if not results:
        return "no gates"
    passed = sum(result.status is GateStatus.PASSED for result in results)
    if passed == len(results):
        return f"{plural(passed, 'gate')} passed"
    return f"{passed:,} of {plural(len(results), 'gate')} passed"


def _allowed(metric: str, limit: Limit, value: Fraction) -> str:
    words = {Bound.AT_MOST: "at most ", Bound.AT_LEAST: "at least ", Bound.EXACTLY: "exactly "}
    return f"allowed {words[limit.bound]}{amount(value, UNITS[metric])}"
