from __future__ import annotations

import dataclasses
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import Figures, side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Acknowledgement, Gate, Level, Policy, Subject
from tfprof_report.compare.gates.verdict import GateStatus, Outcome, Verdict
from tfprof_report.compare.side import Side
from tfprof_report.errors import OptionError

PASSED, FAILED, INCONCLUSIVE = list(GateStatus)[:3]


def verdict_of(base: Side, head: Side, *gates: str, **policy: Any) -> Verdict:
    return judge(head, compare(base, head), Policy(gates=tuple(parse_gate(gate) for gate in gates), **policy))


def params(value: int | None) -> Side:
    return side_of({"n": {"params": value}})


def float_ops_of(count: int, known: int) -> dict[str, Figures]:
    return {f"n{i}": {"float_ops": 0 if i < known else None} for i in range(count)}


@pytest.mark.parametrize(
    ("base", "head", "gate", "status"),
    [
        (100, 101, "params <= +1%", PASSED),
        (100, 102, "params <= +1%", FAILED),
        (100, 100, "params <= +0", PASSED),
        (100, 101, "params <= +0", FAILED),
        (100, 99, "params <= +0", PASSED),
        (100, 95, "params <= -5%", PASSED),
        (100, 96, "params <= -5%", FAILED),
        (100, 110, "params <= +10", PASSED),
        (100, 111, "params <= +10", FAILED),
        (100, 99, "params >= -1%", PASSED),
        (100, 98, "params >= -1%", FAILED),
        (100, 100, "params == +0", PASSED),
        (100, 99, "params == +0", FAILED),
        (100, 101, "params == +1", PASSED),
        (100, 2_000_000, "params <= 2M", PASSED),
        (100, 2_000_001, "params <= 2M", FAILED),
        (100, 5, "params >= 5", PASSED),
        (100, 4, "params >= 5", FAILED),
        (100, 5, "params == 5", PASSED),
        (-100, -99, "params <= +1%", PASSED),
        (-100, -98, "params <= +1%", FAILED),
    ],
)
def test_a_gate_holds_or_fails_at_its_limit(base: int, head: int, gate: str, status: GateStatus) -> None:
    verdict = verdict_of(params(base), params(head), gate)
    assert verdict.gates[0].status is status
    assert verdict.exit_code == {PASSED: 0, FAILED: 1}[status]


@pytest.mark.parametrize(
    ("params", "known", "status", "text"),
    [
        (7, 3, PASSED, "FLOPs and parameters of all nodes are known"),
        (7, 2, FAILED, "FLOPs of 1 of 3 nodes are unknown"),
        (None, 1, FAILED, "FLOPs of 2 of 3 nodes are unknown and parameters of 3 of 3 nodes are unknown"),
    ],
)
def test_unknown_figures_fail_where_the_user_wants_none(
    params: int | None, known: int, status: GateStatus, text: str
) -> None:
    nodes = {name: figures | {"params": params} for name, figures in float_ops_of(3, known).items()}
    verdict = judge(side_of(nodes), None, Policy(fail_on_unknown=True))
    assert [(gate.gate, gate.status, gate.text) for gate in verdict.gates] == [("--fail-on-unknown", status, text)]
    (gate,) = verdict.gates
    assert (gate.judged, gate.failed) == (2, 0 if status is PASSED else text.count("unknown"))
    assert verdict.outcome is {PASSED: Outcome.OK, FAILED: Outcome.FAILED}[status]
    assert verdict.text.endswith("1 gate passed." if status is PASSED else "0 of 1 gate passed.")
    assert judge(side_of(nodes), None, Policy()).outcome is Outcome.NOT_JUDGED


@pytest.mark.parametrize(
    ("head", "status"), [(10**18 + 10**16, PASSED), (10**18 + 10**16 + 1, FAILED)], ids=["at", "one above"]
)
def test_a_limit_is_exact_where_floats_are_not(head: int, status: GateStatus) -> None:
    assert verdict_of(params(10**18), params(head), "params <= +1%").gates[0].status is status


def test_a_mean_over_steps_is_judged_exactly() -> None:
    # A third plus two thirds of a byte: as floats the limit of +100 % of 1/3 would be a rounded 2/3.
    base = side_of({"n": {}}, runs=[("n", 1, {"output_bytes": 1})], steps=[1, 2, 3])
    head = side_of({"n": {}}, runs=[("n", 1, {"output_bytes": 2})], steps=[1, 2, 3])
    assert verdict_of(base, head, "output_bytes == +100%").exit_code == 0
    assert verdict_of(base, head, "output_bytes <= +99.9999999999999999999%").exit_code == 1


