"""Shapes of many tensors as padded arrays, and operations on them: merge, broadcast, splice, count elements.

A row is one tensor. An unknown rank is -1, and so is an unknown size; columns past the rank are padded with -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints, list_offsets, list_values, make_lists, take_ranges, to_bools, to_ints

RANK = 8
"""The highest rank that is inferred; TensorFlow's kernels stop at it too."""

COLUMN = np.arange(RANK, dtype=np.int64)
_MOST = 2.0**62


@dataclass(frozen=True, slots=True)
class Shapes:
    """n shapes: `rank` of shape (n,) and `dims` of shape (n, RANK)."""

    rank: Ints
    dims: Ints

    def __len__(self) -> int:
        return len(self.rank)

    @classmethod
    def unknown(cls, count: int) -> Shapes:
        """Return shapes with unknown rank."""
        return cls(np.full(count, -1, dtype=np.int64), np.full((count, RANK), -1, dtype=np.int64))

    @classmethod
    def open(cls, rank: Ints) -> Shapes:
        """Return shapes with these ranks and unknown sizes; a rank above `RANK` counts as unknown."""
        return cls(np.where(rank > RANK, -1, rank), np.full((len(rank), RANK), -1, dtype=np.int64))

    @classmethod
    def scalars(cls, count: int) -> Shapes:
        """Return `count` scalars."""
        return cls.open(np.zeros(count, dtype=np.int64))

    @classmethod
    def of(cls, *sizes: Ints) -> Shapes:
        """Return shapes whose sizes are given as columns."""
        shapes = cls.open(np.full(len(sizes[0]), len(sizes), dtype=np.int64))
        for number, size in enumerate(sizes):
            shapes.dims[:, number] = np.maximum(size, -1)
        return shapes

    @classmethod
    def from_lists(cls, lists: pa.ListArray) -> Shapes:
        """Return an Arrow column of shapes; NULL, and a rank above `RANK`, is an unknown rank."""
        offsets, sizes = list_offsets(lists), to_ints(list_values(lists))
        counts = np.diff(offsets)
        shapes = cls.open(np.where(to_bools(lists.is_null()), -1, counts))
        rows = np.flatnonzero(shapes.rank > 0)
        row = np.repeat(rows, counts[rows])
        place = take_ranges(np.zeros(len(rows), dtype=np.int64), counts[rows])
        shapes.dims[row, place] = np.maximum(sizes[take_ranges(offsets[rows], counts[rows])], -1)
        return shapes

    def to_lists(self) -> pa.ListArray:
        """Return the shapes as an Arrow column, NULL for an unknown rank."""
        within = self.rank[:, None] > COLUMN
        return make_lists(pa.array(self.dims[within]), np.maximum(self.rank, 0), is_null=self.rank < 0)

    def take(self, rows: Ints | Bools) -> Shapes:
        """Return some of the shapes."""
        return Shapes(self.rank[rows], self.dims[rows])

    def where(self, mask: Bools) -> Shapes:
        """Return the shapes where `mask` is true, unknown ones elsewhere."""
        return Shapes(np.where(mask, self.rank, -1), np.where(mask[:, None], self.dims, -1))

    def at(self, axis: Ints) -> Ints:
        """Return one size per row, counted from the end if `axis` is negative; -1 where there is no such axis."""
        axis = np.where(axis < 0, axis + self.rank, axis)
        there = (axis >= 0) & (axis < self.rank)
        return np.where(there, self.dims[np.arange(len(self)), np.where(there, axis, 0)], -1)

    def all(self, axis: int) -> Ints:
        """Return the size at `axis` of every row."""
        return self.at(np.full(len(self), axis, dtype=np.int64))

    @property
    def is_full(self) -> Bools:
        """Which shapes are fully known."""
        return (self.rank >= 0) & ((self.rank[:, None] <= COLUMN) | (self.dims >= 0)).all(axis=1)

    @property
    def elements(self) -> Ints:
        """The number of elements; -1 where it is not known or 2^62 or more."""
        sizes = np.where(self.rank[:, None] > COLUMN, self.dims, 1)
        fits = self.is_full & ((sizes.astype(np.float64).prod(axis=1) < _MOST) | (sizes == 0).any(axis=1))
        return np.where(fits, np.where(fits[:, None], sizes, 1).prod(axis=1), -1)


