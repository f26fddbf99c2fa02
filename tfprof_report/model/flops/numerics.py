"""FLOPs of transforms, linear algebra and sorting: the leading terms of textbook counts.

All dimensions but the last one or two are a batch of vectors or matrices. An operation on complex numbers counts as
one, except in transforms, which follow the convention of FFTW.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfprof_report.arrays import Numbers
from tfprof_report.model.flops.rule import FIRST, OUT, SECOND, OpClass, Operands, Rule
from tfprof_report.model.flops.tensorflow_registry import per_element

_FFTW = "the convention of FFTW, whatever the algorithm: 5 n log2 n for complex numbers, half of it for real ones"
_GOLUB = "Golub and Van Loan, Matrix Computations: leading terms"
_COMPARISONS = "comparisons of a heap or a binary search"


def _product(n: Operands, tensor: str, dimensions: int) -> Numbers:
    """Return the product of the last dimensions of a tensor."""
    result: Numbers = n.dim(tensor, -1)
    for place in range(2, dimensions + 1):
        result = result * n.dim(tensor, -place)
    return result


def _how_many(n: Operands, tensor: str, dimensions: int) -> Numbers:
    """Return the batch size: how many vectors, matrices or cubes of the last `dimensions` a tensor holds."""
    each = _product(n, tensor, dimensions)
    return n.size(tensor) // np.maximum(each, 1)


def _transform(dimensions: int, *ops: str, tensor: str, is_real: bool = False, has_half: bool = False) -> Rule:
    """Return the rule of Fourier transforms over the last `dimensions` of a tensor.

    With `has_half`, the last dimension holds only n / 2 + 1 frequencies, as the spectrum of real numbers is symmetric.
    """

    def formula(n: Operands) -> Numbers:
        length = _product(n, tensor, dimensions).astype(np.float64)
        if has_half:
            last = n.dim(tensor, -1)
            length = length / np.maximum(last, 1) * np.maximum(2 * (last - 1), 1)
        each = length * np.log2(np.maximum(length, 1))  # float64 in both evaluations: a logarithm has no exact int64
        result: Numbers = np.rint((2.5 if is_real else 5.0) * _how_many(n, tensor, dimensions) * each).astype(n.dtype)
        return result

    last = f"2 ({tensor}[-1] - 1)" if has_half else f"{tensor}[-1]"
    sizes = " ".join([*(f"{tensor}[-{place}]" for place in range(dimensions, 1, -1)), last])
    return Rule(
        ops=ops,
        formula=formula,
        needs={tensor: dimensions},
        text=f"for each transform: {'2.5' if is_real else '5'} n log2 n; n = {sizes}",
        source=_FFTW,
        kind=OpClass.TRANSFORM,
    )


TRANSFORMS = (
    _transform(1, "FFT", "IFFT", "BatchFFT", "BatchIFFT", tensor=FIRST),
    _transform(2, "FFT2D", "IFFT2D", "BatchFFT2D", "BatchIFFT2D", tensor=FIRST),
    _transform(3, "FFT3D", "IFFT3D", "BatchFFT3D", "BatchIFFT3D", tensor=FIRST),
    _transform(1, "RFFT", tensor=OUT, is_real=True, has_half=True),
    _transform(2, "RFFT2D", tensor=OUT, is_real=True, has_half=True),
    _transform(3, "RFFT3D", tensor=OUT, is_real=True, has_half=True),
    _transform(1, "IRFFT", tensor=OUT, is_real=True),
    _transform(2, "IRFFT2D", tensor=OUT, is_real=True),
    _transform(3, "IRFFT3D", tensor=OUT, is_real=True),
)


def _algebra(*ops: str, thirds: Callable[[Operands], Numbers], text: str, others: tuple[str, ...] = ()) -> Rule:
    """Return the rule of ops on matrices.

    `thirds` is three times the FLOPs of one matrix, so that formulas with thirds, which are common, stay in integers.
    """
    return Rule(
        ops=ops,
        formula=lambda n: _how_many(n, FIRST, 2) * thirds(n),
        divisor=lambda n: np.full(len(n.inputs), 3, dtype=n.dtype),
        needs=dict.fromkeys((FIRST, *others), 2),
        text=f"for each matrix: {text}; n = in0[-1]" if "n^" in text else f"for each matrix: {text}",
        source=_GOLUB,
        kind=OpClass.LINEAR_ALGEBRA,
    )


def _cube(n: Operands) -> Numbers:
    result: Numbers = n.dim(FIRST, -1) ** 3
    return result


def _sides(n: Operands) -> tuple[Numbers, Numbers]:
    """Return the shorter and the longer side of matrices."""
    rows, columns = n.dim(FIRST, -2), n.dim(FIRST, -1)
    return np.minimum(rows, columns), np.maximum(rows, columns)


def _qr(n: Operands) -> Numbers:
    """Return three times the FLOPs of R and of the thin Q, which has as many columns as R has rows."""
    short, long = _sides(n)
    result: Numbers = 6 * short**2 * (long + n.dim(FIRST, -2)) - 4 * short**3
    return result


def _svd(n: Operands) -> Numbers:
    short, long = _sides(n)
    with_vectors = 18 * long * short**2 + 60 * short**3
    result: Numbers = np.where(n.flags["compute_uv"], with_vectors, 12 * long * short**2 - 4 * short**3)
    return result


LINEAR_ALGEBRA = (
    _algebra("Cholesky", "BatchCholesky", thirds=_cube, text="1/3 n^3"),
    _algebra(
        *("MatrixDeterminant", "LogMatrixDeterminant", "BatchMatrixDeterminant", "Lu"),
        thirds=lambda n: 2 * _cube(n),
        text="2/3 n^3",
    ),
    _algebra("MatrixInverse", "BatchMatrixInverse", thirds=lambda n: 6 * _cube(n), text="2 n^3"),
    _algebra(
        *("MatrixSolve", "BatchMatrixSolve"),
        thirds=lambda n: 2 * _cube(n) + 6 * n.dim(FIRST, -1) ** 2 * n.dim(SECOND, -1),
        text="2/3 n^3 + 2 n^2 k; k = in1[-1]",
        others=(SECOND,),
    ),
    _algebra(
        *("MatrixTriangularSolve", "BatchMatrixTriangularSolve"),
        thirds=lambda n: 3 * n.dim(FIRST, -1) ** 2 * n.dim(SECOND, -1),
        text="n^2 k; k = in1[-1]",
        others=(SECOND,),
    ),
    _algebra("Qr", thirds=_qr, text="2 r^2 (s + m) - 4/3 r^3; m = in0[-2], r the lesser and s the greater side"),
    _algebra(
        *("Svd", "BatchSvd"),
        thirds=_svd,
        text="6 s r^2 + 20 r^3, or 4 s r^2 - 4/3 r^3 without compute_uv; r the lesser and s the greater side",
    ),
    _algebra("SelfAdjointEig", "BatchSelfAdjointEig", thirds=lambda n: 27 * _cube(n), text="9 n^3"),
    _algebra(
        *("SelfAdjointEigV2", "BatchSelfAdjointEigV2"),
        thirds=lambda n: np.where(n.flags["compute_v"], 27, 4) * _cube(n),
        text="9 n^3, or 4/3 n^3 without compute_v",
    ),
    _algebra(
        "Eig",
        thirds=lambda n: np.where(n.flags["compute_v"], 75, 30) * _cube(n),
        text="25 n^3, or 10 n^3 without compute_v",
    ),
    Rule(
        ops=("BandedTriangularSolve",),
        formula=lambda n: np.maximum(2 * n.dim(FIRST, -2) - 1, 0) * n.size(SECOND),
        needs={FIRST: 2, SECOND: 2},
        text="(2 in0[-2] - 1) N(in1)",
        source=_GOLUB,
        kind=OpClass.LINEAR_ALGEBRA,
    ),
    Rule(
        ops=("TridiagonalSolve",),
        formula=lambda n: n.size(FIRST) + 5 * n.size(SECOND),
        needs={FIRST: 2, SECOND: 2},
        text="N(in0) + 5 N(in1): elimination without pivoting",
        source=_GOLUB,
        kind=OpClass.LINEAR_ALGEBRA,
    ),
    per_element(5, "in3", "TridiagonalMatMul", kind=OpClass.LINEAR_ALGEBRA, source=_GOLUB),
    per_element(3, OUT, "Cross", source="its definition: two products and a difference for each element"),
)


def _searched(*ops: str, tensor: str, within: str) -> Rule:
    """Return the rule of ops that search each element of `tensor` in the last dimension of `within`."""

    def formula(n: Operands) -> Numbers:
        steps = np.ceil(np.log2(np.maximum(n.dim(within, -1), 2).astype(np.float64)))
        return n.size(tensor) * steps.astype(n.dtype)

    return Rule(
        ops=ops,
        formula=formula,
        needs={tensor: 0, within: 1},
        text=f"N({tensor}) log2 k, the logarithm rounded up and at least 1; k = {within}[-1]",
        source=_COMPARISONS,
        kind=OpClass.SORTING,
    )


SORTS = (
    _searched("TopK", "TopKV2", tensor=FIRST, within=OUT),
    _searched("LowerBound", "UpperBound", tensor=SECOND, within=FIRST),
    per_element(1, FIRST, "InTopK", "InTopKV2", kind=OpClass.SORTING, source=_COMPARISONS),
)

NUMERICS = (*TRANSFORMS, *LINEAR_ALGEBRA, *SORTS)
