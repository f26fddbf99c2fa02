"""The table of shape rules: which rule gives the output shapes of an op type.

A rule is a function from `Nodes` to the shape that all outputs share, or to a list with one shape per output. Rules
follow TensorFlow's shape functions (core/framework/common_shape_fns.cc and core/ops/*_ops.cc).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tfprof_report.model.graph.op_types import op_types
from tfprof_report.model.shapes.padded import Shapes
from tfprof_report.model.shapes.rules import array
from tfprof_report.model.shapes.rules import elementwise as math
from tfprof_report.model.shapes.rules import image as window
from tfprof_report.model.shapes.rules import indexing as pick
from tfprof_report.model.shapes.rules import linear_algebra as linear
from tfprof_report.model.shapes.rules import recurrent as cells
from tfprof_report.model.shapes.rules import tensor_lists as held
from tfprof_report.model.shapes.rules.elementwise import Rule
from tfprof_report.model.shapes.state import Nodes

MERGES = ("Merge", "RefMerge")
BACK_EDGES = ("NextIteration", "RefNextIteration")
"""Op types whose output closes a loop where it enters one of `MERGES`."""

SWITCHES = ("Switch", "RefSwitch")
"""Op types that pass on their first input at either of two outputs."""

PASSING = op_types("""
    Identity RefIdentity Switch RefSwitch Enter RefEnter Exit RefExit NextIteration RefNextIteration IdentityN
""")
"""Op types that pass on their input unchanged, including resource handles."""


_SAME = op_types("""
    _EagerConst _FusedSoftmax _HostCast _MklFusedInstanceNorm _MklFusedMish _MklLayerNorm _MklSwish
    _UnaryOpsComposition Abs Acos Acosh AdjustContrast AdjustContrastv2 AdjustHue AdjustSaturation Angle
    ApplyAdadelta ApplyAdagrad ApplyAdagradDA ApplyAdagradV2 ApplyAdam ApplyAdaMax ApplyAddSign ApplyCenteredRMSProp
    ApplyFtrl ApplyFtrlV2 ApplyGradientDescent ApplyMomentum ApplyPowerSign ApplyProximalAdagrad
    ApplyProximalGradientDescent ApplyRMSProp Asin Asinh AsString Atan Atanh BatchFFT BatchFFT2D BatchFFT3D
    BatchIFFT BatchIFFT2D BatchIFFT3D BatchMatrixBandPart BatchMatrixSetDiag BatchNormWithGlobalNormalization
    BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1
    BiasAdd BiasAddV1 Bucketize Cast Ceil CheckNumerics CheckNumericsV2 CheckPinned ClipByValue ComplexAbs Conj Copy
    CopyHost CopyToMesh Cos Cosh CrossReplicaSum Cumprod Cumsum CumulativeLogsumexp DataFormatDimMap
    DataFormatVecPermute Dawsn DebugIdentity DeepCopy Dequantize Digamma Dilation2DBackpropInput DrawBoundingBoxes
    DrawBoundingBoxesV2 Elu Erf Erfc Erfinv Exp Expint Expm1 FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars
    FakeQuantWithMinMaxVarsPerChannel FFT FFT2D FFT3D Floor FractionalMaxPoolGrad FresnelCos FresnelSin
    GuaranteeConst HSVToRGB IFFT IFFT2D IFFT3D Imag InplaceAdd InplaceSub InplaceUpdate Inv Invert InvertPermutation
    IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p LogicalNot LogSoftmax LRN MatrixBandPart MatrixExponential
    MatrixInverse MatrixLogarithm MatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3 MatrixSquareRoot MaxPool3DGrad
    MaxPoolGrad MaxPoolGradV2 MaxPoolGradWithArgmax Ndtri Neg OnesLike PopulationCount PreventGradient Print
    QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 RandomShuffle Real
    Reciprocal Relayout RelayoutLike Relu Relu6 Reverse ReverseSequence ReverseV2 RGBToHSV Rint Roll Round Rsqrt
    ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd ScatterNdMax ScatterNdMin
    ScatterNdNonAliasingAdd ScatterNdSub ScatterNdUpdate ScatterSub ScatterUpdate Selu Sigmoid Sign Sin Sinh
    Snapshot Softmax Softplus Softsign SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradDA
    SparseApplyAdagradV2 SparseApplyAdam SparseApplyCenteredRMSProp SparseApplyFtrl SparseApplyFtrlV2
    SparseApplyMomentum SparseApplyProximalAdagrad SparseApplyProximalGradientDescent SparseApplyRMSProp Spence Sqrt
    Square StatelessShuffle StochasticCastToInt StopGradient StridedSliceAssign Swish Tan Tanh TensorScatterAdd
    TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate TensorStridedSliceUpdate
    UniformDequantize UniformQuantize UniformQuantizedClipByValue UniformRequantize ZerosLike
