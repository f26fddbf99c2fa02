"""The batch of inputs that the graph leaves open: which placeholders have one, and what counts for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from graph_nodes import const, op
from messages import graph, inputs_of, ran, run_meta, shape_proto
from queries import CPU

from tfprof_report.errors import OptionError
from tfprof_report.ingest.paths import InputShape
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes.batch import ASSUMED, OPEN_BATCH, Batch, parse_batch
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED

RULES = use_rules("extended", CORRECTED)
Shape = Sequence[int]
NET = (
    op("x", "Placeholder", shape=[-1, 4]),
    op("w", "VariableV2", shape=[4, 3]),
    op("y", "MatMul", "x", "w"),
    op("z", "Relu", "y"),
    op("decay", "L2Loss", "w"),
)


def measured(
    *nodes: Any,
    batch: Batch = ASSUMED,
    runs: Sequence[Mapping[str, Shape]] = (),
    shapes: Sequence[InputShape] = (),
) -> NodeTable:
    """Return the table of a graph; `runs` has, per step, the shapes that nodes had."""
    steps = []
    for number, run in enumerate(runs):
        records = []
        for name, shape in run.items():
            records.append(ran(name, outputs=[None]))
            records[-1].output[0].tensor_description.shape.CopyFrom(shape_proto(tuple(shape)))
        steps.append((number, run_meta({CPU: records})))
    inputs = replace(inputs_of(graph(*nodes), steps), input_shapes=tuple(shapes))
    return build_node_table(inputs, RULES, CORRECTED, shapes=ShapeUse.RULES, batch=batch)


def column(table: NodeTable, name: str) -> dict[str, Any]:
    return dict(zip(table.column("name").to_pylist(), table.column(name).to_pylist(), strict=True))


def warning(table: NodeTable) -> str:
    """Return the warning about open inputs; empty if there is none."""
    return next((each.text for each in table.diagnostics if each.code == "open_inputs"), "")


def test_an_open_batch_counts_as_one_and_figures_say_what_they_rest_on() -> None:
    table = measured(*NET)
    # 2 x 1 x 4 x 3 for the product, 1 x 3 for the activation, 3 x 12 - 1 for the loss of the weights
    assert column(table, "float_ops") == {"x": 0, "w": 0, "y": 24, "z": 3, "decay": 35}
    assert column(table, "float_ops_assumes") == {"x": None, "w": None, "y": "batch", "z": "batch", "decay": None}
    assert column(table, "shape_source")["x"] == "batch"
    assert column(table, "output_shapes")["y"] == [[1, 3]]
    assert warning(table) == ""


def test_a_given_batch_counts_and_an_unknown_one_leaves_figures_unknown() -> None:
    assert column(measured(*NET, batch=Batch(8, is_given=True)), "float_ops")["y"] == 8 * 24
    table = measured(*NET, batch=OPEN_BATCH)
    assert column(table, "float_ops")["y"] is None
    assert set(column(table, "float_ops_assumes").values()) == {None}
    assert warning(table) == (
        "inputs have open sizes, so FLOPs of 2 nodes are unknown: add --batch 1; else give --input-shape x=?,4, with a "
        'number for each ? (input_shape = ["x=?,4"] below [inputs] in a rules file)'
    )


def test_a_batch_in_the_graph_is_not_assumed() -> None:
    table = measured(op("x", "Placeholder", shape=[32, 4]), *NET[1:], batch=Batch(8, is_given=True))
    assert column(table, "float_ops")["y"] == 32 * 24
    assert set(column(table, "float_ops_assumes").values()) == {None}


@pytest.mark.parametrize(("shape", "written"), [([-1, -1], "x=?,?"), ([4, -1], "x=4,?"), (None, "x=?")])
def test_other_open_sizes_stay_unknown_and_are_named(shape: Shape | None, written: str) -> None:
    x = op("x", "Placeholder", shape=shape) if shape else op("x", "Placeholder")
    table = measured(x, op("y", "Exp", "x"))
    assert column(table, "float_ops")["y"] is None
    assert f'--input-shape {written}, with a number for each ? (input_shape = ["{written}"]' in warning(table)


def test_an_input_that_no_unknown_figure_needs_is_not_named() -> None:
    table = measured(*NET, op("rate", "Placeholder"), op("out", "Identity", "rate"))
    assert warning(table) == ""


def test_a_placeholder_of_a_captured_variable_gets_no_batch_and_is_named() -> None:
    handle = op("v", "Placeholder", output_shapes=[[-1]])
    handle.attr["dtype"].type = 20  # DT_RESOURCE
    table = measured(NET[0], handle, op("read", "ReadVariableOp", "v"), op("y", "MatMul", "x", "read"))
    assert column(table, "output_shapes")["v"] == [[-1]]
    assert column(table, "float_ops")["y"] is None
    assert "--input-shape v=?, with a number" in warning(table)


def test_inputs_share_the_batch_that_the_user_gives_one_of_them() -> None:
    nodes = (*NET, op("labels", "Placeholder", shape=[-1]), op("e", "Exp", "labels"))
    table = measured(*nodes, shapes=[InputShape(name="x", sizes=(7, 4))])
    assert column(table, "output_shapes")["e"] == [[7]]
    assert column(table, "float_ops_assumes") == {
        **dict.fromkeys(("x", "w", "y", "z", "decay", "labels")),
        "e": "batch",
    }


def test_a_batch_that_contradicts_an_input_shape_is_refused() -> None:
    with pytest.raises(OptionError, match=r"^--batch: the batch is 7 in --input-shape, not 8; leave the option out"):
        measured(*NET, batch=Batch(8, is_given=True), shapes=[InputShape(name="x", sizes=(7, 4))])


def test_a_figure_that_is_known_anyway_does_not_rest_on_a_batch() -> None:
    table = measured(*NET, op("n", "Shape", "x"), op("twice", "Add", "n", "n"))
    assert column(table, "float_ops")["twice"] == 2
    assert column(table, "float_ops_assumes")["twice"] is None


def test_sizes_of_a_run_count_before_a_batch() -> None:
    table = measured(*NET, runs=[{"x": (5, 4)}])
    assert column(table, "float_ops")["y"] == 5 * 24
    assert column(table, "float_ops_assumes")["y"] == "run_metadata"
    assert column(table, "shape_source") == {
        "x": "run_metadata",
        "w": "inferred",
        "y": "inferred",
        "z": "inferred",
        "decay": "inferred",
    }


def test_no_batch_is_assumed_where_the_run_had_one() -> None:
    """The run has the batch at `z` only: figures that need the shape of `y` are not counted with another batch."""
    table = measured(*NET, op("e", "Exp", "z"), runs=[{"z": (5, 3)}])
    assert column(table, "float_ops") == {"x": 0, "w": 0, "y": None, "z": None, "decay": 35, "e": 15}
    assert "the batch is 5 in run metadata, so add --batch 5; else give --input-shape x=?,4" in warning(table)
    agreeing = measured(*NET, runs=[{"z": (5, 3)}], batch=Batch(5, is_given=True))
    assert column(agreeing, "float_ops")["y"] == 5 * 24
    with pytest.raises(OptionError, match=r"^--batch: the batch is 5 in run metadata, of x, not 8"):
        measured(*NET, runs=[{"z": (5, 3)}], batch=Batch(8, is_given=True))


@pytest.mark.parametrize("name", ["x", "z"])
def test_steps_that_disagree_on_the_batch_leave_it_open(name: str) -> None:
    width = {"x": 4, "z": 3}[name]
    for batch in (ASSUMED, Batch(5, is_given=True)):
        table = measured(*NET, runs=[{name: (5, width)}, {name: (6, width)}], batch=batch)
        assert column(table, "float_ops")["y"] is None
        assert "steps disagree on the batch" in warning(table)


def test_sizes_on_which_steps_agree_count_beside_one_on_which_they_do_not() -> None:
    nodes = (op("x", "Placeholder"), op("y", "MyOp", "x"), op("s", "Softmax", "y"))
    table = measured(*nodes, runs=[{"y": (5, 9)}, {"y": (6, 9)}])
    assert column(table, "output_shapes")["s"] == [[-1, 9]]


def test_a_layout_that_the_run_changed_leaves_that_of_the_graph() -> None:
    """A run on a GPU may have NCHW where the graph has NHWC; its sizes at other places are then those of inputs."""
    kernel = const("k", [0] * 4)
    kernel.attr["value"].tensor.tensor_shape.CopyFrom(shape_proto((3, 3, 3, 8)))
    conv = op("conv", "Conv2D", "x", "k", strides=[1, 1, 1, 1], padding="SAME", data_format="NHWC")
    nodes = (op("x", "Placeholder", shape=[-1, -1, -1, 3]), kernel, conv, op("relu", "Relu", "conv"))
    table = measured(*nodes, runs=[{"x": (2, 6, 5, 3), "conv": (2, 8, 6, 5), "relu": (2, 8, 6, 5)}])
    assert column(table, "output_shapes")["relu"] == [[2, 6, 5, 8]]
    assert column(table, "float_ops")["conv"] == 2 * 2 * 6 * 5 * 8 * 3 * 3 * 3
    assert column(table, "shape_conflict") == {"x": False, "k": False, "conv": True, "relu": True}


@pytest.mark.parametrize(("text", "size"), [("8", 8), (" 70 ", 70), (16, 16), ("unknown", None)])
def test_a_batch_is_a_number_or_unknown(text: str | int, size: int | None) -> None:
    assert parse_batch(text) == Batch(size)
    assert parse_batch(text).is_given


@pytest.mark.parametrize("text", ["0", "-1", "eight", "", "1.5", "9" * 14, "\u0663"])
def test_what_is_no_batch_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"^--batch: .* is not a batch; write a number such as 8, or unknown$"):
        parse_batch(text)
