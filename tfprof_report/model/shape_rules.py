"""Which rule gives the output shapes of an op type: the table of all rules.

A rule is a function from `Nodes` to the shape that all outputs share, or to a list with a shape per output. Formulas
are those of TensorFlow's shape functions (core/framework/common_shape_fns.cc and core/ops/*_ops.cc), by definition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tfprof_report.ingest.arrays import Ints
from tfprof_report.model import shape_rules_array as array
from tfprof_report.model import shape_rules_math as math
from tfprof_report.model import shape_rules_window as window
from tfprof_report.model.padded_shapes import Shapes, column
from tfprof_report.model.shape_state import Nodes

Rule = Callable[[Nodes], Shapes | Sequence[Shapes]]

MERGES = ("Merge", "RefMerge")
BACK_EDGES = ("NextIteration", "RefNextIteration")
"""Op types whose output closes a loop where it enters one of `MERGES`."""

PASSING = (
    *("Identity", "RefIdentity", "Switch", "RefSwitch", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration"),
    *("RefNextIteration", "IdentityN"),
)
"""Op types that hand on what they get, resource handles included."""


def _names(text: str) -> list[str]:
    return text.split()


_SAME = _names("""
    Abs Acos Acosh Angle Asin Asinh Atan Atanh BesselI0e BesselI1e Bitcast Ceil CheckNumerics CheckNumericsV2
    Conj Copy CopyHost Cos Cosh Cumprod Cumsum DebugIdentity Digamma Elu Erf Erfc Erfinv Exp Expm1
    FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel Floor Imag Inv Invert
    InvertPermutation IsFinite IsInf IsNan LRN LeakyRelu Lgamma Log Log1p LogSoftmax LogicalNot MatrixBandPart
    MatrixInverse Ndtri Neg OnesLike PlaceholderWithDefault PreventGradient QuantizeAndDequantize
    QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 RandomShuffle Real Reciprocal Relu
    Relu6 Reverse ReverseSequence ReverseV2 Rint Roll Round Rsqrt Selu Sigmoid Sign Sin Sinh Snapshot Softmax
    Softplus Softsign Sqrt Square StopGradient Tan Tanh ZerosLike Cast BiasAdd BiasAddV1 ClipByValue ApplyAdaMax
    ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAddSign ApplyCenteredRMSProp
    ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign ApplyProximalAdagrad
    ApplyProximalGradientDescent ApplyRMSProp SparseApplyAdagrad SparseApplyAdam SparseApplyFtrl
    SparseApplyMomentum SparseApplyRMSProp ScatterAdd ScatterDiv ScatterMul ScatterNdAdd ScatterNdSub
    ScatterNdUpdate ScatterSub ScatterUpdate MaxPoolGrad MaxPool3DGrad
""")

_ALIKE = _names("""
    AddN EluGrad InvGrad LeakyReluGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad SeluGrad SigmoidGrad
    SoftplusGrad SoftsignGrad SqrtGrad TanhGrad AccumulateNV2 AssignAdd AssignSub LRNGrad
""")

_BROADCAST = _names("""
    Add AddV2 ApproximateEqual Atan2 BitwiseAnd BitwiseOr BitwiseXor Complex Div DivNoNan Equal FloorDiv
    FloorMod Greater GreaterEqual Igamma Igammac LeftShift Less LessEqual LogicalAnd LogicalOr Maximum Minimum
    Mod Mul MulNoNan NextAfter NotEqual Polygamma Pow RealDiv RightShift SquaredDifference Sub TruncateDiv
    TruncateMod Xdivy Xlog1py Xlogy Zeta
""")

_REDUCE = _names("""
    All Any EuclideanNorm Max Mean Min Prod Sum
""")
_SHAPE_FIRST = _names("""
    Empty Fill ParameterizedTruncatedNormal RandomStandardNormal RandomUniform RandomUniformInt
    StatelessRandomNormal StatelessRandomNormalV2 StatelessRandomUniform StatelessRandomUniformInt
    StatelessRandomUniformIntV2 StatelessRandomUniformV2 StatelessTruncatedNormal StatelessTruncatedNormalV2
    TruncatedNormal AvgPoolGrad AvgPool3DGrad
""")

_SCALAR = _names("""
    VarHandleOp L2Loss Size Rank VarIsInitializedOp IsVariableInitialized LoopCond TensorArraySizeV3
    TensorArrayWriteV3 TensorArrayScatterV3 TensorArraySplitV3 EmptyTensorList TensorListFromTensor TensorListLength
    TensorListPushBack TensorListReserve TensorListResize TensorListScatterIntoExistingList TensorListSetItem
