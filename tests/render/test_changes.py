from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
from report_builders import make_changes, make_comparison_report

from tfprof_report.compare.result import Comparison, RowStatus
from tfprof_report.render.changes import impact_of, node_changes, view_changes


def comparison_of(table: pa.Table) -> Comparison:
    comparison = make_comparison_report().comparison
    assert comparison is not None
    return replace(comparison, nodes=table)


def test_impact_is_the_difference_or_all_that_a_row_brought_or_took() -> None:
    rows = make_changes(
        [("a", RowStatus.CHANGED), ("b", RowStatus.NEW), ("c", RowStatus.REMOVED), ("d", RowStatus.CHANGED)],
        {"params": ([9, None, 3, None], [2, 5, None, 7])},
    )
    assert impact_of(rows, "params").to_pylist() == [7, 5, 3, None]


def test_equal_changes_keep_the_order_of_nodes() -> None:
    names = [f"n{i}" for i in range(50)]
    rows = make_changes([(name, RowStatus.CHANGED) for name in names], {"params": ([1] * 50, [3] * 50)})
    table = node_changes(comparison_of(rows), "params", 5)
    assert table is not None
    assert [row[0].text for row in table.rows] == names[:5]
    assert table.remarks == ("Shows 5 of 50 changed nodes; 45 are left out (diff_nodes.parquet).",)


def test_changes_beyond_double_precision_are_ranked_exactly() -> None:
    big = 2**60
    rows = make_changes(
        [("less", RowStatus.CHANGED), ("more", RowStatus.CHANGED)], {"params": ([0, 0], [big, big + 1])}
    )
    table = node_changes(comparison_of(rows), "params", 1)
    assert table is not None
    assert table.rows[0][0].text == "more"


def test_a_figure_that_no_node_changed_has_no_table() -> None:
    rows = make_changes([("a", RowStatus.UNCHANGED)], {"params": ([4], [4])})
    assert node_changes(comparison_of(rows), "params", 5) is None
    assert node_changes(comparison_of(rows), "bytes", 5) is None


def test_a_view_names_the_figures_that_are_the_same_in_every_row() -> None:
    rows = make_changes([("a", RowStatus.CHANGED)], {"params": ([4], [4]), "float_ops": ([1], [2])})
    table = view_changes("op", rows, 5, stems=("params", "float_ops"), parts=("base", "head"))
    assert [column.group for column in table.columns[2:]] == ["FLOPs", "FLOPs"]
    assert table.notes == ("The same in every row: Parameters.",)


def test_a_row_that_changed_without_a_size_of_change_is_shown_last() -> None:
    rows = make_changes(
        [("lost", RowStatus.CHANGED), ("same", RowStatus.UNCHANGED), ("more", RowStatus.CHANGED)],
        {"params": ([4, 1, 1], [None, 1, 2])},
    )
    table = view_changes("scope", rows, 5, stems=("params",), parts=("base", "head", "percent"))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["more", "changed", "1", "2", "+100.00 %"],
        ["lost", "changed", "4", "unknown", "lost"],
    ]
