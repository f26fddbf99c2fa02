"""Dead code: nodes that no output of their function needs and that have no side effect are not executed."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from messages import call, function, graph, inputs_of, node, with_library
from repository import DATA

from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED, use_functions
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.graph.side_effects import has_side_effect
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics

ALL_BRANCHES = use_functions("on", "sum")


def table_of(made: Any, outputs: tuple[str, ...] = (), semantics: Semantics = CORRECTED) -> NodeTable:
    return build_node_table(inputs_of(made), use_rules("extended", CORRECTED), semantics, ALL_BRANCHES, outputs=outputs)


def dead(made: Any, outputs: tuple[str, ...] = ()) -> set[str]:
    """Return the names of the nodes with multiplicity 0."""
    table = table_of(made, outputs)
    return {
        row["name"] for row in table.columns.select(["name", "multiplicity"]).to_pylist() if not row["multiplicity"]
    }


def square(name: str, op: str, *inputs: str) -> Any:
    return node(name, op, *inputs, output_shapes=[(4, 4)])


A = square("a", "Placeholder")
TWO_RESULTS = function(
    "two",
    ["x"],
    {"first": "mul:z:0", "second": "exp:y:0"},
    square("mul", "Mul", "x", "x"),
    square("exp", "Exp", "x"),
    square("probe", "MatMul", "x", "x"),
    square("after", "Neg", "probe:product:0"),
)


def test_a_node_that_no_result_needs_is_not_executed() -> None:
    made = with_library(graph(A, call("f", "PartitionedCall", "a", f="two")), TWO_RESULTS)
    table = table_of(made)
    assert dead(made) == {"f/probe", "f/after"}
    rows = {row["name"]: row for row in table.columns.to_batch().to_pylist()}
    assert (rows["f/probe"]["float_ops"], rows["f/probe"]["macs"], rows["f/probe"]["single_float_ops"]) == (0, 0, 128)
    (note,) = [each for each in table.diagnostics if each.code == "not_executed"]
    assert (note.severity, note.count, note.examples) == ("note", 2, ("f/probe", "f/after"))


def test_the_graph_itself_is_executed_and_tfprof_executes_everything() -> None:
    assert dead(graph(A, square("n", "Neg", "a"))) == set()
    made = with_library(graph(A, call("f", "PartitionedCall", "a", f="two")), TWO_RESULTS)
    assert set(table_of(made, semantics=TFPROF).column("multiplicity").to_pylist()) == {1}


def test_an_inner_call_computes_only_the_results_that_its_caller_needs() -> None:
    outer = function(
        "outer", ["x"], {"y": "neg:y:0"}, call("g", "PartitionedCall", "x", f="two"), square("neg", "Neg", "g:output:1")
    )
    made = with_library(graph(A, call("f", "outer", "a")), TWO_RESULTS, outer)
    assert dead(made) == {"f/g/mul", "f/g/probe", "f/g/after"}


def test_a_call_that_nothing_needs_does_not_execute_its_body_nor_what_feeds_it() -> None:
    outer = function(
        "outer",
        ["x"],
        {"y": "neg:y:0"},
        square("cost", "MatMul", "x", "x"),
        call("g", "PartitionedCall", "cost:product:0", f="two"),
        square("neg", "Neg", "x"),
    )
    made = with_library(graph(A, call("f", "outer", "a")), TWO_RESULTS, outer)
    assert dead(made) == {"f/cost", "f/g", "f/g/mul", "f/g/exp", "f/g/probe", "f/g/after"}


def test_an_unknown_figure_of_dead_code_counts_as_0() -> None:
    lone = function("lone", ["x"], {"y": "x"}, node("probe", "MatMul", "x", "x"))
    rows = table_of(with_library(graph(A, call("f", "lone", "a")), lone)).columns.to_batch().to_pylist()
    (probe,) = [row for row in rows if row["name"] == "f/probe"]
    assert (probe["float_ops"], probe["macs"], probe["float_ops_reason"]) == (0, 0, None)
    assert probe["single_float_ops"] is None


def counts_of(table: NodeTable) -> dict[str, int | None]:
    return {each.code: each.count for each in table.diagnostics}


EFFECTS = (
    ("AssignVariableOp", True),
    ("AssignAddVariableOp", True),
    ("ResourceApplyAdam", True),
    ("ResourceScatterNdUpdate", True),
    ("ScatterUpdate", True),
    ("LookupTableInsertV2", True),
    ("PrintV2", True),
    ("Assert", True),
    ("EagerPyFunc", True),
    ("SaveV2", True),
    ("WriteScalarSummary", True),
    ("IteratorGetNext", True),
    ("QueueEnqueueV2", True),
    ("CollectiveReduceV2", True),
    ("ReadVariableOp", False),
    ("VarHandleOp", False),
    ("ResourceGather", False),
    ("RandomUniform", False),
    ("MatMul", False),
    ("AddN", False),
)


@pytest.mark.parametrize(("op", "has_effect"), EFFECTS)
def test_a_side_effect_and_what_it_needs_is_executed(op: str, *, has_effect: bool) -> None:
    body = function("body", ["x"], {"y": "x"}, square("mm", "MatMul", "x", "x"), node("op", op, "mm:product:0"))
    made = with_library(graph(A, call("f", "body", "a")), body)
    assert dead(made) == (set() if has_effect else {"f/mm", "f/op"})
    assert has_side_effect(pa.array([op, None])).tolist() == [has_effect, False]


def test_a_control_output_of_a_function_is_executed() -> None:
    body = function("body", ["x"], {"y": "x"}, square("mm", "MatMul", "x", "x"), node("op", "MyOwnOp", "mm:product:0"))
    body.control_ret["op"] = "op"
    assert dead(with_library(graph(A, call("f", "body", "a")), body)) == set()


def test_a_control_input_is_executed() -> None:
    body = function("body", ["x"], {"y": "n:y:0"}, square("mm", "MatMul", "x", "x"), square("n", "Neg", "x", "^mm"))
    assert dead(with_library(graph(A, call("f", "body", "a")), body)) == set()


def test_branches_compute_the_results_that_are_needed_and_side_effects_keep_the_choice() -> None:
    outer = function(
        "outer",
        ["x"],
        {"y": "if:output:1"},
        node("p", "Const"),
        call("if", "If", "p", "x", then_branch="two", else_branch="two"),
    )
    made = with_library(graph(A, call("f", "outer", "a")), TWO_RESULTS, outer)
    sides = ("then", "else")
    assert dead(made) == {f"f/if/{side}/{name}" for side in sides for name in ("mul", "probe", "after")}
    writes = function("writes", ["x"], {"y": "x"}, node("w", "AssignVariableOp", "x"))
    apart = function(
        "apart",
        ["x"],
        {"y": "x"},
        node("p", "Const"),
        call("if", "If", "p", "x", then_branch="writes", else_branch="writes"),
    )
    assert "f/p" not in dead(with_library(graph(A, call("f", "apart", "a")), writes, apart))


def test_a_loop_computes_all_that_its_body_returns_and_nothing_else() -> None:
    body = function(
        "body",
        ["i", "x"],
        {"i_": "next:z:0", "x_": "exp:y:0"},
        node("one", "Const"),
        square("next", "Add", "i", "one:output:0"),
        square("exp", "Exp", "x"),
        square("probe", "MatMul", "x", "x"),
    )
    cond = function("cond", ["i", "x"], {"c": "less:z:0"}, node("limit", "Const"), node("less", "Less", "i", "limit"))
    outer = function(
        "outer",
        ["x"],
        {"y": "w:output:0"},
        node("zero", "Const"),
        call("w", "While", "zero", "x", cond="cond", body="body"),
    )
    unused = function(
        "unused", ["x"], {"y": "x"}, node("zero", "Const"), call("w", "While", "zero", "x", cond="cond", body="body")
    )
    made = with_library(graph(A, call("f", "outer", "a")), body, cond, outer)
    assert counts_of(table_of(made))["not_executed"] == 1
    names = table_of(made).column("name").to_pylist()
    assert "f/w/body/probe" in dead(made)
    unneeded = with_library(graph(A, call("f", "unused", "a")), body, cond, unused)
    assert dead(unneeded) >= {name for name in names if name not in ("a", "f")}


FUNCTION_GRAPH = graph(
    node("a", "Placeholder", output_shapes=[(4, 4)], _user_specified_name="a"),
    square("probe", "MatMul", "a", "a"),
    square("neg", "Neg", "a"),
    square("Identity", "Identity", "neg"),
    square("more", "Exp", "neg"),
    square("Identity_1", "Identity", "more"),
    node("write", "AssignVariableOp", "handle", "cost"),
    square("cost", "Exp", "a"),
)


def test_the_graph_of_a_function_executes_what_it_returns_and_side_effects() -> None:
    assert dead(FUNCTION_GRAPH) == {"probe"}
    (note,) = [each for each in table_of(FUNCTION_GRAPH).diagnostics if each.code == "not_executed"]
    assert note.text.endswith("; the graph is that of a tf.function that returns Identity, Identity_1")


@pytest.mark.parametrize("outputs", ["probe", "probe:0", "all"])
def test_what_the_user_asks_for_is_executed(outputs: str) -> None:
    assert dead(FUNCTION_GRAPH, (outputs,)) == set()


def test_a_graph_that_is_not_of_a_function_or_returns_in_another_way_executes_all_nodes() -> None:
    nodes = list(FUNCTION_GRAPH.node)
    assert dead(graph(square("a", "Placeholder"), *nodes[1:])) == set()
    assert dead(graph(*(each for each in nodes if not each.name.startswith("Identity")))) == set()


def test_variables_that_only_dead_code_reads_are_unused() -> None:
    body = function(
        "body",
        ["x", "h", "g"],
        {"y": "keep:product:0"},
        square("read", "ReadVariableOp", "h"),
        square("probe", "MatMul", "x", "read:value:0"),
        square("read_g", "ReadVariableOp", "g"),
        square("keep", "MatMul", "x", "read_g:value:0"),
    )
    variables = [node(name, "VarHandleOp", shape=(4, 4), shared_name=name) for name in ("h", "g")]
    made = with_library(graph(A, *variables, call("f", "body", "a", "h", "g")), body)
    rows = {row["name"]: row["param_kind"] for row in table_of(made).columns.to_batch().to_pylist()}
    assert (rows["h"], rows["g"]) == ("unused", "unknown")


@pytest.mark.parametrize("form", ["function", "saved_model"])
def test_the_first_step_that_keras_builds_twice_counts_once_in_every_form(form: str) -> None:
    """A sequence of one step: the layer's own call of its cell is as large as the loop."""
    inputs = read_inputs(resolve_paths(str(DATA / "functions" / f"one_step_{form}.pb.gz")))
    table = build_node_table(inputs, use_rules("extended", CORRECTED), functions=INLINED, shapes=ShapeUse.RULES)
    assert sum(filter(None, table.column("macs").to_pylist())) == 99_584
