"""The inputs that `build_shape_cases.py` draws for each op type, as text in which letters are random sizes.

Inputs are separated by ``|``, sizes by spaces: ``b k | k 2*n`` is a matrix and another one that it can be multiplied
with. ``*`` is up to two more sizes, the same throughout a case; ``~`` the same, with some of them 1 or left out.
``= [k, 2]`` is a constant, ``@ b k & b n`` an input that is a list. Attributes follow ``;``. Of several texts, one is
drawn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

LARGEST = 6
KEPT, CUT = 0.7, 0.3
"""Probabilities that ``~`` keeps a size, and that it leaves out the first ones."""

_LETTER = re.compile(r"\b[a-z]\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A constant: its values in row-major order, and its shape."""

    values: list[int]
    shape: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Drawn inputs and attributes. An input is a list of sizes, a `Constant`, or a tuple of these for a list input."""

    inputs: list[Any]
    attrs: dict[str, Any]


def draw(random: Random, text: str) -> Drawn:
    """Return random inputs and attributes of the form that a text describes."""
    inputs, _, attrs = text.partition(";")
    sizes = {letter: random.randint(1, LARGEST) for letter in sorted(set(_LETTER.findall(text)))}
    batch = [random.randint(1, LARGEST) for _ in range(random.randint(0, 2))]
    names = {**sizes, "either": random.choice, "B": batch, "upto": lambda most: random.randint(0, most)}

    def some() -> list[int]:
        kept = [size if random.random() < KEPT else 1 for size in batch]
        return kept[random.randint(0, len(kept)) if random.random() < CUT else 0 :]

    def one(part: str) -> Any:
        part = part.strip()
        if part.startswith("@"):
            return tuple(one(each) for each in part[1:].split("&")) if part[1:].strip() else ()
        if part.startswith("="):
            value = eval(part[1:], {}, names)  # noqa: S307 (texts of this file)
            return _constant(value)
        found: list[int] = []
        for word in part.split():
            found += batch if word == "*" else some() if word == "~" else [int(eval(word, {}, names))]  # noqa: S307
        return found

    made = [one(part) for part in inputs.split("|")] if inputs.strip() != "-" else []
    return Drawn(inputs=made, attrs=eval(f"dict({attrs})", {}, names) if attrs.strip() else {})  # noqa: S307


def _constant(value: Any) -> Constant:
    shape, flat = [], value
    if isinstance(flat, list):
        shape.append(len(flat))
        if flat and isinstance(flat[0], list):
            shape.append(len(flat[0]))
            flat = [number for row in flat for number in row]
    return Constant(values=flat if isinstance(flat, list) else [flat], shape=shape)


def _table(groups: Mapping[str, Sequence[str] | str]) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for ops, texts in groups.items():
        for op in ops.split():
            table[op] = (texts,) if isinstance(texts, str) else tuple(texts)
    return table


_WINDOW = "padding=either(['SAME', 'VALID'])"
_IMAGES = "strides=[1, s, either([1, s]), 1], " + _WINDOW
_POOL = "ksize=[1, k, k, 1], " + _IMAGES
_VOLUMES = "strides=[1, s, s, t, 1], " + _WINDOW

CASES = _table(
    {
        # the shape of the first input
        """Abs Acos Acosh Angle Asin Asinh Atan Atanh BesselI0e BesselI1e Ceil   Conj Cos
        Cosh Digamma Elu Erf Erfc Erfinv Exp Expm1 FakeQuantWithMinMaxArgs Floor Imag Inv Invert IsFinite IsInf IsNan
        LeakyRelu Lgamma Log Log1p LogicalNot Ndtri Neg OnesLike PreventGradient Real Reciprocal Relu Relu6 Rint
        Round Rsqrt Selu Sigmoid Sign Sin Sinh Snapshot Softplus Softsign Sqrt Square StopGradient Tan Tanh
        ZerosLike Identity GuaranteeConst DeepCopy BesselI0 BesselI1 BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1
        BesselK1e BesselY0 BesselY1 ComplexAbs Dawsn Expint FresnelCos FresnelSin Spence PopulationCount RandomShuffle
        _MklSwish _MklFusedMish  AsString""": "* n",
        "Bucketize": "* n; boundaries=[1.0, 2.0]",
        "Cast": "* n; DstT='int32'",
        "Bitcast": ["* n; T='float32', type='int32'", "* n; T='float32', type='int8'", "* 4; T='int8', type='float32'"],
        "DataFormatDimMap": "* n",
        "DataFormatVecPermute": ["4", "4 2", "2"],
        "Softmax LogSoftmax": "* n",
        "LRN": "b h w c",
        "InvertPermutation": "n",
        "FFT IFFT": "* n",
        "FFT2D IFFT2D": "* n m",
        "FFT3D IFFT3D": "* n m k",
        "Cholesky MatrixInverse MatrixLogarithm MatrixSquareRoot": ("* n n"),
        "CholeskyGrad": "* n n | * n n",
        "MatrixBandPart": "* n m | |",
        "RGBToHSV HSVToRGB": "* n 3",
        "AdjustContrastv2 AdjustHue AdjustSaturation": "* h w 3 |",
        "DrawBoundingBoxes": "b h w 3 | b n 4",
        "DrawBoundingBoxesV2": "b h w 3 | b n 4 | m 4",
        "Cumsum Cumprod CumulativeLogsumexp": "n * | = 0",
        "Reverse": "n m | 2",
        "ReverseV2": "n * | = [0]",
        "ReverseSequence": "b n * | b; seq_dim=1",
        "Roll": "n * | = [1] | = [0]",
        "ClipByValue": "* n | |",
        "BiasAdd": ["b h w c | c", "b c h w | c; data_format='NCHW'", "b c | c"],
        "BiasAddV1": "b h w c | c",
        "FakeQuantWithMinMaxVars": "* n | |",
        "FakeQuantWithMinMaxVarsPerChannel": "b n | n | n",
        "FakeQuantWithMinMaxArgsGradient": "* n | * n",
        "FakeQuantWithMinMaxVarsGradient": "* n | * n | |",
        "FakeQuantWithMinMaxVarsPerChannelGradient": "b n | b n | n | n",
        "QuantizeAndDequantizeV2 QuantizeAndDequantizeV4": ["* n | |", "b n | n | n; axis=1"],
        "QuantizeAndDequantizeV3": "* n | | |",
        "QuantizeAndDequantizeV4Grad": ["* n | * n | |", "b n | b n | n | n; axis=1"],
        "StochasticCastToInt": "* n | 1 | 2 |",
        """TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin
        ScatterNdNonAliasingAdd""": "p q r | n 2 | n r",
        "InplaceUpdate InplaceAdd InplaceSub": "n m | k | k m",
        "MatrixSetDiag": "* n m | * min(n,m)",
        "MatrixSetDiagV2 MatrixSetDiagV3": "* n m | * min(n,m) | = 0",
        "ApplyGradientDescent": "* n | | * n",
        "ScatterUpdate ScatterAdd ScatterSub ScatterMul ScatterDiv ScatterMin ScatterMax": "n m | k | k m",
        "ScatterNdUpdate ScatterNdAdd ScatterNdSub ScatterNdMin ScatterNdMax": "p q r | n 2 | n r",
        "SparseApplyAdadelta": "n m | n m | n m | | | | k m | k",
        "SparseApplyAdagrad": "n m | n m | | k m | k",
        "SparseApplyAdagradV2": "n m | n m | | | k m | k",
        "SparseApplyAdagradDA": "n m | n m | n m | k m | k | | | |",
        "SparseApplyCenteredRMSProp": "n m | n m | n m | n m | | | | | k m | k",
        "SparseApplyFtrlV2": "n m | n m | n m | k m | k | | | | |",
        "SparseApplyProximalAdagrad": "n m | n m | | | | k m | k",
        "SparseApplyProximalGradientDescent": "n m | | | | k m | k",
        "MaxPoolGrad": "b h w c | b h w c | b h w c; ksize=[1,1,1,1], strides=[1,1,1,1], padding='SAME'",
        "MaxPoolGradV2": "b h w c | b h w c | b h w c | = [1,1,1,1] | = [1,1,1,1]; padding='SAME'",
        "MaxPoolGradWithArgmax": "b h w c | b h w c | b h w c; ksize=[1,1,1,1], strides=[1,1,1,1], padding='SAME'",
        "MaxPoolGradGrad": "b h w c | b h w c | b h w c; ksize=[1,k,k,1], strides=[1,s,s,1], padding='SAME'",
        "MaxPoolGradGradWithArgmax": "b h w c | b h w c | b h w c; ksize=[1,k,k,1], strides=[1,s,s,1], padding='SAME'",
        "MaxPool3DGrad": "b h w d c | b h w d c | b h w d c; ksize=[1,1,1,1,1], strides=[1,1,1,1,1], padding='SAME'",
        "MaxPool3DGradGrad": (
            "b h w d c | b h w d c | b h w d c; ksize=[1,1,1,1,1], strides=[1,1,1,1,1], padding='SAME'"
        ),
        "StridedSliceAssign TensorStridedSliceUpdate": "n m | = [0] | = [1] | = [1] | 1 m",
        "Print": "* n | @",
        "EnsureShape": ["b n; shape=[b, n]", "b n; shape=[-1, n]", "b n; shape=None"],
        "PlaceholderWithDefault": ["b n; shape=[b, n]", "1 n; shape=[-1, n]", "b n; shape=None"],
        "FakeParam": ["-; shape=[b, n], dtype='float32'", "-; shape=[-1, n], dtype='float32'"],
        # the shape that all inputs share
        "EluGrad InvGrad LeakyReluGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad SeluGrad SigmoidGrad "
        "SoftplusGrad SoftsignGrad SqrtGrad TanhGrad": "* n | * n",
        "AddN": "@ * n & * n & * n",
        "LRNGrad": "b h w c | b h w c | b h w c",
        "Cross": "* 3 | * 3",
        "Betainc": ["* n | * n | * n", "* n | | * n"],
        # broadcast
        """Add AddV2 ApproximateEqual Atan2 BitwiseAnd BitwiseOr BitwiseXor Complex Div DivNoNan Equal FloorDiv
        FloorMod Greater GreaterEqual Igamma IgammaGradA Igammac LeftShift Less LessEqual LogicalAnd LogicalOr Maximum
        Minimum Mod Mul MulNoNan NextAfter NotEqual Polygamma Pow RandomGammaGrad RealDiv RightShift
        SquaredDifference Sub TruncateDiv TruncateMod Xdivy Xlog1py Xlogy Zeta""": ["* | ~", "~ | *"],
        "SelectV2": ["* | ~ | ~", "~ | ~ | *"],
        "Select": ["* n | * n | * n", "n | n * | n *", " | * n | * n"],
        "BroadcastArgs": ["= B | = [1]*len(B)", "= [n, 1] | = [m]"],
        "BroadcastGradientArgs": "n | m",
        "BroadcastTo": "1 n | = [m, n]",
        # products
        "MatMul SparseMatMul _FusedMatMul": [
            "m k | k n",
            "k m | k n; transpose_a=True",
            "m k | n k; transpose_b=True",
        ],
        "BatchMatMul": "* m k | * k n",
        "BatchMatMulV2 BatchMatMulV3": ["* m k | ~ k n", "~ k m | * k n; adj_x=True", "* m k | ~ n k; adj_y=True"],
        "Einsum": [
            "@ * m k & ~ k n; equation='...ij,...jk->...ik'",
            "@ ~ m k & * k n; equation='...ij,...jk->ik...'",
            "@ m k * & n k; equation='ij...,kj->i...k'",
            "@ b m k & b n k; equation='bij,bkj->bki'",
            "@ * m n; equation='...ij->...ji'",
            "@ n n; equation='ii->i'",
            "@ * n; equation='...i->...'",
            "@ n m; equation='ij->'",
        ],
        "SparseTensorDenseMatMul": [
            "n 2 | n | = [p, q] | q r",
            "n 2 | n | = [p, q] | p r; adjoint_a=True",
            "n 2 | n | = [p, q] | r q; adjoint_b=True",
        ],
        # linear algebra
        "MatrixSolve": "* n n | * n k",
        "MatrixTriangularSolve": "* n n | ~ n k",
        "BandedTriangularSolve": "* k n | ~ n m",
        "TridiagonalSolve": "* 3 n | * n k",
        "TridiagonalMatMul": "* 1 n | * 1 n | * 1 n | * n k",
        "MatrixSolveLs": "* m n | * m k | ; T='float64'",
        "Svd": ["* m n", "* m n; full_matrices=True", "* m n; compute_uv=False"],
        "Qr": ["* m n", "* m n; full_matrices=True"],
        "SelfAdjointEigV2": ["* n n", "* n n; compute_v=False"],
        "Eig": ["* n n; Tout='complex64'", "* n n; compute_v=False, Tout='complex64'"],
        "Lu": "* n n",
        "MatrixDeterminant LogMatrixDeterminant": "* n n",
        "Diag": ["n", "n m"],
        "DiagPart": ["n n", "n m n m"],
        "MatrixDiag": "* n",
        "MatrixDiagPart": "* n m",
        "MatrixDiagV2 MatrixDiagV3": [
            "* n | = 0 | = -1 | = -1 |",
            "* n | = 1 | = -1 | = -1 |",
            "* 3 n | = [-1, 1] | = -1 | = -1 |",
            "* n | = 0 | = n | = n+k |",
            "* 2 n | = [0, 1] | = n | = -1 |",
        ],
        "MatrixDiagPartV2 MatrixDiagPartV3": [
            "* n m | = 0 |",
            "* n m | = upto(m-1) |",
            "* n m | = [-upto(n-1), 0] |",
            "* n m | = [0, upto(m-1)] |",
        ],
        # windows
        "_FusedConv2D": (
            f"b h+6 w+6 c | i j c o | @ o | @; num_args=1, num_host_args=0, fused_ops=['BiasAdd'], {_IMAGES}"
        ),
        "Conv2D": [
            f"b h+6 w+6 c | i j c o; {_IMAGES}",
            "b c h+6 w+6 | i j c o; strides=[1, 1, s, s], padding='SAME', data_format='NCHW'",
            "b h+9 w+9 c | 2 3 c o; strides=[1, 1, 1, 1], dilations=[1, 2, 2, 1], padding='VALID'",
            "b h+6 w+6 c | i j c o; strides=[1] * 4, padding='EXPLICIT', explicit_paddings=[0, 0, p, q, 1, 1, 0, 0]",
        ],
        "DepthwiseConv2dNative _FusedDepthwiseConv2dNative": f"b h+6 w+6 c | i j c o; {_IMAGES}",
        "Conv3D _FusedConv3D": f"b h+6 w+6 d+6 c | i j k c o; {_VOLUMES}",
        "FusedPadConv2D": (
            "b h+6 w+6 c | = [[0, 0], [p, q], [1, 1], [0, 0]] | i j c o; mode='REFLECT', strides=[1, s, s, 1], "
            + _WINDOW
        ),
        "Conv2DBackpropInput DepthwiseConv2dNativeBackpropInput": (
            "= [b, h, w, c] | i j c o | b h w o; strides=[1, 1, 1, 1], padding='SAME'"
        ),
        "Conv2DBackpropFilter DepthwiseConv2dNativeBackpropFilter": (
            "b h w c | = [i, j, c, o] | b h w o; strides=[1, 1, 1, 1], padding='SAME'"
        ),
        "Conv2DBackpropInputV2": "b h w c | i j c o | b h w o; strides=[1, 1, 1, 1], padding='SAME'",
        "Conv2DBackpropFilterV2": "b h w c | i j c o | b h w o; strides=[1, 1, 1, 1], padding='SAME'",
        "Conv3DBackpropInputV2": ("= [b, h, w, d, c] | i j k c o | b h w d o; strides=[1, 1, 1, 1, 1], padding='SAME'"),
        "Conv3DBackpropFilterV2": (
            "b h w d c | = [i, j, k, c, o] | b h w d o; strides=[1, 1, 1, 1, 1], padding='SAME'"
        ),
        "MaxPool AvgPool MaxPoolWithArgmax": f"b h+6 w+6 c; {_POOL}",
        "MaxPoolV2": "b h+6 w+6 c | = [1, k, k, 1] | = [1, s, s, 1]; " + _WINDOW,
        "MaxPool3D AvgPool3D": f"b h+6 w+6 d+6 c; ksize=[1, k, k, k, 1], {_VOLUMES}",
        "AvgPoolGrad": "= [b, h, w, c] | b h w c; ksize=[1,1,1,1], strides=[1,1,1,1], padding='SAME'",
        "AvgPool3DGrad": "= [b, h, w, d, c] | b h w d c; ksize=[1,1,1,1,1], strides=[1,1,1,1,1], padding='SAME'",
        "FractionalMaxPoolGrad": "b h+6 w+6 c | b h w c | b h w c | k | l",
        "FractionalAvgPoolGrad": "= [b, h, w, c] | b h w c | k | l",
        "Dilation2D": f"b h+9 w+9 c | 2 2 c; rates=[1, 1, 2, 1], {_IMAGES}",
        "Dilation2DBackpropInput Dilation2DBackpropFilter": (
            "b h+6 w+6 c | i j c | b h w c; rates=[1, 1, 1, 1], strides=[1, 1, 1, 1], padding='SAME'"
        ),
        "ExtractImagePatches": (f"b h+9 w+9 c; ksizes=[1, 2, 3, 1], rates=[1, either([1, 2]), 1, 1], {_IMAGES}"),
        "ExtractVolumePatches": f"b h+6 w+6 d+6 c; ksizes=[1, i, j, k, 1], {_VOLUMES}",
        "SpaceToBatch": "b 2*h 2*w c | = [[0, 0], [1, 1]]; block_size=2",
        "BatchToSpace": "4*b h+2 w+2 c | = [[0, 0], [1, 2]]; block_size=2",
        "SpaceToBatchND": "b 2*h+1 3*w c | = [2, 3] | = [[0, 1], [3, 0]]",
        "BatchToSpaceND": "6*b h+2 w+2 c | = [2, 3] | = [[0, 1], [3, 0]]",
        "SpaceToDepth": ["b 2*h 2*w c; block_size=2", "b c 2*h 2*w; block_size=2, data_format='NCHW'"],
        "DepthToSpace": ["b h w 4*c; block_size=2", "b 4*c h w; block_size=2, data_format='NCHW'"],
        "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3": [
            "b h w c | c | c | c | c; is_training=False",
            "b c h w | c | c | c | c; is_training=False, data_format='NCHW'",
        ],
        "_FusedBatchNormEx": "b h w 4*c | 4*c | 4*c | 4*c | 4*c | @; T='float16', U='float32', num_side_inputs=0",
        "FusedBatchNormGrad FusedBatchNormGradV2": "b h w c | b h w c | c | c | c",
        "FusedBatchNormGradV3": "b h w c | b h w c | c | c | c | c",
        "BiasAddGrad": ["b h w c", "b c h w; data_format='NCHW'"],
        # images
        "ResizeBilinear ResizeNearestNeighbor ResizeBicubic ResizeArea": "b h w c | = [p, q]",
        "ScaleAndTranslate": "b h w c | = [p, q] | 2 | 2",
        "QuantizedResizeBilinear": "b h w c | = [p, q] | |",
        "ResizeBilinearGrad ResizeBicubicGrad": "b p q c | b h w c",
        "ScaleAndTranslateGrad": "b p q c | b h w c | 2 | 2",
        "ResizeNearestNeighborGrad": "b h w c | = [p, q]",
        "CropAndResize": "b h w c | n 4 | n | = [p, q]",
        "CropAndResizeGradImage": "n p q c | n 4 | n | = [b, h, w, c]; T='float32'",
        "CropAndResizeGradBoxes": "n p q c | b h w c | n 4 | n",
        "ExtractGlimpse ExtractGlimpseV2": "b h w c | = [p, q] | b 2",
        "ImageProjectiveTransformV2": "b h w c | 1 8 | = [p, q]; interpolation='NEAREST'",
        "ImageProjectiveTransformV3": "b h w c | 1 8 | = [p, q] | ; interpolation='NEAREST'",
        "NonMaxSuppressionV3": "n 4 | n | | |",
        # quantized
        "QuantizedRelu QuantizedRelu6 QuantizeDownAndShrinkRange": "* n | |",
        "QuantizedReluX": "* n | | |",
        "Requantize": "* n | | | |",
        "RequantizePerChannel": "b n | n | n | |",
        "RequantizationRange": "* n | |",
        "QuantizeV2": ["* n | | ; T='qint8'", "b n | n | n; T='qint8', axis=1"],
        "Dequantize": ["* n | | ; T='qint8'", "b n | n | n; T='qint8', axis=1"],
        "QuantizedAdd QuantizedMul": "* | ~ | | | |",
        "QuantizedBiasAdd": "b n | n | | | |",
        "QuantizedInstanceNorm": "b h w c | |",
        "QuantizedBatchNormWithGlobalNormalization": (
            "b h w c | | | c | | | c | | | c | | | c | | ; variance_epsilon=0.1, scale_after_normalization=True"
        ),
        "QuantizedReshape": "b n m | = [b*n, m] | |",
        "": "= 1 | @ b n & b m | @ & | @ &".replace("@ &", "@ 1 & 1").replace("1 & 1", " & "),
        "QuantizedMatMul": ["m k | k n | | | |", "k m | k n | | | | ; transpose_a=True"],
        "QuantizedMatMulWithBias QuantizedMatMulWithBiasAndRelu": "m k | k n | n | | | |",
        "QuantizedMatMulWithBiasAndReluAndRequantize QuantizedMatMulWithBiasAndRequantize "
        "QuantizedMatMulWithBiasAndDequantize": "m k | k n | n | | | | | |",
        "QuantizedConv2D QuantizedConv2DAndRelu": f"b h+6 w+6 c | i j c o | | | | ; {_IMAGES}",
        "QuantizedConv2DAndRequantize QuantizedConv2DAndReluAndRequantize": (
            f"b h+6 w+6 c | i j c o | | | | | | ; {_IMAGES}"
        ),
        "QuantizedConv2DWithBias QuantizedConv2DWithBiasAndRelu": f"b h+6 w+6 c | i j c o | o | | | | ; {_IMAGES}",
        "QuantizedConv2DWithBiasAndRequantize QuantizedConv2DWithBiasAndReluAndRequantize": (
            f"b h+6 w+6 c | i j c o | o | | | | | | ; {_IMAGES}"
        ),
        "QuantizedConv2DWithBiasSumAndRelu": f"b h+6 w+6 c | i j c o | o | | | | | b h w o; {_IMAGES}",
        "QuantizedConv2DWithBiasSumAndReluAndRequantize QuantizedConv2DWithBiasSignedSumAndReluAndRequantize": (
            f"b h+6 w+6 c | i j c o | o | | | | | | | b h w o | | ; {_IMAGES}"
        ),
        "QuantizedDepthwiseConv2D": f"b h+6 w+6 c | i j c o | | | | ; {_IMAGES}",
        "QuantizedDepthwiseConv2DWithBias QuantizedDepthwiseConv2DWithBiasAndRelu": (
            f"b h+6 w+6 c | i j c o | o | | | | ; {_IMAGES}"
        ),
        "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize": (f"b h+6 w+6 c | i j c o | o | | | | | | ; {_IMAGES}"),
        "QuantizedMaxPool QuantizedAvgPool": f"b h+6 w+6 c | | ; {_POOL}",
        # recurrent cells
        "LSTMBlockCell": "b i | b u | b u | i+u 4*u | u | u | u | 4*u",
        "LSTMBlockCellGrad": (
            "b i | b u | b u | i+u 4*u | u | u | u | 4*u | b u | b u | b u | b u | b u | b u | b u; use_peephole=True"
        ).replace("b u;", "b u | b u;"),
        "BlockLSTM BlockLSTMV2": "= 3 | t b i | b u | b u | i+u 4*u | u | u | u | 4*u",
        "BlockLSTMGrad BlockLSTMGradV2": (
            "= 3 | t b i | b u | b u | i+u 4*u | u | u | u | 4*u | " + " | ".join(["t b u"] * 9) + "; use_peephole=True"
        ),
        "GRUBlockCell": "b i | b u | i+u 2*u | i+u u | 2*u | u",
        "GRUBlockCellGrad": "b i | b u | i+u 2*u | i+u u | 2*u | u | b u | b u | b u | b u",
        "CudnnRNN CudnnRNNV2": [
            "t b i | l b u | l b u | p; rnn_mode='lstm'",
            "t b i | 2*l b u | 2*l b u | p; rnn_mode='lstm', direction='bidirectional'",
            "t b i | l b u |  0 | p; rnn_mode='gru'",
        ],
        "CudnnRNNV3": [
            "t b i | l b u | l b u | p | b; rnn_mode='lstm'",
            "t b i | 2*l b u | 2*l b u | p | b; rnn_mode='lstm', direction='bidirectional'",
            "t b i | l b u | 0 | p | b; rnn_mode='gru'",
            "b t i | b l u | b l u | p | b; rnn_mode='lstm', time_major=False",
            "t b i | l b k | l b u | p | b; rnn_mode='lstm', num_proj=k",
        ],
        "CudnnRNNBackprop": (
            "t b i | l b u | l b u | p | t b u | l b u | l b u | t b u | l b u | l b u | q; rnn_mode='lstm'"
        ),
        "CudnnRNNBackpropV2": (
            "t b i | l b u | l b u | p | t b u | l b u | l b u | t b u | l b u | l b u | q | r; rnn_mode='lstm'"
        ),
        "CudnnRNNBackpropV3": (
            "t b i | l b u | l b u | p | b | t b u | l b u | l b u | t b u | l b u | l b u | q | r; rnn_mode='lstm'"
        ),
        # reductions and searches
        "Sum Mean Max Min Prod EuclideanNorm All Any": [
            "b n m | = [0, -1]",
            "b n m | = [1]; keep_dims=True",
            "b n m | = 1",
        ],
        "ArgMax ArgMin": "b n m | = 1",
        "L2Loss": "* n",
        "TopKV2": "* n+4 | = k; sorted=False".replace("= k", "= 3"),
        "NthElement": "* n+4 | = 2",
        "InTopK": "b n | b; k=1",
        "InTopKV2": "b n | b | = 1",
        "SoftmaxCrossEntropyWithLogits": "b n | b n",
        "SparseSoftmaxCrossEntropyWithLogits": "b n | b",
        "Bincount": "* n | = 5 | * n",
        "DenseBincount": ["n | = 5 | 0", "b n | = 5 | b n"],
        "HistogramFixedWidth": "* n | 2 | = 5",
        "LowerBound UpperBound": "b n | b m",
        "UnravelIndex": ["n | = [2, 3]", " | = [2, 3]"],
        "Where": "* n",
        "ListDiff": "n | m",
        "Unique UniqueWithCounts": "n",
        "UniqueV2 UniqueWithCountsV2": "n | = [0]",
        # cutting and joining
        "Reshape": ["2*n m 3 | = [n, -1, 6]", "n m | = [n*m]"],
        "Transpose ConjugateTranspose": "n m k | = [2, 0, 1]",
        "ExpandDims": "* n | = either([0, -1])",
        "Squeeze": ["1 n 1; squeeze_dims=[0]", "1 n 1"],
        "Tile": "n m | = [2, 3]",
        "Pad": "n m | = [[1, 2], [0, p]]",
        "PadV2": "n m | = [[1, 2], [0, p]] |",
        "MirrorPad": "n+3 m+9 | = [[1, 2], [0, p]]; mode='SYMMETRIC'",
        "MirrorPadGrad": "n+6 m+p | = [[1, 2], [0, p]]; mode='SYMMETRIC'",
        "Slice": "n+3 m+3 | = [1, 2] | = [2, -1]",
        "StridedSlice": "n+6 m+6 | = [1, 3] | = [-1, 4] | = [2, 1]; shrink_axis_mask=2",
        "StridedSliceGrad": "= [n+3, m] | = [0, 0] | = [n, m] | = [1, 1] | n m",
        "Concat": "= 1 | @ b n & b m & b k",
        "ConcatV2": "@ b n & b m & b k | = -1",
        "ConcatOffset": "= 1 | @ = [b, n] & = [b, m]",
        "Pack": "@ b n & b n & b n; axis=1",
        "Unpack": "b 3 n; num=3, axis=1",
        "Split": "= 1 | b 3*n; num_split=3",
        "SplitV": "b n+3 | = [1, 2, -1] | = 1; num_split=3",
        "ParallelConcat": "@ 1 n & 1 n; shape=[2, n]",
        "DynamicPartition": ["n * | n; num_partitions=3", "n m k | n m; num_partitions=2"],
        "DynamicStitch ParallelDynamicStitch": [
            "@ = [0, 2] & = [1, 3] | @ 2 n & 2 n",
            "@ = 0 & = [1, 2] | @ n m & 2 n m",
        ],
        "Gather": "n m | p q",
        "GatherV2": ["n m k | p q | = 1", "n m k | n q | = 1; batch_dims=1"],
        "GatherNd": ["n m k | p q 2", "n m k | p 3", "n m k | p 0"],
        "ScatterNd": "n 1 | n m | = [p, m]",
        "OneHot": "n m | = 7 | |",
        "Fill": "= [n, m] |",
        "Range": "= 1 | = 9 | = 2; Tidx='int32'",
        "LinSpace": " | | = 7",
        "Shape Size Rank": "* n",
        "ShapeN": "@ * n & m",
        "Empty": "= [n, m]; dtype='float32'",
        "UnsortedSegmentSum UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd": [
            "n m k | n | = 4",
            "n m k | n m | = 4",
        ],
        "SegmentSum SegmentMean SegmentMax SegmentMin SegmentProd": "n m k | n",
        "SegmentSumV2 SegmentMaxV2 SegmentMinV2 SegmentProdV2": "n m k | n | = 4",
        "SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN": "n m k | p | p",
        "SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments": (
            "n m k | p | p | = 4"
        ),
        "SparseSegmentSumGrad SparseSegmentMeanGrad SparseSegmentSqrtNGrad": "n m k | p | p | = 4",
        "SparseSegmentSumGradV2 SparseSegmentMeanGradV2 SparseSegmentSqrtNGradV2": "n m k | p | p |",
        # sparse
        "SparseToDense": "n 2 | = [p, q] | n |",
        "SparseReorder": "n r | n | r",
        "SparseReshape": "n 2 | = [p, q] | = [p*q]",
        "SparseSoftmax": "n r | n | r",
        "SparseDenseCwiseAdd SparseDenseCwiseMul SparseDenseCwiseDiv": "n 2 | n | = [p, q] | p q",
        "SparseTensorDenseAdd": "n 2 | n | 2 | p q",
        "SparseReduceSum SparseReduceMax": ["n 2 | n | = [p, q] | = [0]", "n 2 | n | = [p, q] | = [0]; keep_dims=True"],
        "SparseFillEmptyRows": "n 2 | n | 2 |",
        # random
        "RandomUniform RandomStandardNormal TruncatedNormal": "= [n, m]; dtype='float32'",
        "RandomUniformInt": "= [n, m] | |",
        "ParameterizedTruncatedNormal": "= [n, m] | | | |",
        "RandomGamma RandomPoissonV2": "= [n, m] | * k",
        "Multinomial": "b n | = 5",
        "StatelessMultinomial": "b n | = 5 | 2",
        "StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal": "= [n, m] | 2",
        "StatelessRandomUniformFullInt": "= [n, m] | 2",
        "StatelessRandomUniformInt": "= [n, m] | 2 | |",
        "StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2": "= [n, m] | 1 | 2 |",
        "StatelessRandomUniformFullIntV2": "= [n, m] | 1 | 2 |",
        "StatelessRandomUniformIntV2": "= [n, m] | 1 | 2 | | |",
        "StatelessRandomGammaV2 StatelessRandomPoisson": "= [k, n] | 2 | n",
        "StatelessRandomGammaV3": "= [k, n] | 1 | 2 | | n",
        "StatelessRandomBinomial": "= [k, n] | 2 | n | n",
        "StatelessParameterizedTruncatedNormal": "= [k, n] | 2 | n | n | |",
        "StatelessRandomGetKeyCounter": "2",
        "StatelessRandomGetAlg": "-",
        "StatelessShuffle": "* n | 1 | 2 |",
        "RngReadAndSkip": " | |",
        "AllCandidateSampler": "b 2; num_true=2, num_sampled=5, unique=False",
        "UniformCandidateSampler LogUniformCandidateSampler LearnedUnigramCandidateSampler": (
            "b 2; num_true=2, num_sampled=5, unique=False, range_max=9"
        ),
        "FixedUnigramCandidateSampler": "b 2; num_true=2, num_sampled=5, unique=False, range_max=9",
        # signals
        "RFFT": "* n | = [7]",
        "RFFT2D": "* n m | = [4, 7]",
        "RFFT3D": "* n m k | = [3, 4, 6]",
        "IRFFT": "* n | = [7]",
        "IRFFT2D": "* n m | = [4, 7]",
        "IRFFT3D": "* n m k | = [3, 4, 6]",
        "CTCLoss": "t b n | k 2 | k | b",
        "CTCLossV2": "t b n | k 2 | k | b",
        # variables
        "CheckNumerics CheckNumericsV2": "* n; message='m'",
        "Assign": "n m | n m",
        "AssignAdd AssignSub": "n m | n m",
        "IsVariableInitialized": "n m",
    }
)
"""The texts of each op type."""
