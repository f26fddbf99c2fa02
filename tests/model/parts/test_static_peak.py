"""The estimate of a graph's peak: what is alive when nodes run as soon as they can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import call, function, graph, inputs_of, models, node, with_library
from repository import DATA

from tfprof_report.graph_search import topological
from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.parts.static_peak import estimate_peak
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.model.totals import PeakEstimate


def sized(name: str, op: str, *inputs: str, size: int = 25) -> Any:
    """Return a node with an output of `size` elements."""
    return node(name, op, *inputs, output_shapes=[[size]])


def typed(made: Any) -> Any:
    """Return a node whose output is of floats, 4 bytes each, by its attribute."""
    made.attr["dtype"].type = 1
    return made


def estimate(*nodes: Any) -> PeakEstimate:
    return estimate_peak(build_node_table(inputs_of(graph(*nodes)), functions=INLINED))


def peak(*nodes: Any) -> int | None:
    """Return the estimated peak; all nodes have to be known."""
    found = estimate(*nodes)
    assert found.known == found.capable
    return found.bytes


X = typed(sized("x", "Placeholder"))
"""100 bytes that stay."""


def test_an_output_is_alive_until_its_last_consumer_has_run() -> None:
    chain = [X, sized("a", "MatMul", "x"), sized("b", "MatMul", "a"), sized("c", "MatMul", "b")]
    assert peak(X) == 100
    assert peak(*chain[:2]) == 200
    assert peak(*chain) == 300
    assert peak(*chain, sized("d", "MatMul", "c", "a")) == 400


def test_results_that_nobody_takes_are_released_at_once() -> None:
    assert peak(X, *(sized(f"a{place}", "MatMul", "x") for place in range(5))) == 200


def test_a_result_may_take_the_place_of_an_input_that_nobody_else_needs() -> None:
    assert peak(X, sized("a", "MatMul", "x"), sized("b", "Relu", "a"), sized("c", "Neg", "b")) == 200
    assert peak(X, sized("a", "Relu", "x")) == 200  # what is fed is not overwritten
    assert peak(X, sized("a", "MatMul", "x"), sized("b", "Relu", "a"), sized("c", "MatMul", "b", "a")) == 400
    assert peak(X, sized("a", "MatMul", "x"), sized("b", "BiasAdd", "a", size=20)) == 280


def test_what_hands_on_an_input_allocates_nothing_and_keeps_it_alive() -> None:
    late = sized("d", "MatMul", "c", "view")
    view = sized("view", "Reshape", "a")
    nodes = [X, sized("a", "MatMul", "x"), view, sized("b", "MatMul", "a"), sized("c", "MatMul", "b"), late]
    assert peak(*nodes) == 400
    assert peak(*nodes[:2], view, sized("e", "Identity", "view")) == 200


def test_parameters_and_constants_stay() -> None:
    weights = typed(node("w", "VariableV2", shape=[50]))
    assert peak(weights, typed(sized("c", "Const"))) == 300
    assert peak(weights, sized("r", "Identity", "w"), X, sized("y", "MatMul", "x", "r")) == 400


def test_readers_of_a_shape_need_no_buffer() -> None:
    nodes = [X, sized("a", "MatMul", "x"), sized("b", "MatMul", "a"), sized("c", "MatMul", "b")]
    shape = node("shape", "Shape", "a", output_shapes=[[1]])
    assert peak(*nodes, sized("d", "MatMul", "c", "shape"), shape) == 304


def test_parts_that_do_not_run_in_a_step_do_not_count() -> None:
    huge = 10**6
    nodes = [
        X,
        typed(node("w", "VariableV2", shape=[25])),
        typed(sized("w/Initializer/zeros", "Fill", size=huge)),
        sized("w/Assign", "Assign", "w", "w/Initializer/zeros", size=huge),
        sized("w/read", "Identity", "w"),
        sized("y", "MatMul", "x", "w/read"),
        sized("gradients/used", "MatMul", "x", "y"),
        sized("gradients/of_a_constant", "MatMul", "x", "y", size=huge),
        sized("step/update_w", "ApplyGradientDescent", "w", "y", "gradients/used"),
    ]
    assert peak(*nodes) == 400
    assert peak(*nodes[:-1]) == 4_000_300  # without an optimizer, gradients are results


@pytest.mark.parametrize(
    "unknown",
    [
        node("u", "MatMul", "x", output_shapes=[[-1]]),
        node("u", "MatMul", "x"),
        node("u", "OfAnUnknownType", output_shapes=[[25]]),
        sized("u", "TensorListPushBack", "x"),
        typed(node("u", "VariableV2")),
    ],
    ids=["size", "shape", "type", "list", "variable"],
)
def test_without_a_size_it_is_a_lower_bound(unknown: Any) -> None:
    assert estimate(X, unknown) == PeakEstimate(bytes=100, known=1, capable=2)


def test_without_any_size_nothing_is_known() -> None:
    assert estimate(node("a", "MatMul")) == PeakEstimate(bytes=None, known=0, capable=1)
    huge = [typed(sized(f"a{place}", "Const", size=2**60)) for place in range(2)]
    assert estimate(*huge).bytes is None


def test_a_loop_in_frames_is_one_iteration() -> None:
    assert (
        peak(
            X,
            sized("enter", "Enter", "x"),
            sized("merge", "Merge", "enter", "next"),
            sized("body", "MatMul", "merge"),
            sized("next", "NextIteration", "body"),
            sized("exit", "Exit", "merge"),
            sized("y", "MatMul", "exit"),
        )
        == 200
    )


def test_a_while_runs_its_body_before_what_comes_after_it() -> None:
    library = [
        function("body", ["s"], {"r": "m"}, sized("m", "MatMul", "s"), sized("m2", "MatMul", "m")),
        function("cond", ["s"], {"r": "l"}, node("l", "Less", "s", output_shapes=[[]])),
    ]
    loop = call("loop", "While", "a", body="body", cond="cond")
    made = with_library(graph(X, sized("a", "MatMul", "x"), loop, sized("y", "MatMul", "loop")), *library)
    found = estimate_peak(build_node_table(inputs_of(made), functions=INLINED))
    assert found.known == found.capable
    assert found.bytes == 401


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_it_is_what_a_walk_over_the_nodes_finds(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 8))
    sizes = data.draw(st.lists(st.integers(0, 30), min_size=count, max_size=count))
    ops = data.draw(st.lists(st.sampled_from(["MatMul", "Identity"]), min_size=count, max_size=count))
    inputs = [data.draw(st.lists(st.integers(0, each - 1), max_size=3)) if each else [] for each in range(count)]
    ops = [op if of else "MatMul" for op, of in zip(ops, inputs, strict=True)]
    nodes = [
        sized(f"n{each}", ops[each], *(f"n{source}" for source in inputs[each]), "x", size=sizes[each])
        for each in range(count)
    ]
    edges = [(source, each) for each in range(count) for source in inputs[each]]
    sources, targets = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    order = np.argsort(topological(sources, targets, count)).tolist()
    origin = list(range(count))
    for each in range(count):
        if ops[each] == "Identity":
            origin[each] = origin[inputs[each][0]]
    most = 0
    for place, running in enumerate(order):
        ahead = order[place:]
        needed = {origin[source] for each in ahead for source in inputs[each]} | {origin[running]}
        done = set(order[: place + 1])
        most = max(most, sum(4 * sizes[each] for each in needed & done if ops[each] == "MatMul"))
    assert peak(X, *nodes) == 100 + most


@settings(max_examples=examples(60), deadline=None)
@given(model=models())
def test_any_graph_has_an_estimate(model: Any) -> None:
    for functions in (INLINED, None):
        found = estimate_peak(build_node_table(inputs_of(*model), functions=functions))
        assert 0 <= found.known <= found.capable
        assert found.bytes is None or found.bytes >= 0


@pytest.mark.parametrize(
    ("model", "expected", "measured"),
    [("resnet/base", 360_011_652, 369_098_752), ("resnet/head", 350_406_852, 359_661_568)],
)
def test_the_estimate_of_a_training_step_is_near_its_peak(model: str, expected: int, measured: int) -> None:
    read = read_inputs(resolve_paths(str(DATA / model)))
    table = build_node_table(read, functions=INLINED, shapes=ShapeUse.TABLES)
    found = estimate_peak(table)
    assert (found.bytes, found.known) == (expected, found.capable)
    assert max(peak.device_peak_bytes or 0 for peak in table.devices) == measured
