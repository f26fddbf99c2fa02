from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from graph_nodes import const, op, tensor
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import call, function, graph, inputs_of, with_library

from tfprof_report.compare.cancel import cancelling
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.matching.nodes import match_nodes
from tfprof_report.compare.matching.pairs import pair_rows
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.flops.node_flops import RuleUse
from tfprof_report.model.flops.rule_sets import rule_set
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED

RULES = RuleUse(rules=rule_set("extended"), semantics=CORRECTED)


def table_of(made: Any) -> pa.Table:
    table = build_node_table(inputs_of(made), RULES, functions=INLINED, shapes=ShapeUse.RULES)
    return pa.Table.from_batches([table.columns.to_batch()])


def cancels(base: Any, head: Any, name_map: NameMap | None = None, stem: str = "float_ops") -> set[str]:
    """Return the nodes, by their names in head, whose unknown figures cancel."""
    old, new = table_of(base), table_of(head)
    partners, _ = match_nodes(old, new, name_map)
    pairs = pair_rows(old["name"], new["name"], partners)
    found = cancelling(old, new, pairs, np.ones(len(pairs.names), dtype=bool)).of(stem)
    return set(pairs.names.filter(pa.array(found)).to_pylist())


def line(*, width: int = 4, kind: str = "CTCLoss", mode: int = 1, known: bool = False) -> Any:
    start = tensor("x", 2, width) if known else op("x", "Placeholder", label="x")
    return graph(start, op("loss", kind, "x", mode=mode), op("out", "Softmax", "loss"))


def test_a_graph_compared_with_itself_cancels_everywhere() -> None:
    assert cancels(line(), line()) == {"x", "loss", "out"}


def test_attributes_and_op_count() -> None:
    assert cancels(line(), line(mode=2)) == {"x"}
    assert cancels(line(), line(kind="CTCLossV2")) == {"x"}


def test_equal_known_input_shapes_are_enough_though_something_upstream_has_changed() -> None:
    def made(seed: int) -> Any:
        return graph(op("x", "RandomUniform", "n", seed=seed), const("n", [2, 3]), op("loss", "CTCLoss", "x"))

    assert "loss" in cancels(made(1), made(2))
    assert "x" not in cancels(made(1), made(2))


def test_other_known_shapes_do_not_cancel() -> None:
    assert cancels(line(known=True), line(known=True, width=5)) == set()


def variables(value: int) -> Any:
    return graph(
        op("v", "VarHandleOp"),
        op("init", "Placeholder", label=str(value)),
        op("v/Assign", "AssignVariableOp", "v", "init"),
        op("read", "ReadVariableOp", "v"),
        op("loss", "CTCLoss", "read"),
        op("other", "CTCLoss", "init2"),
        const("init2", [0]),
    )


def test_a_variable_depends_on_what_is_assigned_to_it() -> None:
    found = cancels(variables(1), variables(2))
    assert not found & {"v", "v/Assign"}
    assert {"other", "init2"} <= found


def loop(limit: int) -> Any:
    """Return a While whose condition compares with a limit; its body has a node that has no rule."""
    made = call("loop", "While", "x", cond="cond", body="body")
    return with_library(
        graph(op("x", "Placeholder"), made, op("out", "CTCLoss", "loop"), op("apart", "CTCLoss", "x")),
        function("cond", ["a"], {"r": "less:z:0"}, const("limit", limit), op("less", "Less", "a", "limit:output:0")),
        function("body", ["a"], {"r": "step:y:0"}, op("step", "CTCLoss", "a")),
    )


def test_a_loop_is_one_unit_with_its_condition_and_its_body() -> None:
    assert cancels(loop(1), loop(1)) >= {"loop", "loop/body/step", "out", "apart"}
    assert cancels(loop(1), loop(2)) == {"x", "apart"}


def frame(limit: int) -> Any:
    """Return a loop of control flow v1 around a node that reads only a value that the loop does not change."""
    enter = [op("i", "Enter", "zero", frame_name="f"), op("fix", "Enter", "x", frame_name="f", is_constant=True)]
    return graph(
        op("x", "Placeholder"),
        const("zero", 0),
        *enter,
        op("merge", "Merge", "i", "next"),
        const("limit", limit),
        op("bound", "Enter", "limit", frame_name="f", is_constant=True),
        op("less", "Less", "merge", "bound"),
        op("cond", "LoopCond", "less"),
        op("switch", "Switch", "merge", "cond"),
        op("step", "CTCLoss", "fix"),
        op("sum", "AddV2", "switch:1", "step"),
        op("next", "NextIteration", "sum"),
        op("exit", "Exit", "switch"),
        op("apart", "CTCLoss", "x"),
    )


def test_the_condition_of_a_frame_counts_for_everything_in_it() -> None:
    assert cancels(frame(1), frame(1)) >= {"step", "exit", "apart"}
    assert cancels(frame(1), frame(2)) == {
        "x",
        "zero",
        "apart",
        "i",
        "bound",
    }


def test_renamed_nodes_are_equal() -> None:
    head = graph(op("in", "Placeholder", label="x"), op("ctc", "CTCLoss", "in", mode=1), op("out", "Softmax", "ctc"))
    assert cancels(line(), head) == {"in", "ctc", "out"}


def test_measured_figures_never_cancel() -> None:
    assert cancels(line(), line(), stem="micros") == set()
    assert cancels(line(), line(), stem="params") == {"x", "loss", "out"}


@st.composite
def chains(draw: st.DrawFn) -> list[list[int]]:
    return [
        draw(st.lists(st.integers(0, row - 1), max_size=3)) if row else [] for row in range(draw(st.integers(1, 9)))
    ]


@pytest.mark.thorough
@settings(max_examples=examples(50), deadline=None)
@given(chains(), st.data())
def test_exactly_the_nodes_downstream_of_a_change_stop_cancelling(
    sources: list[list[int]], data: st.DataObject
) -> None:
    changed = data.draw(st.integers(0, len(sources) - 1))

    def made(value: int) -> Any:
        kinds = ["CTCLoss" if own else "Placeholder" for own in sources]
        modes = [value if row == changed else 0 for row in range(len(sources))]
        names = [[f"n{each}" for each in own] for own in sources]
        rows = enumerate(zip(kinds, names, modes, strict=True))
        return graph(*(op(f"n{row}", kind, *own, mode=mode) for row, (kind, own, mode) in rows))

    after = {changed}
    for row, own in enumerate(sources):
        if after & set(own):
            after.add(row)
    assert cancels(made(0), made(0)) == {f"n{row}" for row in range(len(sources))}
    assert cancels(made(0), made(1)) == {f"n{row}" for row in range(len(sources)) if row not in after}