@pytest.mark.parametrize(
    ("gate", "status"),
    [
        ("params <= +1000%", FAILED),
        ("params <= +5", FAILED),
        ("params == +3", FAILED),
        ("params >= +3", PASSED),
        ("params >= -1%", PASSED),
        ("params <= 5", PASSED),
    ],
)
def test_growth_from_0_fails_relative_upper_limits_and_no_others(gate: str, status: GateStatus) -> None:
    assert verdict_of(params(0), params(3), gate).gates[0].status is status


def test_from_0_to_0_passes_a_relative_gate() -> None:
    assert verdict_of(params(0), params(0), "params <= +0%", "params == +0").exit_code == 0


@pytest.mark.parametrize(
    ("base", "head", "side"), [(None, 1, "base"), (1, None, "head"), (None, None, "base and head")]
)
def test_a_relative_gate_on_an_unknown_figure_is_inconclusive(base: int | None, head: int | None, side: str) -> None:
    verdict = verdict_of(params(base), params(head), "params <= +1%")
    assert verdict.gates[0].text == f"params of {side} is unknown"
    assert verdict.exit_code == 5


def test_a_budget_on_an_unknown_figure_of_head_is_inconclusive() -> None:
    assert judge(params(None), None, Policy(gates=(parse_gate("params <= 5"),))).exit_code == 5


def test_a_budget_needs_no_figure_of_base() -> None:
    base = side_of({"n": {}})
    head = side_of({"n": {}}, runs=[("n", 1, {"micros": 9})], steps=[1], peaks=[70])
    assert verdict_of(base, head, "micros <= 9", "device_peak_bytes <= 70B").exit_code == 0


def test_a_budget_is_inconclusive_where_head_lost_a_figure_that_base_has() -> None:
    base, head = side_of({"a": {"params": 9}, "b": {"params": 1}}), side_of({"a": {}, "b": {"params": 1}})
    assert verdict_of(base, head, "params <= 5").exit_code == 5


def test_a_metric_without_a_column_on_a_side_is_inconclusive() -> None:
    base, head = params(1), params(1)
    nodes = base.nodes.drop_columns(["params"])
    old = dataclasses.replace(base, nodes=nodes)
    verdict = verdict_of(old, head, "params <= +1%")
    assert (verdict.exit_code, verdict.gates[0].status) == (5, INCONCLUSIVE)


@pytest.mark.parametrize(
    ("base", "head", "words"),
    [
        (1, None, "1,001 in base, at least 1,000 in head, but 1 node of head has no figure, such as moved (Op)"),
        (None, 0, "at least 1,000 in base, 1,000 in head, but 1 node of base has no figure, such as moved (Op)"),
    ],
)
def test_a_matched_row_between_known_and_unknown_makes_its_gate_inconclusive(
    base: int | None, head: int | None, words: str
) -> None:
    others: dict[str, Figures] = {f"n{i}": {"params": 1} for i in range(1000)}
    old, new = (side_of({"moved": {"params": value}} | others) for value in (base, head))
    verdict = verdict_of(old, new, "params <= +1%")
    assert verdict.exit_code == 5
    assert f"params <= +1%: {words}" in verdict.text


def test_a_row_between_known_and_unknown_does_not_touch_other_gates() -> None:
    base = side_of({"a": {"params": 1, "float_ops": 1}})
    assert verdict_of(base, side_of({"a": {"params": 1}}), "params <= +0").exit_code == 0


@pytest.mark.parametrize(("known", "code"), [(199, 0), (198, 5)])
def test_a_new_node_without_a_figure_makes_a_relative_gate_inconclusive(known: int, code: int) -> None:
    base = side_of(float_ops_of(100, 100))
    head = side_of({"n0": {"float_ops": 0}} | {f"new/{n}": f for n, f in float_ops_of(199, known).items()})
    assert verdict_of(base, head, "float_ops <= +0", max_unmatched=Fraction(1)).exit_code == code


