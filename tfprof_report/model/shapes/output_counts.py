"""Counts the outputs of nodes without given shapes: by op type, by an attribute, or by the outputs that are read."""

from __future__ import annotations

from tfprof_report.arrays import Ints
from tfprof_report.model.graph.op_outputs import count_outputs
from tfprof_report.model.shapes.padded import column
from tfprof_report.model.shapes.rules.table import RULES
from tfprof_report.model.shapes.state import Nodes

MOST_OUTPUTS = 4096
"""Most outputs of a node; larger numbers in attributes are ignored."""

COUNTED_BY_USE = frozenset(
    f"{op}{version}" for op in ("QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo") for version in ("", "V2")
)
"""Op types whose number of outputs is only known from the nodes that read them."""

_COUNTED = {
    "Split": "num_split",
    "SplitV": "num_split",
    "Unpack": "num",
    "ShapeN": "N",
    "ConcatOffset": "N",
    "DynamicPartition": "num_partitions",
}


def outputs_of(op: str, nodes: Nodes) -> Ints:
    """Return how many outputs the nodes of an op type have; 0 without a shape rule, and for `COUNTED_BY_USE`."""
    if op not in RULES or op in COUNTED_BY_USE:
        return column(len(nodes), 0)
    if op == "IdentityN":
        return nodes.inputs.clip(0, MOST_OUTPUTS)
    if op in _COUNTED:
        counts = nodes.number(_COUNTED[op])
        return counts * ((counts > 0) & (counts <= MOST_OUTPUTS))
    return column(len(nodes), count_outputs(op))
