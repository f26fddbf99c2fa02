from __future__ import annotations

from columned import column, four_models, side_by_side

from tfprof_report.side_by_side.differences import Standing
from tfprof_report.side_by_side.layers import compare_layers


def test_layers_are_matched_by_name_the_largest_of_any_report_first() -> None:
    found = side_by_side(*four_models()).layers
    assert [row.name for row in found.rows] == ["stem", "head", "tail"]
    assert (found.count, found.shared) == (3, 1)
    stem, head, tail = found.rows
    assert [None if each is None else each.delta for each in stem.figures] == [None, 0, 600, None]
    assert stem.figures[2] is not None
    assert stem.figures[2].percent == 100.0
    assert head.figures[1] is None
    assert head.figures[2] is not None
    assert (head.figures[2].standing, head.figures[2].total.value) == (Standing.UNKNOWN, None)
    assert tail.figures[0] is None
    assert tail.figures[1] is not None
    assert (tail.figures[1].total.value, tail.figures[1].delta) == (200, None)


def test_the_most_layers_that_are_shown() -> None:
    columns = [column("a", {f"l{number}": number for number in range(10)}), column("b", {})]
    found = compare_layers(columns, [(), ()], most=3)
    assert [row.name for row in found.rows] == ["l9", "l8", "l7"]
    assert (found.count, found.shared) == (10, 0)


def test_layers_without_flops_are_not_shown_and_those_in_none_are() -> None:
    found = side_by_side(column("a", {"idle": 0, None: 5}), column("b", {None: 7})).layers
    assert [row.name for row in found.rows] == [None]
    assert found.rows[0].figures[1] is not None
    assert found.rows[0].figures[1].delta == 2


def test_layers_that_are_counted_otherwise_are_not_subtracted() -> None:
    found = side_by_side(column("a", {"l": 1}), column("b", {"l": 2}, rules="tfprof 1")).layers
    assert found.rows[0].figures[1] is not None
    assert found.rows[0].figures[1].standing is Standing.OTHERWISE
