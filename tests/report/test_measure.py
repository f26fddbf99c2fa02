"""Measuring a side: its columns, and how many nodes could have a figure."""

from __future__ import annotations

import pyarrow as pa
from command import CPU
from messages import entry, graph, inputs_of, node, op_log, ran, run_meta

from tfprof_report.compare.side import Side
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.build_table import build_node_table
from tfprof_report.report.measure import measure
from tfprof_report.schema.tables import NODES, STEPS


def measured() -> Side:
    nodes = [node("v", "VariableV2", shape=[2]), node("m", "MatMul"), node("r", "Identity")]
    trace = run_meta({CPU: [ran("m", micros=3), ran("only/at/run", micros=2)]})
    table = build_node_table(inputs_of(graph(*nodes), [(4, trace)], op_log(entry("m", float_ops=5))))
    return measure(table, {}, Origin(inputs=()))


def test_rows_are_numbered_and_nodes_of_the_trace_come_last() -> None:
    side = measured()
    assert side.nodes.schema.equals(NODES)
    assert side.steps.schema.equals(STEPS)
    assert side.nodes.select(["node", "name", "source"]).to_pylist() == [
        {"node": 0, "name": "v", "source": "graph"},
        {"node": 1, "name": "m", "source": "both"},
        {"node": 2, "name": "r", "source": "graph"},
        {"node": 3, "name": "only/at/run", "source": "run_metadata"},
    ]
    assert side.steps.select(["node", "step", "micros"]).to_pylist() == [
        {"node": 1, "step": 4, "micros": 3},
        {"node": 3, "step": 4, "micros": 2},
    ]


def test_coverage_counts_the_nodes_that_could_have_a_figure() -> None:
    capable = measured().capable
    assert (capable["params"], capable["micros"], capable["definition_count"]) == (1, 4, 4)
    assert capable["float_ops"] == capable["run_float_ops"] == 1


def test_an_empty_model_has_all_columns_and_no_rows() -> None:
    side = measure(build_node_table(inputs_of(graph())), {}, Origin(inputs=()))
    assert (side.nodes.num_rows, side.steps.num_rows, side.step_numbers) == (0, 0, ())
    assert isinstance(side.nodes, pa.Table)
    assert side.nodes.schema.equals(NODES)