def test_nodes_without_a_figure_are_named() -> None:
    base, head = side_of(float_ops_of(3, 1)), side_of(float_ops_of(1, 1))
    assert verdict_of(base, head, "float_ops <= +0").gates[0].text == (
        "at least 0 in base, 0 in head, but 2 nodes of base have no figure, such as n1 (Op), n2 (Op)"
    )


def test_unknown_nodes_that_are_equal_on_both_sides_cancel_and_are_counted() -> None:
    side = side_of({"a": {"float_ops": 5}, "b": {"float_ops": None}, "c": {"float_ops": None}})
    gate = verdict_of(side, side, "float_ops <= +0").gates[0]
    assert gate.status is PASSED
    assert gate.text == "5 -> 5 (+0, +0.00 %), allowed at most 5, 2 unknown nodes are equal on both sides"


@pytest.mark.parametrize(
    ("gate", "status"),
    [
        ("float_ops <= 4", FAILED),  # the known part is 5
        ("float_ops <= 5", INCONCLUSIVE),
        ("float_ops >= 5", PASSED),
        ("float_ops >= 6", INCONCLUSIVE),
        ("float_ops == 4", FAILED),
        ("float_ops == 5", INCONCLUSIVE),
        ("4 <= float_ops <= 9", INCONCLUSIVE),
        ("1 <= float_ops <= 4", FAILED),
        ("6 <= float_ops <= 9", INCONCLUSIVE),
    ],
)
def test_a_budget_on_a_lower_bound(gate: str, status: GateStatus) -> None:
    head = side_of({"a": {"float_ops": 5}, "b": {"float_ops": None}})
    assert judge(head, None, Policy(gates=(parse_gate(gate),))).gates[0].status is status


def test_nothing_comparable_is_inconclusive_even_without_gates() -> None:
    verdict = verdict_of(side_of({"a": {}}), side_of({"b": {}}))
    assert verdict.exit_code == 5
    assert verdict.text.startswith("INCONCLUSIVE: nothing is comparable, no node of head has a name that base knows; ")


def test_an_empty_base_is_inconclusive() -> None:
    assert verdict_of(side_of({}), side_of({"a": {}})).exit_code == 5


@pytest.mark.parametrize("base", [side_of({"a": {}}), side_of({})])
def test_a_head_without_nodes_is_inconclusive(base: Side) -> None:
    assert verdict_of(base, side_of({})).exit_code == 5


def test_a_plain_report_on_zero_nodes_is_inconclusive() -> None:
    verdict = judge(side_of({}), None, Policy())
    assert (verdict.exit_code, verdict.text) == (
        5,
        "INCONCLUSIVE: head has no nodes; 0 nodes without a baseline, no gates.",
    )


def test_a_relative_gate_does_not_pass_where_no_row_matched() -> None:
    verdict = verdict_of(side_of({"a": {"params": 1}}), side_of({"b": {"params": 1}}), "params <= +0")
    assert (verdict.gates[0].status, verdict.exit_code) == (INCONCLUSIVE, 5)


def test_a_failed_gate_comes_before_an_inconclusive_one() -> None:
    base, head = side_of({"n": {"params": 1}}), side_of({"n": {"params": 2}})
    verdict = verdict_of(base, head, "micros <= +1%", "params <= +0")
    assert [result.status for result in verdict.gates] == [INCONCLUSIVE, FAILED]
    assert verdict.exit_code == 1


def test_a_budget_that_head_breaks_fails_whatever_base_is() -> None:
    assert verdict_of(side_of({"other": {}}), params(6), "params <= 5").exit_code == 1


def test_without_gates_nothing_fails() -> None:
    verdict = verdict_of(params(1), params(1_000_000))
    assert (verdict.outcome, verdict.exit_code, verdict.gates) == (Outcome.NOT_JUDGED, 0, ())
    assert verdict.text == ("NOT JUDGED: 1 row matched (1 changed), 0 new, 0 removed, 2 figures compared, no gates.")


SKIPPED = parse_gate("micros <= 5", is_optional=True)
INFORMS = [parse_gate(text, level=Level.INFORM) for text in ("params <= 5", "params >= 9", "bytes <= 5")]


