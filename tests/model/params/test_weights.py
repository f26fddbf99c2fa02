"""Which nodes hold parameters, each variable once, and what they are for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import call, entry, function, graph, inputs_of, new, node, op_log, shape_proto, with_library

from tfprof_report.errors import OptionError
from tfprof_report.ingest.paths import parse_input_shape
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.graph.data_types import element_bytes
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.model.graph.origins import origins
from tfprof_report.model.node_table import NodeTable

FLOAT, INT32, INT64, HALF, RESOURCE = 1, 3, 9, 19, 20


def typed(made: Any, dtype: int) -> Any:
    made.attr["dtype"].type = dtype
    return made


def variable(name: str, *shape: int, op: str = "VarHandleOp", dtype: int = FLOAT, **attrs: Any) -> Any:
    return typed(node(name, op, shape=shape, **attrs), dtype)


def const(name: str, *shape: int, dtype: int = FLOAT) -> Any:
    made = typed(node(name, "Const"), dtype)
    made.attr["value"].tensor.CopyFrom(new("tensorflow.TensorProto", dtype=dtype, tensor_shape=shape_proto(shape)))
    return made


def table_of(*nodes: Any, functions: tuple[Any, ...] = (), log: Any = None, shapes: str = "") -> NodeTable:
    inputs = inputs_of(with_library(graph(*nodes), *functions), op_log=log)
    given = (parse_input_shape(shapes),) if shapes else ()
    return build_node_table(replace(inputs, input_shapes=given), functions=INLINED)


def params_of(table: NodeTable) -> dict[str, int | None]:
    params = zip(table.column("name").to_pylist(), table.column("params").to_pylist(), strict=True)
    return {name: count for name, count in params if count != 0}


def kinds_of(table: NodeTable) -> dict[str, tuple[str, bool]]:
    columns = (table.column(name).to_pylist() for name in ("name", "param_kind", "param_kind_is_guess"))
    return {name: (kind, is_guess) for name, kind, is_guess in zip(*columns, strict=True) if kind is not None}


def codes_of(table: NodeTable) -> dict[str, int]:
    return {each.code: each.count for each in table.diagnostics}


# Shared variables --------------------------------------------------------------------------------------------------


def test_the_first_of_several_nodes_with_one_shared_name_holds_the_variable() -> None:
    table = table_of(variable("a", 3, shared_name="v"), variable("b", 3, shared_name="v"), variable("v", 3))
    assert params_of(table) == {"a": 3}
    assert codes_of(table)["shared_variables"] == 2
    assert list(kinds_of(table)) == ["a"]


@pytest.mark.parametrize(
    "second",
    [
        variable("b", 3, shared_name="w"),
        variable("b", 3, shared_name="v", container="other"),
        variable("b", 4, shared_name="v"),
        variable("b", 3, shared_name="v", op="VariableV2"),
        variable("b", 3),
    ],
    ids=["name", "container", "shape", "op", "none"],
)
def test_nodes_that_differ_are_variables_of_their_own(second: Any) -> None:
    assert list(params_of(table_of(variable("a", 3, shared_name="v"), second))) == ["a", "b"]


def test_anonymous_variables_are_never_shared() -> None:
    anonymous = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"
    nodes = [variable(name, 3, shared_name=anonymous) for name in "ab"]
    assert params_of(table_of(*nodes)) == {"a": 3, "b": 3}


def test_a_function_that_is_called_twice_has_its_variables_once() -> None:
    body = function("f", ["x"], {"y": "r:value:0"}, variable("v", 3), node("r", "ReadVariableOp", "v:resource:0"))
    calls = [call(name, "PartitionedCall", "a", f="f") for name in "pq"]
    assert params_of(table_of(node("a", "Placeholder"), *calls, functions=(body,))) == {"p/v": 3}


# Frozen weights ----------------------------------------------------------------------------------------------------


def test_a_constant_that_is_read_like_a_variable_was_one_even_a_scalar() -> None:
    table = table_of(
        const("w", 2, 3), node("w/read", "Identity", "w"), const("s"), node("s/read", "Identity", "s"),
        const("h/ReadVariableOp/resource", 5), node("h/ReadVariableOp", "Identity", "h/ReadVariableOp/resource"),
        const("folded/ReadVariableOp_1", 7), const("c", 9), node("d/read", "Identity", "c"),
        *(node(f"use{number}", "Neg", name) for number, name in enumerate(["w/read", "s/read", "h/ReadVariableOp"])),
        node("use3", "Neg", "folded/ReadVariableOp_1"),
    )  # fmt: skip
    assert params_of(table) == {"w": 6, "s": 1, "h/ReadVariableOp/resource": 5, "folded/ReadVariableOp_1": 7}
    assert set(kinds_of(table).values()) == {("frozen", False)}
    assert table.column("param_bytes").to_pylist()[0] == 24


def test_weights_that_a_call_hands_to_a_function_are_found_outside() -> None:
    body = function(
        "f", ["x", "w"], {"y": "m:product:0"},
        node("m/ReadVariableOp", "Identity", "w"), node("m", "MatMul", "x", "m/ReadVariableOp:output:0"),
    )  # fmt: skip
    made = [node("a", "Placeholder"), const("kernel", 2, 3), call("p", "PartitionedCall", "a", "kernel", f="f")]
    assert params_of(table_of(*made, functions=(body,))) == {"kernel": 6}


GUESSED = [
    const("w", 3, 3, 1, 4),
    node("x", "Placeholder"),
    node("conv", "Conv2D", "x", "w"),
]


def test_a_constant_where_an_op_takes_weights_is_a_guess() -> None:
    table = table_of(*GUESSED)
    assert params_of(table) == {"w": 36}
    assert kinds_of(table) == {"w": ("frozen", True)}
    assert codes_of(table)["likely_weights"] == 1


def test_a_filter_that_nobody_named_is_a_guess_too() -> None:
    table = table_of(const("Const_2", 3, 3, 8, 8), node("x", "Placeholder"), node("conv", "Conv2D", "x", "Const_2"))
    assert params_of(table) == {"Const_2": 576}


def test_nothing_is_guessed_in_a_graph_with_variables() -> None:
    assert params_of(table_of(*GUESSED, variable("v", 5))) == {"v": 5}


def test_nothing_is_guessed_beside_weights_that_are_still_read() -> None:
    frozen = [const("k", 5), node("k/read", "Identity", "k"), node("use", "Neg", "k/read")]
    assert params_of(table_of(*GUESSED, *frozen)) == {"k": 5}


@pytest.mark.parametrize(
    "others",
    [
        [const("eps"), node("use", "BiasAdd", "x", "eps")],
        [const("empty", 0), node("use", "FusedBatchNormV3", "x", "w", "w", "empty", "empty")],
        [const("axes", 2, dtype=INT32), node("use", "GatherV2", "axes", "x", "x")],
        [const("norm/Const", 4), node("use", "FusedBatchNormV3", "x", "norm/Const", "w", "w", "w")],
        [const("mean_of_pixels", 3), node("use", "Sub", "x", "mean_of_pixels")],
        [const("shape", 4), node("use", "Reshape", "x", "shape"), node("again", "MatMul", "use", "x")],
    ],
    ids=["scalar", "empty", "whole numbers", "unnamed", "operand", "shape"],
)
def test_other_constants_are_no_weights(others: list[Any]) -> None:
    assert params_of(table_of(*GUESSED, *others)) == {"w": 36}


def looking_up(*tables: Any) -> list[Any]:
    rows = [node(f"rows{place}", "GatherV2", table.name, "ids", "axis") for place, table in enumerate(tables)]
    return [node("ids", "Placeholder"), const("axis", dtype=INT32), *tables, *rows]


@pytest.mark.parametrize("name", ["m/Gather/resource", "m/embedding_lookup/1006"])
def test_a_table_in_which_only_a_gather_looks_up_was_a_variable_by_its_name(name: str) -> None:
    read = [const("w/ReadVariableOp/resource", 4), node("w/ReadVariableOp", "Identity", "w/ReadVariableOp/resource")]
    table = table_of(*looking_up(const(name, 10, 4)), *read, node("use", "Neg", "w/ReadVariableOp"))
    assert params_of(table) == {name: 40, "w/ReadVariableOp/resource": 4}
    assert set(kinds_of(table).values()) == {("frozen", False)}


def test_a_table_of_another_name_is_a_guess_beside_weights_that_are_still_read() -> None:
    frozen = [const("k", 5), node("k/read", "Identity", "k"), node("use", "Neg", "k/read")]
    table = table_of(*looking_up(const("table", 10, 4), const("sizes", 9, dtype=INT32), const("one")), *frozen)
    assert kinds_of(table) == {"table": ("frozen", True), "k": ("frozen", False)}


def test_a_constant_table_beside_variables_is_no_weight() -> None:
    table = table_of(*looking_up(const("positions", 10, 4)), variable("v", 3), node("use", "Neg", "v"))
    assert params_of(table) == {"v": 3}


def test_weights_are_found_through_casts_and_other_shapes() -> None:
    table = table_of(
        const("q", 4, 6, dtype=12), node("float", "Dequantize", "q", "low", "high"),
        node("flat", "Reshape", "float", "s"),
        node("x", "Placeholder"), node("product", "MatMul", "x", "flat"),
        const("gamma", 6), node("scaled", "Mul", "product", "gamma"),
    )  # fmt: skip
    assert params_of(table) == {"q": 24, "gamma": 6}
    assert table.column("param_bytes").to_pylist()[0] == 24


# Variables outside of the graph ------------------------------------------------------------------------------------


def test_a_handle_from_outside_has_the_shape_of_what_reads_it() -> None:
    handles = [typed(node(name, "Placeholder", shape=()), RESOURCE) for name in ("w", "t", "open")]
    reads = [typed(node(f"{name}/read", "ReadVariableOp", name, output_shapes=shapes), FLOAT) for name, shapes in
             {"w": [(2, 3)], "open": [None]}.items()]  # fmt: skip
    table = table_of(
        *handles, *reads, node("find", "LookupTableFindV2", "t"), node("m", "MatMul", "w/read", "open/read")
    )
    assert params_of(table) == {"w": 6, "open": None}
    assert table.column("param_bytes").to_pylist()[0] == 24
    assert kinds_of(table) == {"w": ("trainable", True), "open": ("trainable", True)}
    assert codes_of(table)["unknown_params"] == 1


@pytest.mark.parametrize("gather", ["ResourceGather", "ResourceGatherNd"])
def test_a_table_that_only_a_gather_reads_has_its_type_and_the_shape_that_the_user_gives(gather: str) -> None:
    nodes = [typed(node("t", "Placeholder", shape=()), RESOURCE), typed(node("rows", gather, "t", "ids"), HALF)]
    assert params_of(table_of(*nodes)) == {"t": None}
    table = table_of(*nodes, shapes="t=1000,16")
    assert kinds_of(table) == {"t": ("trainable", True)}
    assert params_of(table) == {"t": 16000}
    assert table.column("param_bytes").to_pylist()[0] == 32000


@pytest.mark.parametrize("op", ["VarHandleOp", "VariableV2"])
def test_open_sizes_of_a_variable_can_be_given_and_known_ones_cannot_be_changed(op: str) -> None:
    model = [variable("v", -1, 4, op=op), node("read", "Identity", "v"), node("use", "Neg", "read")]
    assert params_of(table_of(*model)) == {"v": None}
    assert params_of(table_of(*model, shapes="v=3,4")) == {"v": 12}
    with pytest.raises(OptionError, match="v has the shape"):
        table_of(*model, shapes="v=3,5")


# Kinds -------------------------------------------------------------------------------------------------------------


TRAINING = [
    variable("w", 3),
    variable("w/Adam", 3),
    variable("m", 3),
    variable("lr"),
    variable("moving_mean", 3),
    variable("table", 3),
    variable("step", dtype=INT64),
    variable("copy", 3),
    node("w/Assign", "AssignVariableOp", "w", "x"),
    node("copy/Assign", "AssignVariableOp", "copy", "x"),
    node("copy/Read", "ReadVariableOp", "copy"),
    node("save", "SaveV2", "prefix", "names", "slices", "copy/Read"),
    node("rate", "ReadVariableOp", "lr"),
    node("up", "ResourceApplyMomentum", "w", "m", "rate", "g", "momentum"),
    node("sparse", "ResourceScatterSub", "table", "i", "g"),
    node("average", "AssignSubVariableOp", "moving_mean", "g"),
    node("count", "AssignAddVariableOp", "step", "one"),
]


def test_without_an_op_log_the_use_of_variables_tells_what_they_are_for() -> None:
    assert kinds_of(table_of(*TRAINING)) == {
        "w": ("trainable", True),
        "w/Adam": ("slot", True),
        "m": ("slot", True),
        "lr": ("not_trainable", True),
        "moving_mean": ("not_trainable", True),
        "table": ("trainable", True),
        "step": ("not_trainable", True),
        "copy": ("unused", False),
    }


def test_an_op_log_decides() -> None:
    log = op_log(entry("w", types=["_trainable_variables"]), entry("lr", types=["_trainable_variables"]))
    found = kinds_of(table_of(*TRAINING, log=log))
    assert {name for name, kind in found.items() if kind == ("trainable", False)} == {"w", "lr"}
    assert {name for name, kind in found.items() if kind == ("slot", False)} == {"w/Adam", "m"}
    assert {name for name, kind in found.items() if kind == ("not_trainable", False)} == {
        "moving_mean", "table", "step", "copy",
    }  # fmt: skip


def test_a_variable_of_unknown_type_is_unknown() -> None:
    assert kinds_of(table_of(node("v", "VariableV2", shape=[2]), node("n", "Neg", "v"))) == {"v": ("unknown", False)}


# The parts ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(-1, 6), min_size=7, max_size=7), st.lists(st.booleans(), min_size=7, max_size=7))
def test_an_origin_is_where_handing_on_ends(sources: list[int], hands_on: list[bool]) -> None:
    names = pa.array([f"n{number}" for number in range(7)])
    inputs = pa.array([[f"n{source}"] if source >= 0 else [] for source in sources], pa.list_(pa.string()))
    ops = pa.array(["Identity" if each else "Neg" for each in hands_on])
    found = origins(ops, read_edges(inputs, names))
    for start in range(7):
        node, way = start, []
        while hands_on[node] and sources[node] >= 0 and node not in way:
            way.append(node)
            node = sources[node]
        assert found[start] == node if node not in way else found[start] in way[way.index(node) :]


def test_sizes_of_types_are_those_of_numpy() -> None:
    numbers = {
        1: "f4",
        2: "f8",
        3: "i4",
        4: "u1",
        5: "i2",
        8: "c8",
        9: "i8",
        10: "?",
        17: "u2",
        18: "c16",
        19: "f2",
        22: "u4",
    }
    found = element_bytes(pa.array([*numbers, 7, RESOURCE, None], pa.int64())).to_pylist()
    assert found == [*(np.dtype(kind).itemsize for kind in numbers.values()), None, None, None]
