"""FLOPs of elementwise ops, reductions, pooling, normalisation and optimizers that TensorFlow's registry lacks.

Each function of an element (exp, tanh, sqrt, a comparison ...) is one operation, as in the registry, except for rsqrt.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof_report.arrays import Numbers, to_ints
from tfprof_report.model.flops.fused_kernels import COMPOSED, activation, side_input
from tfprof_report.model.flops.rule import FIRST, OUT, SECOND, THIRD, OpClass, Operands, Rule
from tfprof_report.model.flops.tensorflow_registry import per_element
from tfprof_report.model.graph.op_types import op_types

_OPS = "TensorFlow's op definitions: the arithmetic of each element"
_UPDATES = "tensorflow/core/kernels/training_ops.cc: the arithmetic of each element of the gradient"
_BATCH_NORM = "3 N(in0) + 4 N(in1); 4 N(in0) more with is_training, for mean and variance"
_DEPTH_RADIUS = 5
"""The default of LRN's attribute."""
_FUSED_NORM = "tensorflow/core/kernels/fused_batch_norm_op.cc: the arithmetic of each element and channel"


def _each(times: int, tensor: str, *ops: str, kind: OpClass = OpClass.ELEMENTWISE, source: str = _OPS) -> Rule:
    return per_element(times, tensor, *ops, kind=kind, source=source)


def _of_pixels(times: int, *ops: str) -> Rule:
    return Rule(
        ops=ops,
        formula=lambda n: times * n.size(FIRST),
        divisor=lambda n: n.dim(FIRST, -1),
        needs={FIRST: 1},
        text=f"{times} N(in0) / in0[-1]",
        source="tensorflow/core/kernels/image/colorspace_op.h: the arithmetic of each pixel",
        kind=OpClass.ELEMENTWISE,
    )