@pytest.mark.parametrize(
    ("gates", "words"),
    [
        ([], "no gates"),
        ([SKIPPED], "1 gate skipped"),
        ([SKIPPED, SKIPPED, INFORMS[0]], "2 gates skipped, 1 gate informs"),
        (INFORMS, "3 gates inform (1 does not hold)"),
    ],
    ids=["no gate", "skipped", "skipped and inform", "inform"],
)
def test_nothing_judged_is_not_ok(gates: list[Gate], words: str) -> None:
    verdict = judge(params(5), None, Policy(gates=tuple(gates)))
    assert (verdict.outcome, verdict.exit_code) == (Outcome.NOT_JUDGED, 0)
    assert verdict.text == f"NOT JUDGED: 1 node without a baseline, {words}."
    passed = judge(params(5), None, Policy(gates=(*gates, parse_gate("params <= 6"))))
    assert (passed.outcome, passed.exit_code) == (Outcome.OK, 0)
    assert judge(side_of({}), None, Policy(gates=tuple(gates))).outcome is Outcome.INCONCLUSIVE
    missing = judge(params(5), None, Policy(gates=tuple(gates)), base_missing=True)
    assert (missing.outcome, missing.exit_code) == (Outcome.NO_BASELINE, 0)


def test_a_gate_that_holds_by_acknowledgement_is_judged() -> None:
    accepted = Acknowledgement(metric="params", value=Fraction(6), reason="wider", expires=date(2026, 1, 1))
    policy = Policy(gates=(parse_gate("params <= +0"), SKIPPED), acknowledged=(accepted,))
    verdict = judge(params(6), compare(params(5), params(6)), policy, today=date(2026, 1, 1))
    assert [gate.status for gate in verdict.gates] == [GateStatus.ACKNOWLEDGED, GateStatus.SKIPPED]
    assert verdict.outcome is Outcome.OK


@given(st.lists(st.sampled_from(Outcome)))
def test_the_worst_outcome_is_the_first_of_their_order(outcomes: list[Outcome]) -> None:
    order = ["failed", "inconclusive", "no baseline", "not judged", "ok"]
    assert Outcome.worst(outcomes) == next((word for word in order if word in outcomes), "ok")
    assert [outcome.exit_code for outcome in Outcome] == [1, 5, 0, 0, 0]


def test_a_plain_report_can_have_budgets() -> None:
    gates = (parse_gate("params <= 5"), parse_gate("definition_count <= 1"))
    assert judge(params(5), None, Policy(gates=gates)).text == "OK: 1 node without a baseline, 2 gates passed."
    assert judge(params(6), None, Policy(gates=gates)).exit_code == 1


def test_a_relative_gate_without_a_baseline_is_a_usage_error() -> None:
    with pytest.raises(OptionError, match="needs a baseline") as caught:
        judge(params(1), None, Policy(gates=(parse_gate("params <= +1%"),)))
    assert str(caught.value).startswith('--gate "params <= +1%": ')
    assert caught.value.exit_code == 2


def test_a_relative_gate_on_a_new_model_among_others_is_inconclusive_and_its_budgets_hold_or_fail() -> None:
    gates = tuple(parse_gate(text) for text in ("params <= +0", "params <= 100"))
    verdict = judge(params(100), None, Policy(gates=gates), is_new=True)
    assert [gate.status for gate in verdict.gates] == [GateStatus.INCONCLUSIVE, GateStatus.PASSED]
    assert verdict.exit_code == 5
    assert "params <= +0: the model is new, base has none to measure it against" in verdict.text
    assert judge(params(101), None, Policy(gates=gates), is_new=True).exit_code == 1
    assert judge(params(100), None, Policy(gates=gates[1:]), is_new=True).exit_code == 0


def test_the_sentence_of_a_green_verdict_says_what_was_compared() -> None:
    base = side_of({"same": {"params": 1}, "more": {"params": 1}, "gone": {"params": 2}})
    head = side_of({"same": {"params": 1}, "more": {"params": 2}, "new": {"params": 1}, "too": {"params": 0}})
    assert verdict_of(base, head, "params <= +0", "params <= 5").text == (
        "OK: 2 rows matched (1 changed), 2 new, 1 removed, 2 figures compared, 2 gates passed."
    )


def test_the_sentence_of_a_failed_verdict_says_which_gate_and_both_numbers() -> None:
    assert verdict_of(params(1234), params(1300), "params <= +1%", "params >= +0").text == (
        "FAILED: params <= +1%: 1,234 -> 1,300 (+66, +5.35 %), allowed at most 1,246.34; "
        "1 row matched (1 changed), 0 new, 0 removed, 2 figures compared, 1 of 2 gates passed."
    )


