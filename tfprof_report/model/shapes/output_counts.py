"""How many outputs a node has that no list of shapes tells: by its op type, an attribute, or who reads them."""

from __future__ import annotations

from tfprof_report.arrays import Ints
from tfprof_report.model.graph.op_outputs import count_outputs
from tfprof_report.model.shapes.padded import column
from tfprof_report.model.shapes.rules.table import RULES
from tfprof_report.model.shapes.state import Nodes

MOST_OUTPUTS = 4096
"""Nodes that say they have more outputs than this are not believed."""

COUNTED_BY_USE = frozenset(
    f"{op}{version}" for op in ("QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo") for version in ("", "V2")
)
"""Op types that have at least as many outputs as other nodes read."""

_COUNTED = {
    "Split": "num_split",
    "SplitV": "num_split",
    "Unpack": "num",
    "ShapeN": "N",
    "ConcatOffset": "N",
    "DynamicPartition": "num_partitions",
}


def outputs_of(op: str, nodes: Nodes) -> Ints:
    """Return how many outputs the nodes of an op type have; 0 without a rule, or where only use tells."""
    if op not in RULES or op in COUNTED_BY_USE:
        return column(len(nodes), 0)
    if op == "IdentityN":
        return nodes.inputs.clip(0, MOST_OUTPUTS)
    if op in _COUNTED:
        counts = nodes.number(_COUNTED[op])
        return counts * ((counts > 0) & (counts <= MOST_OUTPUTS))
    return column(len(nodes), count_outputs(op))
