"""Shape rules of ops that pick, scatter, sort and count by indices, sparse tensors among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tfprof_report.model.shapes.fold import shape_of_value
from tfprof_report.model.shapes.padded import Shapes, choose, column, drop, merge, replace_at, splice
from tfprof_report.model.shapes.rules.elementwise import Rule, without_axes
from tfprof_report.model.shapes.state import Nodes

_MATRIX = 2


def gather_nd(nodes: Nodes) -> Shapes:
    """Return the indices' shape without the last axis, then what the first input has past as many axes."""
    base, index = nodes.shape(0), nodes.shape(1)
    depth = index.all(-1)
    return splice(base, column(len(nodes), 0), depth, drop(index, column(len(nodes), -1))).where(depth >= 0)


def resource_gather_nd(nodes: Nodes) -> Shapes:
    """Return the same as `gather_nd` of a variable."""
    base, index = nodes.of_variable(), nodes.shape(1)
    depth = index.all(-1)
    return splice(base, column(len(nodes), 0), depth, drop(index, column(len(nodes), -1))).where(depth >= 0)


def variable_shape(nodes: Nodes) -> Shapes:
    """Return a vector with an element per axis of a variable."""
    return Shapes.of(nodes.of_variable().rank)


def vectors(*lengths: int) -> Rule:
    """Return the rule of an op whose outputs are vectors of fixed lengths; -1 is one that is not known."""
    return lambda nodes: [Shapes.of(column(len(nodes), length)) for length in lengths]


def partition(nodes: Nodes) -> Shapes:
    """Return of what an index leads to an unknown number."""
    base, index = nodes.shape(0), nodes.shape(1)
    zero = column(len(nodes), 0)
    return splice(base, zero, index.rank, Shapes.of(zero - 1)).where(index.rank >= 0)


def stitch(nodes: Nodes) -> Shapes:
    """Return one more row than the largest index of all, if all are known, each as the indices' data is."""
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
    """Return the rule of an op that sums up rows of the first input, by default an unknown number of them.

    `count_at` is the input that says how many there are; the input at `index_at` says how many axes a row is behind.
    """

    def rule(nodes: Nodes) -> Shapes:
        zero = column(len(nodes), 0)
        count = zero - 1 if count_at is None else np.maximum(nodes.value(count_at).at(0), -1)
        axes = zero + 1 if index_at is None else nodes.shape(index_at).rank
        return splice(nodes.shape(0), zero, axes, Shapes.of(count)).where(axes >= 0)

    return rule


def segments_of_gradient(nodes: Nodes) -> Sequence[Shapes]:
    """Return rows of a gradient, as many as there are distinct indices, and these."""
    zero = column(len(nodes), 0)
    return [splice(nodes.shape(0), zero, zero + 1, Shapes.of(zero - 1)), Shapes.of(zero - 1)]


def nonzero(nodes: Nodes) -> Shapes:
    """Return an unknown number of indices, each as long as the input has axes."""
    return Shapes.of(column(len(nodes), -1), nodes.shape().rank)


def vector_of_value(place: int) -> Callable[[Nodes], Shapes]:
    """Return the rule of an op that gives a vector as long as an input says."""

    def rule(nodes: Nodes) -> Shapes:
        return Shapes.of(np.maximum(nodes.value(place).at(0), -1))

    return rule


def bins_of_rows(nodes: Nodes) -> Shapes:
    """Return as many bins as the second input says, for each row of a matrix."""
    base, size = nodes.shape(0), np.maximum(nodes.value(1).at(0), -1)
    one, many = Shapes.of(size), Shapes.of(base.all(0), size)
    return choose(base.rank == 1, one, many).where((base.rank == 1) | (base.rank == _MATRIX))


def last_as_value(place: int) -> Callable[[Nodes], Shapes]:
    """Return the rule of an op that draws from each row of a matrix as many as an input says."""

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
    """Return for each number the indices that it stands for in a tensor of as many axes as the second input has."""
    base, axes = nodes.shape(0), nodes.shape(1).all(0)
    vector = Shapes.of(axes)
    return choose(base.rank == 0, vector, splice(base, column(len(nodes), 0), column(len(nodes), 0), vector))


def unique(nodes: Nodes) -> Sequence[Shapes]:
    """Return an unknown number of elements, the place among them of each of the input's, and how often each occurs.

    Of more axes than one it are rows along one of them that are told apart.
    """
    base, some = nodes.shape(0), Shapes.of(column(len(nodes), -1))
    is_vector = base.rank == 1
    return [choose(is_vector, some, Shapes.open(base.rank)), choose(is_vector, base, some), some]


def candidates(nodes: Nodes) -> Sequence[Shapes]:
    """Return the sampled classes, and what is expected of the true and of the sampled ones."""
    sampled = Shapes.of(nodes.number("num_sampled", -1))
    return [sampled, Shapes.of(nodes.shape().all(0), nodes.number("num_true", -1)), sampled]


def sparse_reshape(nodes: Nodes) -> Sequence[Shapes]:
    """Return as many indices as there were, of as many axes as the new shape has, and this."""
    axes = nodes.shape(2).all(0)
    return [Shapes.of(nodes.shape(0).all(0), axes), Shapes.of(axes)]


def sparse_reduce(nodes: Nodes) -> Shapes:
    """Return the shape that the third input is without the axes that the fourth names."""
    return without_axes(shape_of_value(nodes, 2), nodes.value(3), keeps=nodes.flag("keep_dims"))


def sparse_mat_mul(nodes: Nodes) -> Shapes:
    """Return rows of the shape that the third input is, and columns of the fourth."""
    first, second = shape_of_value(nodes, 2), nodes.shape(3)
    rows = np.where(nodes.flag("adjoint_a"), first.all(1), first.all(0))
    columns = np.where(nodes.flag("adjoint_b"), second.all(0), second.all(1))
    return Shapes.of(rows, columns)


def sparse_filled(nodes: Nodes) -> Sequence[Shapes]:
    """Return indices and values of unknown number, which rows were empty, and where each value went."""
    some, rows = column(len(nodes), -1), np.maximum(nodes.value(2).at(0), -1)
    return [Shapes.of(some, nodes.shape(0).all(1)), Shapes.of(some), Shapes.of(rows), Shapes.of(nodes.shape(0).all(0))]


def dequeued(nodes: Nodes) -> Sequence[Shapes]:
    """Return the shapes that a queue declares of its components."""
    return [nodes.of_queue(place) for place in range(int(nodes.outputs.max(initial=0)))]


def dequeued_many(nodes: Nodes) -> Sequence[Shapes]:
    """Return the shapes that a queue declares, below the number that the second input is."""
    zero, count = column(len(nodes), 0), Shapes.of(np.maximum(nodes.value(1).at(0), -1))
    return [splice(each, zero, zero, count) for each in dequeued(nodes)]


def dequeued_up_to(nodes: Nodes) -> Sequence[Shapes]:
    """Return the shapes that a queue declares, below an unknown number."""
    zero = column(len(nodes), 0)
    return [splice(each, zero, zero, Shapes.of(zero - 1)) for each in dequeued(nodes)]
