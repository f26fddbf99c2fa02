"""Nodes that a change brought without a figure."""

from __future__ import annotations

from scopes import Nodes, report_of

from tfprof_report.report.uncounted import find_uncounted


def found(base: Nodes, head: Nodes) -> list[tuple[str, list[str], int]]:
    comparison = report_of(head, base).comparison
    assert comparison is not None
    return [(each.stem, [name for name, _ in each.nodes], each.count) for each in find_uncounted(comparison)]


def test_new_nodes_and_those_that_lost_their_figure_are_found() -> None:
    base = {"a": {"float_ops": 1, "params": 0}, "b": {"float_ops": None, "params": 0}}
    head = {"a": {"float_ops": None, "params": 0}, "b": base["b"], "c": {"float_ops": None, "params": None}}
    assert found(base, head) == [("float_ops", ["a", "c"], 2), ("params", ["c"], 1)]


def test_what_is_unknown_on_both_sides_or_only_in_base_is_no_news() -> None:
    nodes = {"a": {"float_ops": None, "params": 0}, "b": {"float_ops": 1, "params": 0}}
    assert found(nodes, nodes) == []
    assert found(nodes, {"b": nodes["b"]}) == []
    assert found(nodes, {"a": {"float_ops": 2, "params": 0}, "b": nodes["b"]}) == []


def test_the_first_of_many_are_named() -> None:
    many = {f"n{at}": {"float_ops": None, "params": 0} for at in range(9)}
    assert found({"a": {"float_ops": 1, "params": 0}}, {"a": {"float_ops": 1, "params": 0}, **many}) == [
        ("float_ops", ["n0", "n1", "n2"], 9)
    ]
