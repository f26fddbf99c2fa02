"""The extended rules against figures counted by hand, and the table as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from counted import figures

from tfprof_report.model.flops.rule_sets import rule_set
from tfprof_report.model.flops.tensorflow_registry import REGISTERED_OPS


@pytest.mark.parametrize(
    ("equation", "inputs", "out", "expected"),
    [
        ("ij,jk->ik", [[2, 3], [3, 5]], [2, 5], (60, 30)),
        ("...ij,...jk->...ik", [[7, 2, 3], [7, 3, 5]], [7, 2, 5], (420, 210)),
        ("...ij,jk->...ik", [[4, 7, 2, 3], [3, 5]], [4, 7, 2, 5], (1680, 840)),
        ("i,j->ij", [[2], [5]], [2, 5], (10, 0)),
        ("ij->i", [[2, 5]], [2], (10, 0)),
        ("ij->ji", [[2, 5]], [5, 2], (0, 0)),
        ("ij,jk->ik", [[2, 3, 4], [3, 5]], [2, 5], (None, None)),
        ("...ij,jk->ik", [[2, 3], [3, 5]], [2, 5], (60, 30)),
        ("...ij,jk->ik", [[7, 2, 3], [3, 5]], [2, 5], (None, None)),
        ("nonsense", [[2]], [2], (None, None)),
    ],
)
def test_einsum_is_the_product_of_its_labels(
    equation: str, inputs: list[list[int]], out: list[int], expected: tuple[int | None, int | None]
) -> None:
    assert figures("Einsum", *inputs, out=out, equation=equation) == expected


@pytest.mark.parametrize(
    ("op", "inputs", "out", "attrs", "expected"),
    [
        ("DepthwiseConv2dNativeBackpropInput", [[4], [3, 3, 2, 1], [1, 5, 5, 2]], [1, 5, 5, 2], {}, (900, 450)),
        ("DepthwiseConv2dNativeBackpropFilter", [[1, 5, 5, 2], [4], [1, 5, 5, 2]], [3, 3, 2, 1], {}, (900, 450)),
        ("Conv3DBackpropInputV2", [[5], [2, 2, 2, 3, 4], [1, 2, 2, 2, 4]], [1, 3, 3, 3, 3], {}, (1536, 768)),
        ("_FusedConv2D", [[1, 4, 4, 3], [3, 3, 3, 2], [2]], [1, 4, 4, 2], {}, (1760, 864)),
        ("_MklNativeFusedConv2D", [[1, 4, 4, 3], [3, 3, 3, 2], [2]], [1, 4, 4, 2], {}, (1760, 864)),
        ("_MklNativeConv2D", [[1, 4, 4, 3], [3, 3, 3, 2]], [1, 4, 4, 2], {}, (1728, 864)),
        ("_FusedMatMul", [[3, 2], [3, 5], [5]], [2, 5], {"transpose_a": True}, (70, 30)),
        ("SparseTensorDenseMatMul", [[6, 2], [6], [2], [4, 5]], [3, 5], {}, (60, 30)),
        ("LSTMBlockCell", [[2, 3], [2, 4], [2, 4], [7, 16]], [2, 4], {}, (552, 224)),
        ("FusedBatchNormV3", [[2, 3], [3]], [2, 3], {"is_training": False}, (30, 0)),
        ("FusedBatchNormV3", [[2, 3], [3]], [2, 3], {}, (54, 0)),
        ("LogSoftmax", [[2, 3]], [2, 3], {}, (30, 0)),
        ("ResourceApplyAdam", [*[[]] * 9, [4, 5]], [], {}, (240, 0)),
        ("MaxPool3D", [[1, 4, 4, 4, 1]], [1, 2, 2, 2, 1], {"ksize": [1, 2, 2, 2, 1]}, (64, 0)),
        ("Max", [[4, 5]], [4], {}, (16, 0)),
        ("Reshape", [[4, 5], [1]], [20], {}, (0, 0)),
        ("NobodyKnows", [[4, 5]], [20], {}, (None, None)),
    ],
)
def test_figures_are_those_by_hand(
    op: str, inputs: list[list[int]], out: list[int], attrs: dict[str, Any], expected: tuple[int | None, int | None]
) -> None:
    assert figures(op, *inputs, out=out, **attrs) == expected


IMAGE, TAPS = [1, 4, 4, 3], [3, 3, 3, 2]
PRODUCTS = 2 * 32 * 27
"""FLOPs of a convolution of IMAGE with TAPS to 32 elements in two channels."""


@pytest.mark.parametrize(
    ("words", "on_top"),
    [
        (["BiasAdd"], 32),
        (["BiasAdd", "Relu"], 64),
        (["BiasAdd", "Add", "Relu6"], 32 + 32 + 64),
        (["FusedBatchNorm", "LeakyRelu"], 3 * 32 + 4 * 2 + 2 * 32),
        (["BiasAdd", "GeluApproximate"], 10 * 32),
        (["BiasAdd", "Relu", "Requantize"], 4 * 32),
    ],
)
def test_what_is_fused_counts_as_on_its_own(words: list[str], on_top: int) -> None:
    found = figures("_FusedConv2D", IMAGE, TAPS, [2], out=[1, 4, 4, 2], fused_ops=words)
    assert found == (PRODUCTS + on_top, PRODUCTS // 2)


def test_a_fused_op_that_is_not_known_makes_the_figure_unknown() -> None:
    assert figures("_FusedConv2D", IMAGE, TAPS, [2], out=[1, 4, 4, 2], fused_ops=["BiasAdd", "What"]) == (None, None)


def test_fused_normalisation_counts_the_channels_that_come_first() -> None:
    found = figures(
        "_FusedConv2D", [1, 3, 4, 4], TAPS, out=[1, 2, 4, 4], fused_ops=["FusedBatchNorm"], data_format="NCHW"
    )
    assert found == (PRODUCTS + 3 * 32 + 4 * 2, PRODUCTS // 2)


@pytest.mark.parametrize(
    ("op", "inputs", "out", "attrs", "expected"),
    [
        ("QuantizedConv2DWithBiasAndReluAndRequantize", [IMAGE, TAPS, [2]], [1, 4, 4, 2], {}, (PRODUCTS + 4 * 32, 864)),
        ("QuantizedMatMul", [[2, 3], [3, 5]], [2, 5], {}, (60, 30)),
        ("FusedConv2DBiasActivation", [IMAGE, TAPS, [2]], [1, 4, 4, 2], {"activation_mode": "Relu"}, (1792, 864)),
        ("FusedConv2DBiasActivation", [IMAGE, TAPS, [2]], [1, 4, 4, 2], {"activation_mode": "None"}, (1760, 864)),
        ("_FusedBatchNormEx", [[2, 3], *[[3]] * 4, [2, 3]], [2, 3], {"activation_mode": "Relu"}, (54 + 12, 0)),
        ("FusedPadConv2D", [IMAGE, [4, 2], TAPS], [1, 4, 4, 2], {}, (PRODUCTS, 864)),
        ("Conv", [IMAGE, TAPS], [1, 4, 4, 2], {}, (PRODUCTS, 864)),
        ("Conv2DBackpropInputV2", [IMAGE, TAPS, [1, 4, 4, 2]], IMAGE, {}, (PRODUCTS, 864)),
        ("Conv2DBackpropFilterV2", [IMAGE, TAPS, [1, 4, 4, 2]], TAPS, {}, (PRODUCTS, 864)),
        ("BlockLSTMGrad", [[], [6, 2, 3], [2, 4], [2, 4], [7, 16]], [6, 2, 3], {}, (4 * 12 * 112 + 26 * 6 * 8, 2688)),
        ("LRN", [[2, 5]], [2, 5], {"depth_radius": 2}, (9 * 10, 0)),
        ("LRN", [[2, 5]], [2, 5], {}, (15 * 10, 0)),
        ("LRNGrad", [[2, 5]] * 3, [2, 5], {"depth_radius": 1}, (23 * 10, 0)),
        ("_UnaryOpsComposition", [[2, 3]], [2, 3], {"op_names": ["Neg", "Rsqrt", "Tanh"]}, (24, 0)),
        ("HSVToRGB", [[5, 3]], [5, 3], {}, (130, 0)),
        ("AdjustHue", [[5, 3], []], [5, 3], {}, (255, 0)),
        ("ResizeArea", [[1, 4, 4, 3], [2]], [1, 2, 2, 3], {}, (96, 0)),
        ("AccumulateNV2", [[2, 3]] * 4, [2, 3], {}, (18, 0)),
        ("SparseSegmentMean", [[10, 4], [6], [6]], [3, 4], {}, (48, 0)),
        ("Dilation2DBackpropInput", [[1, 5, 5, 2], [3, 3, 2], [1, 5, 5, 2]], [1, 5, 5, 2], {}, (950, 0)),
        ("ApplyProximalAdagrad", [[4], [4], [], [], [], [4]], [4], {}, (60, 0)),
        ("FFT", [[3, 8]], [3, 8], {}, (3 * 5 * 8 * 3, 0)),
        ("IFFT2D", [[2, 4, 8]], [2, 4, 8], {}, (2 * 5 * 32 * 5, 0)),
        ("RFFT", [[3, 8], [1]], [3, 5], {}, (3 * 60, 0)),
        ("RFFT2D", [[2, 4, 8], [2]], [2, 4, 5], {}, (2 * 400, 0)),
        ("IRFFT", [[3, 5], [1]], [3, 8], {}, (3 * 60, 0)),
        ("FFT", [[3, 6]], [3, 6], {}, (233, 0)),
        ("FFT", [[3, 1]], [3, 1], {}, (0, 0)),
        ("FFT", [[3, 0]], [3, 0], {}, (0, 0)),
        ("Cholesky", [[2, 6, 6]], [2, 6, 6], {}, (2 * 72, 0)),
        ("MatrixDeterminant", [[6, 6]], [], {}, (144, 0)),
        ("MatrixInverse", [[5, 6, 6]], [5, 6, 6], {}, (5 * 432, 0)),
        ("MatrixSolve", [[6, 6], [6, 2]], [6, 2], {}, (144 + 144, 0)),
        ("MatrixTriangularSolve", [[6, 6], [6, 2]], [6, 2], {}, (72, 0)),
        ("Qr", [[6, 3]], [6, 3], {}, (4 * (6 * 9 - 9), 0)),
        ("Qr", [[3, 6]], [3, 3], {}, (2 * 9 * 5 + 36, 0)),
        ("Svd", [[6, 3]], [3], {}, (6 * 54 + 20 * 27, 0)),
        ("Svd", [[3, 6]], [3], {"compute_uv": False}, (4 * 54 - 36, 0)),
        ("SelfAdjointEigV2", [[6, 6]], [6], {}, (9 * 216, 0)),
        ("SelfAdjointEigV2", [[6, 6]], [6], {"compute_v": False}, (288, 0)),
        ("TridiagonalSolve", [[3, 4], [4, 2]], [4, 2], {}, (52, 0)),
        ("Cross", [[5, 3], [5, 3]], [5, 3], {}, (45, 0)),
        ("TopKV2", [[2, 100], []], [2, 5], {}, (200 * 3, 0)),
        ("TopKV2", [[2, 100], []], [2, 1], {}, (200, 0)),
        ("UpperBound", [[1, 100], [1, 7]], [1, 7], {}, (7 * 7, 0)),
        ("InTopKV2", [[4, 10], [4], []], [4], {}, (40, 0)),
        ("BatchDatasetV2", [], [], {}, (0, 0)),
        ("NonMaxSuppressionV3", [[10, 4]], [5], {}, (None, None)),
    ],
)
def test_ops_of_all_ages_have_the_figures_of_their_formulas(
    op: str, inputs: list[list[int]], out: list[int], attrs: dict[str, Any], expected: tuple[int | None, int | None]
) -> None:
    assert figures(op, *inputs, out=out, **attrs) == expected


@pytest.mark.parametrize(("mode", "biases"), [("lstm", 8), ("gru", 6), ("rnn_tanh", 2)])
def test_parameters_of_cudnn_say_what_an_rnn_takes(mode: str, biases: int) -> None:
    weights, extra = 1000, biases * 2 * 4  # two layers of four units
    found = figures("CudnnRNN", [5, 3, 6], [2, 3, 4], [2, 3, 4], [weights + extra], out=[5, 3, 4], rnn_mode=mode)
    assert found == (15 * (2 * weights + extra), 15 * weights)


def test_the_extended_rules_hold_the_registry_and_no_op_type_comes_twice() -> None:
    ops = [op for rule in rule_set("extended").rules for op in rule.ops]
    assert len(ops) == len(set(ops))
    assert set(REGISTERED_OPS) < set(ops)
    assert all(rule.text and rule.source for rule in rule_set("extended").rules)
