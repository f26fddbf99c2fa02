"""Shape rules of linear algebra: the last two axes are matrices, the axes before them are a batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfprof_report.arrays import Ints
from tfprof_report.model.shapes.padded import (
    COLUMN,
    Shapes,
    arithmetic,
    broadcast,
    choose,
    column,
    drop,
    insert,
    joined,
    replace_at,
    splice,
)
from tfprof_report.model.shapes.state import OPEN, Nodes, Values

_MATRIX = 2


def matrices(nodes: Nodes, place: int = 0) -> Shapes:
    """Return the shape of an input whose last two axes are a matrix."""
    base = nodes.shape(place)
    return base.where(base.rank >= _MATRIX)


def batch_of(base: Shapes, axes: int = _MATRIX) -> Shapes:
    """Return `base` without its last axes."""
    rank = np.where(base.rank >= axes, base.rank - axes, -1)
    return Shapes(rank, np.where(rank[:, None] > COLUMN, base.dims, -1))


def with_last(batch: Shapes, *sizes: Ints) -> Shapes:
    """Return `batch` with more axes after it."""
    return splice(batch, batch.rank, batch.rank, Shapes.of(*sizes))


def qr(nodes: Nodes) -> Sequence[Shapes]:
    """Return the shapes of both factors: reduced ones, or full ones with ``full_matrices``."""
    base = matrices(nodes)
    rows, columns = base.all(-2), base.all(-1)
    inner = np.where(nodes.flag("full_matrices"), rows, _smaller(rows, columns))
    return [replace_at(base, column(len(nodes), -1), inner), replace_at(base, column(len(nodes), -2), inner)]


def svd(nodes: Nodes) -> Sequence[Shapes]:
    """Return the singular values and both factors, which are empty without ``compute_uv``."""
    base = matrices(nodes)
    rows, columns = base.all(-2), base.all(-1)
    smaller, is_full = _smaller(rows, columns), nodes.flag("full_matrices")
    factors = [with_last(batch_of(base), size, np.where(is_full, size, smaller)) for size in (rows, columns)]
    asked = nodes.number("compute_uv", 1) != 0
    return [with_last(batch_of(base), smaller), *(choose(asked, factor, _nothing(nodes)) for factor in factors)]


def eigen(nodes: Nodes) -> Sequence[Shapes]:
    """Return eigenvalues and eigenvectors, which are empty without ``compute_v``."""
    base = _square(matrices(nodes))
    asked = nodes.number("compute_v", 1) != 0
    return [drop(base, column(len(nodes), -1)), choose(asked, base, _nothing(nodes))]


def eigen_in_one(nodes: Nodes) -> Shapes:
    """Return the matrices of eigenvectors with an additional row of eigenvalues."""
    base = _square(matrices(nodes))
    size = base.all(-1)
    return replace_at(base, column(len(nodes), -2), arithmetic(size + 1, size))


def square(nodes: Nodes) -> Shapes:
    """Return square matrices."""
    return _square(matrices(nodes))


def lu(nodes: Nodes) -> Sequence[Shapes]:
    """Return both factors in one matrix, and the permutation of the rows."""
    base = _square(matrices(nodes))
    return [base, drop(base, column(len(nodes), -1))]


def determinant(nodes: Nodes) -> Shapes:
    """Return the batch; both outputs of the logarithm, sign and value, have this shape."""
    return batch_of(nodes.shape())


def solve(nodes: Nodes) -> Shapes:
    """Return the shape of the right-hand side, which has as many rows as the matrix."""
    first, second = matrices(nodes, 0), matrices(nodes, 1)
    size = np.maximum(np.maximum(first.all(-1), first.all(-2)), second.all(-2))
    return with_last(joined(batch_of(first), batch_of(second)), size, second.all(-1))


def solve_broadcast(nodes: Nodes) -> Shapes:
    """Return the same as `solve`, with broadcast batches."""
    first, second = matrices(nodes, 0), matrices(nodes, 1)
    size = np.maximum(np.maximum(first.all(-1), first.all(-2)), second.all(-2))
    return with_last(broadcast(batch_of(first), batch_of(second)), size, second.all(-1))


def solve_banded(nodes: Nodes) -> Shapes:
    """Return the shape of the right-hand side, which has as many rows as the bands are long."""
    bands, second = matrices(nodes, 0), matrices(nodes, 1)
    size = np.maximum(bands.all(-1), second.all(-2))
    return with_last(broadcast(batch_of(bands), batch_of(second)), size, second.all(-1))


def solve_least_squares(nodes: Nodes) -> Shapes:
    """Return one row per column of the matrix, and the columns of the right-hand side."""
    first, second = matrices(nodes, 0), matrices(nodes, 1)
    return with_last(joined(batch_of(first), batch_of(second)), first.all(-1), second.all(-1))


def diagonal(nodes: Nodes) -> Shapes:
    """Return the shape of the tensor whose diagonal is the input: its axes twice."""
    base = nodes.shape()
    return splice(base, base.rank, base.rank, base)


def diagonal_part(nodes: Nodes) -> Shapes:
    """Return half of the input's axes."""
    base = nodes.shape()
    base = base.where(base.rank % 2 == 0)
    half = np.where(base.rank > 0, base.rank // 2, 0)
    zero, nothing = column(len(nodes), 0), Shapes.scalars(len(nodes))
    first, second = splice(base, half, base.rank, nothing), splice(base, zero, half, nothing)
    return joined(first, second)


def matrix_diagonal(nodes: Nodes) -> Shapes:
    """Return square matrices with the last axis on their diagonal."""
    base = nodes.shape()
    return insert(base.where(base.rank > 0), column(len(nodes), -1), base.all(-1))


def matrix_diagonal_part(nodes: Nodes) -> Shapes:
    """Return the diagonals of matrices."""
    base = matrices(nodes)
    return with_last(batch_of(base), _smaller(base.all(-2), base.all(-1)))


def matrix_diagonals(nodes: Nodes) -> Shapes:
    """Return matrices with the input on the diagonals in the second input; further inputs give rows and columns."""
    base, band = nodes.shape(), nodes.value(1)
    low, high = _band(band)
    rows, columns = nodes.value(2).at(0), nodes.value(3).at(0)
    known = band.is_full & (band.count > 0)
    least_rows = arithmetic(base.all(-1) - np.minimum(high, 0), base.all(-1))
    least_columns = arithmetic(base.all(-1) + np.maximum(low, 0), base.all(-1))
    square = np.where((least_rows >= 0) & (least_columns >= 0), np.maximum(least_rows, least_columns), -1)
    both = (rows == -1) & (columns == -1)
    sizes = []
    for size, least, other in ((rows, least_rows, columns), (columns, least_columns, rows)):
        free = np.where(both, square, np.where(other == OPEN, -1, least))
        sizes.append(np.where(size == -1, free, np.maximum(size, -1)))
    one = with_last(batch_of(base, 1), *sizes)
    return choose(low == high, one, with_last(batch_of(base), *sizes)).where(known)


def matrix_diagonals_part(nodes: Nodes) -> Shapes:
    """Return the diagonals in the second input, one per row if there are several."""
    base, band = matrices(nodes), nodes.value(1)
    low, high = _band(band)
    rows, columns = base.all(-2), base.all(-1)
    length = arithmetic(np.minimum(rows + np.minimum(high, 0), columns + np.minimum(-low, 0)), rows, columns)
    one, many = with_last(batch_of(base), length), with_last(batch_of(base), high - low + 1, length)
    return choose(low == high, one, many).where(band.is_full & (band.count > 0))


def _band(band: Values) -> tuple[Ints, Ints]:
    """Return the lowest and the highest diagonal; 0 where they are not known."""
    low, last = band.at(0), band.at(1)
    low = np.where(low == OPEN, 0, low)
    return low, np.where(last == OPEN, low, last)


def _smaller(one: Ints, two: Ints) -> Ints:
    """Return the smaller of two sizes, -1 where either is not known."""
    return np.where((one < 0) | (two < 0), -1, np.minimum(one, two))


def _square(base: Shapes) -> Shapes:
    """Return square matrices: a size that is known along one axis holds for both."""
    size = np.maximum(base.all(-1), base.all(-2))
    return with_last(batch_of(base), size, size)


def _nothing(nodes: Nodes) -> Shapes:
    return Shapes.of(column(len(nodes), 0))
