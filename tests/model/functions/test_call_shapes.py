"""Shapes that flow into functions and out of them: calls, branches, loops."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from graph_nodes import const, op
from messages import call, chain, function, graph, inputs_of, with_library
from repository import DATA

from tfprof_report.ingest.paths import parse_input_shape, resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import use_functions
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes import infer as infer_shapes
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED

FOLDER = DATA / "functions"


def table_of(inputs: Any) -> NodeTable:
    rules, functions = use_rules("extended", CORRECTED), use_functions("on")
    return build_node_table(inputs, rules, CORRECTED, functions, shapes=ShapeUse.RULES)


def shapes_of(made: Any) -> dict[str, Any]:
    table = table_of(inputs_of(made))
    return dict(zip(table.column("name").to_pylist(), table.column("output_shapes").to_pylist(), strict=True))


def saved(name: str, *shapes: str) -> dict[str, int | None]:
    paths = resolve_paths(str(FOLDER / f"{name}.pb.gz"))
    table = table_of(read_inputs(replace(paths, input_shapes=tuple(map(parse_input_shape, shapes)))))
    return dict(zip(table.column("name").to_pylist(), table.column("float_ops").to_pylist(), strict=True))


@pytest.mark.parametrize("batch", [1, 2])
def test_a_saved_model_without_shapes_counts_like_one_with_them(batch: int) -> None:
    """A convolution, a dense layer, one that a While applies three times, one in a branch; all in nested functions."""
    shape = f"serving_default_image={batch},8,8,3"
    bare = saved("saved_bare", shape)
    assert bare == saved("saved", shape)
    counted = sum(count or 0 for name, count in bare.items() if name.endswith(("convolution", "MatMul")))
    assert counted == batch * 2 * (64 * 4 * 27 + 256 * 16 + 3 * 16 * 16 + 16 * 32)


def test_a_saved_model_of_unknown_batch_is_unknown() -> None:
    bare = saved("saved_bare")
    assert [count for name, count in bare.items() if name.endswith(("convolution", "MatMul"))] == [None] * 4


def test_of_calls_that_share_a_body_the_first_has_its_shapes() -> None:
    made = chain(50, op("end", "Exp", "x"))
    made.node.extend([op("b", "PlaceholderV2", shape=[2, 2]), call("g", "f0", "b"), op("after", "Exp", "g")])
    for each in made.library.function[:-1]:
        each.ret["y"] = "a:y:0"
    shapes = shapes_of(made)
    assert (shapes["f"], shapes["after"]) == ([[4, 4]], None)


X = op("x", "PlaceholderV2", shape=[4, 4])
NEG = function("neg", ["a"], {"y": "n:y:0"}, op("n", "Neg", "a"))
SUM = function("sum", ["a"], {"y": "s:output:0"}, op("s", "MatMul", "a", "a"))
ZERO = const("zero", 0)


def test_a_call_of_a_call_gives_what_the_inner_body_returns() -> None:
    outer = function("outer", ["a"], {"y": "inner:y:0"}, call("inner", "PartitionedCall", "a", f="neg"))
    made = graph(X, call("f", "PartitionedCall", "x", f="outer"), op("after", "Exp", "f"))
    shapes = shapes_of(with_library(made, NEG, outer))
    assert shapes["f"] == shapes["f/inner"] == shapes["after"] == [[4, 4]]


def test_branches_that_agree_say_what_a_conditional_gives() -> None:
    made = graph(X, call("c", "If", "p", "x", then_branch="neg", else_branch="sum"), op("after", "Exp", "c"))
    assert shapes_of(with_library(made, NEG, SUM))["after"] == [[4, 4]]


def test_branches_that_differ_say_only_what_both_have() -> None:
    nine = op("nine", "PlaceholderV2", shape=[4, 9])
    wide = function("wide", ["a"], {"y": "w:output:0"}, op("w", "BatchMatMulV2", "a", "nine:output:0"), nine)
    made = graph(X, call("c", "If", "p", "x", then_branch="neg", else_branch="wide"))
    assert shapes_of(with_library(made, NEG, wide))["c"] == [[4, -1]]


def test_a_conditional_of_which_a_branch_is_missing_gives_nothing() -> None:
    made = graph(X, call("c", "If", "p", "x", then_branch="neg", else_branch="nowhere"), op("after", "Exp", "c"))
    assert shapes_of(with_library(made, NEG))["after"] in ([None], None)


def loop(body: Any) -> dict[str, Any]:
    cond = function("cond", ["a"], {"y": "less:z:0"}, op("less", "Less", "a", "a"))
    made = graph(X, call("loop", "While", "x", cond="cond", body=body.signature.name), op("after", "Exp", "loop"))
    return shapes_of(with_library(made, cond, body))


def test_a_loop_gives_what_it_begins_with_where_its_body_returns_the_same() -> None:
    shapes = loop(SUM)
    assert shapes["loop"] == shapes["loop/body/s"] == shapes["after"] == [[4, 4]]


def test_a_size_that_an_iteration_changes_is_not_known_within_the_loop() -> None:
    grows = function("grows", ["a"], {"y": "c:output:0"}, op("c", "ConcatV2", "a", "a", "zero:output:0"), ZERO)
    shapes = loop(grows)
    assert shapes["loop"] == shapes["after"] == [[-1, 4]]


def test_the_attribute_of_a_loop_counts_as_the_graphs_word() -> None:
    cond = function("cond", ["a"], {"y": "less:z:0"}, op("less", "Less", "a", "a"))
    made = call("loop", "While", "any", cond="cond", body="neg")
    made.attr["output_shapes"].list.shape.add().dim.add(size=7)
    shapes = shapes_of(with_library(graph(made, op("after", "Exp", "loop")), cond, NEG))
    assert shapes["loop/body/n"] == shapes["after"] == [[7]]


def test_what_the_limit_of_steps_leaves_open_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(infer_shapes, "MOST_STEPS", 4)
    table = table_of(inputs_of(graph(X, op("a", "Exp", "x"), op("b", "Neg", "a"), op("c", "Tanh", "b"))))
    found = next(each for each in table.diagnostics if each.code == "shapes_beyond_limit")
    assert (found.count, found.examples) == (2, ("b", "c"))
    monkeypatch.setattr(infer_shapes, "_SMALL", 2)  # of 4 nodes: 2 steps more
    table = table_of(inputs_of(graph(X, op("a", "Exp", "x"), op("b", "Neg", "a"), op("c", "Tanh", "b"))))
    found = next(each for each in table.diagnostics if each.code == "shapes_beyond_limit")
    assert (found.count, found.examples) == (1, ("c",))


def test_what_is_taken_off_a_stack_has_the_shape_that_was_put_on_it() -> None:
    bare = saved("gradients_v1_bare")
    assert bare == saved("gradients_v1")
