"""FLOPs of contractions that TensorFlow's registry lacks: gradients of convolutions, Einsum, fused kernels, RNN cells.

A formula counts each multiply-add of a contraction as two, as the registry does; other arithmetic of the op, such as a
bias, is in `Rule.on_top`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Numbers, to_ints
from tfprof_report.model.flops.fused_kernels import with_bias_and_activation, with_fused_ops, with_names
from tfprof_report.model.flops.rule import FIRST, OUT, SECOND, THIRD, OpClass, Operands, Rule
from tfprof_report.model.flops.tensorflow_registry import BY_SHAPES, convolution, gradient_of_convolution
from tfprof_report.model.graph.op_types import op_types
from tfprof_report.record import record

_ELLIPSIS = "..."


_TENSORS = (FIRST, SECOND)


@record
class _Equation:
    """A parsed Einsum equation.

    terms : labels of each input, at most one of them ``...``
    summed : per label that the output lacks, a tensor that has it and the axis there (from the end if negative)
    """

    terms: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]
    summed: dict[str, tuple[str, int]]

    @property
    def is_contraction(self) -> bool:
        """Whether products are summed: two inputs, and a label that the output lacks."""
        return len(self.terms) > 1 and bool(self.summed)

    @property
    def is_idle(self) -> bool:
        """Whether there is no arithmetic: a transpose or a diagonal."""
        return len(self.terms) == 1 and not self.summed


def _labels(term: str) -> tuple[str, ...]:
    head, dots, tail = term.partition(_ELLIPSIS)
    return (*head, *([_ELLIPSIS] if dots else []), *tail)


def _read(equation: str) -> _Equation | None:
    """Return the parts of an equation; None for one that TensorFlow's op rejects."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms, output = tuple(_labels(term) for term in left.split(",")), _labels(right)
    used = [label for term in terms for label in term]
    is_sound = arrow and len(terms) <= len(_TENSORS) and set(output) <= set(used) and len(set(output)) == len(output)
    if not is_sound or "." in used:
        return None
    summed: dict[str, tuple[str, int]] = {}
    for tensor, term in zip(_TENSORS, terms, strict=False):
        dots = term.index(_ELLIPSIS) if _ELLIPSIS in term else len(term)
        for place, label in enumerate(term):
            if label not in output and label != _ELLIPSIS:
                summed.setdefault(label, (tensor, place if place < dots else place - len(term)))
    return _Equation(terms=terms, output=output, summed=summed)


def _groups(n: Operands) -> list[tuple[_Equation | None, Bools]]:
    """Return the distinct equations and their nodes; a model has a handful of equations."""
    words = n.words["equation"].fill_null("").dictionary_encode()
    codes = words.indices.to_numpy(zero_copy_only=False)
    return [(_read(text), codes == code) for code, text in enumerate(words.dictionary.to_pylist())]


def _applies(n: Operands) -> Bools:
    """Return where the equation is valid and fits the ranks of the tensors."""
    result = np.zeros(len(n.inputs), dtype=bool)
    for equation, mask in _groups(n):
        if equation is None:
            continue
        fits = mask & (n.inputs == len(equation.terms))
        for tensor, term in ((OUT, equation.output), *zip(_TENSORS, equation.terms, strict=False)):
            rank, labels = n.tensors[tensor].rank, len(term) - (_ELLIPSIS in term)
            # If the output has no ellipsis, those of the inputs must be empty: TensorFlow does not sum over them.
            is_open = _ELLIPSIS in term and _ELLIPSIS in equation.output
            fits &= n.tensors[tensor].known & ((rank >= labels) if is_open else (rank == labels))
        result |= fits
    return result


def _products(n: Operands, *, of_contractions: bool) -> Numbers:
    """Return the product of the sizes of all labels, 0 for equations of the other kind.

    That is the size of the output times the sizes of the labels that are summed.
    """
    result: Numbers = np.zeros(len(n.inputs), dtype=n.dtype)
    for equation, mask in _groups(n):
        if equation is None or equation.is_idle or equation.is_contraction != of_contractions:
            continue
        product = n.size(OUT)
        for tensor, place in equation.summed.values():
            product = product * n.dim(tensor, place)
        result[mask] = product[mask]
    return result


EINSUM = Rule(
    ops=("Einsum", "XlaEinsum"),
    formula=lambda n: 2 * _products(n, of_contractions=True),
    on_top=lambda n: _products(n, of_contractions=False),
    applies=_applies,
    needs={FIRST: 0, OUT: 0},
    uses=(SECOND,),
    text="2 x the product of all labels; 1 x if products are not summed, or for one input that is; 0 for a transpose",
    source="TensorFlow's op definitions: one multiply and one add for each combination of labels",
    kind=OpClass.CONTRACTION,
)


_RNN = "TensorFlow's op definitions: the gates' weights once for each step and example"


_RNN_BIASES = {"lstm": 8, "gru": 6, "rnn_relu": 2, "rnn_tanh": 2}
"""Biases per unit in cuDNN's parameters."""


