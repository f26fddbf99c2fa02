"""Gates on the whole model: the total over all nodes on both sides."""

from __future__ import annotations

import pyarrow.compute as pc

from tfprof_report.compare.comparison import Comparison, State, TotalDelta
from tfprof_report.compare.exact_totals import exact_total
from tfprof_report.compare.gates.acknowledge import accept, accepted_total
from tfprof_report.compare.gates.context import Case, moved_share, other_rules, result_of, unknown_everywhere
from tfprof_report.compare.gates.limits import Figure, judge_figure
from tfprof_report.compare.gates.on_times import change_of, compares_times, median_figure, too_few_steps, with_evidence
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, JudgedRow
from tfprof_report.formatting import called, plural


def judge_model(gate: Gate, case: Case) -> GateResult:
    """Judge the total over the whole model."""
    total = case.comparison.total_of(gate.metric) if case.comparison else None
    base = total.exact_base if total else None
    head = exact_total(case.head, gate.metric) if gate.is_budget or total is None else total.exact_head
    if gate.is_optional and base is None and head is None:
        return unknown_everywhere(gate, case)
    if case.comparison and total is None and not gate.is_budget:
        text = f"{gate.metric} was not compared, since a side has no such figure"
        return result_of(gate, GateStatus.INCONCLUSIVE, text)
    doubts = _doubts(gate, total, case.comparison) if case.comparison else []
    figure = Figure(base=base, head=head, doubts=tuple(doubts))
    if case.comparison and compares_times(gate) and base is not None and head is not None:
        return _judge_time(gate, figure, case)
    with_accepted = base if base is None else accepted_total(gate.metric, base, case.accepted, case.subjects)
    changes = [change for change, _ in case.accepted.on(gate.metric)]
    return _result_of_row(gate, accept(gate, judge_figure(gate, figure), figure, with_accepted, changes))


def _judge_time(gate: Gate, figure: Figure, case: Case) -> GateResult:
    """Judge a time by its medians over steps."""
    change = change_of(gate.metric, case.comparison) if case.comparison else None
    shortage = too_few_steps(case)
    if shortage or change is None or change.p_value is None:
        return result_of(gate, GateStatus.INCONCLUSIVE, shortage or f"{gate.metric} is not known step by step")
    return _result_of_row(gate, with_evidence(judge_figure(gate, median_figure(figure, change)), change.p_value))


def _result_of_row(gate: Gate, row: JudgedRow) -> GateResult:
    is_judged = row.status is not GateStatus.INCONCLUSIVE
    failed = int(row.status is GateStatus.FAILED)
    return result_of(gate, row.status, row.text, judged=int(is_judged), failed=failed, rows=[row])


def _doubts(gate: Gate, total: TotalDelta | None, comparison: Comparison) -> list[str]:
    """Return why the totals of base and head are not of the same things, if they are not."""
    if not gate.is_budget and not comparison.matched_nodes:
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
        doubts += moved_share((total.base_known, total.base_capable), (total.head_known, total.head_capable))
    return doubts + other_rules(gate, comparison)
