"""Which scopes own variables, on graphs by hand; real ones are in ``test_recorded_layers``."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from messages import graph, inputs_of, node

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.layers.scopes import build_scopes
from tfprof_report.model.layers.variable_scopes import _common

FLOAT = 1


def variable(name: str, *shape: int) -> Any:
    made = node(name, "VarHandleOp", shape=shape)
    made.attr["dtype"].type = FLOAT
    return made


def read(scope: str, of: str) -> Any:
    return node(f"{scope}/ReadVariableOp", "ReadVariableOp", of)


def layers_of(*nodes: Any) -> dict[str, str | None]:
    columns = build_node_table(inputs_of(graph(*nodes))).columns
    return dict(zip(columns["name"].to_pylist(), columns["layer"].cast(pa.string()).to_pylist(), strict=True))


def test_a_layer_is_the_scope_with_the_name_of_its_variables() -> None:
    found = layers_of(
        node("x", "Placeholder"),
        variable("fc1/kernel", 2, 3),
        variable("fc2/kernel", 3, 4),
        read("call/net_1/fc1_1/MatMul", "fc1/kernel"),
        node("call/net_1/fc1_1/MatMul", "MatMul", "x", "call/net_1/fc1_1/MatMul/ReadVariableOp"),
        node("call/net_1/relu_1/Relu", "Relu", "call/net_1/fc1_1/MatMul"),
        read("call/net_1/fc2_1/MatMul", "fc2/kernel"),
        node("call/net_1/fc2_1/MatMul", "MatMul", "call/net_1/relu_1/Relu", "call/net_1/fc2_1/MatMul/ReadVariableOp"),
        node("call/net_1/out", "Identity", "call/net_1/fc2_1/MatMul"),
    )
    assert found["fc1/kernel"] == found["call/net_1/fc1_1/MatMul"] == "fc1"
    assert found["fc2/kernel"] == found["call/net_1/fc2_1/MatMul/ReadVariableOp"] == "fc2"
    assert found["call/net_1/relu_1/Relu"] == "relu"
    assert found["call/net_1/out"] is None
    assert found["x"] is None


def test_the_graph_tells_which_layer_reads_a_variable_not_its_name() -> None:
    """Tracing numbered the scope of the first layer like the name of the second one."""
    found = layers_of(
        node("x", "Placeholder"),
        variable("dense/kernel", 2, 3),
        variable("dense_1/kernel", 3, 4),
        read("m/dense_1/MatMul", "dense/kernel"),
        node("m/dense_1/MatMul", "MatMul", "x", "m/dense_1/MatMul/ReadVariableOp"),
        read("m/dense_1_2/MatMul", "dense_1/kernel"),
        node("m/dense_1_2/MatMul", "MatMul", "m/dense_1/MatMul", "m/dense_1_2/MatMul/ReadVariableOp"),
    )
    assert (found["m/dense_1/MatMul"], found["m/dense_1_2/MatMul"]) == ("dense", "dense_1")


def test_layers_whose_variables_all_have_the_name_of_the_model() -> None:
    found = layers_of(
        node("x", "Placeholder"),
        variable("net/kernel", 2, 3),
        variable("net/kernel_1", 3, 4),
        node("net/a/MatMul", "MatMul", "x", "net/kernel"),
        node("net/b/MatMul", "MatMul", "net/a/MatMul", "net/kernel_1"),
    )
    assert found["net/kernel"] == found["net/a/MatMul"] == "a"
    assert found["net/kernel_1"] == found["net/b/MatMul"] == "b"


def test_nodes_without_a_scope_belong_to_the_variables_that_they_read() -> None:
    found = layers_of(
        node("x", "Placeholder"),
        variable("first/w", 2, 3),
        variable("second/w", 3, 4),
        node("MatMul", "MatMul", "x", "first/w"),
        node("Relu", "Relu", "MatMul"),
        node("MatMul_1", "MatMul", "Relu", "second/w"),
    )
    assert (found["MatMul"], found["MatMul_1"], found["Relu"]) == ("first", "second", None)


def test_scopes_of_functions_of_tensorflow_are_part_of_a_layer() -> None:
    found = layers_of(
        node("x", "Placeholder"),
        variable("m/bn/gamma", 3),
        variable("m/fc/w", 3, 3),
        node("m/bn/moments/mean", "Mean", "x"),
        node("m/bn/batchnorm/mul", "Mul", "m/bn/moments/mean", "m/bn/gamma"),
        node("m/fc/MatMul", "MatMul", "m/bn/batchnorm/mul", "m/fc/w"),
    )
    assert {found[name] for name in ("m/bn/gamma", "m/bn/moments/mean", "m/bn/batchnorm/mul")} == {"bn"}


def test_a_loop_around_one_cell_is_its_layer() -> None:
    found = layers_of(
        node("x", "Placeholder"),
        variable("m/lstm/cell/kernel", 3, 3),
        variable("m/fc/w", 3, 3),
        node("m/lstm/while", "While", "x", "m/lstm/cell/kernel"),
        node("m/lstm/cell/MatMul", "MatMul", "x", "m/lstm/cell/kernel"),
        node("m/fc/MatMul", "MatMul", "m/lstm/while", "m/fc/w"),
    )
    assert {found[name] for name in ("m/lstm/cell/kernel", "m/lstm/while", "m/lstm/cell/MatMul")} == {"lstm"}


def test_weights_that_another_layer_borrows_stay_with_their_own() -> None:
    found = layers_of(
        node("x", "Placeholder"),
        variable("m/tokens/table", 9, 3),
        variable("m/fc/w", 3, 3),
        node("m/tokens/Gather", "GatherV2", "m/tokens/table", "x"),
        node("m/fc/MatMul", "MatMul", "m/tokens/Gather", "m/fc/w"),
        node("m/scores/MatMul", "MatMul", "m/fc/MatMul", "m/tokens/table"),
    )
    assert found["m/tokens/table"] == found["m/tokens/Gather"] == "tokens"
    assert found["m/scores/MatMul"] == "scores"


@given(st.lists(st.tuples(st.lists(st.sampled_from("abc"), max_size=4), st.integers(0, 2)), min_size=1))
def test_the_scope_around_all_uses(uses: list[tuple[list[str], int]]) -> None:
    paths = ["/".join(parts) for parts, _ in uses]
    scopes, scope = build_scopes(pa.array(paths))
    group = np.array([group for _, group in uses])
    common = scopes.paths.take(pa.array(_common(scopes, scope, group))).to_pylist()
    for found, (_, own) in zip(common, uses, strict=True):
        levels = zip(*(parts for parts, other in uses if other == own), strict=False)
        assert found == "/".join(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))


def test_a_variable_may_be_used_in_very_many_scopes() -> None:
    """A round for each scope would take minutes, as in a network that is unrolled."""
    scopes, scope = build_scopes(pa.array([f"step_{place}/cell" for place in range(200_000)]))
    assert not _common(scopes, scope, np.zeros(len(scope), dtype=np.int64)).any()
