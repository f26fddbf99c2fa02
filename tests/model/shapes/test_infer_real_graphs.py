"""A real training graph without its shapes gets back the ones that TensorFlow wrote into it."""

from __future__ import annotations

import pyarrow as pa
from repository import DATA

from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.graph_def import SHAPES, read_graph
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.model.shapes.infer import infer_shapes

GRAPH = DATA / "resnet" / "base" / "graph.pb.gz"


def test_every_shape_of_a_resnet_and_its_gradients_is_inferred() -> None:
    nodes = read_graph(decode(GRAPH.read_bytes(), Kind.GRAPH, file=str(GRAPH), option="--graph")).nodes
    edges = read_edges(nodes["inputs"].combine_chunks(), nodes["name"].combine_chunks())
    given = nodes["output_shapes"].to_pylist()
    found = infer_shapes(nodes, edges, pa.nulls(nodes.num_rows, SHAPES)).output_shapes.to_pylist()
    differ = [
        pair for pair in zip(nodes["name"].to_pylist(), given, found, strict=True) if (pair[1] or None) != pair[2]
    ]
    assert differ == []