def open_shapes(lists: pa.ListArray) -> Bools:
    """Return which shapes of an Arrow column are not fully known, or of a rank above `RANK`, without padding them."""
    offsets, sizes = list_offsets(lists), to_ints(list_values(lists))
    is_open = to_bools(lists.is_null()) | (np.diff(offsets) > RANK)
    unknown = np.flatnonzero(sizes < 0)
    is_open[np.searchsorted(offsets, unknown, side="right") - 1] = True
    return is_open


def choose(mask: Bools, yes: Shapes, no: Shapes) -> Shapes:
    """Return the shapes of `yes` where `mask` is true, otherwise those of `no`."""
    return Shapes(np.where(mask, yes.rank, no.rank), np.where(mask[:, None], yes.dims, no.dims))


def merge(first: Shapes, second: Shapes) -> tuple[Shapes, Bools]:
    """Return the combined knowledge of two shapes of the same tensors, and where the shapes contradict each other.

    Contradicting shapes give the first one.
    """
    both = (first.rank >= 0) & (second.rank >= 0)
    differ = (first.dims >= 0) & (second.dims >= 0) & (first.dims != second.dims)
    clash = both & ((first.rank != second.rank) | differ.any(axis=1))
    filled = Shapes(
        np.where(first.rank < 0, second.rank, first.rank), np.where(first.dims < 0, second.dims, first.dims)
    )
    return choose(clash, first, filled), clash


def joined(*shapes: Shapes) -> Shapes:
    """Return the combined knowledge of shapes that must be equal; unknown where they contradict each other."""
    result, bad = shapes[0], np.zeros(len(shapes[0]), dtype=bool)
    for shape in shapes[1:]:
        result, clash = merge(result, shape)
        bad |= clash
    return result.where(~bad)


def common(first: Shapes, second: Shapes) -> Shapes:
    """Return what holds for both of two shapes: the rank and the sizes in which they agree."""
    same = (first.rank == second.rank) & (first.rank >= 0)
    agree = same[:, None] & (first.dims == second.dims)
    return Shapes(np.where(same, first.rank, -1), np.where(agree, first.dims, -1))


def broadcast(first: Shapes, second: Shapes) -> Shapes:
    """Return the shape of an elementwise op on two tensors, by numpy's rules; unknown where they do not fit."""
    rank = np.where((first.rank < 0) | (second.rank < 0), -1, np.maximum(first.rank, second.rank))
    one, two = _aligned(first), _aligned(second)
    # Broadcasting a 1 gives the other size, even an unknown one. Of an unknown size and a known one above 1 the result
    # is the known one: the unknown one must be the same or 1.
    sizes = np.where(one == 1, two, np.where(two == 1, one, np.where(one < 0, np.where(two > 1, two, -1), one)))
    sizes = np.where((one < 0) & (two == 0), -1, sizes)
    sizes = np.where((two < 0) & (one == 0), -1, sizes)
    clash = ((one >= 0) & (two >= 0) & (one != two) & (one != 1) & (two != 1)).any(axis=1)
    place = COLUMN + RANK - rank[:, None]
    dims = np.take_along_axis(sizes, np.clip(place, 0, RANK - 1), axis=1)
    return Shapes(rank, np.where(rank[:, None] > COLUMN, dims, -1)).where(~clash)


def _aligned(shapes: Shapes) -> Ints:
    """Return the sizes aligned to the right, padded with 1 on the left."""
    place = COLUMN - (RANK - shapes.rank[:, None])
    return np.where(place >= 0, np.take_along_axis(shapes.dims, np.clip(place, 0, RANK - 1), axis=1), 1)


