"""Constant folding of small integer tensors, which hold the shapes, axes and paddings that other ops take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tfprof_report.arrays import Bools, Ints
from tfprof_report.ingest.attrs.shape_attrs import INT32, INT64, MOST_ELEMENTS
from tfprof_report.model.shapes.padded import COLUMN, RANK, Shapes, broadcast, column
from tfprof_report.model.shapes.state import OPEN, Nodes, Values

ValueRule = Callable[[Nodes, Shapes], Values | Sequence[Values]]
"""From nodes and the shape of their first output to the elements that all outputs share, or those of each output."""

_PLACE = np.arange(MOST_ELEMENTS, dtype=np.int64)
_LARGEST = 2**31 - 1
"""Largest element that is folded; past it int32 would wrap, and no shape needs it."""


def shape_of_value(nodes: Nodes, place: int) -> Shapes:
    """Return the shape that an input holds as its elements; a size is unknown where the element is -1 or unknown.

    Where no element is known, the length of the input still gives the rank.
    """
    value, vector = nodes.value(place), nodes.shape(place)
    length = np.where(vector.rank == 1, vector.all(0), -1)
    rank = np.where(value.count >= 0, value.count, length)
    shape = Shapes.open(rank)
    sizes = np.where((shape.rank[:, None] > COLUMN) & (value.count[:, None] >= 0), value.items[:, :RANK], -1)
    return Shapes(shape.rank, np.maximum(sizes, -1))


def window(begin: Ints, end: Ints, stride: Ints, size: Ints, *, from_start: Bools, to_end: Bools) -> tuple[Ints, Ints]:
    """Return the first index and the number of indices of ``begin:end:stride`` on an axis of `size`; -1 if not known.

    `from_start` and `to_end` mark rows where begin or end is omitted. The rules are those of Python slices.
    """
    known = (size >= 0) & (stride != 0) & (stride != OPEN)
    known &= (from_start | (begin != OPEN)) & (to_end | (end != OPEN))
    step, size = np.where(known, stride, 1), np.where(known, size, 0)
    forward = step > 0
    low, high = np.where(forward, 0, -1), np.where(forward, size, size - 1)

    def bound(index: Ints) -> Ints:
        index = np.where(known & (index != OPEN), index, 0)
        return np.clip(np.where(index < 0, index + size, index), low, high)

    first = np.where(from_start, np.where(forward, 0, size - 1), bound(begin))
    last = np.where(to_end, np.where(forward, size, -1), bound(end))
    distance = np.where(forward, last - first, first - last)
    count = np.maximum((distance + np.abs(step) - 1) // np.abs(step), 0)
    return first, np.where(known, count, -1)


def _passed(nodes: Nodes, shape: Shapes) -> Values:
    del shape
    return nodes.value()


def _cast(nodes: Nodes, shape: Shapes) -> Values:
    del shape
    kind = nodes.number("DstT")
    return nodes.value().where((kind == INT32) | (kind == INT64))


def _constant(nodes: Nodes, shape: Shapes) -> Values:
    del shape
    return nodes.list("value")


def _sizes(given: Shapes) -> Values:
    values = Values.unknown(len(given))
    values.items[:, :RANK] = np.where(given.dims < 0, OPEN, given.dims)
    return Values(given.rank, values.items)


def _shape(nodes: Nodes, shape: Shapes) -> Values:
    del shape
    return _sizes(nodes.shape())


def _shape_n(nodes: Nodes, shape: Shapes) -> Sequence[Values]:
    del shape
    return [_sizes(nodes.shape(place)) for place in range(int(nodes.outputs.max(initial=0)))]


def _inverted(nodes: Nodes, shape: Shapes) -> Values:
    """Return the inverse of a permutation of 0, 1, ..."""
    del shape
    base = nodes.value()
    within = base.count[:, None] > _PLACE
    key = np.where(within, base.items, _PLACE)
    is_permutation = base.is_full & (np.sort(key, axis=1) == _PLACE).all(axis=1)
    return Values(base.count, np.where(within, np.argsort(key, axis=1), OPEN)).where(is_permutation)


def _single(number: Ints) -> Values:
    """Return scalars; -1 is unknown."""
    values = Values.unknown(len(number))
    values.items[:, 0] = number
    return Values(np.where(number < 0, -1, 1), values.items).where(number >= 0)


def _rank(nodes: Nodes, shape: Shapes) -> Values:
    del shape
    return _single(nodes.shape().rank)


def _size(nodes: Nodes, shape: Shapes) -> Values:
    del shape
    return _single(nodes.shape().elements)


def _list_length(nodes: Nodes, shape: Shapes) -> Values:
    del shape
    return _single(nodes.list_length())


def _pack(nodes: Nodes, shape: Shapes) -> Values:
    """Return the elements of scalars that are packed into a vector."""
    return _laid_out(nodes, shape, begin=0, end=0)


def _concat_v2(nodes: Nodes, shape: Shapes) -> Values:
    return _laid_out(nodes, shape, begin=0, end=1)


def _laid_out(nodes: Nodes, shape: Shapes, *, begin: int, end: int) -> Values:
    """Return the elements of a vector that scalars or vectors are concatenated to."""
    count = np.where(shape.rank == 1, shape.all(0), -1)
    values = Values.unknown(len(nodes))
    rows = np.flatnonzero((count >= 0) & (count <= MOST_ELEMENTS) & (nodes.inputs - begin - end <= MOST_ELEMENTS))
    if not len(rows):
        return values
    part = Nodes(nodes.state, nodes.rows[rows])
    flat = part.flat(begin, end)
    pieces, held = nodes.state.shapes.take(flat.tensors), nodes.state.values(flat.tensors)
    length = np.where(pieces.rank == 0, 1, pieces.all(0))
    before = np.cumsum(np.maximum(length, 0)) - np.maximum(length, 0)
    start = before - before[flat.starts][flat.row] if len(before) else before
    item = length[:, None] > _PLACE
    fits = (start + np.maximum(length, 0) <= MOST_ELEMENTS) & (held.count == length)
    piece, place = np.nonzero(item & fits[:, None])
    values.items[rows[flat.row[piece]], start[piece] + place] = held.items[piece, place]
    values.count[rows] = count[rows]
    return values


def _strided_slice(nodes: Nodes, shape: Shapes) -> Values:
    """Return the elements of a vector at one index or in one range."""
    del shape
    base, begin, end, stride = (nodes.value(place) for place in range(4))
    single = (nodes.shape().rank == 1) & (begin.count == 1) & (base.count >= 0)
    single &= (nodes.number("ellipsis_mask") == 0) & (nodes.number("new_axis_mask") == 0)
    shrinks = nodes.number("shrink_axis_mask") & 1 != 0
    first, count = window(
        begin.at(0),
        end.at(0),
        stride.at(0),
        base.count,
        from_start=(nodes.number("begin_mask") & 1 != 0) & ~shrinks,
        to_end=(nodes.number("end_mask") & 1 != 0) & ~shrinks,
    )
    index = begin.at(0)
    known = index != OPEN
    index = np.where(index < 0, index + base.count, index)
    first, count = np.where(shrinks, index, first), np.where(shrinks, np.where(known, 1, -1), count)
    step = np.where(shrinks | (stride.at(0) == OPEN), 1, stride.at(0))
    return _picked(base, first, step, count).where(single & (count >= 0))


def _slice(nodes: Nodes, shape: Shapes) -> Values:
    """Return a range of a vector's elements."""
    base, begin = nodes.value(), nodes.value(1)
    count = np.where(shape.rank == 1, shape.all(0), -1)
    known = (begin.count == 1) & (begin.at(0) != OPEN) & (base.count >= 0) & (count >= 0)
    return _picked(base, np.where(known, begin.at(0), 0), column(len(nodes), 1), count).where(known)


