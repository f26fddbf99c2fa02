"""FLOPs of graphs without shapes, as TensorFlow 2.21 counts them after it imported these graphs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow.compute as pc
import pytest
from command import call, write_model
from graph_nodes import op, tensor
from messages import graph, inputs_of, new
from repository import DATA

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import TFPROF

NATIVE = {
    "resnet/base/graph.pb.gz": 53_908_431_072,  # a training step
    "op_shapes/lists_v1.pb.gz": 291,  # loops, in which a Merge has no shape: most of their FLOPs are unknown
    "op_shapes/lists_v2.pb.gz": 104,  # loops in functions, which do not count
}


def table_of(made: object) -> NodeTable:
    rules = use_rules("tfprof", TFPROF, fill_shapes=True)
    return build_node_table(inputs_of(made), rules, TFPROF, shapes=ShapeUse.IMPORT)


@pytest.mark.parametrize("name", NATIVE)
def test_a_graph_without_shapes_counts_as_after_an_import(name: str) -> None:
    made = new("tensorflow.GraphDef")
    made.ParseFromString(gzip.decompress((DATA / name).read_bytes()))
    for each in made.node:
        each.attr["_output_shapes"].Clear()
    assert pc.sum(table_of(made).columns["float_ops"]).as_py() == NATIVE[name]


def test_nothing_is_taken_for_granted_of_a_loop() -> None:
    loop = [
        tensor("x", 2, 3),
        op("enter", "Enter", "x"),
        op("merge", "Merge", "enter", "next"),
        op("more", "Neg", "merge"),
        op("next", "NextIteration", "more"),
        op("outside", "Neg", "x"),
    ]
    found = table_of(graph(*loop)).columns["output_shapes"].to_pylist()
    first = {each.name: shapes and shapes[0] for each, shapes in zip(loop, found, strict=True)}
    assert (first["enter"], first["outside"]) == ([2, 3], [2, 3])
    assert (first["merge"], first["more"]) == (None, None)


def test_text_views_and_reports_count_a_graph_without_shapes_by_tensorflows_rules(tmp_path: Path) -> None:
    nodes = tensor("x", 2, 3), tensor("w", 3, 4), op("y", "MatMul", "x", "w"), op("z", "Neg", "y")
    model = write_model(tmp_path / "m", graph(*nodes))
    text = call("scope", model, "--rules", "tfprof", "--select", "float_ops,input_shapes").out
    assert "_TFProfRoot (--/56 flops, )" in text  # 2 x 2 x 3 x 4, and 2 x 4
    assert "z (8/8 flops, 0:2x4)" in text
    assert "_TFProfRoot (--/0 flops)" in call("scope", model, "--select", "float_ops").out
    assert call("report", model, "--rules", "tfprof", "--gate", "float_ops == 56", "--out", tmp_path / "o").code == 0
