"""Shape rules of ops that gather, scatter, sort and count by indices, including ops on sparse tensors and queues."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tfprof_report.model.shapes.fold import shape_of_value
from tfprof_report.model.shapes.padded import Shapes, choose, column, drop, merge, replace_at, splice
from tfprof_report.model.shapes.rules.elementwise import Rule, without_axes
from tfprof_report.model.shapes.state import Nodes

_MATRIX = 2


def gather_nd(nodes: Nodes) -> Shapes:
    """Return the indices' shape without its last axis, then the first input's axes that the indices do not cover."""
    base, index = nodes.shape(0), nodes.shape(1)
    depth = index.all(-1)
    return splice(base, column(len(nodes), 0), depth, drop(index, column(len(nodes), -1))).where(depth >= 0)


def resource_gather_nd(nodes: Nodes) -> Shapes:
    """Return the same as `gather_nd` of a variable."""
    base, index = nodes.of_variable(), nodes.shape(1)
    depth = index.all(-1)
    return splice(base, column(len(nodes), 0), depth, drop(index, column(len(nodes), -1))).where(depth >= 0)


def variable_shape(nodes: Nodes) -> Shapes:
    """Return a vector with one element per axis of a variable."""
    return Shapes.of(nodes.of_variable().rank)


def vectors(*lengths: int) -> Rule:
    """Return the rule of an op whose outputs are vectors of fixed lengths; -1 is an unknown length."""
    return lambda nodes: [Shapes.of(column(len(nodes), length)) for length in lengths]


def partition(nodes: Nodes) -> Shapes:
    """Return, for every output, an unknown number of the input's elements that have an index."""
    base, index = nodes.shape(0), nodes.shape(1)
    zero = column(len(nodes), 0)
    return splice(base, zero, index.rank, Shapes.of(zero - 1)).where(index.rank >= 0)


def stitch(nodes: Nodes) -> Shapes:
    """Return one row more than the largest index, if all indices are known; a row has the shape of one index's data."""
    pairs, zero = nodes.inputs // 2, column(len(nodes), 0)
    rows, rest, known = zero, Shapes.unknown(len(nodes)), nodes.inputs > 0
    bad = np.zeros(len(nodes), dtype=bool)
    for place in range(int(pairs.max(initial=0))):
        here = place < pairs
        index = nodes.value(np.where(here, place, -nodes.inputs - 1))
        known &= ~here | index.is_full
        within = np.arange(index.items.shape[1]) < index.count[:, None]
        rows = np.maximum(rows, np.where(within, index.items, -1).max(axis=1) + 1)
        axes = nodes.shape(np.where(here, place, 0)).rank
        data = nodes.shape(np.where(here, pairs + place, 0))
        row = splice(data, zero, axes, Shapes.scalars(len(nodes))).where(here & (axes >= 0))
        rest, clash = merge(rest, row)
        bad |= clash
    return splice(rest, zero, zero, Shapes.of(np.where(known, rows, -1))).where(~bad)


def segments(count_at: int | None, index_at: int | None = None) -> Callable[[Nodes], Shapes]:
    """Return the rule of an op that reduces rows of the first input to segments.

    `count_at` is the input with the number of segments, which is unknown without one. The input at `index_at` has the
    segment of each row, and its rank is the number of axes before a row; the default is 1.
    """

    def rule(nodes: Nodes) -> Shapes:
        zero = column(len(nodes), 0)
        count = zero - 1 if count_at is None else np.maximum(nodes.value(count_at).at(0), -1)
        axes = zero + 1 if index_at is None else nodes.shape(index_at).rank
        return splice(nodes.shape(0), zero, axes, Shapes.of(count)).where(axes >= 0)

    return rule


def segments_of_gradient(nodes: Nodes) -> Sequence[Shapes]:
    """Return one row of the gradient per distinct index, and the distinct indices; their number is unknown."""
    zero = column(len(nodes), 0)
    return [splice(nodes.shape(0), zero, zero + 1, Shapes.of(zero - 1)), Shapes.of(zero - 1)]


def nonzero(nodes: Nodes) -> Shapes:
    """Return an unknown number of indices, each with one element per axis of the input."""
    return Shapes.of(column(len(nodes), -1), nodes.shape().rank)


def vector_of_value(place: int) -> Callable[[Nodes], Shapes]:
    """Return the rule of an op whose output is a vector of the length in an input."""

    def rule(nodes: Nodes) -> Shapes:
        return Shapes.of(np.maximum(nodes.value(place).at(0), -1))

    return rule