""")


def _scalar(nodes: Nodes) -> Shapes:
    return Shapes.scalars(len(nodes))


_RULES: Mapping[Rule, Sequence[str]] = {
    math.same: [*_SAME, *(op for op in PASSING if op != "IdentityN")],
    math.each_own: ["IdentityN"],
    math.alike: _ALIKE,
    math.broadcast_both: _BROADCAST,
    math.assign: ["Assign"],
    math.merge_branches: MERGES,
    math.select: ["Select"],
    math.select_broadcast: ["SelectV2"],
    math.reduce: _REDUCE,
    math.arg_reduce: ["ArgMax", "ArgMin"],
    math.mat_mul: ["MatMul"],
    math.batch_mat_mul: ["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"],
    math.einsum: ["Einsum"],
    math.qr: ["Qr"],
    math.cross_entropy: ["SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"],
    math.in_top_k: ["InTopK", "InTopKV2"],
    math.top_k: ["TopKV2"],
    math.own: ["Const", "Placeholder", "PlaceholderV2", "VariableV2", "Variable", "TemporaryVariable"],
    math.read_variable: ["ReadVariableOp"],
    _scalar: _SCALAR,
    array.reshape: ["Reshape"],
    array.shape: ["Shape"],
    array.shape_n: ["ShapeN"],
    array.strided_slice: ["StridedSlice"],
    array.slice_: ["Slice"],
    array.concat_v2: ["ConcatV2"],
    array.concat: ["Concat"],
    array.pack: ["Pack"],
    array.unpack: ["Unpack"],
    array.split: ["Split"],
    array.split_v: ["SplitV"],
    array.transpose: ["Transpose", "ConjugateTranspose"],
    array.pad: ["Pad", "PadV2", "MirrorPad"],
    array.expand_dims: ["ExpandDims"],
    array.squeeze: ["Squeeze"],
    array.tile: ["Tile"],
    array.gather: ["Gather"],
    array.gather_v2: ["GatherV2"],
    array.resource_gather: ["ResourceGather"],
    array.shape_at(0): _SHAPE_FIRST,
    array.shape_at(1): ["BroadcastTo"],
    array.list_item: ["TensorListGetItem"],
    array.list_stack: ["TensorListStack"],
    array.range_: ["Range"],
    array.one_hot: ["OneHot"],
    array.vectors: ["BroadcastGradientArgs"],
    array.unique: ["Unique", "UniqueV2"],
    array.segment_sum: ["UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"],
    array.concat_offset: ["ConcatOffset"],
    array.handle_and_flow: ["TensorArrayV3", "TensorArrayGradV3"],
    array.second: ["StackPushV2"],
    window.conv2d: ["Conv2D"],
    window.conv3d: ["Conv3D"],
    window.depthwise: ["DepthwiseConv2dNative"],
    window.conv_backprop(0, 4): ["Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropInput"],
    window.conv_backprop(1, 4): ["Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter"],
    window.conv_backprop(0, 5): ["Conv3DBackpropInputV2"],
    window.conv_backprop(1, 5): ["Conv3DBackpropFilterV2"],
    window.pool2d: ["MaxPool", "AvgPool"],
    window.pool3d: ["MaxPool3D", "AvgPool3D"],
    window.batch_norm: ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"],
    window.batch_norm_grad: ["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"],
    window.bias_grad: ["BiasAddGrad"],
    window.resize: ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"],
    window.space_to_batch: ["SpaceToBatchND"],
    window.batch_to_space: ["BatchToSpaceND"],
    window.space_to_depth: ["SpaceToDepth"],
    window.depth_to_space: ["DepthToSpace"],
}

RULES: Mapping[str, Rule] = {op: rule for rule, ops in _RULES.items() for op in ops}
"""The rule of each op type that has one."""

_FIXED_OUTPUTS = {
    **dict.fromkeys(("Switch", "RefSwitch", *MERGES, "TopKV2", "BroadcastGradientArgs", "Unique", "UniqueV2"), 2),
    **dict.fromkeys(("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"), 2),
    **dict.fromkeys(("TensorArrayV3", "TensorArrayGradV3"), 2),
    **dict.fromkeys(("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormGrad"), 5),
    **dict.fromkeys(("FusedBatchNormGradV2", "FusedBatchNormGradV3"), 5),
    "Qr": 2,
    "FusedBatchNormV3": 6,
}
_COUNTED_OUTPUTS = {"Split": "num_split", "SplitV": "num_split", "Unpack": "num", "ShapeN": "N", "ConcatOffset": "N"}

MOST_OUTPUTS = 4096
"""Nodes that say they have more outputs than this are not believed."""


def outputs_of(op: str, nodes: Nodes) -> Ints:
    """Return how many outputs the nodes of an op type have; 0 for one without a rule."""
    if op not in RULES:
        return column(len(nodes), 0)
    if op == "IdentityN":
        return nodes.inputs.clip(0, MOST_OUTPUTS)
    if op in _COUNTED_OUTPUTS:
        counts = nodes.number(_COUNTED_OUTPUTS[op])
        return counts * ((counts > 0) & (counts <= MOST_OUTPUTS))
    return column(len(nodes), _FIXED_OUTPUTS.get(op, 1))
