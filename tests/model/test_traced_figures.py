"""The same two dense layers as a graph of TensorFlow and as what XLA compiled of JAX have the same multiply-adds."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pytest
from traces import Trace

from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import FunctionUse
from tfprof_report.model.flops.evaluate import capable_nodes, known_nodes
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED
from tfprof_report.vocabulary import Loops

TRACES = Path(__file__).parents[1] / "data" / "xplane"
BATCH, FEATURES, HIDDEN, CLASSES = 128, 32, 64, 10

MACS = 2 * BATCH * FEATURES * HIDDEN + 3 * BATCH * HIDDEN * CLASSES
"""The hidden layer forward and to its weights, the last one to its inputs too."""


def table_of(case: str, *, graph: bool) -> NodeTable:
    folder = TRACES / case
    paths = InputPaths(graph=str(folder / "graph.pb.gz") if graph else None, xplanes=(str(folder / "xplane.pb.gz"),))
    return build_node_table(read_inputs(paths), use_rules("extended", CORRECTED), CORRECTED, shapes=ShapeUse.RULES)


@pytest.mark.parametrize(("case", "graph"), [("train", True), ("jax_train", False)])
def test_multiply_adds_are_those_of_the_layers(case: str, graph: bool) -> None:  # noqa: FBT001 (a case)
    assert pc.sum(table_of(case, graph=graph).column("macs")).as_py() == MACS


def test_an_op_of_a_trace_is_in_no_graph_and_has_no_parameters_that_anybody_knows() -> None:
    table = table_of("jax_train", graph=False)
    assert table.column("source").unique().to_pylist() == ["run_metadata"]
    assert table.column("params").null_count == table.count
    assert set(table.column("param_kind").cast("string").to_pylist()) == {"unknown"}
    assert set(table.column("layer").cast("string").to_pylist()) == {"hidden", "logits", None}
    assert table.column("float_ops_source").unique().to_pylist() == ["hlo"]
    line = table.column("code_line").cast("string").to_pylist()[0]
    assert line.endswith("jax_cases.py:34")


def test_flops_of_a_trace_need_no_rules() -> None:
    inputs = read_inputs(InputPaths(xplanes=(str(TRACES / "jax_train" / "xplane.pb.gz"),)))
    table = build_node_table(inputs, use_rules("none", CORRECTED), CORRECTED)
    assert pc.sum(table.column("macs")).as_py() == MACS
    assert pc.sum(table.column("float_ops")).as_py() == 1_578_501
    assert table.column("float_ops_source").unique().to_pylist() == ["hlo"]


def test_what_a_scan_runs_counts_as_often_as_it_iterates() -> None:
    inputs = read_inputs(InputPaths(xplanes=(str(TRACES / "jax_scan" / "xplane.pb.gz"),)))
    rules, once = use_rules("extended", CORRECTED), FunctionUse(loops=Loops.ONCE)
    macs = [
        pc.sum(build_node_table(inputs, rules, CORRECTED, functions=use).column("macs")).as_py()
        for use in (FunctionUse(), once)
    ]
    assert macs == [6 * 32**3, 32**3]


def test_shapes_of_a_graph_are_those_that_ops_took() -> None:
    table = table_of("train", graph=True)
    shapes = dict(zip(table.column("name").to_pylist(), table.column("output_shapes").to_pylist(), strict=True))
    assert shapes["images"] == [[BATCH, FEATURES]]
    assert shapes["hidden/MatMul/ReadVariableOp"] == [[FEATURES, HIDDEN]]
    assert shapes["logits/MatMul"] == [[BATCH, CLASSES]]


def test_flops_of_a_core_without_a_program_may_be_multiply_adds(tmp_path: Path) -> None:
    trace = Trace()
    line = trace.line("XLA Ops", plane="/device:TPU:0")
    line.event("%fusion.1", 0, 900, flops=100, hlo_category="loop fusion").event("%copy.2", 900, 5, flops=0)
    (tmp_path / "vm.xplane.pb").write_bytes(trace.bytes())
    inputs = read_inputs(InputPaths(xplanes=(str(tmp_path / "vm.xplane.pb"),)))
    nodes = build_node_table(inputs, use_rules("extended", CORRECTED), CORRECTED, shapes=ShapeUse.RULES).columns
    assert nodes["float_ops"].to_pylist() == [100, 0]
    assert nodes["op_class"].cast("string").to_pylist() == [None, "no arithmetic"]
    assert nodes["macs"].to_pylist() == [None, None]
    assert known_nodes(nodes, "macs") == 0
    assert pc.sum(capable_nodes(nodes, "macs")).as_py() == 1
