"""Gates on nodes, scopes and op types: exactly which rows they judge, and their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from measured import Figures, side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Gate, Policy, Subject
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Verdict
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.side import Side

PASSED, FAILED, INCONCLUSIVE, _, SKIPPED, _ = GateStatus
RULES = "tfprof-report.toml"
Params = Mapping[str, int | None]


def node(text: str, glob: str, *, is_optional: bool = False) -> Gate:
    return parse_gate(text, subject=Subject.NODE, glob=glob, source=RULES, is_optional=is_optional)


def scope(text: str, glob: str) -> Gate:
    return parse_gate(text, subject=Subject.SCOPE, glob=glob, source=RULES)


def op(text: str, glob: str) -> Gate:
    return parse_gate(text, subject=Subject.OP, glob=glob, source=RULES)


def side(params: Params, **words: Any) -> Side:
    nodes: dict[str, Figures] = {name: {"params": value} for name, value in params.items()}
    return side_of(nodes, **words)


def verdict_of(base: Side, head: Side, *gates: Gate) -> Verdict:
    return judge(head, compare(base, head), Policy(gates=gates))


def result_of(base: Params, head: Params, *gates: Gate) -> GateResult:
    """Return the result of the first gate; a common node makes the sides comparable."""
    same = {"same": 0}
    return verdict_of(side(same | dict(base)), side(same | dict(head)), *gates).gates[0]


def test_a_gate_judges_every_node_that_its_glob_matches() -> None:
    base, head = {"a/x": 10, "a/y": 10, "b": 10}, {"a/x": 10, "a/y": 11, "b": 99}
    result = result_of(base, head, node("params <= +0", "a/*"))
    assert (result.status, result.judged, result.failed) == (FAILED, 2, 1)
    assert result.text == "1 of 2 nodes fails, the worst a/y: 10 -> 11 (+1, +10.00 %), allowed at most 10"
    assert [(row.name, row.status, row.base, row.head, row.delta) for row in result.rows] == [
        ("a/y", FAILED, 10, 11, 1)
    ]
    assert (result.subject, result.glob, result.gate) == (Subject.NODE, "a/*", "params <= +0")


def test_a_figure_that_moved_between_nodes_fails_on_nodes_and_holds_on_their_scope_and_the_model() -> None:
    base, head = side({"a/x": 10, "a/y": 5}), side({"a/x": 5, "a/y": 10})
    gates = (node("params <= +0", "**"), scope("params <= +0", "a"), parse_gate("params <= +0"))
    assert [gate.status for gate in verdict_of(base, head, *gates).gates] == [FAILED, PASSED, PASSED]


def test_a_scope_is_all_nodes_below_its_name_and_the_node_of_that_name() -> None:
    base, head = {"a": 1, "a/b": 2, "a/b/c": 4, "ab": 8}, {"a": 2, "a/b": 4, "a/b/c": 8, "ab": 99}
    result = result_of(base, head, scope("params <= +0", "a"))
    assert [(row.name, row.base, row.head) for row in result.rows] == [("a", 7, 14)]
    assert [row.name for row in result_of(base, head, scope("params <= +0", "a/**")).rows] == ["a/b", "a/b/c"]


def test_an_op_type_is_all_its_nodes_of_either_side() -> None:
    base = side({"a": 1, "b": 2, "c": 4}, ops={"a": "MatMul", "b": "MatMul", "c": "Add"})
    head = side({"a": 1, "b": 2, "c": 4}, ops={"a": "MatMul", "b": "Add", "c": "Add"})
    result = verdict_of(base, head, op("params == +0", "*")).gates[0]
    assert [(row.name, row.base, row.head) for row in result.rows] == [("MatMul", 3, 1), ("Add", 4, 6)]
    assert (result.failed, result.judged) == (2, 2)
    assert result.text.startswith("2 of 2 op types fail, the worst MatMul: 3 -> 1 (-2, -66.67 %), allowed exactly 3")


@pytest.mark.parametrize(
    ("gate", "base", "head", "status"),
    [
        ("params <= +1000%", {}, {"a": 1}, FAILED),
        ("params <= +5", {}, {"a": 1}, FAILED),
        ("params <= +0", {}, {"a": 0}, PASSED),
        ("params >= +0", {}, {"a": 1}, PASSED),
        ("params <= 1", {}, {"a": 1}, PASSED),
        ("params <= +0", {"a": 1}, {}, PASSED),
        ("params >= -1%", {"a": 1}, {}, FAILED),
        ("params >= -100%", {"a": 1}, {}, PASSED),
        ("params == +0", {"a": 0}, {}, PASSED),
        ("params >= 1", {"a": 1}, {}, FAILED),
        ("definition_count == +0", {}, {"a": None}, FAILED),
    ],
)
def test_a_new_node_grew_from_0_and_a_removed_one_shrank_to_0(
    gate: str, base: Params, head: Params, status: GateStatus
) -> None:
    assert result_of(base, head, node(gate, "a")).status is status


@pytest.mark.parametrize(
    ("base", "head", "text"),
    [
        ({"a": 1, "b": 1}, {"a": None, "b": 1}, "1 of 2 nodes cannot be judged, such as a: params of head is unknown"),
        ({"a": None, "b": 1}, {"a": 1, "b": 1}, "1 of 2 nodes cannot be judged, such as a: params of base is unknown"),
        ({"b": 1}, {"a": None, "b": 1}, "1 of 2 nodes cannot be judged, such as a: params of head is unknown"),
        ({"a": None, "b": None}, {"a": None, "b": None}, "params of 2 nodes is unknown"),
    ],
)
def test_a_figure_that_a_side_lacks_is_inconclusive(base: Params, head: Params, text: str) -> None:
    result = result_of(base, head, node("params <= +0", "[ab]"))
    assert (result.status, result.text) == (INCONCLUSIVE, text)


def test_nodes_whose_figure_neither_side_knows_are_named_and_do_not_stop_the_others() -> None:
    result = result_of({"a": None, "b": 1}, {"a": None, "b": 1}, node("params <= +0", "[ab]"))
    assert (result.status, result.judged, result.text) == (PASSED, 1, "1 node holds, none changed; 1 unknown")


def test_a_row_that_fails_is_said_before_rows_that_cannot_be_judged() -> None:
    result = result_of({"a": 1, "b": 1}, {"a": None, "b": 2}, node("params <= +0", "[ab]"))
    assert (result.status, result.failed, result.judged) == (FAILED, 1, 1)
    assert result.text == (
        "1 of 2 nodes fails, the worst b: 1 -> 2 (+1, +100.00 %), allowed at most 1; 1 cannot be judged"
    )
    assert [row.status for row in result.rows] == [FAILED, INCONCLUSIVE]


def test_a_scope_with_a_node_between_known_and_unknown_is_inconclusive() -> None:
    result = result_of({"s/a": 1, "s/b": 5}, {"s/a": None, "s/b": 5}, scope("params <= +0", "s"))
    assert result.status is INCONCLUSIVE
    assert "such as s: 6 in base, at least 5 in head, but 1 node of head has no figure, such as s/a (Op)" in result.text


def test_a_new_scope_that_is_known_in_part_is_inconclusive() -> None:
    result = result_of({}, {"s/a": None, "s/b": 0}, scope("params <= +0", "s"))
    assert result.status is INCONCLUSIVE
    assert "such as s: 0 in base, at least 0 in head, but 1 node of head has no figure, such as s/a (Op)" in result.text


def test_a_glob_that_matches_nothing_is_inconclusive() -> None:
    result = result_of({"a": 1}, {"a": 1}, node("params <= +0", "b/**"))
    assert (result.status, result.judged) == (INCONCLUSIVE, 0)
    assert result.text == "no node of base or head has a name that b/** matches"


def test_a_removed_layer_is_matched_by_its_old_name() -> None:
    assert result_of({"gone/a": 3}, {}, scope("params >= +0", "gone")).status is FAILED


def test_the_last_gate_that_matches_a_row_judges_it() -> None:
    gates = (node("params == +0", "**"), node("params <= +50%", "head/**"), node("params == +0", "head/fixed"))
    base = {"body": 10, "head/a": 10, "head/fixed": 10}
    head = {"body": 10, "head/a": 15, "head/fixed": 11}
    results = verdict_of(side(base), side(head), *gates).gates
    assert [(result.status, result.judged, result.failed) for result in results] == [
        (PASSED, 1, 0),
        (PASSED, 1, 0),
        (FAILED, 1, 1),
    ]


def test_a_gate_all_of_whose_rows_belong_to_later_gates_is_skipped_and_says_so() -> None:
    result = result_of({"a": 1}, {"a": 2}, node("params <= +0", "a"), node("params <= +200%", "**"))
    assert (result.status, result.judged) == (SKIPPED, 0)
    assert result.text == "later gates judge all that it matches: params <= +200% (node **)"


@pytest.mark.parametrize(
    "other",
    [
        node("params <= 100", "**"),
        node("params >= -10%", "**"),
        scope("params <= +200%", "**"),
        node("float_ops <= +0", "**"),
        parse_gate("params <= +200%"),
    ],
)
def test_gates_on_other_things_leave_a_row_to_the_earlier_one(other: Gate) -> None:
    assert result_of({"a": 1}, {"a": 2}, node("params <= +0", "a"), other).status is FAILED


def test_a_band_takes_rows_from_gates_on_either_side() -> None:
    band = node("-50% <= params <= +200%", "**")
    for text in ("params <= +0", "params >= +0", "params == +0"):
        assert result_of({"a": 1}, {"a": 2}, node(text, "a"), band).status is SKIPPED


def test_at_most_ten_rows_are_named_the_worst_first() -> None:
    names = [f"n{i}" for i in range(30)]
    base, head = dict.fromkeys(names, 100), {name: 100 + i for i, name in enumerate(names)}
    result = result_of(base, head, node("params <= +5", "n*"))
    assert (result.judged, result.failed) == (30, 24)
    assert [row.name for row in result.rows] == [f"n{i}" for i in range(29, 19, -1)]


def test_a_passing_gate_names_what_is_nearest_to_its_limit() -> None:
    result = result_of({"a": 10, "b": 10, "c": 10}, {"a": 11, "b": 12, "c": 10}, node("params <= +5", "?"))
    assert result.text == "3 nodes hold, the closest b: 10 -> 12 (+2, +20.00 %), allowed at most 15"
    assert [row.name for row in result.rows] == ["b", "a"]


def test_budgets_on_rows_need_no_base() -> None:
    head = side({"a/x": 4, "a/y": 7, "b": 99, "c": None}, ops={"a/x": "MatMul"})
    gates = (
        node("params <= 5", "a/*"),
        scope("params <= 11", "a"),
        op("params <= 4", "MatMul"),
        node("params <= 5", "c"),
    )
    results = judge(head, None, Policy(gates=gates)).gates
    assert [result.status for result in results] == [FAILED, PASSED, PASSED, INCONCLUSIVE]
    assert results[0].text == "1 of 2 nodes fails, the worst a/y: 7, allowed at most 5"
    assert [row.name for row in results[0].rows] == ["a/y"]
    assert results[3].text == "params of 1 node is unknown"


def test_a_gate_that_names_a_row_says_so_in_the_sentence() -> None:
    base, head = side({"a": 1}), side({"a": 2})
    assert verdict_of(base, head, node("params <= +0", "**")).text.startswith(
        "FAILED: params <= +0 (node **): 1 of 1 node fails, the worst a: 1 -> 2 (+1, +100.00 %), allowed at most 1; "
    )


def test_figures_of_rows_are_exact_where_floats_are_not() -> None:
    big = 10**18
    base, head = side({"a": big}), side({"a": big + big // 100})
    for text, status in (("params <= +1%", PASSED), ("params <= +0.999999999999999999%", FAILED)):
        assert verdict_of(base, head, node(text, "a")).gates[0].status is status
    assert verdict_of(base, side({"a": big + 1}), node("params == +0", "a")).gates[0].status is FAILED


def test_sums_of_rows_beyond_64_bits_are_exact() -> None:
    base, head = ({f"s/n{i}": 2**63 - 1 for i in range(5)} for _ in range(2))
    head["s/n0"] -= 1
    result = verdict_of(side(base), side(head), scope("params == -1", "s")).gates[0]
    assert (result.status, result.rows[0].base) == (PASSED, 5 * (2**63 - 1))


def test_means_of_rows_over_other_numbers_of_steps_are_compared_exactly() -> None:
    base = side_of({"a": {}}, runs=[("a", 1, {"output_bytes": 1})], steps=[1, 2, 3])
    head = side_of({"a": {}}, runs=[("a", 1, {"output_bytes": 2})], steps=[1, 2, 3, 4, 5, 6])
    assert verdict_of(base, head, node("output_bytes == +0", "a")).exit_code == 0
    assert verdict_of(base, head, node("output_bytes <= -0.00000000000000000001%", "a")).exit_code == 1
    result = verdict_of(
        base, side_of({"a": {}}, runs=[("a", 1, {"output_bytes": 2})], steps=[1]), node("output_bytes <= +2", "a")
    )
    assert result.gates[0].text.endswith("a: 0.333 -> 2 (+1.667, +500.00 %), allowed at most 2.333 bytes")


def test_flops_run_of_a_row_are_flops_of_one_execution_times_executions() -> None:
    base, head = (
        side_of({"s/a": {"float_ops": 3}, "s/b": {"float_ops": 10**17}}, runs=runs, steps=[1])
        for runs in (
            [("s/a", 1, {"run_count": 2}), ("s/b", 1, {"run_count": 100})],
            [("s/a", 1, {"run_count": 3}), ("s/b", 1, {"run_count": 100})],
        )
    )
    result = verdict_of(base, head, scope("run_float_ops == +3", "s")).gates[0]
    assert (result.status, result.rows[0].head) == (PASSED, 10**19 + 9)


def test_where_no_node_matched_rows_are_not_judged_against_base() -> None:
    verdict = verdict_of(side({"a": 1}), side({"b": 0}), node("params <= +0", "**"))
    assert (verdict.gates[0].status, verdict.exit_code) == (INCONCLUSIVE, 5)


def test_hostile_names_cannot_break_a_sentence() -> None:
    name = "a\n::error::" + "x" * 10_000
    text = verdict_of(side({name: 1}), side({name: 2}), node("params <= +0", "**")).text
    assert text.isprintable()
    assert len(text) < 600


def test_a_renamed_node_counts_for_its_new_name_in_base_too() -> None:
    base, head = side({"model/a": 3, "model/b": 4}), side({"net/a": 3, "model/b": 4})
    comparison = compare(base, head, NameMap(path="map.toml", nodes={"model/a": "net/a"}, prefixes={}))
    gates = (scope("params == +0", "*"), node("params == +0", "net/a"), scope("params <= 4", "model"))
    results = judge(head, comparison, Policy(gates=gates)).gates
    assert [(result.status, result.judged) for result in results] == [(PASSED, 2), (PASSED, 1), (PASSED, 1)]


def test_a_name_that_base_and_head_use_for_different_nodes_stands_for_both() -> None:
    # The map pairs base's b with head's a, so base's a was removed, and the name a appears twice.
    base, head = side({"a": 5, "b": 7}), side({"a": 7})
    comparison = compare(base, head, NameMap(path="map.toml", nodes={"b": "a"}, prefixes={}))
    result = judge(head, comparison, Policy(gates=(node("params == +0", "a"),))).gates[0]
    assert [(row.name, row.base, row.head) for row in result.rows] == [("a", 5, 0)]
    assert (result.judged, result.failed) == (2, 1)
    total = judge(head, comparison, Policy(gates=(scope("params == -5", "a"),))).gates[0]
    assert total.status is PASSED


def test_rows_counted_by_other_rules_are_not_compared() -> None:
    base, head = (side_of({"a": {"float_ops": 1, "params": None}}) for _ in range(2))
    comparison = compare(replace(base, rules="tfprof"), replace(head, rules="extended"))
    gates = (node("float_ops <= +0", "a"), node("float_ops <= 5", "a"), node("params <= +0", "a", is_optional=True))
    results = judge(head, comparison, Policy(gates=gates)).gates
    assert [result.status for result in results] == [INCONCLUSIVE, PASSED, SKIPPED]
    assert results[0].text.endswith("but base was counted by the rules tfprof, head by extended")


@pytest.mark.parametrize(("known", "status"), [(100, PASSED), (99, INCONCLUSIVE)])
def test_a_scope_with_a_new_node_without_a_figure_is_inconclusive(known: int, status: GateStatus) -> None:
    old, new = (
        {f"s/{word}{i}": 0 if i < count else None for i in range(100)} for word, count in (("o", 100), ("n", known))
    )
    result = verdict_of(side({"same": 0} | old), side({"same": 0} | new), scope("params <= +0", "s")).gates[0]
    assert result.status is status
    if status is INCONCLUSIVE:
        assert "at least 0 in head, but 1 node of head has no figure, such as s/n99 (Op)" in result.text


@pytest.mark.parametrize(
    ("gate", "least", "most"),
    [
        ("params <= +10%", None, 11),
        ("params <= 25", None, 25),
        ("params >= -10%", 9, None),
        ("params == +0", 10, 10),
        ("-10% <= params <= +5%", 9, 10.5),
        ("params <= +1% or +4", None, 14),
    ],
)
def test_a_row_has_its_limits_as_numbers(gate: str, least: float | None, most: float | None) -> None:
    row = result_of({"a": 10}, {"a": 12}, node(gate, "a")).rows[0]
    assert (row.least, row.most) == (least, most)


def test_a_row_that_can_not_be_judged_says_why_apart_from_its_figures() -> None:
    row = result_of({"a/x": 10, "a/y": 1}, {"a/x": 10, "a/y": None}, scope("params <= +0", "a")).rows[0]
    assert row.doubt == "1 node of head has no figure, such as a/y (Op) (--input-shape gives a variable's shape)"
    assert row.text == f"11 in base, at least 10 in head, but {row.doubt}"
    unknown = result_of({"a": 10}, {"a": None}, node("params <= +0", "a")).rows[0]
    assert (unknown.doubt, unknown.least, unknown.most) == ("unknown in head", None, None)
    assert result_of({"a": 10}, {"a": 9}, node("params <= +0", "a")).rows[0].doubt == ""