def bins_of_rows(nodes: Nodes) -> Shapes:
    """Return the number of bins in the second input, for a vector or for each row of a matrix."""
    base, size = nodes.shape(0), np.maximum(nodes.value(1).at(0), -1)
    one, many = Shapes.of(size), Shapes.of(base.all(0), size)
    return choose(base.rank == 1, one, many).where((base.rank == 1) | (base.rank == _MATRIX))


def last_as_value(place: int) -> Callable[[Nodes], Shapes]:
    """Return the rule of an op that draws from each row of a matrix as many samples as an input says."""

    def rule(nodes: Nodes) -> Shapes:
        return Shapes.of(nodes.shape().all(0), np.maximum(nodes.value(place).at(0), -1))

    return rule


def top_k_of_attribute(nodes: Nodes) -> Shapes:
    """Return the input's shape with the attribute ``k`` as its last size, for values and indices."""
    base = nodes.shape(0)
    return replace_at(base, column(len(nodes), -1), nodes.number("k", -1)).where(base.rank > 0)


def without_last(nodes: Nodes) -> Shapes:
    """Return the input's shape without its last axis."""
    return drop(nodes.shape(), column(len(nodes), -1))


def indexed_by_rank(nodes: Nodes) -> Shapes:
    """Return for each flat index the indices along the axes of a tensor whose shape the second input holds."""
    base, axes = nodes.shape(0), nodes.shape(1).all(0)
    vector = Shapes.of(axes)
    return choose(base.rank == 0, vector, splice(base, column(len(nodes), 0), column(len(nodes), 0), vector))


def unique(nodes: Nodes) -> Sequence[Shapes]:
    """Return an unknown number of distinct elements, the index of each input element among them, and their counts.

    For N-d input the distinct elements are slices along one axis.
    """
    base, some = nodes.shape(0), Shapes.of(column(len(nodes), -1))
    is_vector = base.rank == 1
    return [choose(is_vector, some, Shapes.open(base.rank)), choose(is_vector, base, some), some]


def candidates(nodes: Nodes) -> Sequence[Shapes]:
    """Return the sampled classes, and the expected counts of the true and of the sampled classes."""
    sampled = Shapes.of(nodes.number("num_sampled", -1))
    return [sampled, Shapes.of(nodes.shape().all(0), nodes.number("num_true", -1)), sampled]


def sparse_reshape(nodes: Nodes) -> Sequence[Shapes]:
    """Return the same number of indices, each with one element per axis of the new shape, and the new shape."""
    axes = nodes.shape(2).all(0)
    return [Shapes.of(nodes.shape(0).all(0), axes), Shapes.of(axes)]


def sparse_reduce(nodes: Nodes) -> Shapes:
    """Return the shape that the third input holds, without the axes in the fourth."""
    return without_axes(shape_of_value(nodes, 2), nodes.value(3), keeps=nodes.flag("keep_dims"))


def sparse_mat_mul(nodes: Nodes) -> Shapes:
    """Return the rows of the sparse matrix, whose shape the third input holds, and the columns of the fourth input."""
    first, second = shape_of_value(nodes, 2), nodes.shape(3)
    rows = np.where(nodes.flag("adjoint_a"), first.all(1), first.all(0))
    columns = np.where(nodes.flag("adjoint_b"), second.all(0), second.all(1))
    return Shapes.of(rows, columns)


def sparse_filled(nodes: Nodes) -> Sequence[Shapes]:
    """Return indices and values of unknown number, a flag per row that was empty, and the new index of each value."""
    some, rows = column(len(nodes), -1), np.maximum(nodes.value(2).at(0), -1)
    return [Shapes.of(some, nodes.shape(0).all(1)), Shapes.of(some), Shapes.of(rows), Shapes.of(nodes.shape(0).all(0))]


def dequeued(nodes: Nodes) -> Sequence[Shapes]:
    """Return the shapes that a queue declares for its components."""
    return [nodes.of_queue(place) for place in range(int(nodes.outputs.max(initial=0)))]


def dequeued_many(nodes: Nodes) -> Sequence[Shapes]:
    """Return the shapes that a queue declares, after a first axis with the size in the second input."""
    zero, count = column(len(nodes), 0), Shapes.of(np.maximum(nodes.value(1).at(0), -1))
    return [splice(each, zero, zero, count) for each in dequeued(nodes)]


def dequeued_up_to(nodes: Nodes) -> Sequence[Shapes]:
    """Return the shapes that a queue declares, after a first axis of unknown size."""
    zero = column(len(nodes), 0)
    return [splice(each, zero, zero, Shapes.of(zero - 1)) for each in dequeued(nodes)]
