from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest
from measured import side_of, view_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import State
from tfprof_report.compare.delta import diff_nodes, state_of
from tfprof_report.compare.matching.pairs import match_rows
from tfprof_report.errors import InputError
from tfprof_report.formatting import percent_of

TRUTH = [
    (0, 0, 0, 0.0, "unchanged"),
    (7, 7, 0, 0.0, "unchanged"),
    (7, 0, -7, -100.0, "changed"),
    (100, 101, 1, 1.0, "changed"),
    (3, 2, -1, -100 / 3, "changed"),
    (0, 7, 7, None, "new from 0"),
    (0, -7, -7, None, "new from 0"),
    (-4, -2, 2, 50.0, "changed"),
    (-4, 0, 4, 100.0, "changed"),
    (7, None, None, None, "lost"),
    (0, None, None, None, "lost"),
    (None, 7, None, None, "now known"),
    (None, 0, None, None, "now known"),
    (None, None, None, None, "unknown"),
    (2**62, 0, -(2**62), -100.0, "changed"),
]
truth = pytest.mark.parametrize(("base", "head", "delta", "percent", "state"), TRUTH)


@truth
def test_static_figures_follow_the_truth_table(
    base: int | None, head: int | None, delta: int | None, percent: float | None, state: str
) -> None:
    row = compare(side_of({"n": {"params": base}}), side_of({"n": {"params": head}})).nodes.to_pylist()[0]
    assert (row["base_params"], row["head_params"], row["delta_params"]) == (base, head, delta)
    assert (row["percent_params"], row["state_params"]) == (percent, state)


@truth
def test_run_time_figures_follow_the_truth_table(
    base: int | None, head: int | None, delta: int | None, percent: float | None, state: str
) -> None:
    old, new = (side_of({"n": {}}, runs=[("n", 0, {"residual_bytes": value})], steps=[0]) for value in (base, head))
    row = compare(old, new).nodes.to_pylist()[0]
    assert (row["delta_residual_bytes"], row["percent_residual_bytes"]) == (delta, percent)
    assert row["state_residual_bytes"] == state


@truth
def test_a_total_follows_the_truth_table(
    base: int | None, head: int | None, delta: int | None, percent: float | None, state: str
) -> None:
    total = compare(side_of({"n": {"params": base}}), side_of({"n": {"params": head}})).totals[0]
    assert (total.stem, total.base, total.head) == ("params", base, head)
    assert (total.delta, total.percent, total.state) == (delta, percent, state)


def test_a_scalar_pair_says_the_same_as_a_row() -> None:
    assert state_of(Fraction(0), Fraction(1), base_open=False, head_open=False) is State.NEW_FROM_ZERO
    assert percent_of(Fraction(0), Fraction(1)) is None


def test_new_and_removed_rows_have_their_own_figures_and_nothing_else() -> None:
    nodes = compare(side_of({"gone": {"params": 3}}), side_of({"new": {"params": 5}})).nodes.to_pylist()
    gone, new = nodes
    assert (gone["name"], gone["status"], gone["base_params"], gone["head_params"]) == ("gone", "removed", 3, None)
    assert (new["name"], new["status"], new["base_params"], new["head_params"]) == ("new", "new", None, 5)
    for row in nodes:
        assert (row["delta_params"], row["percent_params"], row["state_params"]) == (None, None, None)


@pytest.mark.parametrize(
    ("base", "head", "status"),
    [(1, 1, "unchanged"), (None, None, "unchanged"), (1, 2, "changed"), (1, None, "changed"), (None, 0, "changed")],
)
def test_a_row_is_changed_where_a_figure_is(base: int | None, head: int | None, status: str) -> None:
    nodes = compare(side_of({"n": {"float_ops": base}}), side_of({"n": {"float_ops": head}})).nodes
    assert nodes["status"].to_pylist() == [status]


def test_a_row_is_changed_where_only_its_op_is() -> None:
    base, head = (side_of({"n": {"params": 1}}, ops={"n": op}) for op in ("VariableV2", "VarHandleOp"))
    row = compare(base, head).nodes.to_pylist()[0]
    assert (row["status"], row["base_op"], row["head_op"]) == ("changed", "VariableV2", "VarHandleOp")


def test_a_metric_that_only_one_side_has_is_left_out() -> None:
    base, head = side_of({"n": {"params": 1}}).nodes.drop_columns(["float_ops"]), side_of({"n": {}}).nodes
    columns = diff_nodes(base, head, match_rows(base["name"], head["name"]), {}, {}).column_names
    assert "delta_params" in columns
    assert "delta_float_ops" not in columns


def test_nodes_have_no_columns_for_the_count_of_nodes() -> None:
    nodes = compare(side_of({"n": {}}), side_of({"n": {}})).nodes
    assert not [column for column in nodes.column_names if "definition_count" in column]


def test_figures_keep_their_types() -> None:
    schema = compare(side_of({"n": {}}), side_of({"n": {}})).nodes.schema
    assert schema.field("delta_params").type == pa.int64()
    assert schema.field("delta_micros").type == pa.float64()
    assert schema.field("percent_params").type == pa.float64()


def test_a_difference_beyond_64_bits_is_one_clear_error() -> None:
    base, head = side_of({"n": {"params": -(2**62)}}), side_of({"n": {"params": 2**62}})
    with pytest.raises(InputError, match="params of a row changes by more than a 64-bit number holds") as caught:
        compare(base, head)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_figure_that_is_no_number_is_unknown(value: float) -> None:
    nodes = side_of({"n": {}}).nodes
    broken = nodes.set_column(nodes.column_names.index("micros"), "micros", pa.array([value]))
    row = diff_nodes(broken, nodes, match_rows(nodes["name"], nodes["name"]), {}, {}).to_pylist()[0]
    assert (row["base_micros"], row["state_micros"]) == (None, "unknown")


def test_a_view_is_compared_by_row_name_with_its_totals_and_depth() -> None:
    base = view_of({"a": {"params": 4, "definition_count": 2}, "a/b": {"params": 1}, "gone": {}})
    head = view_of({"a": {"params": 5, "definition_count": 3}, "a/c": {"params": 9}, "a/b": {"params": 1}})
    diff = compare(side_of({}, views={"scope": base}), side_of({}, views={"scope": head})).views["scope"]
    assert diff["name"].to_pylist() == ["a", "a/b", "gone", "a/c"]
    assert diff["status"].to_pylist() == ["changed", "unchanged", "removed", "new"]
    assert diff["depth"].to_pylist() == [1, 2, 1, 2]
    assert diff["delta_params"].to_pylist() == [1, 0, None, None]
    assert diff["delta_definition_count"].to_pylist() == [1, None, None, None]


def test_a_view_that_one_side_lacks_is_not_compared() -> None:
    assert compare(side_of({}, views={"scope": view_of({})}), side_of({}, views={"op": view_of({})})).views == {}
