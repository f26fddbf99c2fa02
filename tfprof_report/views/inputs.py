"""The inputs of nodes that views show, with the shape of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, take_ranges, to_bools, to_ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes import shapes_of_outputs
from tfprof_report.semantics import Semantics


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownInputs:
    """Inputs of n rows: those of row i are ``offsets[i]:offsets[i + 1]``; shapes are NULL where not known."""

    offsets: Ints
    positions: Ints
    shapes: pa.ListArray


def shown_inputs(table: NodeTable, nodes: Ints, semantics: Semantics) -> ShownInputs:
    """Return the inputs of some nodes in their order; node -1 has none."""
    edges = table.edges
    own = nodes >= 0
    starts = np.searchsorted(to_ints(edges["node"]), np.arange(len(table.nodes) + 1))
    first = np.where(own, starts[nodes], 0)
    counts = np.where(own, starts[np.where(own, nodes + 1, 0)] - starts[nodes], 0)
    picked = edges.take(pa.array(take_ranges(first, counts)))
    row = np.repeat(np.arange(len(nodes)), counts)
    if not semantics.show_control_inputs:
        data = pc.invert(picked["is_control"])
        picked, row = picked.filter(data), row[to_bools(data)]
    slot = to_ints(picked["slot"])
    if semantics.ignore_output_index:
        slot = np.zeros_like(slot)
    source = to_ints(pc.fill_null(picked["source"], -1))
    return ShownInputs(
        offsets=np.append(0, np.cumsum(np.bincount(row, minlength=len(nodes)))),
        positions=to_ints(picked["position"]),
        shapes=shapes_of_outputs(table.column("output_shapes"), source, slot),
    )