def _picked(base: Values, first: Ints, step: Ints, count: Ints) -> Values:
    place = np.where(count[:, None] > _PLACE, first[:, None] + np.clip(step, -RANK * 2, RANK * 2)[:, None] * _PLACE, -1)
    there = (place >= 0) & (place < base.count[:, None])
    items = np.take_along_axis(base.items, np.where(there, place, 0), axis=1)
    return Values(count, np.where(there, items, OPEN)).where(count <= MOST_ELEMENTS)


def _unpack(nodes: Nodes, shape: Shapes) -> Sequence[Values]:
    """Return each element of a vector as a scalar."""
    del shape
    return _pieces(nodes, nodes.value(), column(len(nodes), 1), nodes.shape().rank == 1)


def _split(nodes: Nodes, shape: Shapes) -> Sequence[Values]:
    """Return the equal parts of a vector."""
    del shape
    base, parts = nodes.value(1), np.maximum(nodes.number("num_split"), 1)
    return _pieces(nodes, base, base.count // parts, (nodes.shape(1).rank == 1) & (base.count % parts == 0))


def _pieces(nodes: Nodes, base: Values, size: Ints, known: Bools) -> Sequence[Values]:
    known = known & (base.count >= 0)
    one = column(len(nodes), 1)
    places = range(int(nodes.outputs.max(initial=0)))
    return [_picked(base, place * size, one, np.where(known, size, -1)).where(known) for place in places]


def _gather(nodes: Nodes, shape: Shapes) -> Values:
    """Return the elements of a vector at given indices."""
    del shape
    base, index = nodes.value(0), nodes.value(1)
    known = (nodes.shape(0).rank == 1) & (base.count >= 0) & (index.count >= 0)
    known &= nodes.number("batch_dims") == 0
    there = (index.items >= 0) & (index.items < base.count[:, None])
    items = np.take_along_axis(base.items, np.where(there, index.items, 0), axis=1)
    return Values(index.count, np.where(there, items, OPEN)).where(known)


def _range(nodes: Nodes, shape: Shapes) -> Values:
    start, step, count = nodes.value(0).at(0), nodes.value(2).at(0), np.where(shape.rank == 1, shape.all(0), -1)
    known = (start != OPEN) & (step != OPEN) & (count >= 0) & (count <= MOST_ELEMENTS)
    items = np.where(known, start, 0)[:, None] + np.where(known, step, 0)[:, None] * _PLACE
    return Values(count, np.where(count[:, None] > _PLACE, items, OPEN)).where(known)


def _fill(nodes: Nodes, shape: Shapes) -> Values:
    count, number = shape.elements, nodes.value(1).at(0)
    known = (count >= 0) & (count <= MOST_ELEMENTS) & (number != OPEN)
    return Values(count, np.where(count[:, None] > _PLACE, number[:, None], OPEN)).where(known)


def _combined(combine: Callable[[Ints, Ints], Ints]) -> ValueRule:
    """Return the rule of an elementwise op on two vectors of the same length, or on a vector and a scalar."""

    def rule(nodes: Nodes, shape: Shapes) -> Values:
        first, second = nodes.value(0), nodes.value(1)
        count = np.maximum(first.count, second.count)
        flat = (shape.rank == 0) | (shape.rank == 1)
        known = flat & (first.count >= 0) & (second.count >= 0)
        known &= (first.count == count) | (first.count == 1)
        known &= (second.count == count) | (second.count == 1)
        one = np.where(first.count[:, None] == 1, first.items[:, :1], first.items)
        two = np.where(second.count[:, None] == 1, second.items[:, :1], second.items)
        usable = (np.abs(one) <= _LARGEST) & (np.abs(two) <= _LARGEST) & (one != OPEN) & (two != OPEN)
        result = combine(np.where(usable, one, 1), np.where(usable, two, 1))
        within = (count[:, None] > _PLACE) & usable & (np.abs(result) <= _LARGEST)
        return Values(count, np.where(within, result, OPEN)).where(known)

    return rule


def _broadcast(nodes: Nodes, shape: Shapes) -> Values:
    """Return the shape to which two shapes broadcast, as elements."""
    del shape
    one, two = shape_of_value(nodes, 0), shape_of_value(nodes, 1)
    return _sizes(broadcast(one, two))


def _floor_div(one: Ints, two: Ints) -> Ints:
    return np.where(two == 0, OPEN + 1, one // np.where(two == 0, 1, two))


def _floor_mod(one: Ints, two: Ints) -> Ints:
    return np.where(two == 0, OPEN + 1, one % np.where(two == 0, 1, two))


def _reduced(combine: Callable[..., Ints], start: int | None) -> ValueRule:
    """Return the rule of a reduction of a vector to a scalar, or over no axes, which returns the vector.

    `start` is the neutral element, which fills the padding; None for Max and Min, where the first element serves.
    """

    def rule(nodes: Nodes, shape: Shapes) -> Values:
        base, axes = nodes.value(0), nodes.value(1)
        known = base.is_full & (nodes.shape().rank == 1) & (axes.count == 1) & (base.count > 0)
        first = np.where(known, base.items[:, 0], 0)[:, None]
        filler = first if start is None else start
        items = np.where((base.count[:, None] > _PLACE) & known[:, None], base.items, filler)
        small = np.abs(items.astype(np.float64)).clip(1).prod(axis=1) <= _LARGEST
        result = Values.unknown(len(nodes))
        result.items[:, 0] = combine(items, axis=1)
        one = Values(column(len(nodes), 1), result.items).where(known & (small | (start is None)))
        is_bare = (axes.count == 0)[:, None]
        return Values(
            np.where(axes.count == 0, base.count, np.where(shape.elements == 1, one.count, -1)),
            np.where(is_bare, base.items, one.items),
        )

    return rule


VALUES: Mapping[str, ValueRule] = {
    "Const": _constant,
    "Cast": _cast,
    **dict.fromkeys(("Identity", "StopGradient", "PreventGradient", "Snapshot", "Enter", "Exit", "Switch"), _passed),
    **dict.fromkeys(("EnsureShape", "GuaranteeConst", "Reshape", "ExpandDims", "Squeeze"), _passed),
    "Shape": _shape,
    "ShapeN": _shape_n,
    "InvertPermutation": _inverted,
    "Rank": _rank,
    "Size": _size,
    **dict.fromkeys(("TensorListLength", "TensorArraySizeV3", "TensorArraySizeV2", "TensorArraySize"), _list_length),
    "Pack": _pack,
    "Unpack": _unpack,
    "Split": _split,
    "ConcatV2": _concat_v2,
    "StridedSlice": _strided_slice,
    "Slice": _slice,
    **dict.fromkeys(("Gather", "GatherV2"), _gather),
    "Range": _range,
    "BroadcastArgs": _broadcast,
    "Fill": _fill,
    **dict.fromkeys(("Add", "AddV2"), _combined(np.add)),
    "Sub": _combined(np.subtract),
    "Mul": _combined(np.multiply),
    "Maximum": _combined(np.maximum),
    "Minimum": _combined(np.minimum),
    "FloorDiv": _combined(_floor_div),
    "FloorMod": _combined(_floor_mod),
    "Prod": _reduced(np.prod, 1),
    "Sum": _reduced(np.sum, 0),
    "Max": _reduced(np.max, None),
    "Min": _reduced(np.min, None),
}
"""The rule of each op type whose elements are folded."""
