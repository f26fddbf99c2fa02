"""The tables of renamed scopes and suggested pairs."""

from __future__ import annotations

from dataclasses import replace

from named_graphs import Graph, dense, nodes_of, renamed
from report_builders import make_comparison_report

from tfprof_report.compare.comparison import Comparison, MatchedBy, Matching, Rename
from tfprof_report.compare.delta import diff_nodes
from tfprof_report.compare.matching.nodes import match_nodes
from tfprof_report.compare.matching.pairs import pair_rows
from tfprof_report.render.tables.renames_tables import matching_words, renames_tables

BASE: Graph = {
    "x": ("Placeholder", [], [-1, 4]),
    **dense("model/fc1", "x", 4),
    **dense("model/fc2", "model/fc1/Relu", 8),
    "y": ("Softmax", ["model/fc2/Relu"], [-1, 8]),
    "loss": ("Neg", ["y"], [-1, 8]),
}


def compared(head: Graph) -> Comparison:
    sides = nodes_of(BASE), nodes_of(head)
    partners, matching = match_nodes(*sides)
    nodes = diff_nodes(*sides, pair_rows(sides[0]["name"], sides[1]["name"], partners), {}, {})
    comparison = make_comparison_report().comparison
    assert comparison is not None
    return replace(comparison, nodes=nodes, matching=matching)


def texts(comparison: Comparison, limit: int = 10) -> list[list[tuple[str, ...]]]:
    return [[tuple(cell.text for cell in row) for row in table.rows] for table in renames_tables(comparison, limit)]


def test_without_renames_there_is_nothing_to_say() -> None:
    comparison = compared(BASE)
    assert renames_tables(comparison, 10) == ()
    assert matching_words(comparison) == ""


def test_renamed_scopes_and_suggested_pairs_have_a_table_each() -> None:
    def rename(name: str) -> str:
        return {"y": "out", "loss": "cost"}.get(name, name.replace("fc2", "last"))

    comparison = compared(renamed(BASE, rename))
    assert texts(comparison) == [
        [("model/fc2/", "model/last/", "5", "same below it")],
        [("y", "out", "Softmax"), ("loss", "cost", "Neg")],
    ]
    assert matching_words(comparison) == "Matched nodes: 6 by name, 5 in renamed scopes, 2 suggested."
    (renames, pairs) = renames_tables(comparison, 1)
    assert renames.remarks == ()
    assert pairs.remarks[0] == "Shows 1 of 2 pairs; 1 is left out (diff_nodes.parquet)."
    assert "no other node is like them" in pairs.notes[0]


def test_pairs_of_the_map_are_marked_and_an_empty_prefix_is_not_a_name() -> None:
    lines = tuple(
        Rename(base=old, head=new, nodes=34, matched_by=MatchedBy.MAP) for old, new in (("", "net/"), ("(empty)/", ""))
    )
    counts = dict.fromkeys(MatchedBy, 0) | {MatchedBy.MAP: 68}
    comparison = replace(compared(BASE), matching=Matching(counts=counts, renames=lines))
    (table,) = renames_tables(comparison, 10)
    assert [tuple(cell.text for cell in row) for row in table.rows] == [
        ("(no prefix)", "net/", "34", "your map"),
        ("(empty)/", "(no prefix)", "34", "your map"),
    ]
    assert [cell.is_name for cell in table.rows[0][:2]] == [False, True]
    assert matching_words(comparison) == "Matched nodes: 68 by your map."