""")

_ALIKE = op_types("""
    AccumulateNV2 AddN AssignAdd AssignSub BatchCholeskyGrad CholeskyGrad Cross EluGrad
    FakeQuantWithMinMaxArgsGradient InvGrad LeakyReluGrad LRNGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad
    SeluGrad SigmoidGrad SoftplusGrad SoftsignGrad SqrtGrad TanhGrad
""")

_BROADCAST = op_types("""
    Add AddV2 ApproximateEqual Atan2 BitwiseAnd BitwiseOr BitwiseXor Complex Div DivNoNan Equal FloorDiv FloorMod
    Greater GreaterEqual Igamma Igammac IgammaGradA LeftShift Less LessEqual LogicalAnd LogicalOr Maximum Minimum
    Mod Mul MulNoNan NextAfter NotEqual Polygamma Pow RandomGammaGrad RealDiv RightShift SquaredDifference Sub
    TruncateDiv TruncateMod Xdivy Xlog1py Xlogy Zeta
""")

_REDUCE = op_types("""
    All Any EuclideanNorm Max Mean Min Prod Sum
""")
_SHAPE_FIRST = op_types("""
    AvgPool3DGrad AvgPoolGrad Empty Fill FractionalAvgPoolGrad NonDeterministicInts ParameterizedTruncatedNormal
    RandomStandardNormal RandomUniform RandomUniformInt StatelessParameterizedTruncatedNormal
    StatelessRandomBinomial StatelessRandomGammaV2 StatelessRandomGammaV3 StatelessRandomNormal
    StatelessRandomNormalV2 StatelessRandomPoisson StatelessRandomUniform StatelessRandomUniformFullInt
    StatelessRandomUniformFullIntV2 StatelessRandomUniformInt StatelessRandomUniformIntV2 StatelessRandomUniformV2
    StatelessTruncatedNormal StatelessTruncatedNormalV2 StridedSliceGrad TruncatedNormal
""")

_SAMPLERS = op_types("""
    AllCandidateSampler FixedUnigramCandidateSampler LearnedUnigramCandidateSampler LogUniformCandidateSampler
    ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler
""")

_GRADIENTS_WITH_RANGE = op_types("""
    FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannelGradient QuantizeAndDequantizeV4Grad
""")

_CUDNN_GRADIENTS = ("CudnnRNNBackprop", "CudnnRNNBackpropV2", "CudnnRNNBackpropV3")

_QUANTIZED_MAT_MUL = op_types("""
    QuantizedMatMul QuantizedMatMulWithBias QuantizedMatMulWithBiasAndRelu
    QuantizedMatMulWithBiasAndReluAndRequantize QuantizedMatMulWithBiasAndRequantize
""")

_QUANTIZED_CONV = op_types("""
    QuantizedConv2D QuantizedConv2DAndRelu QuantizedConv2DAndReluAndRequantize QuantizedConv2DAndRequantize
    QuantizedConv2DWithBias QuantizedConv2DWithBiasAndRelu
    QuantizedConv2DWithBiasAndReluAndRequantize QuantizedConv2DWithBiasAndRequantize
    QuantizedConv2DWithBiasSignedSumAndReluAndRequantize QuantizedConv2DWithBiasSumAndRelu
    QuantizedConv2DWithBiasSumAndReluAndRequantize
""")

_QUANTIZED_DEPTHWISE = op_types("""
    QuantizedDepthwiseConv2D QuantizedDepthwiseConv2DWithBias QuantizedDepthwiseConv2DWithBiasAndRelu
    QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize
""")

_SCALAR = op_types("""
    EmptyTensorList FIFOQueueV2 IsVariableInitialized L2Loss LoopCond PaddingFIFOQueueV2 QueueSize QueueSizeV2
    RandomShuffleQueueV2 Rank RequantizationRange Size StatelessRandomGetAlg TensorArrayScatter TensorArrayScatterV2
    TensorArrayScatterV3 TensorArraySize TensorArraySizeV2 TensorArraySizeV3 TensorArraySplit TensorArraySplitV2
    TensorArraySplitV3 TensorArrayUnpack TensorArrayWrite TensorArrayWriteV2 TensorArrayWriteV3 TensorListConcatLists
    TensorListFromTensor TensorListLength TensorListPushBack TensorListReserve TensorListResize TensorListScatter
    TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem TensorListSplit ToBool VarHandleOp
    VarIsInitializedOp
""")


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
    math.mat_mul: ["MatMul", "SparseMatMul", "_FusedMatMul", "QuantizedMatMulWithBiasAndDequantize"],
    math.batch_mat_mul: ["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "_FusedBatchMatMulV2"],
    math.einsum: ["Einsum", "XlaEinsum"],
    linear.qr: ["Qr"],
    linear.svd: ["Svd", "BatchSvd"],
    linear.eigen: ["Eig", "SelfAdjointEigV2", "BatchSelfAdjointEigV2"],
    linear.eigen_in_one: ["SelfAdjointEig", "BatchSelfAdjointEig"],
    linear.square: ["Cholesky", "BatchCholesky", "MatrixInverse", "BatchMatrixInverse"],
    linear.lu: ["Lu"],
    linear.determinant: ["MatrixDeterminant", "BatchMatrixDeterminant", "LogMatrixDeterminant"],
    linear.solve: ["MatrixSolve", "BatchMatrixSolve", "BatchMatrixTriangularSolve"],
    linear.solve_broadcast: ["MatrixTriangularSolve"],
    linear.solve_banded: ["BandedTriangularSolve"],
    linear.solve_least_squares: ["MatrixSolveLs", "BatchMatrixSolveLs"],
    linear.diagonal: ["Diag"],
    linear.diagonal_part: ["DiagPart"],
    linear.matrix_diagonal: ["MatrixDiag", "BatchMatrixDiag"],
    linear.matrix_diagonal_part: ["MatrixDiagPart", "BatchMatrixDiagPart"],
    linear.matrix_diagonals: ["MatrixDiagV2", "MatrixDiagV3"],
    linear.matrix_diagonals_part: ["MatrixDiagPartV2", "MatrixDiagPartV3"],
    math.ensured: ["EnsureShape"],
    math.input_at(1): op_types("""
        Dilation2DBackpropFilter LowerBound UpperBound StackPushV2 SparseSoftmax SparseDenseCwiseAdd SparseDenseCwiseMul
        SparseDenseCwiseDiv TridiagonalSolve
    """),
    math.input_at(2): ["CropAndResizeGradBoxes"],
    math.input_at(3): ["TridiagonalMatMul", "SparseTensorDenseAdd"],
    math.inputs_at(0, 1): ["SparseReorder"],
    math.inputs_at(0, 1, 1, 1, 1): ["BatchNormWithGlobalNormalizationGrad"],
    math.followed_by(math.first_two, 2, 2): _GRADIENTS_WITH_RANGE,
    math.followed_by(math.same, 1, 2): ["QuantizeV2"],
    math.followed_by(window.conv2d, 4, 5): ["QuantizedConv2DPerChannel"],
    math.followed_by(window.depthwise): _QUANTIZED_DEPTHWISE,
    cells.ctc_loss: ["CTCLoss", "CTCLossV2"],
    # Only the first output: the shapes of the others depend on the device.
    math.followed_by(window.pool2d): ["_MklNativeMaxPool"],
    math.followed_by(window.pool3d): ["_MklNativeMaxPool3D"],
    math.betainc: ["Betainc"],
    cells.lstm_cell: ["LSTMBlockCell"],
    cells.lstm_cell_gradient: ["LSTMBlockCellGrad"],
    cells.lstm_block: ["BlockLSTM", "BlockLSTMV2"],
    cells.lstm_block_gradient: ["BlockLSTMGrad", "BlockLSTMGradV2"],
    cells.gru_cell: ["GRUBlockCell"],
    cells.gru_cell_gradient: ["GRUBlockCellGrad"],
    cells.cudnn: ["CudnnRNN", "CudnnRNNV2"],
    cells.cudnn_3: ["CudnnRNNV3"],
    math.inputs_at(0, 1, 2, 3): _CUDNN_GRADIENTS,
    pick.gather_nd: ["GatherNd"],
    pick.resource_gather_nd: ["ResourceGatherNd"],
    pick.variable_shape: ["VariableShape"],
    pick.partition: ["DynamicPartition"],
    pick.vectors(-1, -1): ["ListDiff"],
    pick.vectors(1, 2): ["StatelessRandomGetKeyCounter"],
    pick.vectors(3): ["RngReadAndSkip"],
    pick.vectors(-1): ["NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3"],
    array.spectrum: ["RFFT", "RFFT2D", "RFFT3D"],
    array.signal: ["IRFFT", "IRFFT2D", "IRFFT3D"],
    pick.stitch: ["DynamicStitch", "ParallelDynamicStitch"],
    pick.segments(None): op_types("""
        SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN
    """),
    pick.segments(2, 1): op_types("""
        UnsortedSegmentSum UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd SegmentSumV2 SegmentMaxV2
        SegmentMinV2 SegmentProdV2
    """),
    pick.segments(3): op_types("""
        SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments
        SparseSegmentSumGrad SparseSegmentMeanGrad SparseSegmentSqrtNGrad
    """),
    pick.segments_of_gradient: ["SparseSegmentSumGradV2", "SparseSegmentMeanGradV2", "SparseSegmentSqrtNGradV2"],
    pick.nonzero: ["Where"],
    pick.vector_of_value(1): ["Bincount"],
    pick.vector_of_value(2): ["HistogramFixedWidth", "LinSpace"],
    pick.bins_of_rows: ["DenseBincount"],
    pick.last_as_value(1): ["Multinomial", "StatelessMultinomial"],
    pick.top_k_of_attribute: ["TopK"],
    pick.without_last: ["NthElement"],
    pick.indexed_by_rank: ["UnravelIndex"],
    pick.unique: ["Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"],
    pick.candidates: _SAMPLERS,
    pick.sparse_reshape: ["SparseReshape"],
    pick.sparse_reduce: ["SparseReduceSum", "SparseReduceMax"],
    pick.sparse_mat_mul: ["SparseTensorDenseMatMul"],
    pick.sparse_filled: ["SparseFillEmptyRows"],
    pick.dequeued: ["QueueDequeue", "QueueDequeueV2"],
    pick.dequeued_many: ["QueueDequeueMany", "QueueDequeueManyV2"],
    pick.dequeued_up_to: ["QueueDequeueUpTo", "QueueDequeueUpToV2"],
    math.cross_entropy: ["SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"],
    math.in_top_k: ["InTopK", "InTopKV2"],
    math.top_k: ["TopKV2"],
    math.own: op_types("""
        Const Placeholder PlaceholderV2 VariableV2 Variable TemporaryVariable PlaceholderWithDefault FakeParam
        ParallelConcat ImmutableConst
    """),
    math.read_variable: ["ReadVariableOp"],
    math.numbers: _SCALAR,
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
    array.shape_at(1): ["BroadcastTo", "SparseToDense", "StatefulStandardNormal"],
    array.shape_at(2): op_types("""
        ScatterNd StatefulUniform StatefulUniformInt StatefulUniformFullInt StatefulStandardNormalV2
        StatefulTruncatedNormal
    """),
    array.shape_at(3): ["CropAndResizeGradImage"],
    held.item: ["TensorListGetItem"],
    held.popped: ["TensorListPopBack"],
    held.stacked: ["TensorListStack"],
    held.gathered: ["TensorListGather"],
    held.concatenated: ["TensorListConcat", "TensorListConcatV2"],
    held.read: ["TensorArrayRead", "TensorArrayReadV2", "TensorArrayReadV3"],
    held.gathered_of_array: ["TensorArrayGather", "TensorArrayGatherV2", "TensorArrayGatherV3"],
    held.concatenated_of_array: ["TensorArrayConcat", "TensorArrayConcatV2", "TensorArrayConcatV3"],
    held.packed: ["TensorArrayPack"],
    array.range_: ["Range"],
    array.one_hot: ["OneHot"],
    array.concat_offset: ["ConcatOffset"],
    array.handle_and_flow: ["TensorArrayV3", "TensorArrayGradV3"],
    pick.vectors(2): ["TensorArray", "TensorArrayV2", "TensorArrayGrad", "TensorArrayGradV2"],
    array.vectors: ["BroadcastGradientArgs", "TensorListElementShape"],
    array.bitcast: ["Bitcast"],
    array.broadcast_shape: ["BroadcastArgs"],
    array.shape_and_input: ["RandomGamma", "RandomPoisson", "RandomPoissonV2"],
    array.pad_gradient: ["MirrorPadGrad"],
    array.tile_gradient: ["TileGrad"],
    window.conv2d: ["Conv2D", "_FusedConv2D", "Conv2DWithBias", "FusedConv2DBiasActivation"],
    window.conv3d: ["Conv3D", "_FusedConv3D"],
    window.depthwise: ["DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative"],
    window.padded_conv2d: ["FusedPadConv2D"],
    window.dilation2d: ["Dilation2D"],
    window.image_patches: ["ExtractImagePatches"],
    window.volume_patches: ["ExtractVolumePatches"],
    window.fractional_pool: ["FractionalMaxPool", "FractionalAvgPool"],
    window.pool2d_of_inputs: ["MaxPoolV2"],
    window.resize_gradient: ["ResizeBilinearGrad", "ResizeBicubicGrad", "ScaleAndTranslateGrad"],
    window.crop_and_resize: ["CropAndResize"],
    window.transformed: ["ImageProjectiveTransformV2", "ImageProjectiveTransformV3"],
    window.random_crop: ["RandomCrop"],
    math.input_at(0): ["Conv2DBackpropInputV2", "Conv3DBackpropInput"],
    math.input_at(-2): ["Conv2DBackpropFilterV2", "Conv3DBackpropFilter"],
    window.conv_backprop(0, 4): ["Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropInput"],
    window.conv_backprop(1, 4): ["Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter"],
    window.conv_backprop(0, 5): ["Conv3DBackpropInputV2"],
    window.conv_backprop(1, 5): ["Conv3DBackpropFilterV2"],
    window.pool2d: ["MaxPool", "AvgPool", "MaxPoolWithArgmax", "MaxPoolGradGrad", "MaxPoolGradGradWithArgmax"],
    window.pool3d: ["MaxPool3D", "AvgPool3D", "MaxPool3DGradGrad"],
    window.batch_norm: ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx"],
    window.batch_norm_grad: ["FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"],
    window.bias_grad: ["BiasAddGrad"],
    window.resize: op_types("""
        ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea ScaleAndTranslate ExtractGlimpse ExtractGlimpseV2
        ResizeNearestNeighborGrad
    """),
    window.space_to_batch: ["SpaceToBatchND", "SpaceToBatch"],
    window.batch_to_space: ["BatchToSpaceND", "BatchToSpace"],
    window.space_to_depth: ["SpaceToDepth"],
    window.depth_to_space: ["DepthToSpace"],
}

_RANGED: Mapping[Callable[[Nodes], Shapes], Sequence[str]] = {
    math.same: op_types("""
        QuantizedRelu QuantizedRelu6 QuantizedReluX Requantize RequantizePerChannel QuantizeDownAndShrinkRange
        QuantizedInstanceNorm QuantizedBiasAdd QuantizedBatchNormWithGlobalNormalization
    """),
    math.broadcast_both: ["QuantizedAdd", "QuantizedMul"],
    math.mat_mul: _QUANTIZED_MAT_MUL,
    array.reshape: ["QuantizedReshape"],
    window.conv2d: _QUANTIZED_CONV,
    window.pool2d: ["QuantizedMaxPool", "QuantizedAvgPool"],
    window.resize: ["QuantizedResizeBilinear"],
}
"""Rules of the first output of quantized ops; their other outputs are its range."""

RULES: Mapping[str, Rule] = {
    **{op: rule for rule, ops in _RULES.items() for op in ops},
    **{op: ranged for rule, ops in _RANGED.items() for ranged in [math.and_range(rule)] for op in ops},
}
"""The rule of each op type that has one."""

HANDLES = frozenset(
    op_types("""
        VarHandleOp FIFOQueue RandomShuffleQueue PaddingFIFOQueue FIFOQueueV2 RandomShuffleQueueV2 PaddingFIFOQueueV2
    """)
)
"""Op types that create a handle of a variable or queue, which has shapes of its own."""

_NATIVE = "_MklNative"


def plain_name(op: str) -> str:
    """Return the op type whose rule applies: for a oneDNN kernel the op that it replaces, otherwise the op itself."""
    bare = op.removeprefix(_NATIVE)
    return op if op in RULES or bare == op else next((name for name in (bare, f"_{bare}") if name in RULES), op)