ELEMENTWISE = (
    COMPOSED,
    _of_pixels(22, "RGBToHSV"),
    _of_pixels(26, "HSVToRGB"),
    _of_pixels(51, "AdjustHue", "AdjustSaturation"),  # to HSV and back (22 + 26), and three operations between
    Rule(
        ops=("ResizeArea",),
        formula=lambda n: 2 * np.maximum(n.size(FIRST), n.size(OUT)),
        needs={FIRST: 0, OUT: 0},
        text="2 N of the larger of in0 and out",
        source=f"{_OPS}: a weighted sum",
        kind=OpClass.ELEMENTWISE,
    ),
    _each(
        1,
        FIRST,
        *op_types("""
            Exp Expm1 Log1p Sqrt Tanh Sigmoid Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf Erfc Erfinv
            Ndtri Lgamma Digamma Abs Sign Floor Ceil Round Rint Inv LogicalNot Invert IsFinite IsInf IsNan ComplexAbs
            Relu QuantizedRelu Cumsum Cumprod BesselI0e BesselI1e Conj QuantizedReluX BesselI0 BesselI1 BesselJ0
            BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence
            Angle StochasticCastToInt RequantizationRange ResizeNearestNeighborGrad QuantizedBiasAdd BiasAddV1
        """),
    ),
    _each(2, FIRST, "Relu6", "LeakyRelu", "Elu", "Softsign", "QuantizedRelu6", "ClipByValue", "Swish", "_MklSwish"),
    _each(2, FIRST, "QuantizeV2", "Dequantize", "Requantize", "QuantizeDownAndShrinkRange", "RequantizePerChannel"),
    _each(2, FIRST, "UniformQuantize", "UniformDequantize", "UniformRequantize", "UniformQuantizedClipByValue"),
    _each(2, FIRST, "FakeQuantWithMinMaxArgsGradient", "QuantizeAndDequantizeV4Grad"),
    _each(3, FIRST, "Softplus", "Selu"),
    _each(4, FIRST, "FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannelGradient"),
    _each(4, FIRST, "AdjustContrast", "AdjustContrastv2"),
    _each(5, FIRST, "_MklFusedMish", "CumulativeLogsumexp"),
    _each(
        4,
        FIRST,
        *op_types("""
            FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel QuantizeAndDequantize
            QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
        """),
    ),
    _each(
        1,
        OUT,
        *op_types("""
            Div FloorDiv TruncateDiv DivNoNan MulNoNan Mod FloorMod TruncateMod Atan2 LogicalAnd LogicalOr BitwiseAnd
            BitwiseOr BitwiseXor LeftShift RightShift NextAfter Igamma Igammac Zeta Polygamma Betainc QuantizedAdd
            QuantizedMul IgammaGradA RandomGammaGrad UniformQuantizedAdd
        """),
    ),
    _each(2, OUT, "Xdivy", "Xlogy", "ApproximateEqual"),
    _each(3, OUT, "Xlog1py"),
    _each(1, OUT, "ReluGrad"),
    _each(2, OUT, "Relu6Grad", "LeakyReluGrad", "EluGrad", "SqrtGrad", "ReciprocalGrad", "InvGrad"),
    _each(3, OUT, "TanhGrad", "SigmoidGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"),
    _each(9, OUT, "ResizeBilinear", "ResizeBilinearGrad", "CropAndResize", "QuantizedResizeBilinear"),
    _each(9, FIRST, "CropAndResizeGradImage"),
    _each(35, OUT, "ResizeBicubic", source=f"{_OPS}: four lines of four taps, then one"),
    _each(48, FIRST, "ResizeBicubicGrad", source=f"{_OPS}: two products and a sum for each of 16 taps"),
    _each(
        22, SECOND, "LSTMBlockCellGrad", source="tensorflow/core/kernels/rnn/lstm_ops.h: the arithmetic of each unit"
    ),
    _each(1, SECOND, "SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseTensorDenseAdd"),
    Rule(
        ops=("AccumulateNV2",),
        formula=lambda n: n.size(FIRST) * (n.inputs - 1).astype(n.dtype),
        needs={FIRST: 0},
        text="N(in0) (inputs - 1)",
        source=_OPS,
        kind=OpClass.ELEMENTWISE,
    ),
    _each(1, SECOND, "AssignAddVariableOp", "AssignSubVariableOp"),
    _each(
        1,
        THIRD,
        *op_types("""
            ScatterAdd ScatterSub ScatterMul ScatterDiv ScatterMin ScatterMax ScatterNdAdd ResourceScatterAdd
            ResourceScatterSub ResourceScatterMul ResourceScatterDiv ScatterNdSub ResourceScatterMin ResourceScatterMax
            TensorScatterAdd TensorScatterSub ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdMin
            ResourceScatterNdMax ScatterNdMin ScatterNdMax TensorScatterMin TensorScatterMax ScatterNdNonAliasingAdd
            InplaceAdd InplaceSub
        """),
    ),
)


def _gathered(times: int, *ops: str) -> Rule:
    """Return the rule of ops that sum the rows of the first input that the second one indexes."""
    return Rule(
        ops=ops,
        formula=lambda n: times * n.size(FIRST) * n.size(SECOND),
        divisor=lambda n: n.dim(FIRST, 0),
        needs={FIRST: 1, SECOND: 0},
        text=f"{f'{times} ' if times > 1 else ''}N(in1) N(in0) / in0[0]",
        source=f"{_OPS} of the indexed rows" + ", which are also scaled" * (times > 1),
        kind=OpClass.REDUCTION,
    )