def test_the_sentence_of_an_inconclusive_verdict_says_why() -> None:
    assert verdict_of(params(1), params(1), "micros <= +1%").text == (
        "INCONCLUSIVE: micros <= +1%: micros of base and head is unknown; "
        "1 row matched (0 changed), 0 new, 0 removed, 2 figures compared, 0 of 1 gate passed."
    )


@pytest.mark.parametrize(
    ("base", "head", "gate", "text"),
    [
        (100, 99, "params <= +0", "100 -> 99 (-1, -1.00 %), allowed at most 100"),
        (0, 3, "params <= +5", "0 -> 3 (+3, new from 0), and growth from 0 fails every relative upper limit"),
        (0, 3, "params >= +5", "0 -> 3 (+3, new from 0), allowed at least 5"),
        (1, 1300, "params == 1k", "1,300, allowed exactly 1,000"),
    ],
)
def test_a_gate_explains_itself(base: int, head: int, gate: str, text: str) -> None:
    assert verdict_of(params(base), params(head), gate).gates[0].text == text


def test_a_gate_on_memory_says_bytes() -> None:
    base, head = side_of({"n": {}}, peaks=[1024]), side_of({"n": {}}, peaks=[2**20 + 1025])
    assert verdict_of(base, head, "device_peak_bytes <= +1MiB").gates[0].text == (
        "1,024 -> 1,049,601 (+1,048,577, +102,400.10 %), allowed at most 1,049,600 bytes, which only informs: "
        "not enough steps (0 and 0, 4 are needed)"
    )


def test_a_name_cannot_break_the_sentence() -> None:
    base, head = side_of({"a\n::error::": {"params": 1}, "b": {"params": 1}}), side_of({"a\n::error::": {}, "b": {}})
    assert verdict_of(base, head, "params <= 5", "params <= +0").text.isprintable()


def test_a_green_verdict_says_when_its_figure_leaves_nodes_out() -> None:
    verdict = judge(side_of(float_ops_of(3, 2)), None, Policy(gates=(parse_gate("float_ops >= 0"),)))
    assert verdict.exit_code == 0
    assert verdict.text == (
        "OK: 3 nodes without a baseline, 1 gate passed; float_ops of head is known for 2 of 3 nodes."
    )


@pytest.mark.parametrize(("alone", "code"), [(1, 0), (2, 5)])
def test_too_many_nodes_without_a_partner_are_inconclusive_even_without_gates(alone: int, code: int) -> None:
    # Of 2 + alone nodes of both sides, `alone` have no partner: 1 of 3 and 2 of 4, with 40 % allowed.
    base, head = side_of({"same": {}}), side_of({"same": {}} | {f"new{i}": {} for i in range(alone)})
    verdict = verdict_of(base, head, max_unmatched=Fraction(2, 5))
    assert verdict.exit_code == code
    words = "INCONCLUSIVE: 50.00 % (2 of 4) of the nodes have no partner, more than 40 %; "
    assert verdict.text.startswith(words if code else "NOT JUDGED: ")


def test_the_limit_of_nodes_without_a_partner_is_allowed() -> None:
    base, head = side_of({"same": {}}), side_of({"same": {}, "new": {}})
    assert verdict_of(base, head, max_unmatched=Fraction(1, 3)).exit_code == 0


def test_a_gate_that_informs_is_judged_and_changes_no_exit_code() -> None:
    gates = (parse_gate("params <= +0", level=Level.INFORM), parse_gate("params <= 5"))
    verdict = judge(params(2), compare(params(1), params(2)), Policy(gates=gates))
    assert [gate.status for gate in verdict.gates] == [FAILED, PASSED]
    assert verdict.text == (
        "OK: 1 row matched (1 changed), 0 new, 0 removed, 2 figures compared, 1 gate passed, "
        "1 gate informs (1 does not hold)."
    )
    assert judge(params(1), compare(params(1), params(1)), Policy(gates=gates)).text.endswith("passed, 1 gate informs.")


