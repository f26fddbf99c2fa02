"""Texts of nodes that both views print: shapes, input shapes, devices, types."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, list_offsets, list_values, make_lists
from tfprof_report.model.node_table import NodeTable
from tfprof_report.semantics import Semantics
from tfprof_report.views.inputs import shown_inputs


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
    inputs = shown_inputs(table, nodes, semantics)
    positions = pa.array(inputs.positions).cast(pa.string())
    texts = pc.binary_join_element_wise(positions, pc.fill_null(shape_texts(inputs.shapes), "unknown"), ":")
    return pc.binary_join(make_lists(texts, np.diff(inputs.offsets)), separator)
