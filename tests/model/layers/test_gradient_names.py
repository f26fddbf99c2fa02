"""The layers of gradients, by their names."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from messages import graph, node, ran, run_meta
from queries import CPU, table_of

from tfprof_report.model.layers.gradient_names import layers_of_gradients
from tfprof_report.model.layers.scopes import build_scopes, scope_of

FORWARD = ("net/fc/MatMul", "net/fc/BiasAdd", "net/relu/Relu", "tower/conv/Conv2D", "call/net/fc/MatMul", "MatMul")
SCOPES = {"net/fc": 0, "net/relu": 1, "tower/conv": 2, "call/net/fc": 3}


@pytest.mark.parametrize(
    ("gradient", "layer"),
    [
        ("gradients/net/fc/MatMul_grad/MatMul_1", 0),
        ("gradients_1/net/relu/Relu_grad/ReluGrad", 1),
        ("tower/gradients/tower/conv/Conv2D_grad/Conv2DBackpropFilter", 2),
        ("gradient_tape/net/fc/MatMul/MatMul", 0),
        ("call/gradient_tape/net/fc/BiasAdd/BiasAddGrad", 0),
        ("gradients/MatMul_grad/MatMul", 9),
        ("gradients/AddN_3", -1),
        ("gradients/Fill", -1),
        ("gradient_tape/other/Mul", -1),
    ],
)
def test_the_layer_of_the_forward_node(gradient: str, layer: int) -> None:
    names = pa.array(FORWARD)
    scopes, scope = build_scopes(scope_of(names))
    of_scope = np.full(scopes.count, -1)
    for path, number in SCOPES.items():
        of_scope[scopes.find(pa.array([path]))] = number
    of_node = np.where(scope > 0, of_scope[scope], 9)
    found = layers_of_gradients(pa.array([gradient]), scopes, of_scope, names, of_node)
    assert found.tolist() == [layer]


def test_no_gradients() -> None:
    scopes, _ = build_scopes(pa.array(["a"]))
    nothing = pa.array([], pa.string())
    assert len(layers_of_gradients(nothing, scopes, np.array([-1, 0]), nothing, np.zeros(0, dtype=np.int64))) == 0


def test_nodes_that_only_a_run_names_have_no_gradients_in_the_graph() -> None:
    model = graph(
        node("x", "Placeholder"),
        node("net/fc/kernel", "VarHandleOp", shape=[2, 3]),
        node("call/net_1/fc_1/MatMul/ReadVariableOp", "ReadVariableOp", "net/fc/kernel"),
        node("call/net_1/fc_1/MatMul", "MatMul", "x", "call/net_1/fc_1/MatMul/ReadVariableOp"),
        node("call/gradient_tape/net_1/fc_1/MatMul/MatMul", "MatMul", "x", "call/net_1/fc_1/MatMul"),
    )
    # Keras' predict, in the same run: its function has no call around the model.
    table = table_of(model, run_meta({CPU: [ran("net_1/fc_1/MatMul"), ran("net_1/fc_1/BiasAdd")]}))
    rows = table.columns.select(["name", "layer"]).to_pylist()
    layers = {row["name"]: row["layer"] for row in rows}
    assert layers["call/net_1/fc_1/MatMul"] == layers["call/gradient_tape/net_1/fc_1/MatMul/MatMul"] == "fc"
