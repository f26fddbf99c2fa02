"""How often nodes of loops count: proved from constants, or measured by run metadata; V1 frames and While alike.

The graphs are of TensorFlow 2.21, with control flow V1 and V2, and the run metadata of one step of each: what was
executed is the oracle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from examples import examples
from graph_nodes import const, op
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import graph, inputs_of
from repository import DATA

from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import use_functions
from tfprof_report.model.flops.evaluate import Reason
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED

FOLDER = DATA / "functions"
MAT_MUL = 2 * 4 * 8 * 8  # in the graphs with gradients: 4 x 8 times 8 x 8
SQUARE = 2 * 4 * 4 * 4  # in the others


def table_of(inputs: Any, loops: str = "trip-count", functions: str = "on") -> NodeTable:
    use = use_functions(functions, "max", loops)
    return build_node_table(inputs, use_rules("extended", CORRECTED), CORRECTED, use, shapes=ShapeUse.RULES)


def read(name: str, loops: str = "trip-count", *, run: bool = True) -> NodeTable:
    run_metas = [str(FOLDER / f"{name}.run.pb.gz")] if run else []
    return table_of(read_inputs(resolve_paths(str(FOLDER / f"{name}.pb.gz"), run_metas=run_metas)), loops)


def by_name(table: NodeTable, column: str) -> dict[str, Any]:
    return dict(zip(table.column("name").to_pylist(), table.column(column).to_pylist(), strict=True))


def codes(table: NodeTable) -> set[str]:
    return {found.code for found in table.diagnostics}


LOOPS = ("trip-count", "run-meta")
GRAPHS = ("gradients_v1", "gradients_v2", "chains_v1", "chains_v2")


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("name", GRAPHS)
def test_nodes_count_as_often_as_tensorflow_executed_them(name: str, loops: str) -> None:
    nodes = read(name, loops).nodes
    ran = nodes[(nodes["source"] == "both") & (nodes["op"] != "ControlTrigger")]  # executed even after a loop has ended
    known = ran[ran["multiplicity"].notna()]
    assert dict(zip(known["name"], known["multiplicity"], strict=True)) == dict(
        zip(known["name"], known["run_count"], strict=True)
    )
    assert len(known) == len(ran) if loops == "run-meta" else len(known) > len(ran) / 2


def test_run_metadata_counts_loops_around_calls_and_branches() -> None:
    runs, times = (by_name(read("mixed", "run-meta"), column) for column in ("run_count", "multiplicity"))
    assert (times["loop/body/StatefulPartitionedCall/mm"], runs["loop/body/StatefulPartitionedCall/mm"]) == (4, 4)
    assert (runs["loop/body/cond/then/then_mm"], runs["loop/body/cond/else/e1"]) == (1, 3)  # what the policy asks for:
    assert (times["loop/body/cond/then/then_mm"], times["loop/body/cond/else/e1"]) == (0, 4)


def test_float_ops_of_v1_loops_are_those_of_an_iteration_times_iterations() -> None:
    float_ops = by_name(read("gradients_v1"), "float_ops")
    assert float_ops["loop/mm"] == 5 * MAT_MUL
    assert float_ops["outer/inner/inner_mm"] == 4 * 3 * MAT_MUL
    assert float_ops["loop/Less"] == 6  # once more than the body
    assert float_ops["gradients/loop/mm_grad/MatMul"] == 5 * MAT_MUL
    assert float_ops["gradients/outer/inner/inner_mm_grad/MatMul_1"] == 4 * 3 * MAT_MUL


def test_the_same_model_has_the_same_float_ops_with_control_flow_of_both_versions() -> None:
    first, second = (sum(filter(None, by_name(read(name), "float_ops").values())) for name in GRAPHS[:2])
    assert first == second


def test_a_loop_whose_end_depends_on_data_is_unknown_with_the_reason() -> None:
    table = read("gradients_v1")
    assert by_name(table, "float_ops")["dyn/dyn_mm"] is None
    assert by_name(table, "single_float_ops")["dyn/dyn_mm"] == MAT_MUL
    assert by_name(table, "float_ops_reason")["dyn/dyn_mm"] == Reason.LOOP
    found = next(each for each in table.diagnostics if each.code == "loops_condition")
    assert found.examples == ("dyn/LoopCond",)
    assert f"({MAT_MUL + 3} FLOPs per iteration)" in found.text  # a product, two counters and a comparison


def test_run_metadata_adds_the_loops_that_are_else_unknown() -> None:
    proved, run = (sum(filter(None, by_name(read("gradients_v1", loops), "float_ops").values())) for loops in LOOPS)
    forward = 4 * (MAT_MUL + 2) + 5  # four iterations, five comparisons
    backward = 4 * (2 * MAT_MUL + 8 * 8 + 1) + 5  # two products, a sum of weights, a counter
    assert run - proved == forward + backward


def test_what_takes_no_float_ops_takes_none_however_often() -> None:
    assert by_name(read("gradients_v1"), "float_ops")["dyn/Switch"] == 0


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_loop_may_go_on_from_where_another_ended(version: str) -> None:
    float_ops = by_name(read(f"chains_{version}"), "float_ops")
    second = "second/second_mm" if version == "v1" else "second/body/second_mm_0"
    down = "down/down_mm" if version == "v1" else "down/body/down_mm_0"
    assert (float_ops[second], float_ops[down]) == (
        9 * SQUARE,
        4 * SQUARE,
    )  # 0, 3, 6 end at 9; 9, 7, 5, 3 are 2 or more


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_loop_that_goes_on_to_the_counter_around_it_is_unknown(version: str) -> None:
    nodes = read(f"chains_{version}").nodes
    small = nodes[nodes["name"].str.contains("small_mm") & (nodes["op"] == "MatMul")]
    assert small["multiplicity"].isna().all()


def test_loops_count_once_if_asked() -> None:
    table = read("gradients_v1", "once")
    assert by_name(table, "float_ops")["outer/inner/inner_mm"] == MAT_MUL
    assert set(by_name(table, "multiplicity").values()) == {1}
    assert "loops_once" in codes(table)


def test_without_functions_loops_are_not_looked_at() -> None:
    inputs = read_inputs(resolve_paths(str(FOLDER / "gradients_v1.pb.gz")))
    assert set(by_name(table_of(inputs, functions="off"), "multiplicity").values()) == {1}


@pytest.mark.parametrize("name", ["gradients_v1", "gradients_v2"])
def test_loops_are_unknown_where_run_metadata_has_nothing_of_them(name: str) -> None:
    table = read(name, "run-meta", run=False)
    assert by_name(table, "float_ops_reason")["loop/mm" if name.endswith("1") else "loop/body/mm_0"] == Reason.LOOP
    assert next(each.count for each in table.diagnostics if each.code == "loops_run") == 8


def test_records_of_inlined_nodes_are_those_of_the_nodes_below_the_call() -> None:
    table = read("mixed")
    assert by_name(table, "source")["switch_case/indexed_case/branch1/b1"] == "both"
    assert not any("/body/_" in name and name.endswith("add_0") for name in by_name(table, "name"))


COMPARISONS = {"Less": np.less, "LessEqual": np.less_equal, "Greater": np.greater, "GreaterEqual": np.greater_equal}


def v1_loop(compare: str, start: int, step: int, limit: int, *, minus: bool, flip: bool) -> Any:
    """Return a graph with one frame around a multiplication."""

    def enter(name: str, source: str) -> Any:
        return op(name, "Enter", source, frame_name="loop")

    condition = ("limit_in", "counter") if flip else ("counter", "limit_in")
    return graph(
        const("start", start), const("limit", limit), const("step", step), op("x", "Placeholder", shape=[4, 4]),
        enter("start_in", "start"), enter("limit_in", "limit"), enter("step_in", "step"), enter("x_in", "x"),
        op("counter", "Merge", "start_in", "next"), op("y", "Merge", "x_in", "next_y"),
        op("compare", compare, *condition), op("cond", "LoopCond", "compare"),
        op("switch", "Switch", "counter", "cond"), op("switch_y", "Switch", "y", "cond"),
        op("add", "Sub" if minus else "AddV2", "switch:1", "step_in"), op("next", "NextIteration", "add"),
        op("mm", "MatMul", "switch_y:1", "switch_y:1"), op("next_y", "NextIteration", "mm"),
        op("exit", "Exit", "switch_y"),
    )  # fmt: skip


@settings(max_examples=examples(60), deadline=None)
@given(
    compare=st.sampled_from([*COMPARISONS]),
    start=st.integers(-9, 9),
    step=st.integers(-4, 4),
    limit=st.integers(-9, 9),
    minus=st.booleans(),
    flip=st.booleans(),
)
def test_a_proved_loop_iterates_as_often_as_it_does(
    compare: str, start: int, step: int, limit: int, *, minus: bool, flip: bool
) -> None:
    counter, times = start, 0
    while times < 100 and (COMPARISONS[compare](limit, counter) if flip else COMPARISONS[compare](counter, limit)):
        counter, times = counter + (-step if minus else step), times + 1
    found = by_name(table_of(inputs_of(v1_loop(compare, start, step, limit, minus=minus, flip=flip))), "float_ops")
    assert found["mm"] == (None if times == 100 else times * SQUARE)
    assert found["exit"] == 0


def test_a_frame_of_two_names_is_not_believed() -> None:
    made = v1_loop("Less", 0, 1, 3, minus=False, flip=False)
    made.node[4].attr["frame_name"].s = b"other"
    table = table_of(inputs_of(made))
    assert by_name(table, "multiplicity")["mm"] is None
    assert "loops_frame" in codes(table)


def test_a_call_within_a_frame_counts_as_often_as_the_frame() -> None:
    made = v1_loop("Less", 0, 1, 3, minus=False, flip=False)
    function = made.library.function.add()
    function.signature.name = "square"
    function.signature.input_arg.add(name="a")
    function.signature.output_arg.add(name="b")
    function.node_def.append(op("inner_mm", "MatMul", "a", "a"))
    function.ret["b"] = "inner_mm:product:0"
    made.node.append(op("call", "square", "switch_y:1"))
    assert by_name(table_of(inputs_of(made)), "float_ops")["call/inner_mm"] == 3 * SQUARE


def test_a_profile_of_a_graph_has_the_same_float_ops() -> None:
    profile = table_of(read_inputs(resolve_paths(str(FOLDER / "gradients_v1.profile.gz"))))
    assert by_name(profile, "float_ops") == by_name(read("gradients_v1"), "float_ops")


FLOW = (
    *("Enter", "Exit", "Merge", "Switch", "NextIteration", "LoopCond", "Less", "AddV2", "Identity"),
    *("StackV2", "StackPushV2", "StackPopV2", "ControlTrigger"),
)


@settings(max_examples=examples(40), deadline=None)
@given(
    drawn=st.lists(
        st.tuples(
            st.sampled_from(FLOW), st.lists(st.integers(0, 11), max_size=3), st.sampled_from("ab"), st.booleans()
        ),
        min_size=1,
        max_size=12,
    ),
    loops=st.sampled_from([*LOOPS, "once"]),
)
def test_any_control_flow_is_counted_or_unknown(drawn: list[Any], loops: str) -> None:
    nodes = [
        const(f"n{row}", row) if is_constant else op(f"n{row}", kind, *(f"n{at}" for at in inputs), frame_name=frame)
        for row, (kind, inputs, frame, is_constant) in enumerate(drawn)
    ]
    times = by_name(table_of(inputs_of(graph(*nodes)), loops), "multiplicity").values()
    assert all(count is None or count >= 0 for count in times)
