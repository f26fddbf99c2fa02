"""FLOPs of ops that TensorFlow's registry lacks and that go over a tensor element by element.

Each function of an element (exp, tanh, sqrt, a comparison ...) is one operation, as in the registry, but for rsqrt.
"""

from __future__ import annotations

from tfprof_report.model.registry import per_element
from tfprof_report.model.rules import FIRST, OUT, SECOND, THIRD, Numbers, OpClass, Operands, Rule

_OPS = "TensorFlow's op definitions: the arithmetic of each element"
_UPDATES = "tensorflow/core/kernels/training_ops.cc: the arithmetic of each element of the gradient"
_FUSED_NORM = "tensorflow/core/kernels/fused_batch_norm_op.cc: the arithmetic of each element and channel"


def _each(times: int, tensor: str, *ops: str, kind: OpClass = OpClass.ELEMENTWISE, source: str = _OPS) -> Rule:
    return per_element(times, tensor, *ops, kind=kind, source=source)


ELEMENTWISE = (
    _each(
        1,
        FIRST,
        *("Exp", "Expm1", "Log1p", "Sqrt", "Tanh", "Sigmoid", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh"),
        *("Cosh", "Asinh", "Acosh", "Atanh", "Erf", "Erfc", "Erfinv", "Ndtri", "Lgamma", "Digamma", "Abs"),
        *("Sign", "Floor", "Ceil", "Round", "Rint", "Inv", "LogicalNot", "Invert", "IsFinite", "IsInf", "IsNan"),
        *(
            "ComplexAbs",
            "Relu",
            "QuantizedRelu",
            "Cumsum",
            "Cumprod",
            "BesselI0e",
            "BesselI1e",
            "Conj",
            "QuantizedReluX",
        ),
        *("QuantizedBiasAdd", "BiasAddV1"),
    ),
    _each(2, FIRST, "Relu6", "LeakyRelu", "Elu", "Softsign", "QuantizedRelu6", "ClipByValue", "Swish"),
    _each(2, FIRST, "QuantizeV2", "Dequantize", "Requantize", "QuantizeDownAndShrinkRange", "RequantizePerChannel"),
    _each(3, FIRST, "Softplus", "Selu"),
    _each(
        4,
        FIRST,
        *("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel"),
        *("QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4"),
    ),
    _each(
        1,
        OUT,
        *("Div", "FloorDiv", "TruncateDiv", "DivNoNan", "MulNoNan", "Mod", "FloorMod", "TruncateMod", "Atan2"),
        *("LogicalAnd", "LogicalOr", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"),
        *("NextAfter", "Igamma", "Igammac", "Zeta", "Polygamma", "Betainc", "QuantizedAdd", "QuantizedMul"),
    ),
    _each(2, OUT, "Xdivy", "Xlogy", "ApproximateEqual"),
    _each(3, OUT, "Xlog1py"),
    _each(1, OUT, "ReluGrad"),
    _each(2, OUT, "Relu6Grad", "LeakyReluGrad", "EluGrad", "SqrtGrad", "ReciprocalGrad", "InvGrad"),
    _each(3, OUT, "TanhGrad", "SigmoidGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"),
    _each(9, OUT, "ResizeBilinear", "ResizeBilinearGrad", "CropAndResize"),
    _each(1, SECOND, "AssignAddVariableOp", "AssignSubVariableOp"),
    _each(
        1,
        THIRD,
        *("ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterMin", "ScatterMax", "ScatterNdAdd"),
        *("ResourceScatterAdd", "ResourceScatterSub", "ResourceScatterMul", "ResourceScatterDiv", "ScatterNdSub"),
        *("ResourceScatterMin", "ResourceScatterMax", "TensorScatterAdd", "TensorScatterSub", "ResourceScatterNdAdd"),
    ),
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
        *("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"),
        *("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"),
        kind=OpClass.REDUCTION,
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
        text="3 N(in0) + 4 N(in1); 4 N(in0) more with is_training, for mean and variance",
        source=_FUSED_NORM,
        kind=OpClass.NORMALISATION,
    )


NORMALISATIONS = (
    _batch_norm("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx"),
    Rule(
        ops=("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3", "_FusedBatchNormGradEx"),
        formula=lambda n: 9 * n.size(FIRST) + 4 * n.size(THIRD),
        needs={FIRST: 0, THIRD: 0},
        text="9 N(in0) + 4 N(in2)",
        source=_FUSED_NORM,
        kind=OpClass.NORMALISATION,
    ),
    Rule(
        ops=("BatchNormWithGlobalNormalization",),
        formula=lambda n: 3 * n.size(FIRST) + 4 * n.size(SECOND),
        needs={FIRST: 0, SECOND: 0},
        text="3 N(in0) + 4 N(in1)",
        source=_OPS,
        kind=OpClass.NORMALISATION,
    ),
)

SOFTMAXES = (
    _each(5, FIRST, "LogSoftmax", "_FusedSoftmax", kind=OpClass.SOFTMAX),
    _each(5, SECOND, "SparseSoftmax", kind=OpClass.SOFTMAX),
    _each(6, FIRST, "SparseSoftmaxCrossEntropyWithLogits", kind=OpClass.SOFTMAX),
    _each(9, FIRST, "SoftmaxCrossEntropyWithLogits", kind=OpClass.SOFTMAX),
)


def _update(times: int, gradient: int, *names: str, sparse: bool = False) -> Rule:
    """Return the rule of optimizer ops; `gradient` is the place of the gradient among the inputs."""
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
)

POINTWISE = (*ELEMENTWISE, *REDUCTIONS, *POOLS, *NORMALISATIONS, *SOFTMAXES, *OPTIMIZERS)
