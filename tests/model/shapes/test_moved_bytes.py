"""The bytes that nodes have to move at least, worked out by hand: floats have 4 bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from messages import call, function, graph, inputs_of, node, ran, run_meta, with_library

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED

FLOAT, HALF, STRING = 1, 19, 7
CPU = "/job:localhost/replica:0/task:0/cpu:0"


def typed(name: str, op: str, *inputs: str, shape: list[int] | None = None, dtype: int = FLOAT) -> Any:
    """Return a node with one output, of a type and, if it is known, a shape."""
    made = node(name, op, *inputs, **({} if shape is None else {"output_shapes": [shape]}))
    made.attr["dtype"].type = dtype
    return made


def moved(*nodes: Any, metas: Any = ()) -> dict[str, int | None]:
    """Return what each node moves."""
    table = build_node_table(inputs_of(graph(*nodes), metas), functions=INLINED)
    return dict(zip(table.column("name").to_pylist(), table.column("moved_bytes").to_pylist(), strict=True))


X, W = typed("x", "Placeholder", shape=[10, 20]), typed("w", "Const", shape=[20, 5])
HANDLE = typed("v", "VarHandleOp", shape=[])
"""800 bytes, 400 bytes, and a variable's handle."""


def test_a_node_reads_its_inputs_and_writes_its_outputs() -> None:
    assert moved(X, W, typed("y", "MatMul", "x", "w", shape=[10, 5])) == {"x": 0, "w": 0, "y": 800 + 400 + 200}


def test_an_input_that_is_given_twice_is_read_once() -> None:
    assert moved(X, typed("y", "Mul", "x", "x:0", "^x", shape=[10, 20]))["y"] == 1600


def test_elements_have_the_size_of_their_type() -> None:
    half = typed("h", "Placeholder", shape=[10], dtype=HALF)
    assert moved(half, typed("y", "Neg", "h", shape=[10], dtype=HALF))["y"] == 40


@pytest.mark.parametrize(
    "op", ["Identity", "Reshape", "ReadVariableOp", "Switch", "Merge", "Shape", "AssignVariableOp"]
)
def test_what_makes_no_tensor_of_any_size_moves_nothing(op: str) -> None:
    assert moved(X, typed("y", op, "x", shape=[10, 20]))["y"] == 0
    assert moved(typed("y", op, "gone"))["y"] == 0


@pytest.mark.parametrize("op", ["_Recv", "IteratorGetNext", "CollectiveReduceV2", "_Send", "If", "TensorListStack"])
def test_what_waits_or_hands_on_data_has_no_figure(op: str) -> None:
    assert moved(X, typed("y", op, "x", shape=[10, 20]))["y"] is None


def test_without_a_size_there_is_no_figure() -> None:
    assert moved(X, typed("y", "Mul", "x", "gone", shape=[10, 20]))["y"] is None
    assert moved(X, typed("y", "Mul", "x", "x:3", shape=[10, 20]))["y"] is None
    assert moved(X, typed("y", "Neg", "x"))["y"] is None
    assert moved(X, typed("y", "Neg", "x", shape=[10, -1]))["y"] is None
    assert moved(X, typed("y", "Neg", "x", shape=[10], dtype=STRING))["y"] is None
    assert (
        moved(typed("x", "Placeholder", shape=[2**40, 2**18]), typed("y", "Neg", "x", shape=[2**59]))["y"] == 3 * 2**60
    )
    assert moved(typed("x", "Placeholder", shape=[2**60]), typed("y", "Neg", "x", shape=[2**60]))["y"] is None


def test_of_a_table_only_the_rows_that_are_returned_are_read() -> None:
    rows = typed("rows", "Placeholder", shape=[3], dtype=3)
    table = typed("table", "Placeholder", shape=[1000, 8])
    assert moved(table, rows, typed("y", "GatherV2", "table", "rows", shape=[3, 8]))["y"] == 96 + 12 + 96
    assert moved(HANDLE, rows, typed("y", "ResourceGather", "v", "rows", shape=[3, 8]))["y"] == 96 + 12 + 96


def test_of_a_small_table_no_more_is_read_than_there_is() -> None:
    rows, table = typed("rows", "Placeholder", shape=[100], dtype=3), typed("table", "Placeholder", shape=[2, 8])
    assert moved(table, rows, typed("y", "Gather", "table", "rows", shape=[100, 8]))["y"] == 64 + 400 + 3200


def test_the_shape_of_an_input_is_not_moved() -> None:
    assert moved(X, typed("y", "ZerosLike", "x", shape=[10, 20]))["y"] == 800


def test_an_optimizer_reads_and_writes_its_variables() -> None:
    scalar, gradient = typed("s", "Const", shape=[]), typed("g", "Placeholder", shape=[50])
    slots = [typed(name, "VarHandleOp", shape=[]) for name in ("m", "n")]
    adam = typed("adam", "ResourceApplyAdam", "v", "m", "n", *["s"] * 6, "g")
    sgd = typed("sgd", "ApplyGradientDescent", "v", "s", "g", shape=[50])
    found = moved(scalar, gradient, HANDLE, *slots, adam, sgd)
    assert found["adam"] == 3 * 2 * 200 + 200 + 4
    assert found["sgd"] == 2 * 200 + 200 + 4


def test_an_update_of_rows_moves_these_rows() -> None:
    rows, new = typed("rows", "Placeholder", shape=[3], dtype=3), typed("new", "Placeholder", shape=[3, 8])
    assert moved(HANDLE, rows, new, typed("y", "ResourceScatterAdd", "v", "rows", "new"))["y"] == 12 + 96 + 2 * 96
    assert moved(HANDLE, rows, new, typed("y", "ResourceScatterUpdate", "v", "rows", "new"))["y"] == 12 + 96 + 96
    assert moved(HANDLE, rows, typed("y", "ResourceScatterAdd", "v", "rows", "gone"))["y"] is None
    assert moved(HANDLE, rows, typed("y", "ResourceScatterAdd", "v", "rows"))["y"] is None


def test_a_call_moves_what_its_body_moves() -> None:
    body = function("f", ["a"], {"r": "n:y:0"}, typed("n", "Neg", "a", shape=[10, 20]))
    table = build_node_table(
        inputs_of(with_library(graph(X, call("c", "PartitionedCall", "x", f="f")), body)), functions=INLINED
    )
    found = dict(zip(table.column("name").to_pylist(), table.column("moved_bytes").to_pylist(), strict=True))
    assert found["c"] == 0
    assert found["c/n"] in (1600, None)


def test_a_kernel_of_several_nodes_moves_nothing_between_them() -> None:
    bias = typed("b", "Const", shape=[5])
    nodes = [X, W, bias, typed("y", "MatMul", "x", "w", shape=[10, 5]), typed("z", "BiasAdd", "y", "b", shape=[10, 5])]
    nodes.append(typed("r", "Relu", "z", shape=[10, 5]))
    meta = run_meta({CPU: [*(ran(name) for name in "xwb"), ran("r", label="r = _FusedMatMul(x, w, b)")]})
    assert moved(*nodes)["r"] == 400
    found = moved(*nodes, metas=[(0, meta)])
    assert (found["y"], found["z"], found["r"]) == (0, 0, 800 + 400 + 20 + 200)


def test_nodes_of_no_graph_have_no_figure() -> None:
    assert moved(X, metas=[(0, run_meta({CPU: [ran("x"), ran("other")]}))])["other"] is None
    assert np.array(list(moved().values())).size == 0