def test_an_optional_gate_on_a_metric_that_neither_side_knows_is_skipped() -> None:
    gates = (parse_gate("micros <= +0", is_optional=True), parse_gate("device_peak_bytes <= +0", is_optional=True))
    verdict = judge(params(1), compare(params(1), params(1)), Policy(gates=gates))
    assert [(gate.status, gate.text, gate.judged) for gate in verdict.gates] == [
        (GateStatus.SKIPPED, "neither side knows micros", 0),
        (GateStatus.SKIPPED, "neither side knows device_peak_bytes", 0),
    ]
    assert verdict.text.endswith("2 figures compared, 2 gates skipped.")


@pytest.mark.parametrize(("base", "head"), [(1, None), (None, 1)])
def test_an_optional_gate_on_a_metric_that_one_side_knows_is_inconclusive(base: int | None, head: int | None) -> None:
    gates = (parse_gate("params <= +0", is_optional=True),)
    old, new = params(base), params(head)
    assert judge(new, compare(old, new), Policy(gates=gates)).exit_code == 5


def test_a_baseline_that_may_be_missing_skips_relative_gates_and_is_never_ok() -> None:
    gates = tuple(parse_gate(text) for text in ("params <= +0", "params <= 5"))
    verdict = judge(params(5), None, Policy(gates=gates), base_missing=True)
    assert (verdict.outcome, verdict.exit_code) == (Outcome.NO_BASELINE, 0)
    assert verdict.text == "NO BASELINE: 1 node without a baseline, 1 gate passed, 1 skipped."
    assert verdict.gates[0].text == "there is no baseline to measure it against"
    failed = judge(params(6), None, Policy(gates=gates), base_missing=True)
    assert (failed.outcome, failed.exit_code) == (Outcome.FAILED, 1)
    assert judge(params(6), None, Policy(), base_missing=True).outcome is Outcome.NO_BASELINE


def test_a_relative_gate_of_a_rules_file_is_skipped_in_a_report_without_base_which_is_not_called_ok() -> None:
    gates = (parse_gate("params <= +0", source="tfprof-report.toml"), parse_gate("params <= 5"))
    verdict = judge(params(5), None, Policy(gates=gates))
    assert (verdict.outcome, verdict.exit_code) == (Outcome.NO_BASELINE, 0)


@pytest.mark.parametrize(("head", "status"), [(98, FAILED), (99, PASSED), (101, PASSED), (102, FAILED)])
def test_a_band_holds_at_both_of_its_limits(head: int, status: GateStatus) -> None:
    result = verdict_of(params(100), params(head), "-1% <= params <= +1").gates[0]
    assert (result.gate, result.status) == ("-1% <= params <= +1", status)
    assert result.text.endswith("allowed from 99 to 101")


def test_a_band_of_budgets_needs_no_base() -> None:
    gates = (parse_gate("1k <= params <= 2k"),)
    assert [judge(params(n), None, Policy(gates=gates)).exit_code for n in (999, 1000, 2000, 2001)] == [1, 0, 0, 1]


def test_of_two_gates_on_the_model_that_bound_the_same_the_later_one_counts() -> None:
    texts = ("params == +0", "params <= +10%", "params <= 200")
    gates = tuple(parse_gate(text, source="rules.toml") for text in texts)
    verdict = judge(params(105), compare(params(100), params(105)), Policy(gates=gates))
    assert [(gate.status, gate.judged) for gate in verdict.gates] == [(GateStatus.SKIPPED, 0), (PASSED, 1), (PASSED, 1)]
    assert verdict.gates[0].text == "later gates judge all that it matches: params <= +10%"
    assert verdict.text.endswith("2 gates passed, 1 skipped.")


def test_gates_of_the_command_line_all_count_and_come_after_those_of_a_rules_file() -> None:
    gates = (parse_gate("params <= +0", source="rules.toml"), parse_gate("params <= +10%"), parse_gate("params <= +4"))
    verdict = judge(params(105), compare(params(100), params(105)), Policy(gates=gates))
    assert [gate.status for gate in verdict.gates] == [GateStatus.SKIPPED, PASSED, FAILED]


def test_a_gate_on_the_model_has_one_figure_as_its_row() -> None:
    result = verdict_of(params(100), params(103), "params <= +1%").gates[0]
    assert (result.judged, result.failed, result.metric, result.subject) == (1, 1, "params", Subject.MODEL)
    row = result.rows[0]
    assert (row.name, row.base, row.head, row.delta, row.percent, row.allowed) == (
        None,
        100,
        103,
        3,
        3.0,
        "at most 101",
    )
    assert row.text == result.text
