from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from messages import graph, inputs_of, node

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.graph.element_types import element_types

FLOAT, INT32, INT64, BOOL, HALF = 1, 3, 9, 10, 19
SOURCES = [node("half", "X"), node("long", "X"), node("nobody knows", "X")]


def types_of(*nodes: Any) -> dict[str, int | None]:
    table = build_node_table(inputs_of(graph(*SOURCES, *nodes)))
    names = table.column("name").to_pylist()
    known = {"half": HALF, "long": INT64}
    declared = pa.array([known.get(name) for name in names], pa.int64())
    return dict(zip(names, element_types(table.ops, table.edges, declared).to_pylist(), strict=True))


@pytest.mark.parametrize(
    ("op", "inputs", "expected"),
    [
        ("Relu", ["half"], HALF),
        ("Tile", ["half", "long"], HALF),
        ("SelectV2", ["long", "half", "half"], HALF),
        ("Fill", ["long", "half"], HALF),
        ("OneHot", ["long", "long", "half", "half"], HALF),
        ("Conv2DBackpropInput", ["long", "half", "half"], HALF),
        ("Less", ["half", "half"], BOOL),
        ("Shape", ["half"], INT32),
        ("ArgMax", ["half", "long"], INT64),
        ("Relu", ["nobody knows"], None),
        ("Relu", ["^half"], None),
        ("Relu", ["not there"], None),
        ("Random", [], None),
    ],
)
def test_the_type_of_a_result(op: str, inputs: list[str], expected: int | None) -> None:
    assert types_of(node("a", op, *inputs))["a"] == expected


def test_a_type_is_handed_on_from_node_to_node() -> None:
    found = types_of(node("a", "Relu", "half"), node("b", "Neg", "a"), node("c", "SelectV2", "long", "b", "a"))
    assert (found["a"], found["b"], found["c"]) == (HALF, HALF, HALF)


def test_a_cycle_has_no_type_and_an_end() -> None:
    assert types_of(node("a", "Relu", "b"), node("b", "Relu", "a"))["a"] is None
