"""Texts of nodes that both views print: shapes, input shapes, devices, types."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, list_offsets, list_values, make_lists, take_ranges, to_bools, to_ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes import shapes_of_outputs
from tfprof_report.semantics import Semantics


def word_texts(lists: pa.ListArray) -> pa.Array:
    """Return each list of words joined by ``|``, as tfprof joins devices and types."""
    return pc.binary_join(lists, "|")


def shape_texts(shapes: pa.ListArray) -> pa.Array:
    """Return each shape as ``2x3``, ``1`` for a scalar; NULL for NULL."""
    sizes = list_values(shapes).cast(pa.string())
    offsets = list_offsets(shapes)
    texts = pc.binary_join(make_lists(sizes, np.diff(offsets)), "x")
    texts = pc.if_else(pc.equal(texts, ""), "1", texts)
    return pc.if_else(pc.is_valid(shapes), texts, pa.scalar(None, pa.string()))


def input_shape_texts(table: NodeTable, nodes: Ints, separator: str, semantics: Semantics) -> pa.Array:
    """Return for each node row its inputs' shapes as ``0:2x3|1:unknown``, joined by `separator`; ``""`` for row -1."""
    edges = table.edges
    own = nodes >= 0
    offsets = np.searchsorted(to_ints(edges["node"]), np.arange(len(table.nodes) + 1))
    starts = np.where(own, offsets[nodes], 0)
    counts = np.where(own, offsets[np.where(own, nodes + 1, 0)] - offsets[nodes], 0)
    picked = edges.take(pa.array(take_ranges(starts, counts)))
    row = np.repeat(np.arange(len(nodes)), counts)
    if not semantics.show_control_inputs:
        data = pc.invert(picked["is_control"])
        picked, row = picked.filter(data), row[to_bools(data)]
    slot = to_ints(picked["slot"])
    if semantics.ignore_output_index:
        slot = np.zeros_like(slot)
    source = to_ints(pc.fill_null(picked["source"], -1))
    shapes = shapes_of_outputs(table.column("output_shapes"), source, slot)
    positions = pa.array(to_ints(picked["position"])).cast(pa.string())
    texts = pc.binary_join_element_wise(positions, pc.fill_null(shape_texts(shapes), "unknown"), ":")
    return pc.binary_join(make_lists(texts, np.bincount(row, minlength=len(nodes)).astype(np.int64)), separator)