def _gradient_of_convolution(sizes: int, filters: str, *ops: str) -> Rule:
    return gradient_of_convolution(sizes, filters, *ops, source=BY_SHAPES)


def _convolution(sizes: int, *ops: str, filters: str = SECOND) -> Rule:
    return convolution(sizes, *ops, filters=filters, source=BY_SHAPES)


def _image_convolution(*ops: str) -> Rule:
    return _convolution(3, *ops)


def _depthwise_convolution(*ops: str) -> Rule:
    return _convolution(2, *ops)


def _matrix_product(*ops: str) -> Rule:
    def summed(n: Operands) -> Numbers:
        is_adjoint = n.flags["transpose_a"] | n.flags["adj_x"]
        return np.where(is_adjoint, n.dim(FIRST, -2), n.dim(FIRST, -1))

    return Rule(
        ops=ops,
        formula=lambda n: 2 * summed(n) * n.size(OUT),
        needs={FIRST: 2, OUT: 0},
        text="2 k N(out), k = in0[-1], or in0[-2] with transpose_a or adj_x",
        source=BY_SHAPES,
        kind=OpClass.CONTRACTION,
    )


def _rnn_biases(n: Operands) -> Numbers:
    """Return the number of biases: `_RNN_BIASES` per unit, layer and direction."""
    modes = pc.index_in(n.words["rnn_mode"].fill_null("lstm"), value_set=pa.array(list(_RNN_BIASES)))
    mode = to_ints(modes.fill_null(len(_RNN_BIASES)))
    of_mode: Numbers = np.append(list(_RNN_BIASES.values()), 0).astype(n.dtype)
    return of_mode[mode] * n.dim(SECOND, 0) * n.dim(SECOND, 2)


_FILTER_GRADIENT_WITH_BIAS = ("_MklConv2DBackpropFilterWithBias", "_MklNativeConv2DBackpropFilterWithBias")


