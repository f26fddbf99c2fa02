from __future__ import annotations

from typing import Any

import pytest
from messages import entry, graph, node, op_log, ran, run_meta, used
from queries import CPU, GPU, rows_of, table_of, totals_of, view_of

from tfprof_report.options import Options
from tfprof_report.semantics import TFPROF
from tfprof_report.views.build_view import selected_stems
from tfprof_report.views.patterns import count_type_matches

TABLE = table_of(
    graph(node("a", "Mul"), node("b", "Mul"), node("c", "Add"), node("d", "Neg"), node("v", "VariableV2", shape=[4])),
    run_meta({CPU: [ran("a", micros=4), ran("b", micros=2), ran("c", micros=3), ran("new", micros=1)]}),
    op_log=op_log(entry("a", float_ops=10), entry("c", float_ops=30, types=["mine"]), entry("d", float_ops=5)),
)


def names(**options: Any) -> list[str]:
    shown: list[str] = view_of(TABLE, "op", **options).shown_rows()["name"].to_pylist()
    return shown


def test_a_row_is_an_op_type_and_a_node_without_op_is_its_own() -> None:
    view = view_of(TABLE, "op", select=("micros",))
    assert totals_of(view, "float_ops") == {"Add": 30, "Mul": 10, "Neg": 5, "VariableV2": 0, "new": 0}
    assert totals_of(view, "cpu_micros") == {"Add": 3.0, "Mul": 6.0, "Neg": 0.0, "VariableV2": 0.0, "new": 1.0}
    assert view.rows["self_float_ops"].equals(view.rows["total_float_ops"])
    assert view.rows["depth"].to_pylist() == [1] * 5
    assert (view.total["float_ops"], view.total["cpu_micros"], view.total["definition_count"]) == (45, 10.0, 6)


@pytest.mark.parametrize(
    ("order_by", "expected"),
    [
        ("name", ["Add", "Mul", "Neg", "VariableV2", "new"]),
        ("", ["Add", "Mul", "Neg", "VariableV2", "new"]),
        ("micros", ["Mul", "Add", "new", "Neg", "VariableV2"]),
        ("float_ops", ["Add", "Mul", "Neg", "VariableV2", "new"]),
        ("occurrence", ["Mul", "Add", "Neg", "VariableV2", "new"]),
        ("params", ["VariableV2", "Add", "Mul", "Neg", "new"]),
    ],
)
def test_rows_are_ordered_by_their_own_figure_unknown_last_and_ties_by_name(order_by: str, expected: list[str]) -> None:
    assert names(order_by=order_by) == expected


def test_start_depth_trim_show_and_hide_choose_rows_of_the_list() -> None:
    assert names(start_name_regexes=("N.*", "M.*")) == ["Mul", "Neg", "VariableV2", "new"]
    assert names(start_name_regexes=("x",)) == []
    assert names(start_name_regexes=("M.*",), max_depth=1) == ["Mul", "Neg"]
    assert names(max_depth=0) == ["Add"]
    assert names(max_depth=-1) == []
    assert names(trim_name_regexes=("Neg",)) == ["Add", "Mul"]
    assert names(start_name_regexes=("Neg",), trim_name_regexes=("Add", "new")) == ["Neg", "VariableV2"]
    assert names(show_name_regexes=("[AM].*",)) == ["Add", "Mul"]
    assert names(hide_name_regexes=("[AM].*",), max_depth=2) == ["Neg"]


def test_a_minimum_holds_against_the_row_and_an_unknown_figure_reaches_none() -> None:
    assert names(min_float_ops=10) == ["Add", "Mul"]
    assert names(min_float_ops=-1) == ["Add", "Mul", "Neg", "VariableV2", "new"]  # the last two can have none: 0
    table = table_of(graph(node("a", "Mul"), node("b", "Sub")), op_log=op_log(entry("a", float_ops=1)))
    assert view_of(table, "op", min_float_ops=-1).shown_rows()["name"].to_pylist() == ["Mul"]
    assert names(min_micros=3) == ["Add", "Mul"]
    assert names(min_occurrence=2) == ["Mul"]


def test_accounting_picks_members_by_op_device_and_log_type() -> None:
    def matched(*patterns: str) -> list[int]:
        counts: list[int] = count_type_matches(TABLE, patterns, TFPROF).tolist()
        return counts

    assert matched(".*") == [1, 1, 1, 1, 1, 1]
    assert matched("Mul", "mine", "/device:cpu:0") == [2, 2, 2, 0, 0, 1]
    assert matched("(", "Mu") == [0, 0, 0, 0, 0, 0]
    assert names(account_type_regexes=("mine|Neg",)) == ["Add", "Neg"]


def test_percentages_are_of_the_accounted_or_of_the_displayed_rows() -> None:
    assert rows_of(TABLE, "op", select=("float_ops",), account_type_regexes=("Mul|Neg",)) == [
        "Mul at least 10 float_ops (100.00%, 66.67%)",
        "Neg 5 float_ops (33.33%, 33.33%)",
    ]
    assert rows_of(
        TABLE, "op", select=("float_ops",), hide_name_regexes=("Add",), min_float_ops=1, account_displayed_op_only=True
    ) == ["Mul at least 10 float_ops (100.00%, 66.67%)", "Neg 5 float_ops (33.33%, 33.33%)"]


def test_devices_and_types_of_a_row_are_the_union_over_its_nodes() -> None:
    table = table_of(
        graph(node("a", "Mul"), node("b", "Mul")), run_meta({GPU: [ran("a")], CPU: [ran("a")]}), op_log=op_log()
    )
    assert rows_of(table, "op", select=("device", "op_types")) == [
        "Mul /device:cpu:0|/device:gpu:0, /device:cpu:0|/device:gpu:0|Mul"
    ]
    assert rows_of(table, "op", TFPROF, select=("device", "op_types")) == ["Mul |/device:gpu:0, /device:gpu:0|Mul"]


def test_the_least_number_of_all_is_ordered_last() -> None:
    table = table_of(
        graph(node("a", "Add"), node("b", "Mul")),
        run_meta({CPU: [ran("a", memory=[used("cpu", total=-(2**63))]), ran("b", memory=[used("cpu", total=1)])]}),
    )
    assert view_of(table, "op", TFPROF, order_by="bytes", min_bytes=-(2**63)).rows["position"].to_pylist() == [1, 0]


def test_select_brings_figures_with_their_parts_in_schema_order() -> None:
    words = ("occurrence", "micros", "float_ops", "device", "zzz")
    assert selected_stems(Options(select=words)) == (
        *("float_ops", "run_float_ops", "micros", "accelerator_micros", "cpu_micros", "run_count", "definition_count"),
    )