REDUCTIONS = (
    Rule(
        ops=("Max", "Min", "Prod", "All", "Any"),
        formula=lambda n: n.size(FIRST) - n.size(OUT),
        applies=lambda n: n.size(FIRST) >= n.size(OUT),
        needs={FIRST: 0, OUT: 0},
        text="N(in0) - N(out)",
        source=_OPS,
        kind=OpClass.REDUCTION,
    ),
    _each(2, FIRST, "EuclideanNorm", kind=OpClass.REDUCTION),
    _each(
        1,
        FIRST,
        *op_types("""
            SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin UnsortedSegmentSum UnsortedSegmentProd
            UnsortedSegmentMax UnsortedSegmentMin SegmentSumV2 SegmentProdV2 SegmentMaxV2 SegmentMinV2 Bincount
            DenseBincount
        """),
        kind=OpClass.REDUCTION,
    ),
    _each(1, SECOND, "SparseReduceSum", "SparseReduceMax", kind=OpClass.REDUCTION),
    Rule(
        ops=("MirrorPadGrad", "TileGrad"),
        formula=lambda n: n.size(FIRST) - n.size(OUT),
        applies=lambda n: n.size(FIRST) >= n.size(OUT),
        needs={FIRST: 0, OUT: 0},
        text="N(in0) - N(out)",
        source=_OPS,
        kind=OpClass.REDUCTION,
    ),
    _gathered(
        1, "SparseSegmentSum", "SparseSegmentSumWithNumSegments", "SparseSegmentSumGrad", "SparseSegmentSumGradV2"
    ),
    _gathered(
        2,
        *op_types("""
            SparseSegmentMean SparseSegmentMeanWithNumSegments SparseSegmentMeanGrad SparseSegmentMeanGradV2
            SparseSegmentSqrtNGradV2 SparseSegmentSqrtN SparseSegmentSqrtNWithNumSegments SparseSegmentSqrtNGrad
        """),
    ),
)


def _pool(*ops: str, tensor: str = OUT, times: int = 1, more: int = 0) -> Rule:
    window = "N(ksize)" if times == 1 else f"{times} N(ksize)"
    return Rule(
        ops=ops,
        formula=lambda n: (times * n.window() + more) * n.size(tensor),
        needs={tensor: 0},
        lists={"ksize": 1},
        text=f"({window} + {more}) N({tensor})" if more else f"{window} N({tensor})",
        source="as for two dimensions in TensorFlow's registry",
        kind=OpClass.POOLING,
    )


POOLS = (
    _pool("AvgPool3D", "MaxPool3D", "MaxPoolWithArgmax", "QuantizedAvgPool", "QuantizedMaxPool"),
    _pool("AvgPool3DGrad", tensor=SECOND, times=2),
    _pool("MaxPool3DGrad", tensor=SECOND, more=1),
    _pool("MaxPoolGradGrad", "MaxPool3DGradGrad"),
    _each(1, SECOND, "MaxPoolGradWithArgmax", kind=OpClass.POOLING),
    _each(1, FIRST, "FractionalAvgPool", "FractionalMaxPool", "FractionalMaxPoolGrad", kind=OpClass.POOLING),
    _each(1, OUT, "FractionalAvgPoolGrad", kind=OpClass.POOLING),
    Rule(
        ops=("Dilation2DBackpropInput", "Dilation2DBackpropFilter"),
        formula=lambda n: (2 * n.dim(SECOND, 0) * n.dim(SECOND, 1) + 1) * n.size(THIRD),
        needs={SECOND: 2, THIRD: 0},
        text="(2 in1[0] in1[1] + 1) N(in2)",
        source=f"{_OPS} of the gradient: a sum and a comparison for each tap",
        kind=OpClass.POOLING,
    ),
)


def _batch_norm(*ops: str) -> Rule:
    def formula(n: Operands) -> Numbers:
        times: Numbers = 3 + 4 * n.flags["is_training"].astype(n.dtype)
        result: Numbers = times * n.size(FIRST) + 4 * n.size(SECOND)
        return result

    return Rule(
        ops=ops,
        formula=formula,
        needs={FIRST: 0, SECOND: 0},
        text=_BATCH_NORM,
        source=_FUSED_NORM,
        kind=OpClass.NORMALISATION,
    )


def _response(per_radius: int, more: int, op: str) -> Rule:
    """Return the rule of a local response normalisation; windows cut off at the first or last channel count in full."""

    def formula(n: Operands) -> Numbers:
        radius: Numbers = to_ints(n.numbers["depth_radius"].fill_null(_DEPTH_RADIUS)).astype(n.dtype)
        result: Numbers = (per_radius * np.maximum(radius, 0) + more) * n.size(FIRST)
        return result

    return Rule(
        ops=(op,),
        formula=formula,
        needs={FIRST: 0},
        text=f"({per_radius} depth_radius + {more}) N(in0)",
        source="tensorflow/core/kernels/lrn_op.cc: the arithmetic of each element and its neighbours",
        kind=OpClass.NORMALISATION,
    )