def splice(base: Shapes, start: Ints, stop: Ints, piece: Shapes, skip: Ints | int = 0) -> Shapes:
    """Return `base` with its axes from `start` to `stop` replaced by those of `piece` from `skip` on.

    Per row like ``base[:start] + piece[skip:] + base[stop:]``; unknown where that is out of range or too long.
    """
    added = piece.rank - skip
    rank = base.rank - (stop - start) + added
    fits = (base.rank >= 0) & (piece.rank >= 0) & (added >= 0) & (start >= 0) & (stop >= start) & (stop <= base.rank)
    fits &= rank <= RANK
    # Each column of the result is gathered from one column of `base` or `piece`; clipped indices are masked below.
    begin, width = start[:, None], added[:, None]
    in_piece = (begin <= COLUMN) & (begin + width > COLUMN)
    shift = COLUMN - begin - width + stop[:, None]
    from_base = np.take_along_axis(base.dims, np.clip(np.where(begin > COLUMN, COLUMN, shift), 0, RANK - 1), axis=1)
    offset = np.broadcast_to(np.asarray(skip, dtype=np.int64), len(base))[:, None]
    from_piece = np.take_along_axis(piece.dims, np.clip(COLUMN - begin + offset, 0, RANK - 1), axis=1)
    dims = np.where(rank[:, None] > COLUMN, np.where(in_piece, from_piece, from_base), -1)
    return Shapes(np.where(fits, rank, -1), np.where(fits[:, None], dims, -1))


def insert(base: Shapes, axis: Ints, size: Ints) -> Shapes:
    """Return `base` with one more axis; a negative `axis` counts from the end of the result."""
    start = np.where(axis < 0, axis + base.rank + 1, axis)
    return splice(base, start, start, Shapes.of(size))


def drop(base: Shapes, axis: Ints) -> Shapes:
    """Return `base` without an axis; a negative `axis` counts from the end."""
    start = np.where(axis < 0, axis + base.rank, axis)
    return splice(base, start, start + 1, Shapes.scalars(len(base)))


def replace_at(base: Shapes, axis: Ints, size: Ints) -> Shapes:
    """Return `base` with another size at an axis; a negative `axis` counts from the end."""
    start = np.where(axis < 0, axis + base.rank, axis)
    return splice(base, start, start + 1, Shapes.of(size))


def keep(base: Shapes, mask: Bools) -> Shapes:
    """Return only the axes of `base` that `mask` (n, RANK) keeps."""
    kept = mask & (base.rank[:, None] > COLUMN)
    order = np.argsort(~kept, axis=1, kind="stable")  # kept axes first, in their order
    rank = np.where(base.rank < 0, -1, kept.sum(axis=1))
    dims = np.take_along_axis(base.dims, order, axis=1)
    return Shapes(rank, np.where(rank[:, None] > COLUMN, dims, -1))


def arithmetic(result: Ints, *operands: Ints) -> Ints:
    """Return `result`, a size computed from `operands`; -1 where it or one of them is negative (unknown)."""
    known = result >= 0
    for operand in operands:
        known = known & (operand >= 0)
    return np.where(known, result, -1)


def by_segment(shapes: Shapes, starts: Ints) -> tuple[Shapes, Bools]:
    """Return the combined knowledge of the shapes of each segment (as `joined`), and where they contradict each other.

    `starts` are the first rows of the segments, which are contiguous and not empty. As unknown is -1, the maximum of a
    size is the known one; the minimum of the known sizes differs from it if they contradict each other.
    """
    rank = np.maximum.reduceat(shapes.rank, starts)
    dims = np.maximum.reduceat(shapes.dims, starts, axis=0)
    large = np.iinfo(np.int64).max
    least_rank = np.minimum.reduceat(np.where(shapes.rank < 0, large, shapes.rank), starts)
    least = np.minimum.reduceat(np.where(shapes.dims < 0, large, shapes.dims), starts, axis=0)
    clash = (rank >= 0) & (least_rank != rank)
    return Shapes(rank, dims), clash | ((dims >= 0) & (least != dims)).any(axis=1)


def agreed_by_segment(shapes: Shapes, starts: Ints) -> Shapes:
    """Return what holds for every shape of a segment (as `common`): the rank and the sizes in which all agree."""
    rank, dims = np.maximum.reduceat(shapes.rank, starts), np.maximum.reduceat(shapes.dims, starts, axis=0)
    same = rank == np.minimum.reduceat(shapes.rank, starts)
    agree = same[:, None] & (dims == np.minimum.reduceat(shapes.dims, starts, axis=0))
    return Shapes(np.where(same, rank, -1), np.where(agree, dims, -1))


def column(count: int, value: int) -> Ints:
    """Return a column that repeats one value."""
    return np.full(count, value, dtype=np.int64)


def concatenate(parts: Sequence[Shapes]) -> Shapes:
    """Return the rows of all parts, one part after the other."""
    return Shapes(np.concatenate([part.rank for part in parts]), np.concatenate([part.dims for part in parts]))
