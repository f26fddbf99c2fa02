"""Shape rules of ops that slice, join, pad and rearrange tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_ints
from tfprof_report.model.graph.data_types import element_bytes
from tfprof_report.model.shapes.fold import shape_of_value, window
from tfprof_report.model.shapes.padded import (
    COLUMN,
    RANK,
    Shapes,
    arithmetic,
    by_segment,
    choose,
    column,
    drop,
    insert,
    keep,
    replace_at,
    splice,
)
from tfprof_report.model.shapes.state import OPEN, Nodes

_MOST_SPECS = 8


def shape_at(place: int) -> Callable[[Nodes], Shapes]:
    """Return the rule of an op whose output has the shape that an input holds as its elements."""

    def rule(nodes: Nodes) -> Shapes:
        return shape_of_value(nodes, place)

    return rule


def reshape(nodes: Nodes) -> Shapes:
    """Return the shape that the second input holds; one unknown size follows from the number of elements."""
    shape, elements = shape_of_value(nodes, 1), nodes.shape(0).elements
    is_open = (shape.rank[:, None] > COLUMN) & (shape.dims < 0)
    rest = Shapes(shape.rank, np.where(is_open, 1, shape.dims)).elements
    solvable = (is_open.sum(axis=1) == 1) & (elements >= 0) & (rest > 0)
    divisor = np.where(solvable, rest, 1)
    solvable &= elements % divisor == 0
    return Shapes(shape.rank, np.where(is_open & solvable[:, None], (elements // divisor)[:, None], shape.dims))


def shape(nodes: Nodes) -> Shapes:
    """Return a vector with one element per axis of the input."""
    return Shapes.of(nodes.shape().rank)


def shape_n(nodes: Nodes) -> Sequence[Shapes]:
    """Return one vector per input, with an element per axis."""
    most = int(nodes.outputs.max(initial=0))
    return [Shapes.of(nodes.shape(place).rank) for place in range(most)]


def vectors(nodes: Nodes) -> Shapes:
    """Return vectors of unknown length."""
    return Shapes.of(column(len(nodes), -1))


def strided_slice(nodes: Nodes) -> Shapes:
    """Return the sizes of ``begin:end:stride`` per axis, with ellipsis, new axes and single indices by their masks.

    Rows have different masks, so the specs are processed one by one, each for all rows: `source` and `target` are the
    next axis of the input and of the result in each row.
    """
    base = nodes.shape(0)
    begin, end, stride = (nodes.value(place) for place in (1, 2, 3))
    lengths = [np.where(nodes.shape(place).rank == 1, nodes.shape(place).all(0), -1) for place in (1, 2, 3)]
    specs = np.maximum.reduce([begin.count, end.count, stride.count, *lengths])
    masks = {name: nodes.number(f"{name}_mask") for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}

    def bit(name: str, place: int) -> Bools:
        found: Bools = (masks[name] >> place) & 1 != 0
        return found

    single = [bit("ellipsis", place) for place in range(_MOST_SPECS)]
    is_spec = [place < specs for place in range(_MOST_SPECS)]
    added = [is_spec[place] & bit("new_axis", place) & ~single[place] for place in range(_MOST_SPECS)]
    taken = [is_spec[place] & ~single[place] & ~added[place] for place in range(_MOST_SPECS)]
    hidden = base.rank - np.sum(taken, axis=0)  # number of axes that the ellipsis covers
    known = (base.rank >= 0) & (specs >= 0) & (specs <= _MOST_SPECS) & (hidden >= 0)

    rows = np.arange(len(nodes))
    source, target = column(len(nodes), 0), column(len(nodes), 0)
    dims = np.full((len(nodes), RANK + _MOST_SPECS + 1), -1, dtype=np.int64)

    def copy(count: Ints, where: Bools) -> None:
        for step in range(RANK):
            go = where & (step < count)
            dims[rows[go], np.minimum(target, RANK + _MOST_SPECS)[go]] = base.at(np.where(go, source, RANK))[go]
            source[go] += 1
            target[go] += 1

    for place in range(min(_MOST_SPECS, int(specs.max(initial=0)))):
        copy(hidden, known & is_spec[place] & single[place])
        new, cut = known & added[place], known & taken[place]
        shrinks = cut & bit("shrink_axis", place)
        _, size = window(
            begin.at(place),
            end.at(place),
            stride.at(place),
            base.at(np.where(cut, source, RANK)),
            from_start=bit("begin", place),
            to_end=bit("end", place),
        )
        written = new | (cut & ~shrinks)
        dims[rows[written], target[written]] = np.where(new, 1, size)[written]
        target += written
        source += cut
    copy(base.rank - source, known)
    target = np.where(known, target, -1)
    return Shapes(np.where(target > RANK, -1, target), np.where((target <= RANK)[:, None], dims[:, :RANK], -1))


def slice_(nodes: Nodes) -> Shapes:
    """Return the sizes in the third input, where -1 means the rest of the axis after begin."""
    base, begin, size = nodes.shape(0), nodes.value(1), nodes.value(2)
    rank = np.where(base.rank >= 0, base.rank, np.maximum(size.count, shape_of_value(nodes, 1).rank))
    wanted, start = size.items[:, :RANK], begin.items[:, :RANK]
    rest = np.where((start >= 0) & (base.dims >= start), base.dims - start, -1)
    dims = np.where(wanted == -1, rest, np.maximum(wanted, -1))
    shapes = Shapes.open(rank)
    return Shapes(shapes.rank, np.where(shapes.rank[:, None] > COLUMN, dims, -1))


def concat_v2(nodes: Nodes) -> Shapes:
    """Return the inputs joined along the axis that the last input names."""
    return _concat(nodes, axis_at=-1, begin=0, end=1)


def concat(nodes: Nodes) -> Shapes:
    """Return the inputs joined along the axis that the first input names."""
    return _concat(nodes, axis_at=0, begin=1, end=0)


def _concat(nodes: Nodes, *, axis_at: int, begin: int, end: int) -> Shapes:
    some = nodes.inputs > 1
    result = Shapes.unknown(len(nodes))
    if not some.any():
        return result
    part = Nodes(nodes.state, nodes.rows[some])
    flat, axis = part.flat(begin, end), part.value(axis_at).at(0)
    parts = part.state.shapes.take(flat.tensors)
    rank = np.maximum.reduceat(parts.rank, flat.starts)
    axis = np.where(axis < 0, axis + rank, axis)
    valid = (axis >= 0) & (axis < rank)
    at = np.where(valid, axis, 0)
    sizes = parts.at(np.where(valid, axis, RANK)[flat.row])
    total = np.add.reduceat(sizes, flat.starts)
    total = np.where(np.minimum.reduceat(sizes, flat.starts) >= 0, total, -1)
    # Sizes may differ along the axis; all others must be equal.
    others = Shapes(parts.rank, np.where(at[flat.row][:, None] == COLUMN, -1, parts.dims))
    merged, clash = by_segment(others, flat.starts)
    joined = choose(valid, replace_at(merged, at, total), Shapes.open(rank)).where(~clash)
    result.rank[some], result.dims[some] = joined.rank, joined.dims
    return result


def pack(nodes: Nodes) -> Shapes:
    """Return the inputs' common shape with a new axis, as long as there are inputs."""
    return insert(nodes.alike(), nodes.number("axis"), nodes.inputs)