def _fused_norm(times: int, of_channels: int, channels: str, *ops: str) -> Rule:
    return Rule(
        ops=ops,
        formula=lambda n: times * n.size(FIRST) + of_channels * n.size(channels),
        needs={FIRST: 0, channels: 0},
        text=f"{times} N(in0) + {of_channels} N({channels})",
        source=_FUSED_NORM,
        kind=OpClass.NORMALISATION,
    )


NORMALISATIONS = (
    _batch_norm("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"),
    replace(
        _batch_norm("_FusedBatchNormEx"),
        on_top=lambda n: n.size(FIRST) * (activation(n) + side_input(n)),
        text=f"{_BATCH_NORM}; N(in0) each with an activation_mode and with a side input",
    ),
    _fused_norm(
        9, 4, THIRD, "FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3", "_FusedBatchNormGradEx"
    ),
    _fused_norm(3, 4, SECOND, "BatchNormWithGlobalNormalization"),
    _fused_norm(3, 4, "in3", "QuantizedBatchNormWithGlobalNormalization"),
    _fused_norm(9, 4, SECOND, "BatchNormWithGlobalNormalizationGrad"),
    _each(7, FIRST, "_MklLayerNorm", "QuantizedInstanceNorm", "_MklFusedInstanceNorm", kind=OpClass.NORMALISATION),
    _response(2, 5, "LRN"),
    _response(12, 11, "LRNGrad"),
)

SOFTMAXES = (
    _each(5, FIRST, "LogSoftmax", "_FusedSoftmax", kind=OpClass.SOFTMAX),
    _each(5, SECOND, "SparseSoftmax", kind=OpClass.SOFTMAX),
    _each(6, FIRST, "SparseSoftmaxCrossEntropyWithLogits", kind=OpClass.SOFTMAX),
    _each(9, FIRST, "SoftmaxCrossEntropyWithLogits", kind=OpClass.SOFTMAX),
)


def _update(times: int, gradient: int, *names: str, sparse: bool = False) -> Rule:
    """Return the rule of optimizer ops; `gradient` is the index of the gradient among the inputs."""
    prefixes = ("Apply", "ResourceApply", *(("SparseApply", "ResourceSparseApply") if sparse else ()))
    ops = [prefix + name for name in names for prefix in prefixes]
    return _each(times, f"in{gradient}", *ops, kind=OpClass.OPTIMIZER, source=_UPDATES)


OPTIMIZERS = (
    _update(2, 2, "GradientDescent"),
    _update(4, 3, "Momentum", sparse=True),
    _each(4, "in3", "ResourceApplyKerasMomentum", kind=OpClass.OPTIMIZER, source=_UPDATES),
    _each(4, "in3", "ResourceSparseApplyKerasMomentum", kind=OpClass.OPTIMIZER, source=_UPDATES),
    _update(7, 3, "Adagrad", sparse=True),
    _update(7, 4, "AdagradV2", sparse=True),
    _update(17, 6, "Adadelta", sparse=True),
    _update(12, 9, "Adam"),
    _each(13, "in10", "ResourceApplyAdamWithAmsgrad", kind=OpClass.OPTIMIZER, source=_UPDATES),
    _update(10, 8, "AdaMax"),
    _update(12, 7, "RMSProp", sparse=True),
    _update(17, 8, "CenteredRMSProp", sparse=True),
    _update(17, 3, "Ftrl", "FtrlV2", sparse=True),
    _update(11, 6, "AddSign"),
    _update(12, 6, "PowerSign"),
    _update(12, 3, "AdagradDA", sparse=True),
    _update(15, 5, "ProximalAdagrad", sparse=True),
    _update(8, 4, "ProximalGradientDescent", sparse=True),
)

POINTWISE = (*ELEMENTWISE, *REDUCTIONS, *POOLS, *NORMALISATIONS, *SOFTMAXES, *OPTIMIZERS)
