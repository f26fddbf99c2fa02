"""TensorFlow's FLOPs registry as a table: one rule per formula.

``--rules tfprof`` counts by exactly this table, so only TensorFlow's registry is a reason to change it. A rule for
another op type belongs to the extended rules: to `contractions`, `pointwise`, `numerics` or `no_arithmetic`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof_report.arrays import Numbers
from tfprof_report.model.flops.rule import FIRST, OUT, SECOND, THIRD, OpClass, Operands, Rule
from tfprof_report.semantics import TFPROF, Semantics

_COMMON = "tensorflow/python/profiler/internal/flops_registry.py"
_NN = "tensorflow/python/ops/nn_ops.py"
_MATH = "tensorflow/python/ops/math_ops.py"

BY_SHAPES = "TensorFlow's op definitions: one multiply and one add for each tap"
"""Source of rules of contractions that do not follow the registry."""


def per_element(times: int, tensor: str, *ops: str, kind: OpClass = OpClass.ELEMENTWISE, source: str = _COMMON) -> Rule:
    """Return the rule of ops that take `times` operations per element of a tensor."""
    text = f"N({tensor})" if times == 1 else f"{times} N({tensor})"
    return Rule(
        ops=ops, formula=lambda n: times * n.size(tensor), needs={tensor: 0}, text=text, source=source, kind=kind
    )


def convolution(
    sizes: int, *ops: str, kind: OpClass = OpClass.CONTRACTION, source: str = _NN, filters: str = SECOND
) -> Rule:
    """Return the rule of a convolution that multiplies by the first `sizes` dimensions of its filter."""

    def formula(n: Operands) -> Numbers:
        taps: Numbers = np.prod([n.dim(filters, index) for index in range(sizes)], axis=0)
        return 2 * n.size(OUT) * taps

    return Rule(
        ops=ops,
        formula=formula,
        needs={FIRST: 0, filters: sizes, OUT: 0},
        text="2 N(out) " + " ".join(f"{filters}[{index}]" for index in range(sizes)),
        source=source,
        kind=kind,
    )


def gradient_of_convolution(sizes: int, filters: str, *ops: str, source: str) -> Rule:
    """Return the rule of a gradient: one multiply-add per tap of the filter and element of the incoming gradient.

    Those are the multiply-adds of the forward pass, whatever the strides and the padding are.
    """

    def formula(n: Operands) -> Numbers:
        taps: Numbers = np.prod([n.dim(filters, index) for index in range(sizes)], axis=0)
        return 2 * n.size(THIRD) * taps

    return Rule(
        ops=ops,
        formula=formula,
        needs={filters: sizes, THIRD: 0},
        text="2 N(in2) " + " ".join(f"{filters}[{index}]" for index in range(sizes)),
        source=source,
        kind=OpClass.CONTRACTION,
    )


def _gradients_of_image_convolution(semantics: Semantics) -> tuple[Rule, Rule]:
    """Return the rules of both gradients of Conv2D; the registry's divide the sizes by the strides without rounding."""
    if not semantics.gradients_divide_by_strides:
        inputs = gradient_of_convolution(3, SECOND, "Conv2DBackpropInput", source=BY_SHAPES)
        filters = gradient_of_convolution(3, OUT, "Conv2DBackpropFilter", source=BY_SHAPES)
        return replace(inputs, has_layout=True), replace(filters, has_layout=True)
    return (
        Rule(
            ops=("Conv2DBackpropInput",),
            formula=lambda n: 2 * n.size(OUT) * n.size(SECOND),
            divisor=lambda n: n.channels(OUT) * n.stride(),
            needs={OUT: 1, SECOND: 0},
            lists={"strides": 3},
            has_layout=True,
            text="2 N(out) N(in1) / (channels of out x strides)",
            source=_COMMON,
            kind=OpClass.CONTRACTION,
        ),
        Rule(
            ops=("Conv2DBackpropFilter",),
            formula=lambda n: 2 * n.size(FIRST) * n.size(OUT),
            divisor=lambda n: n.channels(FIRST) * n.stride(),
            needs={FIRST: 1, OUT: 0},
            lists={"strides": 3},
            has_layout=True,
            text="2 N(in0) N(out) / (channels of in0 x strides)",
            source=_COMMON,
            kind=OpClass.CONTRACTION,
        ),
    )


