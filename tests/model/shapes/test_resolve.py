"""The sources of shapes, in their order of precedence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from graph_nodes import const, op
from messages import graph, inputs_of, ran, run_meta, shape_proto
from queries import CPU

from tfprof_report.errors import OptionError
from tfprof_report.ingest.paths import InputShape, parse_input_shape
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED

NODES = graph(
    op("x", "Placeholder", shape=[-1, 4], output_shapes=[[-1, 4]]),
    const("two", 2),
    op("y", "Relu", "x"),
    op("strange", "MyOp", "y"),
    op("z", "Neg", "strange"),
)


def table_of(*shapes: InputShape, use: ShapeUse = ShapeUse.TABLES, **more: Any) -> NodeTable:
    inputs = replace(inputs_of(NODES, **more), input_shapes=shapes)
    return build_node_table(inputs, None, CORRECTED, shapes=use)


def by_name(table: NodeTable, name: str) -> dict[str, Any]:
    return dict(zip(table.column("name").to_pylist(), table.column(name).to_pylist(), strict=True))


def test_without_inference_the_graph_alone_speaks() -> None:
    table = table_of(use=ShapeUse.NOTHING)
    assert by_name(table, "output_shapes") == {"x": [[-1, 4]], "two": None, "y": None, "strange": None, "z": None}
    assert by_name(table, "shape_source") == {"x": "graph", "two": None, "y": None, "strange": None, "z": None}


def test_inference_fills_what_the_graph_leaves_open_and_says_so() -> None:
    table = table_of()
    assert by_name(table, "output_shapes") == {"x": [[-1, 4]], "two": [[]], "y": [[-1, 4]], "strange": None, "z": None}
    assert by_name(table, "input_shapes")["strange"] == [[-1, 4]]
    assert by_name(table, "shape_source") == {
        "x": "graph",
        "two": "inferred",
        "y": "inferred",
        "strange": None,
        "z": None,
    }


def test_a_shape_that_the_user_names_flows_on() -> None:
    table = table_of(InputShape(name="x", sizes=(7, 4)), use=ShapeUse.NOTHING)
    assert by_name(table, "output_shapes")["y"] == [[7, 4]]
    assert by_name(table, "shape_source")["x"] == "user"
    assert [each.text for each in table.diagnostics if each.code == "input_shapes"] == [
        "shapes of inputs as the user gave them: x=7,4"
    ]


def test_a_name_that_is_no_placeholder_lists_those_that_are() -> None:
    with pytest.raises(OptionError, match=r'--base-input-shape: there is no placeholder "y"; choose from x$'):
        table_of(InputShape(name="y", sizes=(7, 4), option="--base-input-shape"))


def test_a_shape_that_the_graph_contradicts_is_refused() -> None:
    with pytest.raises(OptionError, match=r"x has the shape \[-1, 4\] in the graph, not \[7, 5\]"):
        table_of(InputShape(name="x", sizes=(7, 5)))


@pytest.mark.parametrize("text", ["x", "=1,2", "x=1,two", "x=-1", "x=1,,2", "x=99999999999999"])
def test_what_is_no_shape_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="is not a shape; write NAME=1,224,224,3"):
        parse_input_shape(text)


def test_a_shape_is_read_with_its_name_and_side() -> None:
    assert parse_input_shape("a=b:0=1, 2", "head-") == InputShape(name="a=b", sizes=(1, 2), option="--head-input-shape")
    assert parse_input_shape("x=").sizes == ()


def test_rules_of_tensorflow_do_not_see_what_is_inferred_for_tables() -> None:
    given = op("x", "Placeholder", shape=[2, 4], output_shapes=[[2, 4]])
    nodes = graph(given, op("open", "Relu", "x"), op("y", "Neg", "open"))
    rules = use_rules("tfprof", CORRECTED)
    counted = {
        use: by_name(build_node_table(inputs_of(nodes), rules, CORRECTED, shapes=use), "float_ops")["y"]
        for use in (ShapeUse.NOTHING, ShapeUse.TABLES, ShapeUse.RULES)
    }
    assert counted == {ShapeUse.NOTHING: None, ShapeUse.TABLES: None, ShapeUse.RULES: 8}


def test_a_run_without_shapes_changes_nothing() -> None:
    table = table_of(run_metas=[(0, run_meta({CPU: [ran("strange", outputs=[None])]}))])
    assert by_name(table, "shape_source")["strange"] is None


def test_a_variable_that_a_function_captured_has_the_shape_that_the_user_names() -> None:
    handle = op("v", "Placeholder", shape=[], output_shapes=[[]])
    handle.attr["dtype"].type = 20  # DT_RESOURCE
    nodes = graph(
        op("x", "Placeholder", shape=[5, 4]),
        handle,
        op("read", "ReadVariableOp", "v"),
        op("y", "MatMul", "x", "read"),
    )
    rules = use_rules("extended", CORRECTED)
    counted = []
    for named in ((), (InputShape(name="v", sizes=(4, 3)),)):
        inputs = replace(inputs_of(nodes), input_shapes=named)
        table = build_node_table(inputs, rules, CORRECTED, shapes=ShapeUse.RULES)
        columns = ("op", "output_shapes", "float_ops", "shape_source")
        counted.append([by_name(table, column)["v" if column == "op" else "y"] for column in columns])
    assert counted == [["Placeholder", [[5, -1]], None, "inferred"], ["Placeholder", [[5, 3]], 120, "inferred"]]
    assert by_name(table, "output_shapes")["v"] == [[]]
    assert by_name(table, "shape_source")["v"] == "user"


def test_a_run_of_other_shapes_is_flagged_even_where_the_graph_leaves_nothing_open() -> None:
    made = graph(
        op("x", "Placeholder", output_shapes=[[7, 4]]),
        op("same", "Relu", "x", output_shapes=[[7, 4]]),
        op("open", "Neg", "x", output_shapes=[[-1, 4]]),
        op("array", "TensorArrayV3", output_shapes=[[2], []]),
    )
    runs = {
        "x": [[100, 4]],
        "same": [[7, 4]],
        "open": [[100, 4]],
        "array": [[], []],  # handles are vectors in graphs only
    }
    records = []
    for name, shapes in runs.items():
        records.append(ran(name, outputs=[None] * len(shapes)))
        for output, shape in zip(records[-1].output, shapes, strict=True):
            output.tensor_description.shape.CopyFrom(shape_proto(shape))
    table = build_node_table(inputs_of(made, [(0, run_meta({CPU: records}))]), None, CORRECTED, shapes=ShapeUse.TABLES)
    # The graph says 7 for `open` too, through its input.
    assert by_name(table, "shape_conflict") == {"x": True, "same": False, "open": True, "array": False}
    assert by_name(table, "output_shapes")["open"] == [[7, 4]]
