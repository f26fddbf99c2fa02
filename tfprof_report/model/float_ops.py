"""Which nodes could have a FLOPs figure: the yardstick of coverage."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

FLOP_CAPABLE_OPS = (
    *("Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd", "Rsqrt", "Softmax", "L2Loss"),
    *("Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "Pow"),
    *("Greater", "GreaterEqual", "Less", "LessEqual", "Equal", "NotEqual"),
    *("SquaredDifference", "RsqrtGrad", "Mean", "Sum", "ArgMax", "ArgMin", "BiasAddGrad", "BiasAdd", "AddN"),
    *("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"),
    *("Conv2D", "Conv3D", "DepthwiseConv2dNative", "Dilation2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"),
    *("AvgPool", "MaxPool", "AvgPoolGrad", "MaxPoolGrad"),
)
"""Op types for which TensorFlow 2.21 registers a FLOPs formula."""


def is_flop_capable(nodes: pa.Table) -> pa.ChunkedArray:
    """Return which nodes have a FLOPs figure or an op type that has one in TensorFlow; never NULL."""
    is_registered = pc.is_in(nodes["op"].cast(pa.string()), value_set=pa.array(FLOP_CAPABLE_OPS))
    return pc.or_(is_registered, pc.is_valid(nodes["float_ops"]))
