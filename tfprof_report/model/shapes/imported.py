"""The shapes that nodes have after TensorFlow imported the graph, with which its profiler counts."""

from __future__ import annotations

import pyarrow as pa

from tfprof_report.ingest.attrs.shape_attrs import SHAPE_ATTRS
from tfprof_report.model.shapes.infer import infer_shapes


def imported_shapes(nodes: pa.Table, edges: pa.Table, output_shapes: pa.ListArray) -> pa.ListArray:
    """Return the shapes of the graph and what an import of it infers from them, node by node in one pass.

    TensorFlow visits a Merge of a loop before its back edge exists, so that what enters a loop has no shape there, and
    does not follow lists (core/common_runtime/graph_constructor.cc, shape_refiner.cc).

    Parameters
    ----------
    nodes : columns of the nodes; without `SHAPE_ATTRS`, nothing is inferred
    edges : the result of `edges.read_edges`
    output_shapes : per node one shape for each output, NULL where not known
    """
    if not set(SHAPE_ATTRS) <= set(nodes.column_names):
        return output_shapes
    return infer_shapes(nodes, edges, output_shapes, is_import=True).output_shapes