CONTRACTIONS = (
    EINSUM,
    _gradient_of_convolution(2, SECOND, "DepthwiseConv2dNativeBackpropInput"),
    _gradient_of_convolution(2, OUT, "DepthwiseConv2dNativeBackpropFilter"),
    _gradient_of_convolution(4, SECOND, "Conv3DBackpropInput", "Conv3DBackpropInputV2"),
    _gradient_of_convolution(4, OUT, "Conv3DBackpropFilter", "Conv3DBackpropFilterV2"),
    _gradient_of_convolution(3, SECOND, "Conv2DBackpropInputV2"),
    _gradient_of_convolution(3, OUT, "Conv2DBackpropFilterV2"),
    replace(
        _gradient_of_convolution(3, OUT, *_FILTER_GRADIENT_WITH_BIAS),
        on_top=lambda n: n.size(THIRD),
        text="2 N(in2) out[0] out[1] out[2] + N(in2)",
    ),
    with_fused_ops(_convolution(3, "_FusedConv2D", "_FusedQuantizedConv2D")),
    with_fused_ops(_convolution(2, "_FusedDepthwiseConv2dNative", "_FusedQuantizedDepthwiseConv2D")),
    with_fused_ops(_convolution(4, "_FusedConv3D")),
    with_fused_ops(_matrix_product("_FusedMatMul", "_FusedBatchMatMulV2", "_QuantizedMatMul")),
    with_bias_and_activation(_convolution(3, "FusedConv2DBiasActivation")),
    *with_names(
        _image_convolution,
        op_types("""
            PadWithConv2D Conv2DWithBias QuantizedConv2D QuantizedConv2DPerChannel QuantizedConv2DAndRequantize
            QuantizedConv2DAndRelu QuantizedConv2DAndReluAndRequantize QuantizedConv2DWithBias
            QuantizedConv2DWithBiasAndRelu QuantizedConv2DWithBiasAndRequantize
            QuantizedConv2DWithBiasAndReluAndRequantize QuantizedConv2DWithBiasSumAndRelu
            QuantizedConv2DWithBiasSumAndReluAndRequantize QuantizedConv2DWithBiasSignedSumAndReluAndRequantize
        """),
    ),
    *with_names(
        _depthwise_convolution,
        (
            *("QuantizedDepthwiseConv2D", "QuantizedDepthwiseConv2DWithBias"),
            *("QuantizedDepthwiseConv2DWithBiasAndRelu", "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize"),
        ),
    ),
    *with_names(
        _matrix_product,
        op_types("""
            SparseMatMul QuantizedMatMul QuantizedMatMulWithBias QuantizedMatMulWithBiasAndRelu
            QuantizedMatMulWithBiasAndReluAndRequantize QuantizedMatMulWithBiasAndRequantize
            QuantizedMatMulWithBiasAndDequantize UniformQuantizedDot UniformQuantizedDotHybrid
        """),
    ),
    with_fused_ops(_convolution(3, "_PadWithFusedConv2D")),
    _convolution(3, "FusedPadConv2D", filters=THIRD),
    Rule(
        ops=("Conv",),
        formula=lambda n: 2 * n.size(OUT) * n.size(SECOND),
        divisor=lambda n: n.dim(SECOND, -1),
        needs={SECOND: 2, OUT: 0},
        text="2 N(out) N(in1) / in1[-1]",
        source=BY_SHAPES,
        kind=OpClass.CONTRACTION,
    ),
    Rule(
        ops=("SparseTensorDenseMatMul",),
        formula=lambda n: 2 * n.dim(FIRST, 0) * np.where(n.flags["adjoint_b"], n.dim("in3", 0), n.dim("in3", 1)),
        needs={FIRST: 1, "in3": 2},
        text="2 in0[0] in3[1], or in3[0] with adjoint_b; in0[0] is the number of stored elements",
        source="TensorFlow's op definitions: one multiply and one add for each stored element",
        kind=OpClass.CONTRACTION,
    ),
    Rule(
        ops=("LSTMBlockCell",),
        formula=lambda n: 2 * n.dim(FIRST, 0) * n.size("in3"),
        on_top=lambda n: 13 * n.size(SECOND),
        needs={FIRST: 2, SECOND: 2, "in3": 2},
        text="2 in0[0] N(in3) + 13 N(in1): weights, then biases, gates and state",
        source=_RNN,
        kind=OpClass.CONTRACTION,
    ),
    Rule(
        ops=("BlockLSTM", "BlockLSTMV2"),
        formula=lambda n: 2 * n.dim(SECOND, 0) * n.dim(SECOND, 1) * n.size("in4"),
        on_top=lambda n: 13 * n.dim(SECOND, 0) * n.size(THIRD),
        needs={SECOND: 3, THIRD: 2, "in4": 2},
        text="2 in1[0] in1[1] N(in4) + 13 in1[0] N(in2): all steps that the input has room for",
        source=_RNN,
        kind=OpClass.CONTRACTION,
    ),
    Rule(
        ops=("GRUBlockCell",),
        formula=lambda n: 2 * n.dim(FIRST, 0) * (n.size(THIRD) + n.size("in3")),
        on_top=lambda n: 11 * n.size(SECOND),
        needs={FIRST: 2, SECOND: 2, THIRD: 2, "in3": 2},
        text="2 in0[0] (N(in2) + N(in3)) + 11 N(in1): weights, then biases, gates and state",
        source=_RNN,
        kind=OpClass.CONTRACTION,
    ),
    Rule(
        ops=("BlockLSTMGrad", "BlockLSTMGradV2"),
        formula=lambda n: 4 * n.dim(SECOND, 0) * n.dim(SECOND, 1) * n.size("in4"),
        on_top=lambda n: 26 * n.dim(SECOND, 0) * n.size(THIRD),
        needs={SECOND: 3, THIRD: 2, "in4": 2},
        text="4 in1[0] in1[1] N(in4) + 26 in1[0] N(in2): gradients of inputs and weights, then of gates and biases",
        source=_RNN,
        kind=OpClass.CONTRACTION,
    ),
    Rule(
        ops=("GRUBlockCellGrad",),
        formula=lambda n: 2 * n.dim(FIRST, 0) * (n.size(THIRD) + n.size("in3")),
        on_top=lambda n: 18 * n.size(SECOND),
        needs={FIRST: 2, SECOND: 2, THIRD: 2, "in3": 2},
        text="2 in0[0] (N(in2) + N(in3)) + 18 N(in1): gradients of inputs, then of gates",
        source=_RNN,
        kind=OpClass.CONTRACTION,
    ),
    Rule(
        ops=("CudnnRNNBackprop", "CudnnRNNBackpropV2", "CudnnRNNBackpropV3"),
        formula=lambda n: 4 * n.dim(FIRST, 0) * n.dim(FIRST, 1) * (n.size("in3") - _rnn_biases(n)),
        on_top=lambda n: n.dim(FIRST, 0) * n.dim(FIRST, 1) * _rnn_biases(n),
        applies=lambda n: n.size("in3") >= _rnn_biases(n),
        needs={FIRST: 3, SECOND: 3, "in3": 1},
        text="4 in0[0] in0[1] (N(in3) - biases) + in0[0] in0[1] biases: twice the forward pass",
        source=_RNN,
        kind=OpClass.CONTRACTION,
    ),
    Rule(
        ops=("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3"),
        formula=lambda n: 2 * n.dim(FIRST, 0) * n.dim(FIRST, 1) * (n.size("in3") - _rnn_biases(n)),
        on_top=lambda n: n.dim(FIRST, 0) * n.dim(FIRST, 1) * _rnn_biases(n),
        applies=lambda n: n.size("in3") >= _rnn_biases(n),
        needs={FIRST: 3, SECOND: 3, "in3": 1},
        text="2 in0[0] in0[1] (N(in3) - biases) + in0[0] in0[1] biases; biases = 8 (lstm), 6 (gru) or 2 for each unit",
        source=_RNN,
        kind=OpClass.CONTRACTION,
    ),
)
