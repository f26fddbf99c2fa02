"""The table of layers of a side."""

from __future__ import annotations

from typing import Any

from layered import side_from
from messages import graph, node

_RESOURCE = 20


def handle(name: str) -> Any:
    """Return a captured handle of a variable."""
    made = node(name, "Placeholder")
    made.attr["dtype"].type = _RESOURCE
    return made


def test_the_shape_of_a_captured_variable_is_that_of_its_first_read_and_reads_of_nothing_have_none() -> None:
    side = side_from(
        graph(
            handle("h"),
            node("lost/ReadVariableOp", "ReadVariableOp"),
            node("d/ReadVariableOp", "ReadVariableOp", "h", output_shapes=[[3, 4]]),
            node("d/MatMul", "MatMul", "x", "d/ReadVariableOp", output_shapes=[[2, 4]]),
        )
    )
    assert [row["weights"] for row in side.layers.to_pylist() if row["params"]] == [[[3, 4]]]
