"""Shape rules of elementwise ops, reductions, matrix products, variables and control flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tfprof_report.arrays import Bools, Ints
from tfprof_report.model.shapes.padded import (
    RANK,
    Shapes,
    broadcast,
    choose,
    column,
    common,
    drop,
    joined,
    keep,
    replace_at,
    splice,
)
from tfprof_report.model.shapes.rules.linear_algebra import batch_of, with_last
from tfprof_report.model.shapes.state import OPEN, Nodes, Values

Rule = Callable[[Nodes], Shapes | Sequence[Shapes]]

_ELLIPSIS = "..."


def own(nodes: Nodes) -> Shapes:
    """Return the node's own shape: that of a constant, or the attribute ``shape``."""
    return nodes.own_shape()


def same(nodes: Nodes) -> Shapes:
    """Return the shape of the first input, for every output."""
    return nodes.shape()


def input_at(place: int) -> Rule:
    """Return the rule of an op whose outputs have the shape of one input."""
    return lambda nodes: nodes.shape(place)


def inputs_at(*places: int) -> Rule:
    """Return the rule of an op whose outputs have the shapes of some inputs, in this order."""
    return lambda nodes: [nodes.shape(place) for place in places]


def followed_by(rule: Callable[[Nodes], Shapes], *others: int) -> Rule:
    """Return a rule that gives the first output the shape of `rule` and the next ones those of the inputs `others`."""
    return lambda nodes: [rule(nodes), *(nodes.shape(place) for place in others)]


def and_range(rule: Callable[[Nodes], Shapes]) -> Rule:
    """Return the rule of a quantized op: the shape of its first output, and two scalars, the range of its values."""
    return lambda nodes: [rule(nodes), Shapes.scalars(len(nodes)), Shapes.scalars(len(nodes))]


def numbers(nodes: Nodes) -> Shapes:
    """Return a scalar, for every output."""
    return Shapes.scalars(len(nodes))


def first_two(nodes: Nodes) -> Shapes:
    """Return the shape that the first two inputs share."""
    return joined(nodes.shape(0), nodes.shape(1))


def betainc(nodes: Nodes) -> Shapes:
    """Return the shape that the operands that are not scalars share."""
    return broadcast(broadcast(nodes.shape(0), nodes.shape(1)), nodes.shape(2))


def ensured(nodes: Nodes) -> Shapes:
    """Return the shape of the input, completed by the attribute ``shape``."""
    return joined(nodes.shape(), nodes.own_shape())


def alike(nodes: Nodes) -> Shapes:
    """Return the shape that all inputs share."""
    return nodes.alike()


def assign(nodes: Nodes) -> Shapes:
    """Return the shape of the value; the variable may have had another one (``validate_shape``)."""
    return nodes.shape(1)


def broadcast_both(nodes: Nodes) -> Shapes:
    """Return the shape to which two operands broadcast."""
    return broadcast(nodes.shape(0), nodes.shape(1))


def select(nodes: Nodes) -> Shapes:
    """Return the shape that both choices share."""
    return joined(nodes.shape(1), nodes.shape(2))


def select_broadcast(nodes: Nodes) -> Shapes:
    """Return the shape to which a condition and two choices broadcast."""
    return broadcast(broadcast(nodes.shape(0), nodes.shape(1)), nodes.shape(2))


def merge_branches(nodes: Nodes) -> Sequence[Shapes]:
    """Return what holds for every input, since any of them may arrive, and the scalar index of the one that did.

    Back edges of loops are not among the inputs here; `infer_shapes` checks afterwards that they change nothing.
    """
    flat = nodes.flat()
    state = nodes.state
    first = nodes.shape()
    seen = common(state.shapes.take(flat.tensors), first.take(flat.row))
    counts = np.bincount(flat.row, minlength=len(nodes))
    result = Shapes.unknown(len(nodes))
    some = counts > 0
    if some.any():
        starts = flat.starts[some]
        result.rank[some] = np.minimum.reduceat(seen.rank, starts)
        result.dims[some] = np.minimum.reduceat(seen.dims, starts, axis=0)
    return [result.where(result.rank >= 0), Shapes.scalars(len(nodes))]


def reduce(nodes: Nodes) -> Shapes:
    """Return the input's shape without the axes in the second input, or with size 1 there (``keep_dims``)."""
    return without_axes(nodes.shape(0), nodes.value(1), keeps=nodes.flag("keep_dims"))