def unpack(nodes: Nodes) -> Shapes:
    """Return the input's shape without the axis, for every output."""
    return drop(nodes.shape(), nodes.number("axis"))


def split(nodes: Nodes) -> Shapes:
    """Return the second input's shape with the axis that the first input names divided by the number of outputs."""
    axis, base, parts = nodes.value(0).at(0), nodes.shape(1), nodes.number("num_split")
    at = np.where(axis == OPEN, 0, axis)
    size, count = base.at(at), np.maximum(parts, 1)
    share = np.where((size >= 0) & (size % count == 0), size // count, -1)
    return choose(axis != OPEN, replace_at(base, at, share), Shapes.open(base.rank))


def split_v(nodes: Nodes) -> Sequence[Shapes]:
    """Return per output the first input's shape with the axis of the third input set to a size in the second one."""
    base, sizes, axis = nodes.shape(0), nodes.value(1), nodes.value(2).at(0)
    at = np.where(axis == OPEN, 0, axis)
    whole, full = base.at(at), sizes.is_full
    items = np.where((np.arange(sizes.items.shape[1]) < sizes.count[:, None]) & full[:, None], sizes.items, 0)
    rest = arithmetic(whole - np.where(items > 0, items, 0).sum(axis=1), whole)
    outputs = []
    for place in range(int(min(nodes.outputs.max(initial=0), items.shape[1]))):
        size = np.where(full, np.where(sizes.at(place) == -1, rest, np.maximum(sizes.at(place), -1)), -1)
        outputs.append(choose(axis != OPEN, replace_at(base, at, size), Shapes.open(base.rank)))
    return outputs


def transpose(nodes: Nodes) -> Shapes:
    """Return the sizes in the order of the second input."""
    base, order = nodes.shape(0), nodes.value(1)
    rank = np.where(base.rank >= 0, base.rank, shape_of_value(nodes, 1).rank)
    place = order.items[:, :RANK]
    place = np.where((place < 0) & (place != OPEN), place + base.rank[:, None], place)
    there = (place >= 0) & (place < base.rank[:, None]) & (order.count == base.rank)[:, None]
    dims = np.where(there, np.take_along_axis(base.dims, np.where(there, place, 0), axis=1), -1)
    return Shapes(rank, dims)


def pad(nodes: Nodes) -> Shapes:
    """Return the sizes plus the paddings before and after, which are pairs in the second input."""
    base, pairs = nodes.shape(0), nodes.value(1)
    before, after = pairs.items[:, 0 : 2 * RANK : 2], pairs.items[:, 1 : 2 * RANK : 2]
    known = (pairs.count == 2 * base.rank)[:, None] & (before >= 0) & (after >= 0) & (base.dims >= 0)
    dims = np.where(known, base.dims + np.where(known, before, 0) + np.where(known, after, 0), -1)
    return Shapes(base.rank, dims)


def pad_gradient(nodes: Nodes) -> Shapes:
    """Return the sizes minus the paddings before and after, which are pairs in the second input."""
    base, pairs = nodes.shape(0), nodes.value(1)
    before, after = pairs.items[:, 0 : 2 * RANK : 2], pairs.items[:, 1 : 2 * RANK : 2]
    known = (pairs.count == 2 * base.rank)[:, None] & (before >= 0) & (after >= 0) & (base.dims >= 0)
    dims = np.where(known, base.dims - np.where(known, before, 0) - np.where(known, after, 0), -1)
    return Shapes(base.rank, np.maximum(dims, -1))


def expand_dims(nodes: Nodes) -> Shapes:
    """Return the input's shape with a 1 at the axis that the second input names."""
    base, axis = nodes.shape(0), nodes.value(1).at(0)
    rank = np.where((base.rank >= 0) & (base.rank < RANK), base.rank + 1, -1)
    at = np.where(axis == OPEN, 0, axis)
    return choose(axis != OPEN, insert(base, at, column(len(nodes), 1)), Shapes.open(rank))


def squeeze(nodes: Nodes) -> Shapes:
    """Return the input's shape without the axes of ``squeeze_dims``, or without every 1."""
    base, axes = nodes.shape(), nodes.list("squeeze_dims")
    named = axes.count > 0
    gone = np.zeros((len(nodes), RANK), dtype=bool)
    within = np.arange(axes.items.shape[1]) < axes.count[:, None]
    place = np.where(axes.items < 0, axes.items + base.rank[:, None], axes.items)
    valid = (place >= 0) & (place < base.rank[:, None])
    rows, places = np.nonzero(within & valid)
    gone[rows, place[rows, places]] = True
    known = (base.rank >= 0) & np.where(named, (~within | valid).all(axis=1), base.is_full)
    return keep(base, ~np.where(named[:, None], gone, base.dims == 1)).where(known)


def tile(nodes: Nodes) -> Shapes:
    """Return each size times the corresponding element of the second input."""
    base, factors = nodes.shape(0), nodes.value(1).items[:, :RANK]
    product = arithmetic(base.dims * np.maximum(factors, 0), base.dims, factors)
    fits = base.dims.astype(np.float64) * np.maximum(factors, 0) < 2.0**62
    rank = np.where(base.rank >= 0, base.rank, shape_of_value(nodes, 1).rank)
    return Shapes(rank, np.where(fits, product, -1))


def tile_gradient(nodes: Nodes) -> Shapes:
    """Return each size divided by the corresponding element of the second input."""
    base, factors = nodes.shape(0), nodes.value(1).items[:, :RANK]
    known = (base.dims >= 0) & (factors > 0)
    return Shapes(base.rank, np.where(known, base.dims // np.where(known, factors, 1), -1))


def broadcast_shape(nodes: Nodes) -> Shapes:
    """Return a vector as long as the longer of two shapes."""
    one, two = nodes.shape(0).all(0), nodes.shape(1).all(0)
    return Shapes.of(arithmetic(np.maximum(one, two), one, two))


def shape_and_input(nodes: Nodes) -> Shapes:
    """Return the shape that the first input holds, then the shape of the second: a sample shape per parameter."""
    sample = shape_of_value(nodes, 0)
    return splice(sample, sample.rank, sample.rank, nodes.shape(1))


def bitcast(nodes: Nodes) -> Shapes:
    """Return the input's shape, with a new last axis if elements become smaller and without the last if larger."""
    base = nodes.shape()
    before, after = (_bytes(nodes.number(name)) for name in ("T", "type"))
    known = (before > 0) & (after > 0)
    parts = np.where(known, before // np.maximum(after, 1), 0)
    split, whole = insert(base, column(len(nodes), -1), parts), drop(base, column(len(nodes), -1))
    return choose(before == after, base, choose(before > after, split, whole)).where(known)


def _bytes(dtype: Ints) -> Ints:
    return to_ints(pc.fill_null(element_bytes(pa.array(dtype)), 0))


def spectrum(nodes: Nodes) -> Shapes:
    """Return the input's shape with the last axes set to ``fft_length``, the very last one to n / 2 + 1."""
    return _transformed(nodes, lambda last: arithmetic(last // 2 + 1, last))


def signal(nodes: Nodes) -> Shapes:
    """Return the input's shape with the last axes set to ``fft_length``."""
    return _transformed(nodes, lambda last: last)


def _transformed(nodes: Nodes, last_of: Callable[[Ints], Ints]) -> Shapes:
    base, lengths = nodes.shape(0), nodes.value(1)
    axes = np.where(lengths.count >= 0, lengths.count, nodes.shape(1).all(0))
    place = COLUMN - (base.rank - axes)[:, None]
    inner = (place >= 0) & (base.rank[:, None] > COLUMN) & (axes >= 0)[:, None]
    given = np.take_along_axis(lengths.items, np.clip(place, 0, RANK - 1), axis=1)
    dims = np.where(inner, np.maximum(given, -1), base.dims)
    rows, last = np.arange(len(nodes)), np.maximum(base.rank - 1, 0)
    dims[rows, last] = np.where(base.rank > 0, last_of(dims[rows, last]), -1)
    return Shapes(base.rank, dims).where((axes >= 0) & (axes <= base.rank))


def gather(nodes: Nodes) -> Shapes:
    """Return the indices' shape, then the shape of a row of the first input."""
    zero = column(len(nodes), 0)
    return splice(nodes.shape(0), zero, zero + 1, nodes.shape(1))


def gather_v2(nodes: Nodes) -> Shapes:
    """Return the first input's shape with one axis replaced by the indices' shape without its ``batch_dims``."""
    base, index, axis = nodes.shape(0), nodes.shape(1), nodes.value(2).at(0)
    batch = nodes.number("batch_dims")
    batch = np.where(batch < 0, batch + index.rank, batch)
    start = np.where(axis < 0, axis + base.rank, axis)
    return splice(base, start, start + 1, index, batch).where((axis != OPEN) & (batch >= 0) & (index.rank >= 0))


def resource_gather(nodes: Nodes) -> Shapes:
    """Return the indices' shape, then the shape of a row of the variable."""
    zero = column(len(nodes), 0)
    return splice(nodes.of_variable(), zero, zero + 1, nodes.shape(1)).where(nodes.number("batch_dims") == 0)


def range_(nodes: Nodes) -> Shapes:
    """Return a vector as long as the range, which is known for integers only."""
    start, limit, step = (nodes.value(place).at(0) for place in range(3))
    known = (start != OPEN) & (limit != OPEN) & (step != OPEN) & (step != 0)
    known &= (np.abs(start) < 2**40) & (np.abs(limit) < 2**40)
    step = np.where(known, step, 1)
    distance = np.where(known, limit, 0) - np.where(known, start, 0)
    return Shapes.of(np.where(known, np.maximum(-(-distance // step), 0), -1))


def one_hot(nodes: Nodes) -> Shapes:
    """Return the indices' shape with the depth at ``axis``, -1 for the end."""
    return insert(nodes.shape(0), nodes.number("axis", -1), np.maximum(nodes.value(1).at(0), -1))


def concat_offset(nodes: Nodes) -> Sequence[Shapes]:
    """Return per input after the first a vector of the same length."""
    return [nodes.shape(place + 1) for place in range(int(nodes.outputs.max(initial=0)))]


def handle_and_flow(nodes: Nodes) -> Sequence[Shapes]:
    """Return the handle of a TensorArray, a vector of two, and its flow, a scalar."""
    return [Shapes.of(column(len(nodes), 2)), Shapes.scalars(len(nodes))]
