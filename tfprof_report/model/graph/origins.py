"""Traces a value back to the node that produced it, through ops that only copy, cast or reshape."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints

Slots = Mapping[str, tuple[int, ...]]
"""Indices of inputs by op type."""

READS: Slots = dict.fromkeys(
    (
        *("Identity", "RefIdentity", "ReadVariableOp", "Snapshot", "StopGradient", "PreventGradient", "CheckNumerics"),
        *("Enter", "RefEnter", "Switch", "RefSwitch", "Merge", "RefMerge"),
    ),
    (0,),
)
"""Ops that pass on an input unchanged. For `Merge` it is the initial value of a loop."""

_PASSES: Slots = {
    **READS,
    **dict.fromkeys(("Cast", "Dequantize", "Reshape", "ExpandDims", "Squeeze", "Transpose", "Slice"), (0,)),
    **dict.fromkeys(("StridedSlice", "SplitV", "Unpack"), (0,)),
    "Split": (1,),
}


def at_slots(ops: pa.Array, edges: pa.Table, slots: Slots) -> Bools:
    """Return which edges of `edges.read_edges` end at one of these inputs of a node of these op types."""
    codes = to_ints(pc.fill_null(pc.index_in(ops, value_set=pa.array(list(slots), pa.string())), -1))
    width = max((place for places in slots.values() for place in places), default=0) + 1
    table = np.zeros((len(slots) + 1, width + 1), dtype=bool)  # last row: other op types; last column: other inputs
    for number, places in enumerate(slots.values()):
        table[number, list(places)] = True
    place = np.minimum(to_ints(edges["position"]), width)
    found: Bools = table[codes[to_ints(edges["node"])], place] & ~to_bools(edges["is_control"])
    return found


def origins(ops: pa.Array, edges: pa.Table) -> Ints:
    """Return per node the row of the node whose value it passes on; its own row for a node that computes a new value.

    For nodes in a cycle it is any node of the cycle.
    """
    onward = np.arange(len(ops))
    passes = at_slots(ops, edges, _PASSES) & to_bools(pc.is_valid(edges["source"]))
    onward[to_ints(edges["node"])[passes]] = to_ints(pc.fill_null(edges["source"], -1))[passes]
    for _ in range(len(ops).bit_length()):  # pointer jumping doubles the distance; more rounds only help in cycles
        further = onward[onward]
        if np.array_equal(further, onward):
            break
        onward = further
    return onward
