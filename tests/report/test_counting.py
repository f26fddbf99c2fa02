"""FLOPs by class and the op types that are not counted."""

from __future__ import annotations

import pyarrow as pa
import pytest
from messages import entry, graph, inputs_of, node, op_log

from tfprof_report.ingest.origin import Origin
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.report.breakdowns import ClassTotal, NotCounted, not_counted, not_counted_table, totals_by_class
from tfprof_report.report.measure import measure
from tfprof_report.schema.tables import NOT_COUNTED
from tfprof_report.semantics import CORRECTED

MATRIX = {"output_shapes": [[2, 3]]}


@pytest.fixture(scope="module")
def nodes() -> pa.Table:
    given = [
        node("x", "Placeholder", output_shapes=[[2, 4]]),
        node("w", "Const", output_shapes=[[4, 3]]),
        node("m", "MatMul", "x", "w", **MATRIX),
        node("lost", "MatMul", "x", "w"),
        node("r", "Relu", "m", **MATRIX),
        *(node(f"mine_{index}", "Mine", "m") for index in range(5)),
        node("told", "Yours", "m"),
        node("copy", "Identity", "m", **MATRIX),
    ]
    inputs = inputs_of(graph(*given), [], op_log(entry("told", float_ops=7), entry("copy", float_ops=2)))
    table = build_node_table(inputs, use_rules("extended", CORRECTED))
    return measure(table, {}, Origin(inputs=())).nodes


def test_each_class_has_its_own_total_and_they_add_up(nodes: pa.Table) -> None:
    # m: 2 x 2 x 4 x 3; r: 2 x 3; told and copy have FLOPs only from the op log
    assert totals_by_class(nodes) == (
        ClassTotal(op_class="contraction", nodes=2, known=1, float_ops=48, macs=24),
        ClassTotal(op_class="elementwise", nodes=1, known=1, float_ops=6, macs=0),
        ClassTotal(op_class="no rule", nodes=7, known=2, float_ops=9, macs=None),
    )


def test_op_types_that_are_not_counted_have_a_reason_and_examples(nodes: pa.Table) -> None:
    found = not_counted(nodes)
    assert [(group.op, group.nodes, group.examples) for group in found] == [
        ("Mine", 5, ("mine_0", "mine_1", "mine_2")),
        ("MatMul", 1, ("lost",)),
    ]
    assert found[1].reason == "a shape is not fully known"
    table = not_counted_table(found)
    assert table.schema.equals(NOT_COUNTED)
    assert table["nodes"].to_pylist() == [5, 1]


def test_nothing_is_left_out_where_all_is_counted(nodes: pa.Table) -> None:
    counted = nodes.slice(0, 3)
    assert not_counted(counted) == ()
    assert not_counted_table(()).num_rows == 0
    assert totals_by_class(counted.slice(0, 2)) == ()


def test_a_group_is_plain_data() -> None:
    group = NotCounted(op="A", reason="why", nodes=1, examples=("a",))
    assert not_counted_table((group,)).to_pylist() == [{"op": "A", "reason": "why", "nodes": 1, "examples": ["a"]}]
