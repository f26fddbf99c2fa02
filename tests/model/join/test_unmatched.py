"""What matches no node is counted and listed."""

from __future__ import annotations

from messages import entry, graph, inputs_of, node, op_log, ran, run_meta

from tfprof_report.model.build_table import build_node_table


def test_names_of_every_input_that_are_no_node_are_listed_with_their_records() -> None:
    model = graph(node("a", "Add", "gone:1", "gone:1", "^lost"), node("b", "Neg", "a"))
    device = "/job:w/replica:0/task:0/device:CPU:0"
    trace = run_meta({device: [ran("_SOURCE"), ran("a"), ran("_SOURCE"), ran("RecvTensor")]})
    table = build_node_table(inputs_of(model, [(0, trace)], op_log(entry("b", float_ops=1), entry("c", float_ops=2))))
    assert table.unmatched.to_pylist() == [
        {"input": "graph", "name": "gone:1", "records": 2},
        {"input": "graph", "name": "^lost", "records": 1},
        {"input": "run_meta", "name": "_SOURCE", "records": 2},
        {"input": "run_meta", "name": "RecvTensor", "records": 1},
        {"input": "op_log", "name": "c", "records": 1},
    ]


def test_a_model_that_fits_together_has_no_unmatched_names() -> None:
    assert build_node_table(inputs_of(graph(node("a", "Const")))).unmatched.num_rows == 0