def without_axes(base: Shapes, axes: Values, *, keeps: Bools) -> Shapes:
    """Return `base` without some axes, or with size 1 there in rows where `keeps` is true."""
    place = np.where(axes.items < 0, axes.items + base.rank[:, None], axes.items)
    within = np.arange(axes.items.shape[1]) < axes.count[:, None]
    valid = (place >= 0) & (place < base.rank[:, None])
    known = (axes.count >= 0) & (base.rank >= 0) & (~within | valid).all(axis=1)
    reduced = np.zeros((len(base), RANK), dtype=bool)
    rows, places = np.nonzero(within & valid)
    reduced[rows, place[rows, places]] = True
    kept = Shapes(base.rank, np.where(reduced, 1, base.dims))
    exact = choose(keeps, kept, keep(base, ~reduced))
    # If the axes are unknown, the rank is only known with keep_dims.
    return choose(known, exact, Shapes.open(np.where(keeps, base.rank, -1)))


def arg_reduce(nodes: Nodes) -> Shapes:
    """Return the input's shape without the axis that the second input names."""
    base, axis = nodes.shape(0), nodes.value(1).at(0)
    rank = np.where(base.rank > 0, base.rank - 1, -1)
    return choose(axis != OPEN, drop(base, np.where(axis == OPEN, 0, axis)), Shapes.open(rank))


def mat_mul(nodes: Nodes) -> Shapes:
    """Return (rows of the first matrix, columns of the second)."""
    first, second = nodes.shape(0), nodes.shape(1)
    rows = np.where(nodes.flag("transpose_a"), first.all(1), first.all(0))
    columns = np.where(nodes.flag("transpose_b"), second.all(0), second.all(1))
    return Shapes.of(rows, columns)


def batch_mat_mul(nodes: Nodes) -> Shapes:
    """Return the broadcast batch sizes, then the rows of the first and the columns of the second matrix."""
    first, second = nodes.shape(0), nodes.shape(1)
    rows = np.where(nodes.flag("adj_x"), first.all(-1), first.all(-2))
    columns = np.where(nodes.flag("adj_y"), second.all(-2), second.all(-1))
    return with_last(broadcast(batch_of(first), batch_of(second)), rows, columns)


def einsum(nodes: Nodes) -> Shapes:
    """Return the sizes of the output's labels; the axes that the ellipses of the inputs cover are broadcast."""
    result = Shapes.unknown(len(nodes))
    words = nodes.state.attrs.nodes["equation"].take(nodes.rows).dictionary_encode()
    codes = words.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    for code, equation in enumerate(words.dictionary.to_pylist()):  # a few distinct equations
        mine = codes == code
        inputs, arrow, output = equation.replace(" ", "").partition("->")
        head, dots, tail = output.partition(_ELLIPSIS)
        labels = head + tail
        if not arrow or len(labels) > RANK:
            continue
        part = Nodes(nodes.state, nodes.rows[mine])
        sizes: dict[str, Ints] = {}
        zero = column(len(part), 0)
        many = Shapes.scalars(len(part))  # the axes that the ellipses cover
        for place, term in enumerate(inputs.split(",")):
            before, between, after = term.partition(_ELLIPSIS)
            shape, count = part.shape(place), len(before) + len(after)
            shape = shape.where(shape.rank >= count if between else shape.rank == count)
            for axis, label in (*enumerate(before[:RANK]), *enumerate(after[-RANK:], -len(after[-RANK:]))):
                sizes[label] = np.maximum(sizes.get(label, zero - 1), shape.all(axis))
            if between:
                cut = splice(shape, shape.rank - len(after), shape.rank, Shapes.scalars(len(part)))
                many = broadcast(many, splice(cut, zero, zero + len(before), Shapes.scalars(len(part))))
        found = [sizes.get(label, zero - 1) for label in labels]
        shape = Shapes.of(*found) if found else Shapes.scalars(len(part))
        if dots:
            shape = splice(shape, zero + len(head), zero + len(head), many)
        result.rank[mine], result.dims[mine] = shape.rank, shape.dims
    return result


def cross_entropy(nodes: Nodes) -> Sequence[Shapes]:
    """Return the losses, one per row of the logits, and the gradient, which has the shape of the logits."""
    logits = nodes.shape(0)
    return [Shapes.of(logits.all(0)), joined(logits, Shapes.open(column(len(nodes), 2)))]


def in_top_k(nodes: Nodes) -> Shapes:
    """Return one boolean per row of the predictions."""
    return Shapes.of(nodes.shape(0).all(0))


def top_k(nodes: Nodes) -> Shapes:
    """Return the input's shape with k as its last size, for values and indices."""
    base, k = nodes.shape(0), nodes.value(1).at(0)
    return replace_at(base, base.rank - 1, np.maximum(k, -1)).where(base.rank > 0)


def read_variable(nodes: Nodes) -> Shapes:
    """Return the shape of the variable whose handle is read."""
    return nodes.of_variable()


def each_own(nodes: Nodes) -> Sequence[Shapes]:
    """Return per output the shape of the input with the same index."""
    most = int(nodes.outputs.max(initial=0))
    return [nodes.shape(place) for place in range(most)]
