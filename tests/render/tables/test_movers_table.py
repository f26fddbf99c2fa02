from __future__ import annotations

from fractions import Fraction

from measured import side_of

from tfprof_report.compare.causes.movers import Movers, find_movers
from tfprof_report.compare.compare import compare
from tfprof_report.render.tables.changes_tables import fold_notes, grown_table, shrunk_table

MINUS = "\N{MINUS SIGN}"


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