def rules_of(semantics: Semantics) -> tuple[Rule, ...]:
    """Return the rules that TensorFlow 2.21 registers, with or without its quirks; op types are unique."""
    adjoint = "transpose_a" if semantics.batch_matmul_ignores_adj_x else "adj_x"
    least = -1 if semantics.l2_loss_of_nothing_is_negative else 0

    return (
        per_element(1, FIRST, "Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd"),
        per_element(2, FIRST, "Rsqrt"),
        per_element(5, FIRST, "Softmax", kind=OpClass.SOFTMAX),
        Rule(
            ops=("L2Loss",),
            formula=lambda n: np.maximum(3 * n.size(FIRST) - 1, least),
            needs={FIRST: 0},
            text="3 N(in0) - 1",
            source=_COMMON,
            kind=OpClass.REDUCTION,
        ),
        per_element(1, OUT, "Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "Pow"),
        per_element(1, OUT, "Greater", "GreaterEqual", "Less", "LessEqual", "Equal", "NotEqual"),
        per_element(2, OUT, "SquaredDifference"),
        per_element(4, OUT, "RsqrtGrad"),
        Rule(
            ops=("Mean",),
            formula=lambda n: n.size(FIRST),
            needs={FIRST: 0, OUT: 0},
            text="N(in0)",
            source=_COMMON,
            kind=OpClass.REDUCTION,
        ),
        Rule(
            ops=("Sum", "ArgMax", "ArgMin", "BiasAddGrad"),
            formula=lambda n: n.size(FIRST) - n.size(OUT),
            needs={FIRST: 0, OUT: 0},
            text="N(in0) - N(out)",
            source=_COMMON,
            kind=OpClass.REDUCTION,
        ),
        per_element(1, FIRST, "BiasAdd", source=_NN),
        Rule(
            ops=("AddN",),
            formula=lambda n: n.size(FIRST) * (n.inputs - 1).astype(n.dtype),
            needs={FIRST: 0},
            text="N(in0) (inputs - 1)",
            source=_COMMON,
            kind=OpClass.ELEMENTWISE,
        ),
        Rule(
            ops=("MatMul",),
            formula=lambda n: 2 * np.where(n.flags["transpose_a"], n.dim(FIRST, 0), n.dim(FIRST, 1)) * n.size(OUT),
            needs={FIRST: 2, OUT: 0},
            text="2 k N(out), k = in0[1], or in0[0] with transpose_a",
            source=_MATH,
            kind=OpClass.CONTRACTION,
        ),
        Rule(
            ops=("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"),
            formula=lambda n: 2 * np.where(n.flags[adjoint], n.dim(FIRST, -2), n.dim(FIRST, -1)) * n.size(OUT),
            needs={FIRST: 2, OUT: 0},
            text="2 k N(out), k = in0[-1], or in0[-2] with adj_x",
            source=_MATH,
            kind=OpClass.CONTRACTION,
        ),
        convolution(3, "Conv2D"),
        convolution(4, "Conv3D"),
        convolution(2, "DepthwiseConv2dNative"),
        convolution(2, "Dilation2D", kind=OpClass.POOLING),
        *_gradients_of_image_convolution(semantics),
        Rule(
            ops=("AvgPool", "MaxPool"),
            formula=lambda n: n.window() * n.size(OUT),
            needs={OUT: 0},
            lists={"ksize": 0},
            has_layout=True,
            text="N(ksize) N(out)",
            source=_COMMON,
            kind=OpClass.POOLING,
        ),
        Rule(
            ops=("AvgPoolGrad",),
            formula=lambda n: 2 * n.window() * n.size(SECOND),
            needs={SECOND: 0},
            lists={"ksize": 0},
            has_layout=True,
            text="2 N(ksize) N(in1)",
            source=_COMMON,
            kind=OpClass.POOLING,
        ),
        Rule(
            ops=("MaxPoolGrad",),
            formula=lambda n: (n.window() + 1) * n.size(SECOND),
            needs={SECOND: 0},
            lists={"ksize": 0},
            has_layout=True,
            text="(N(ksize) + 1) N(in1)",
            source=_COMMON,
            kind=OpClass.POOLING,
        ),
    )


REGISTERED_OPS = tuple(sorted(op for rule in rules_of(TFPROF) for op in rule.ops))
"""Op types for which TensorFlow 2.21 registers a formula."""
