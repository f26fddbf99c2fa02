"""Tells what the buffers that a device holds at its peak are for: weights, activations, gradients, workspace."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, rows_of_words, to_bools, whole
from tfprof_report.later import Later
from tfprof_report.model.graph.origins import origins
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.parts import Part, later_parts


class BufferKind(StrEnum):
    """What a buffer is for; a buffer that fits several kinds has the first of them."""

    NOT_RECORDED = "not recorded"
    WORKSPACE = "workspace"
    UNKNOWN = "unknown"
    WEIGHTS = "weights"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer"
    ACTIVATIONS = "activations"


RULES: dict[str, str] = {
    BufferKind.NOT_RECORDED: "the device's memory in use less what the records explain: mostly variables and fed "
    "tensors, allocated before the step; unknown where the device does not count its memory in use",
    BufferKind.WORKSPACE: "temporary memory of a kernel that was running, released before it ended",
    BufferKind.UNKNOWN: "allocated by the runtime, or by a node that the graph does not have",
    BufferKind.WEIGHTS: "allocated by nodes that hold parameters, initialize them, or copy, cast or reshape them",
    BufferKind.GRADIENTS: "allocated by nodes of the backward pass, as --leave-out gradients tells them",
    BufferKind.OPTIMIZER: "allocated by nodes of the optimizer, as --leave-out optimizer tells them",
    BufferKind.ACTIVATIONS: "allocated by all other nodes of the graph",
}
"""How each kind is recognised, in a sentence."""

_KINDS = tuple(BufferKind)


def kinds_at_peak(table: NodeTable, part: Later[Ints] | None = None) -> pa.Table:
    """Return `NodeTable.buffers` with the kind of each (`BufferKind`), in place of the facts that it follows from.

    Parameters
    ----------
    table : all nodes of the inputs, since the part that a node belongs to depends on others
    part : `later_parts` of the table, if it is there
    """
    buffers = table.buffers
    node = rows_of_words(whole(buffers["name"]), table.column("name"))
    kind = np.full(len(node), _KINDS.index(BufferKind.UNKNOWN))
    if (node >= 0).any():
        kind[node >= 0] = _kinds_of(table, node[node >= 0], (part or later_parts(table))())
    kind[to_bools(buffers["is_workspace"])] = _KINDS.index(BufferKind.WORKSPACE)
    kind[~to_bools(buffers["is_recorded"])] = _KINDS.index(BufferKind.NOT_RECORDED)
    words = pa.DictionaryArray.from_arrays(pa.array(kind, pa.int32()), pa.array(_KINDS, pa.string()))
    return buffers.drop_columns(["is_workspace", "is_recorded"]).append_column("kind", words)


def _kinds_of(table: NodeTable, node: Ints, part: Ints) -> Ints:
    """Return the kind of the outputs of some nodes, as its index in `BufferKind`; `part` is of all nodes."""
    ops = table.column("op").cast(pa.string())
    holds = to_bools(table.column("param_kind").is_valid())
    has_weights = holds[table.holder[origins(ops, table.edges)[node]]]
    initializers, gradients, optimizer = (
        part[node] == list(Part).index(each) for each in (Part.INITIALIZERS, Part.GRADIENTS, Part.OPTIMIZER)
    )
    masks = {
        BufferKind.WEIGHTS: has_weights | initializers,
        BufferKind.GRADIENTS: gradients,
        BufferKind.OPTIMIZER: optimizer,
        BufferKind.UNKNOWN: to_bools(pc.is_null(ops))[node],
    }
    default = _KINDS.index(BufferKind.ACTIVATIONS)
    return np.select([*masks.values()], [_KINDS.index(kind) for kind in masks], default)
