"""The largest scopes by a figure and by its change. Their placement is tested with the pictures."""

from __future__ import annotations

from scopes import Nodes, report_of, side

from tfprof_report.compare.causes.scope_sizes import ScopeSizes, find_sizes
from tfprof_report.schema.metrics import Number


def sizes_of(nodes: Nodes) -> ScopeSizes:
    found = find_sizes(side(nodes))
    assert found
    return found


def amounts(sizes: ScopeSizes | None) -> dict[str, tuple[Number, Number]]:
    return {row.name: (row.more, row.less) for row in sizes.rows} if sizes else {}


def test_flops_come_before_parameters_and_those_before_time() -> None:
    assert sizes_of({"a": {"float_ops": 1, "params": 9}}).stem == "float_ops"
    assert sizes_of({"a": {"float_ops": 0, "params": 9, "micros": 1}}).stem == "params"
    assert sizes_of({"a": {"micros": 1}}).stem == "micros"
    assert find_sizes(side({"a": {"micros": 0}})) is None


def test_a_scope_lies_within_the_one_that_holds_it_and_the_largest_sibling_comes_first() -> None:
    found = sizes_of({"a/x": {"params": 1}, "b/x": {"params": 1}, "b/y": {"params": 2}, "c": {"params": None}})
    assert [(row.name, row.level, row.start, row.size) for row in found.rows] == [
        ("b", 1, 0, 0.75),
        ("b/y", 2, 0, 0.5),
        ("b/x", 2, 0.5, 0.25),
        ("a", 1, 0.75, 0.25),
        ("a/x", 2, 0.75, 0.25),
    ]
    assert (found.count, found.more, found.less) == (5, 4, 0)


def test_sums_beyond_64_bits_stay_exact() -> None:
    nodes: Nodes = {f"{scope}/x": {"params": 2**62 + 1} for scope in "abc"}
    assert sizes_of(nodes).more == 3 * 2**62 + 3
    found = report_of({name: {"params": 3} for name in nodes}, nodes).changed_sizes
    assert found
    assert (found.more, found.less) == (0, 3 * 2**62 - 6)
    assert amounts(found)["a"] == (0, 2**62 - 2)


def test_increases_and_decreases_are_told_apart_and_a_figure_that_became_known_is_neither() -> None:
    base: Nodes = {"s/a": {"params": 5}, "s/b": {"params": 1}, "c": {}, "gone": {"params": 2}}
    head: Nodes = {"s/a": {"params": 2}, "s/b": {"params": 4}, "c": {"params": 9}}
    found = report_of(head, base).changed_sizes
    assert amounts(found) == {"s": (3, 3), "s/a": (0, 3), "s/b": (3, 0), "gone": (0, 2)}
    assert report_of(head, head).changed_sizes is None
    assert report_of(head).changed_sizes is None
