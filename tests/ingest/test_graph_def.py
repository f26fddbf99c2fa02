from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from examples import examples
from graph_nodes import const
from hypothesis import given, settings
from messages import decoded, graph, graphs, new, node, shape_proto
from wire import Field, encode

from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.graph_def import GraphColumns, read_graph
from tfprof_report.ingest.sniff import Kind


def columns_of(*nodes: Any) -> GraphColumns:
    return read_graph(decoded(graph(*nodes), Kind.GRAPH))


COLUMNS = ["name", "op", "device", "inputs", "shape", "output_shapes"]


def column(name: str, *nodes: Any) -> list[Any]:
    values: list[Any] = columns_of(*nodes).nodes[name].to_pylist()
    return values


def test_a_node_is_a_row_in_graph_order() -> None:
    columns = columns_of(node("b", "MatMul", "a", "a:1", "^c", device="/gpu:0"), node("a", "Const"))
    assert columns.nodes.select(["name", "op", "device", "inputs"]).to_pydict() == {
        "name": ["b", "a"],
        "op": ["MatMul", "Const"],
        "device": ["/gpu:0", ""],
        "inputs": [["a", "a:1", "^c"], []],
    }
    assert columns.duplicates == ()


def test_an_empty_graph_has_no_row_and_all_columns() -> None:
    nodes = columns_of().nodes
    assert nodes.num_rows == 0
    assert set(COLUMNS) <= set(nodes.column_names)


def test_nodes_of_the_function_library_are_no_rows() -> None:
    made = graph(node("a", "Const"))
    made.library.function.add(node_def=[node("b", "Const")]).signature.name = "f"
    assert read_graph(decoded(made, Kind.GRAPH)).nodes["name"].to_pylist() == ["a"]


def test_the_first_node_of_a_name_counts_and_the_others_are_told() -> None:
    columns = columns_of(
        node("a", "First", shape=[1]),
        node("b", "Const"),
        node("a", "Second", "b", shape=[2]),
        node("c", "Const", shape=[3]),
        node("b", "Third"),
        node("a", "Fourth"),
    )
    assert columns.nodes["name"].to_pylist() == ["a", "b", "c"]
    assert columns.nodes["op"].to_pylist() == ["First", "Const", "Const"]
    assert columns.nodes["shape"].to_pylist() == [[1], None, [3]]
    assert columns.duplicates == ("a", "b", "a")


def test_a_shape_tells_scalar_unknown_rank_unknown_size_and_absence_apart() -> None:
    nodes = [
        node("none", "X"),
        node("scalar", "X", shape=[]),
        node("unknown rank", "X", shape=None),
        node("unknown size", "X", shape=[-1, 3]),
        node("empty tensor", "X", shape=[0]),
        node("other", "X", data_format="NHWC"),
    ]
    assert column("shape", *nodes) == [None, [], None, [-1, 3], [0], None]


def test_output_shapes_hold_one_shape_per_output() -> None:
    nodes = [
        node("none", "X"),
        node("no output", "X", output_shapes=[]),
        node("all kinds", "X", output_shapes=[[2, -1], None, [], [0]]),
        node("between", "X", shape=[7]),
        node("last", "X", output_shapes=[[9]]),
    ]
    assert column("output_shapes", *nodes) == [None, [], [[2, -1], None, [], [0]], None, [[9]]]


def test_the_order_of_attributes_does_not_matter() -> None:
    first = node("a", "X", shape=[1], data_format="NHWC", output_shapes=[[2]])
    second = node("b", "X", output_shapes=[[2]], data_format="NHWC", shape=[1])
    assert column("shape", first, second) == [[1], [1]]
    assert column("output_shapes", first, second) == [[[2]], [[2]]]


def test_a_shape_attribute_of_another_type_is_no_shape() -> None:
    odd = node("a", "X")
    odd.attr["shape"].s = b"2,3"
    odd.attr["_output_shapes"].i = 3
    listed = node("b", "X")
    listed.attr["shape"].list.shape.add().dim.add(size=3)
    assert column("shape", odd, listed) == [None, None]
    assert column("output_shapes", odd, listed) == [None, None]


def shape_attr(*sizes: int) -> list[Field]:
    return [Field(7, 2, [Field(2, 2, [Field(1, 0, size)]) for size in sizes])]


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        ([shape_attr(1), shape_attr(2, 3)], [2, 3]),
        ([shape_attr(2, 3), []], None),
        ([shape_attr(2, 3), [Field(2, 2, b"text")]], None),
        ([shape_attr(2), shape_attr()], []),
    ],
    ids=["shape", "nothing", "text", "scalar"],
)
def test_the_last_of_equal_attribute_keys_counts(values: list[list[Field]], shape: Any) -> None:
    attrs = [Field(5, 2, [Field(1, 2, b"shape"), Field(2, 2, value)]) for value in values]
    data = encode([Field(1, 2, [Field(1, 2, b"a"), Field(2, 2, b"NoOp"), *attrs])])
    assert read_graph(decode(data, Kind.GRAPH, file="", option="")).nodes["shape"].to_pylist() == [shape]


def shape_of(proto: Any) -> list[int] | None:
    return None if proto.unknown_rank else [dim.size for dim in proto.dim]


@settings(max_examples=examples(60), deadline=None)
@given(graphs())
def test_columns_hold_what_the_message_says_node_by_node(message: Any) -> None:
    firsts: dict[str, Any] = {}
    for each in message.node:
        firsts.setdefault(each.name, each)
    columns = read_graph(decoded(message, Kind.GRAPH))
    assert len(columns.duplicates) == len(message.node) - len(firsts)
    assert columns.nodes.select(COLUMNS).to_pylist() == [
        {
            "name": each.name,
            "op": each.op,
            "device": each.device,
            "inputs": list(each.input),
            "shape": shape_of(each.attr["shape"].shape) if "shape" in each.attr else None,
            "output_shapes": [shape_of(shape) for shape in each.attr["_output_shapes"].list.shape]
            if "_output_shapes" in each.attr
            else None,
        }
        for each in firsts.values()
    ]


def test_names_keep_their_order_in_a_large_graph_with_repeated_names() -> None:
    names = [f"n{number % 3000}" for number in np.random.default_rng(1).permutation(9000)]
    columns = columns_of(*(node(name, "NoOp") for name in names))
    assert columns.nodes["name"].to_pylist() == list(dict.fromkeys(names))
    assert len(columns.duplicates) == 6000


def test_a_constant_of_more_elements_than_any_number_says_has_no_elements_here() -> None:
    tensor = new("tensorflow.TensorProto", dtype=3, tensor_shape=shape_proto([2**62] * 20 + [0]), int_val=[1])
    made = node("c", "Const")
    made.attr["value"].tensor.CopyFrom(tensor)
    assert column("value", made, const("d", [1, 2])) == [None, [1, 2]]
