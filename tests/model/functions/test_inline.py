"""The function library inlined per call: names, inputs, multiplicity, policies, limits."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import call, chain, function, graph, inputs_of, node, with_library
from repository import DATA

from tfprof_report.errors import InputError
from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import use_functions
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.functions.inline import Skipped, expand_functions
from tfprof_report.model.node_table import NodeTable
from tfprof_report.semantics import CORRECTED

NESTED = DATA / "functions" / "nested.pb.gz"


def square(name: str, op: str, *inputs: str) -> Any:
    return node(name, op, *inputs, output_shapes=[(4, 4)])


def table_of(made: Any, *words: str) -> NodeTable:
    return build_node_table(inputs_of(made), use_rules("tfprof", CORRECTED), CORRECTED, use_functions("on", *words))


def column(table: NodeTable, name: str) -> dict[str, Any]:
    return dict(zip(table.column("name").to_pylist(), table.column(name).to_pylist(), strict=True))


LAYER = function(
    "layer",
    ["x", "w"],
    {"y": "norm:batch_mean:0"},
    square("matmul", "MatMul", "x", "w"),
    node("norm", "FusedBatchNormV3", "matmul:product:0", "^x", output_shapes=[(4, 4), (4,)]),
)


def test_a_body_stands_below_its_call_with_the_inputs_of_the_call() -> None:
    made = graph(
        square("a", "Placeholder"), square("b", "Placeholder"), call("f", "PartitionedCall", "a", "b:1", f="layer")
    )
    table = table_of(with_library(made, LAYER))
    assert column(table, "inputs") == {
        "a": [], "b": [], "f": ["a", "b:1"], "f/matmul": ["a", "b:1"], "f/norm": ["f/matmul", "^a"],
    }  # fmt: skip
    assert column(table, "float_ops")["f/matmul"] == 2 * 4 * 16


def test_a_call_has_the_shapes_that_its_body_returns() -> None:
    inner = function("outer", ["x"], {"z": "g:y:0"}, call("g", "layer", "x", "x"))
    made = graph(
        square("a", "Placeholder"), call("f", "StatefulPartitionedCall", "a", f="outer"), node("n", "Neg", "f")
    )
    table = table_of(with_library(made, LAYER, inner))
    assert column(table, "output_shapes")["f"] == [[4]]
    assert column(table, "float_ops")["n"] == 4


def test_two_calls_have_two_bodies() -> None:
    made = graph(square("a", "Placeholder"), *(call(name, "layer", "a", "a") for name in "fg"))
    assert {"f/matmul", "g/matmul"} <= set(column(table_of(with_library(made, LAYER)), "name"))


def branches(*policy: str) -> dict[str, Any]:
    small = function("small", ["x"], {"y": "neg:y:0"}, square("neg", "Neg", "x"))
    large = function("large", ["x"], {"y": "mm:product:0"}, square("mm", "MatMul", "x", "x"))
    made = graph(square("a", "Placeholder"), call("if", "If", "p", "a", then_branch="small", else_branch="large"))
    return column(table_of(with_library(made, small, large), *policy), "multiplicity")


@pytest.mark.parametrize(("policy", "then", "other"), [("max", 0, 1), ("sum", 1, 1), ("none", 0, 0)])
def test_branches_count_by_the_policy(policy: str, then: int, other: int) -> None:
    times = branches(policy)
    assert (times["if/then/neg"], times["if/else/mm"]) == (then, other)


def test_nested_functions_of_tensorflow_count_as_by_hand() -> None:
    table = build_node_table(
        read_inputs(resolve_paths(str(NESTED))), use_rules("tfprof", CORRECTED), CORRECTED, use_functions("on")
    )
    layer = 2 * 8 * 32 + 32
    five = 6 + 5 * (31 + 1 + 1 + 1 + layer)  # condition six times; sum, greater, two counters and the larger branch
    three = 4 + 3 * (2 * 8 * 32 + 1 + 1)  # 2, 5, 8 are below 11
    # the length of the range (a difference, a comparison, a sum, a maximum) is computed but not used
    assert sum(filter(None, column(table, "float_ops").values())) == 2 * layer + five + three
    assert column(table, "multiplicity")["StatefulPartitionedCall_2/Maximum"] == 0
    assert column(table, "multiplicity")["while_1/body/while_1/mul"] is None
    assert "loops_condition" in {found.code for found in table.diagnostics}


def test_without_functions_only_the_graph_counts() -> None:
    table = build_node_table(read_inputs(resolve_paths(str(NESTED))), use_rules("tfprof", CORRECTED), CORRECTED)
    assert {name for name, times in column(table, "multiplicity").items() if times != 1} == {"Const_1"}  # unused
    assert not any("/body/" in name for name in column(table, "name"))


def test_loops_count_once_if_asked() -> None:
    table = build_node_table(
        read_inputs(resolve_paths(str(NESTED))),
        use_rules("tfprof", CORRECTED),
        CORRECTED,
        use_functions("on", "max", "once"),
    )
    assert column(table, "multiplicity")["while_1/body/while_1/mul"] == 1


def test_a_function_that_calls_itself_is_placed_once() -> None:
    again = function("again", ["x"], {"y": "neg:y:0"}, square("neg", "Neg", "x"), call("more", "again", "x"))
    table = table_of(with_library(graph(square("a", "Placeholder"), call("f", "again", "a")), again))
    assert list(column(table, "name")) == ["a", "f", "f/neg", "f/more"]
    assert "functions_recursive" in {found.code for found in table.diagnostics}


def test_a_function_that_is_not_there_is_said() -> None:
    made = with_library(graph(call("f", "PartitionedCall", f="nowhere")), LAYER)
    expansion = expand_functions(inputs_of(made).graph.nodes, inputs_of(made).graph.library)
    assert expansion is not None
    assert expansion.skipped[Skipped.MISSING].tolist() == [0]


def test_a_chain_of_doubled_calls_counts_exactly_without_copies() -> None:
    table = table_of(chain(50, node("end", "Neg", "x", output_shapes=[()])))
    assert table.count < 200
    assert max(column(table, "multiplicity").values()) == 2**50


@pytest.mark.parametrize(
    ("length", "reason"),
    [
        (60, "the figure leaves the 64-bit range"),  # 2^60 executions of 16 FLOPs
        (70, "the node is executed more often than 64 bits can count"),
        (95, "the node is executed more often than 64 bits can count"),
    ],
)
def test_a_chain_beyond_64_bits_is_unknown_and_says_so(length: int, reason: str) -> None:
    table = table_of(chain(length, square("end", "Neg", "x")))
    assert table.column("op").to_pylist()[-1] == "Neg"
    assert table.column("float_ops").to_pylist()[-1] is None
    assert table.column("float_ops_reason").to_pylist()[-1] == reason
    is_said = "functions_too_often" in {found.code for found in table.diagnostics}
    assert is_said == (length > 60)


@pytest.mark.parametrize("library", [(), (LAYER,)])
def test_a_call_without_its_function_is_unknown_and_says_so(library: tuple[Any, ...]) -> None:
    made = graph(call("f", "PartitionedCall", f="nowhere"), call("g", "SymbolicGradient", f="layer"))
    table = table_of(with_library(made, *library))
    why = "the function that the node calls is not in the library, or not inlined"
    assert column(table, "float_ops_reason") == {"f": why, "g": why}
    (found,) = (found for found in table.diagnostics if found.code == "functions_missing")
    assert (found.count, found.examples) == (2, ("f", "g"))


def test_v1_conditionals_are_said_to_count_whole() -> None:
    nodes = [
        square("a", "Placeholder"),
        node("p", "Placeholder", output_shapes=[()]),
        node("s", "Switch", "a", "p", output_shapes=[(4, 4), (4, 4)]),
        square("one", "Neg", "s"),
        square("other", "Neg", "s:1"),
        node("m", "Merge", "one", "other", output_shapes=[(4, 4), ()]),
        node("loop", "Merge", "a", "next", output_shapes=[(4, 4), ()]),
        square("next", "NextIteration", "loop"),
    ]
    table = table_of(graph(*nodes))
    (found,) = (found for found in table.diagnostics if found.code == "v1_conditionals")
    assert (found.count, found.examples) == (1, ("m",))
    assert sum(value or 0 for value in column(table, "float_ops").values()) == 32


def test_names_that_clash_are_told_apart() -> None:
    made = graph(square("a", "Placeholder"), square("f/matmul", "Neg", "a"), call("f", "layer", "a", "a"))
    assert "f~/matmul" in column(table_of(with_library(made, LAYER)), "name")


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=6))
def test_any_library_stays_within_its_limit(callees: list[list[int]]) -> None:
    functions = [
        function(f"f{number}", ["x"], {}, *(call(f"c{at}", f"f{callee}", "x") for at, callee in enumerate(called)))
        for number, called in enumerate(callees)
    ]
    made = with_library(graph(call("top", "f0", "a"), call("again", "f0", "a")), *functions)
    columns = inputs_of(made).graph
    expansion = expand_functions(columns.nodes, columns.library, limit=20)
    assert expansion is not None
    assert expansion.nodes.num_rows <= 2 + max(20, sum(map(len, callees)))
    assert len(set(expansion.nodes["name"].to_pylist())) == expansion.nodes.num_rows


def test_a_call_does_nothing_but_what_stands_below_it() -> None:
    made = graph(
        square("a", "Placeholder"),
        call("known", "PartitionedCall", "a", "a", f="layer"),
        call("missing", "PartitionedCall", "a", "a", f="elsewhere"),
    )
    for rules, figure in (("extended", 0), ("tfprof", None)):
        table = build_node_table(
            inputs_of(with_library(made, LAYER)), use_rules(rules, CORRECTED), CORRECTED, use_functions("on")
        )
        figures, classes = column(table, "float_ops"), column(table, "op_class")
        assert (figures["known"], classes["known"]) == (figure, "no arithmetic")
        assert (figures["missing"], classes["missing"]) == (None, None)


def test_calls_that_feed_themselves_have_no_shapes() -> None:
    same = function("same", ["x"], {"y": "x"}, node("n", "NoOp"))
    made = graph(call("f", "same", "g"), call("g", "same", "f"), node("after", "Neg", "f"))
    assert column(table_of(with_library(made, same)), "output_shapes")["f"] in (None, [None])


def doubling(depth: int, *inner: Any, name: str = "c") -> Any:
    """Return a call of a function that calls another one twice, and so on, `depth` times; the last has `inner`."""
    made = graph(square("a", "Placeholder"), call(name, "PartitionedCall", "a", f="f0"))
    for level in range(depth):
        calls = [call(f"{name}{twin}", "PartitionedCall", "x", f=f"f{level + 1}") for twin in (0, 1)]
        made.library.function.append(function(f"f{level}", ["x"], {"y": f"{name}0:output:0"}, *calls))
    made.library.function.append(function(f"f{depth}", ["x"], {"y": "n:y:0"}, *inner, square("n", "Neg", "x")))
    return made


@pytest.mark.parametrize(
    ("made", "is_shared"),
    [
        (doubling(3), False),
        (doubling(6, square("w", "AddN", *["x"] * 8_000)), True),  # 512,000 inputs of 192 nodes
        (doubling(6, square("w", "AddN", *["x"] * 5_000)), False),
        (doubling(10, name="n" * 30_000), True),  # 2,000 calls, with names of up to 300,000 bytes
        (doubling(40), True),
        (doubling(6, node("w", "Relu", "x", output_shapes=[[]] * 300_000)), True),
        (doubling(6, node("w", "O" * 3_000_000, "x")), True),
    ],
    ids=["small", "inputs", "fewer inputs", "names", "nodes", "shapes", "op types"],
)
def test_inputs_and_names_of_copies_are_limited_like_nodes(made: Any, *, is_shared: bool) -> None:
    columns = inputs_of(made).graph
    assert expand_functions(columns.nodes, columns.library).is_shared == is_shared


def test_names_that_are_too_long_without_copies_are_an_error() -> None:
    made = graph(square("a", "Placeholder"), call("c", "PartitionedCall", "a", f="f0"))
    for level in range(60):
        inner = call("n" * 5_000, "PartitionedCall", "x", f=f"f{level + 1}")
        made.library.function.append(function(f"f{level}", ["x"], {}, inner))
    made.library.function.append(function("f60", ["x"], {}, *[square(f"n{row}", "Neg", "x") for row in range(300)]))
    columns = inputs_of(made).graph
    with pytest.raises(InputError, match=r"have more than 134,217,728 bytes; leave functions out with --functions off"):
        expand_functions(columns.nodes, columns.library)
