"""The type of what nodes compute, without an attribute that says it: that of an input, back to a node that has one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.model.graph.op_types import op_types
from tfprof_report.model.graph.origins import at_slots

_FIXED = {
    10: op_types("""
        All Any ApproximateEqual Equal Greater GreaterEqual IsFinite IsInf IsNan Less LessEqual LogicalAnd LogicalNot
        LogicalOr LoopCond NotEqual VarIsInitializedOp IsVariableInitialized
    """),
    3: op_types(
        "BroadcastArgs BroadcastGradientArgs InvertPermutation Rank Shape ShapeN Size StringLength TensorArraySizeV3"
    ),
    9: op_types("ArgMax ArgMin StringToHashBucketFast Where"),
}
"""Types (numbers of TensorFlow's DataType) of the results of op types, whatever their inputs: bool, int32 and int64. Of
the two last, some could also be the other, by an attribute; these tensors are small."""

_SECOND, _THIRD = (
    op_types("""
        Concat Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropInput Fill Select SelectV2 Split
        TensorArrayScatterV3
    """),
    op_types("OneHot"),
)
"""Op types whose result has the type of their second and third input; that of others has the type of the first."""


def element_types(ops: pa.Array, edges: pa.Table, declared: pa.Array) -> pa.Array:
    """Return the type of the outputs of each node as a number of TensorFlow's DataType, NULL if it is not known.

    Parameters
    ----------
    edges : the result of `edges.read_edges`
    declared : the type that a node's attributes name, NULL for most
    """
    count = len(ops)
    fixed = {op: number for number, types in _FIXED.items() for op in types}
    place = pc.index_in(ops, value_set=pa.array(list(fixed), pa.string()))
    known = pc.coalesce(pa.array(list(fixed.values()), pa.int64()).take(place), declared)
    onward = np.arange(count)
    leads = (
        _leads(ops, edges) & to_bools(edges["source"].is_valid()) & ~to_bools(known.is_valid())[to_ints(edges["node"])]
    )
    onward[to_ints(edges["node"])[leads]] = to_ints(pc.fill_null(edges["source"], -1))[leads]
    for _ in range(count.bit_length()):  # pointer jumping: a chain takes as many rounds as its length has bits
        further: Ints = onward[onward]
        if np.array_equal(further, onward):
            break
        onward = further
    return known.take(pa.array(onward))


def _leads(ops: pa.Array, edges: pa.Table) -> Bools:
    """Return the edges whose source has the type of the result."""
    other: Bools = at_slots(ops, edges, dict.fromkeys(_SECOND, (1,)) | dict.fromkeys(_THIRD, (2,)))
    has_other = to_bools(pc.is_in(ops, value_set=pa.array([*_SECOND, *_THIRD])))[to_ints(edges["node"])]
    first = (to_ints(edges["position"]) == 0) & ~to_bools(edges["is_control"])
    leads: Bools = other | (first & ~has_other)
    return leads
