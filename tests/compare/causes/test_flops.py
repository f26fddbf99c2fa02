from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from measured import side_of

from tfprof_report.compare.causes.flops import FlopReasons, find_flop_reasons
from tfprof_report.compare.compare import compare
from tfprof_report.compare.side import Side

SHAPES = pa.list_(pa.list_(pa.int64()))
TYPES = {
    "input_shapes": SHAPES,
    "output_shapes": SHAPES,
    "multiplicity": pa.int64(),
    "float_ops_source": pa.string(),
}
USUAL = {"input_shapes": [[2, 3], [3, 4]], "output_shapes": [[2, 4]], "multiplicity": 1, "float_ops_source": "rules"}


def model(float_ops: int | None = 1, op: str = "MatMul", **facts: Any) -> Side:
    side = side_of({"n": {"float_ops": float_ops}}, ops={"n": op})
    nodes = side.nodes
    for name, value in (USUAL | facts).items():
        column = pa.array([value], TYPES[name])
        has_it = name in nodes.column_names
        place = nodes.column_names.index(name) if has_it else 0
        nodes = nodes.set_column(place, name, column) if has_it else nodes.append_column(name, column)
    return replace(side, nodes=nodes)


def reasons(base: Side, head: Side) -> FlopReasons | None:
    return find_flop_reasons(compare(base, head))


@pytest.mark.parametrize(
    ("base", "head", "why"),
    [
        ({}, {"input_shapes": [[8, 3], [3, 4]], "output_shapes": [[8, 4]]}, ("input 0: 2x3 → 8x3",)),
        ({}, {"input_shapes": [[2, 3], [3, 9]]}, ("input 1: 3x4 → 3x9",)),
        ({}, {"output_shapes": [[1, 4]]}, ("output 0: 2x4 → 1x4",)),
        ({}, {"input_shapes": [[2, 3], [3, 4], []]}, ("input 2: none → scalar",)),
        ({"input_shapes": [None, [-1, 4]]}, {}, ("input 0: unknown → 2x3", "input 1: ?x4 → 3x4")),
        ({}, {"op": "Conv2D"}, ("op type MatMul → Conv2D",)),
        ({}, {"multiplicity": 20}, ("runs 1 → 20 times",)),
        ({}, {"float_ops_source": "op_log"}, ("counted by rules → op_log",)),
        ({"float_ops_source": "op_log"}, {"float_ops_source": "op_log"}, ("another figure in the op log",)),
        ({}, {}, ()),
    ],
)
def test_a_reason_is_what_differs_between_the_sides(
    base: dict[str, Any], head: dict[str, Any], why: tuple[str, ...]
) -> None:
    found = reasons(model(**base), model(7, **head))
    assert found is not None
    (row,) = found.rows
    assert (row.why, row.base, row.head, row.delta, found.count) == (why, 1, 7, 6, 1)


def test_nodes_whose_flops_are_the_same_or_known_on_one_side_only_need_no_reason() -> None:
    assert reasons(model(), model(input_shapes=None)) is None
    assert reasons(model(), model(None)) is None


def test_older_sides_without_shapes_have_no_reasons() -> None:
    old, new = (side_of({"n": {"float_ops": float_ops}}) for float_ops in (1, 2))
    found = reasons(old, new)
    assert found is not None
    assert found.rows[0].why == ()


def test_the_largest_changes_come_first() -> None:
    old, new = (
        side_of({name: {"float_ops": size} for name, size in sizes.items()})
        for sizes in ({"a": 5, "b": 5, "c": 5}, {"a": 6, "b": 1, "c": 8})
    )
    found = reasons(old, new)
    assert found is not None
    assert [row.name for row in found.rows] == ["b", "c", "a"]
