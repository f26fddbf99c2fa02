from __future__ import annotations

from fractions import Fraction

import pytest
from measured import side_of
from report_builders import make_changes

from tfprof_report.compare.causes.movers import Movers, find_movers
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.render.tables.changes_tables import fold_notes, grown_table, shrunk_table, view_changes

CHANGED = RowStatus.CHANGED
MINUS = "\N{MINUS SIGN}"


def test_a_view_names_the_figures_that_are_the_same_in_every_row() -> None:
    rows = make_changes([("a", CHANGED)], {"params": ([4], [4]), "float_ops": ([1], [2])})
    table = view_changes("op", rows, 5, stems=("params", "float_ops"), parts=("base", "head"))
    assert [column.group for column in table.columns[2:]] == ["FLOPs", "FLOPs"]
    assert table.notes == ("The same in every row: Parameters.",)


def test_a_row_that_changed_without_a_size_of_change_is_shown_last() -> None:
    rows = make_changes(
        [("lost", CHANGED), ("same", RowStatus.UNCHANGED), ("more", CHANGED)], {"params": ([4, 1, 1], [None, 1, 2])}
    )
    table = view_changes("scope", rows, 5, stems=("params",), parts=("base", "head", "percent"))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["more", "changed", "1", "2", "+100.00 %"],
        ["lost", "changed", "4", "unknown", "lost"],
    ]


def test_equal_changes_keep_the_order_of_rows() -> None:
    names = [f"n{i}" for i in range(50)]
    rows = make_changes([(name, CHANGED) for name in names], {"params": ([1] * 50, [3] * 50)})
    table = view_changes("scope", rows, 5, stems=("params",), parts=("delta",))
    assert [row[0].text for row in table.rows] == names[:5]


def test_changes_beyond_double_precision_are_ranked_exactly() -> None:
    rows = make_changes([("less", CHANGED), ("more", CHANGED)], {"params": ([0, 0], [2**60, 2**60 + 1])})
    assert view_changes("scope", rows, 1, stems=("params",), parts=("delta",)).rows[0][0].text == "more"


def test_what_is_cut_says_the_largest_change_of_every_figure_in_it() -> None:
    rows = make_changes(
        [("a", CHANGED), ("b", CHANGED), ("c", CHANGED), ("gone", RowStatus.REMOVED)],
        {"float_ops": ([0, 0, 0, None], [9, 5, 0, None]), "params": ([0, 0, 0, 70], [1, -2, 8, None])},
    )
    table = view_changes("scope", rows, 1, stems=("float_ops", "params"), parts=("delta",))
    words = "FLOPs +5, Parameters \N{MINUS SIGN}70"
    assert table.left_out == f"Shows 1 of 4 changed rows; 3 are left out, the largest {words} (diff_scope.parquet)."
    assert table.rest == ("FLOPs +9, Parameters \N{MINUS SIGN}70", words)


def test_changes_below_the_threshold_are_counted_with_the_largest() -> None:
    rows = make_changes(
        [("a", CHANGED), ("b", CHANGED), ("new", RowStatus.NEW), ("lost", CHANGED)],
        {"params": ([10, 10, None, 3], [20, 7, 2, None])},
    )
    least = {"params": Fraction(4)}
    table = view_changes("scope", rows, 9, stems=("params",), parts=("delta",), least=least)
    assert [row[0].text for row in table.rows] == ["a", "lost"]
    assert table.notes == (
        "Below the threshold in Parameters: 2 changed rows, the largest Parameters \N{MINUS SIGN}3.",
    )
    assert (table.total, table.left_out) == (2, "")


@pytest.mark.parametrize(("least", "listed"), [(0, ["a", "new"]), (1, ["a"])])
def test_a_row_that_brought_nothing_is_folded_only_where_there_is_a_threshold(least: int, listed: list[str]) -> None:
    rows = make_changes([("new", RowStatus.NEW), ("a", CHANGED)], {"params": ([None, 5], [None, 6])})
    table = view_changes("scope", rows, 9, stems=("params",), parts=("delta",), least={"params": Fraction(least)})
    assert [row[0].text for row in table.rows] == listed


def test_a_row_without_any_figure_is_listed() -> None:
    rows = make_changes([("new", RowStatus.NEW)], {"params": ([None], [None])})
    table = view_changes("scope", rows, 9, stems=("params",), parts=("delta",), least={"params": Fraction(1)})
    assert [row[0].text for row in table.rows] == ["new"]


def params_movers(base: dict[str, int | None], head: dict[str, int | None], threshold: int = 0) -> Movers:
    old, new = (side_of({name: {"params": size} for name, size in side.items()}) for side in (base, head))
    (movers,) = find_movers(compare(old, new), Fraction(threshold))
    return movers


def test_rows_have_both_sides_and_what_changed() -> None:
    table = grown_table(params_movers({"a": 10}, {"a": 12, "new": 5}), 9)
    assert table is not None
    assert table.caption == "Parameters: nodes that grew most"
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["new", "Op", "new", "\N{EN DASH}", "5", "+5", "\N{EN DASH}"],
        ["a", "Op", "changed", "10", "12", "+2", "+20.00 %"],
    ]


def test_a_removed_node_shrank_by_all_that_it_had() -> None:
    table = shrunk_table(params_movers({"a": 10, "gone": 4}, {"a": 10}), 9)
    assert table is not None
    assert [cell.text for cell in table.rows[0]] == [
        "gone",
        "Op",
        "removed",
        "4",
        "\N{EN DASH}",
        f"{MINUS}4",
        "\N{EN DASH}",
    ]


def test_what_is_cut_is_counted_with_the_largest_change() -> None:
    movers = params_movers(dict.fromkeys("abc", 1), {"a": 9, "b": 5, "c": 3})
    table = grown_table(movers, 1)
    assert table is not None
    assert table.left_out == "Shows 1 of 3 nodes that grew; 2 are left out, the largest +4 (diff_nodes.parquet)."
    assert shrunk_table(movers, 1) is None


def test_folded_changes_are_counted_with_the_largest_and_its_node() -> None:
    movers = params_movers({"a": 100, "two\nlines": 100, "lost": 1}, {"a": 101, "two\nlines": 98, "lost": None}, 5)
    counted = "Parameters: 2 nodes changed by less than 5 % of base's total each"
    assert fold_notes(movers, Fraction(5)) == (
        f"{counted}, the largest {MINUS}2 (two\\nlines); diff_nodes.parquet has them.",
        "Parameters: changed between known and unknown, so without a difference: 1 node.",
    )
