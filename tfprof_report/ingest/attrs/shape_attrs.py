"""Attributes and small constants that determine the shapes of outputs, as columns of a graph's nodes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Ints,
    list_offsets,
    list_values,
    make_lists,
    marks,
    product_by_row,
    row_of_value,
    take_ranges,
    to_bools,
)

NUMBERS = (
    *("axis", "N", "num", "num_split", "batch_dims", "block_size", "DstT", "num_elements", "full_matrices"),
    *("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"),
    *("keep_dims", "transpose_a", "transpose_b", "adj_x", "adj_y", "adjoint_a", "adjoint_b", "compute_uv", "compute_v"),
    *("k", "num_sampled", "num_true", "num_partitions", "num_outs", "T", "type"),
    *("dynamic_size", "identical_element_shapes", "resize_if_index_out_of_bounds"),
)
"""Attributes that are an integer, a boolean (0 or 1) or a type (its number in TensorFlow's DataType)."""

LISTS = ("dilations", "explicit_paddings", "squeeze_dims", "ksizes", "rates")
WORDS = ("padding", "equation", "direction")

MOST_ELEMENTS = 16
"""Integer constants with more elements are not read: they are not shapes."""

INT32, INT64 = 3, 9
"""The two types of TensorFlow's DataType that shape tensors have."""

_INTS = pa.list_(pa.int64())
_NUMBERS = pa.list_(pa.struct([("key", pa.int8()), ("value", pa.int64())]))
SHAPE_ATTRS = {
    "numbers": _NUMBERS,
    **dict.fromkeys(LISTS, _INTS),
    **dict.fromkeys(WORDS, pa.string()),
    "value": _INTS,
    "own_shape": _INTS,
}
"""Columns: `numbers` are pairs of an index into `NUMBERS` and a value; `value` holds the elements of a small integer
constant in C order; `own_shape` is the attribute ``shape``, else the shape of the constant."""

_SCALAR_IS_UNKNOWN_BEFORE = 24
"""Before this version of the producer, graphs have an empty shape for a placeholder of unknown shape (TensorFlow's
array_ops.cc)."""


def shape_attrs(attr: pa.MapArray, shape: pa.ListArray) -> dict[str, pa.Array]:
    """Return the columns `SHAPE_ATTRS` of nodes from their attributes and their column ``shape``."""
    node, keys, values = row_of_value(list_offsets(attr)), attr.keys, attr.items
    count = len(attr)
    no_list, no_word = pa.nulls(count, _INTS), pa.nulls(count, pa.string())
    columns: dict[str, pa.Array] = {"numbers": _numbers(node, keys, values, count)}
    for name in LISTS:
        owners, found = _places(node, keys, values, name, "list")
        columns[name] = _spread(values.field("list").field("i"), owners, found, count) if len(found) else no_list
    for name in WORDS:
        owners, found = _places(node, keys, values, name, "s")
        columns[name] = _words(values.field("s"), owners, found, count) if len(found) else no_word
    owners, found = _places(node, keys, values, "value", "tensor")
    columns["value"], columns["own_shape"] = no_list, shape
    if len(found):
        columns["value"], tensor_shape = _constants(values.field("tensor"), owners, found, count)
        columns["own_shape"] = pc.coalesce(shape, tensor_shape)
    return columns


def forget_legacy_scalars(nodes: pa.Table, producer: int) -> pa.Table:
    """Return a graph's nodes with NULL for the empty `own_shape` of placeholders if the producer is an old one."""
    if producer >= _SCALAR_IS_UNKNOWN_BEFORE:
        return nodes
    is_scalar = pc.equal(pc.list_value_length(nodes["own_shape"]), 0)
    doubtful = pc.and_(pc.equal(nodes["op"].cast(pa.string()), "Placeholder"), pc.fill_null(is_scalar, False))  # noqa: FBT003
    own = pc.if_else(doubtful, pa.scalar(None, _INTS), nodes["own_shape"])
    return nodes.set_column(nodes.column_names.index("own_shape"), "own_shape", own)


def _places(node: Ints, keys: pa.Array, values: pa.StructArray, name: str, member: str) -> tuple[Ints, Ints]:
    """Return the nodes with an attribute `name` that has `member` set, and its index; the last of equal keys counts."""
    found = np.flatnonzero(to_bools(pc.equal(keys, name)))
    if len(found):
        index = pa.array(found)
        held = pc.and_(values.is_valid().take(index), values.field(member).is_valid().take(index))
        found = found[to_bools(held)]
    last = np.append(np.diff(node[found]) > 0, True)[: len(found)]
    return node[found[last]], found[last]


def _numbers(node: Ints, keys: pa.Array, values: pa.StructArray, count: int) -> pa.ListArray:
    code = pc.index_in(keys, value_set=pa.array(NUMBERS))
    if code.null_count == len(code):
        return make_lists(pa.array([], _NUMBERS.value_type), np.zeros(count, dtype=np.int64))
    # Nearly every node has an attribute T, but it matters only together with ``type`` (a Bitcast from T to type).
    changes = marks(node[to_bools(pc.equal(code, NUMBERS.index("type")))], count)
    idle = to_bools(pc.equal(code, NUMBERS.index("T"))) & ~changes[node]
    code = pc.if_else(pa.array(idle), pa.scalar(None, code.type), code)
    flag = values.field("b").cast(pa.int64())
    number = pc.coalesce(values.field("i"), flag, values.field("type").cast(pa.int64()))
    found = np.flatnonzero(to_bools(pc.and_(pc.is_valid(code), pc.and_(pc.is_valid(values), pc.is_valid(number)))))
    index = pa.array(found)
    pairs = pa.StructArray.from_arrays([code.take(index).cast(pa.int8()), number.take(index)], names=["key", "value"])
    return make_lists(pairs, np.bincount(node[found], minlength=count).astype(np.int64))


def _spread(lists: pa.ListArray, node: Ints, found: Ints, count: int) -> pa.ListArray:
    """Return a list per node: those at `found` for `node`, NULL for other nodes."""
    offsets = lists.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    counts = np.zeros(count, dtype=np.int64)
    counts[node] = offsets[found + 1] - offsets[found]
    is_null = np.ones(count, dtype=bool)
    is_null[node] = False
    values = lists.values.take(pa.array(take_ranges(offsets[found], counts[node])))
    return make_lists(values, counts, is_null=is_null)


def _words(words: pa.Array, node: Ints, found: Ints, count: int) -> pa.Array:
    held = words.take(pa.array(found)).dictionary_encode()  # a few distinct words
    known = pa.array([word.decode(errors="replace") for word in held.dictionary.to_pylist()], pa.string())
    index = np.full(count, -1, dtype=np.int64)
    index[node] = held.indices.to_numpy(zero_copy_only=False)
    return known.take(pa.array(index, mask=index < 0))


def _constants(tensors: pa.StructArray, node: Ints, found: Ints, count: int) -> tuple[pa.ListArray, pa.ListArray]:
    """Return per node the elements of its constant, NULL if they are too many or not integers, and its shape."""
    shapes = tensors.field("tensor_shape")
    dims = shapes.field("dim")
    sizes = pa.ListArray.from_arrays(dims.offsets, dims.values.field("size"))
    unknown = to_bools(shapes.field("unknown_rank"))[found] | to_bools(shapes.is_null())[found]
    shape = _spread(sizes, node[~unknown], found[~unknown], count)

    node, found = node[~unknown], found[~unknown]
    own = shape.take(pa.array(node))
    elements = _products(own)
    few = (elements >= 0) & (elements <= MOST_ELEMENTS)
    node, found, elements = node[few], found[few], elements[few]
    dtype = tensors.field("dtype").to_numpy(zero_copy_only=False)[found]
    content, counts = tensors.field("tensor_content"), np.full(count, -1, dtype=np.int64)
    parts, owners = [], []
    for number, kind, member in ((INT32, np.dtype("<i4"), "int_val"), (INT64, np.dtype("<i8"), "int64_val")):
        mine = dtype == number
        rows, places, wanted = node[mine], found[mine], elements[mine]
        bytes_held = content.take(pa.array(places))  # of small constants only, so that weights are not copied
        lengths = pc.binary_length(bytes_held).to_numpy(zero_copy_only=False).astype(np.int64)
        packed = lengths == wanted * kind.itemsize
        packed &= lengths > 0
        whole = b"".join(bytes_held.filter(pa.array(packed)).to_pylist())
        parts.append(np.frombuffer(whole, kind).astype(np.int64))
        owners.append(np.repeat(rows[packed], wanted[packed]))
        counts[rows[packed]] = wanted[packed]

        listed = lengths == 0
        rows, places, wanted = rows[listed], places[listed], wanted[listed]
        values = tensors.field(member)
        offsets = values.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
        given = offsets[places + 1] - offsets[places]
        position = take_ranges(np.zeros(len(wanted), dtype=np.int64), wanted)
        # As in TensorProto, the last value is repeated for all remaining elements; without values they are 0.
        at = np.repeat(offsets[places], wanted) + np.minimum(position, np.repeat(given, wanted) - 1)
        has_any = np.repeat(given, wanted) > 0
        numbers = np.zeros(len(at), dtype=np.int64)
        numbers[has_any] = values.values.take(pa.array(at[has_any])).to_numpy(zero_copy_only=False)
        parts.append(numbers)
        owners.append(np.repeat(rows, wanted))
        counts[rows] = wanted
    owner, flat = np.concatenate(owners), np.concatenate(parts)
    ordered = flat[np.argsort(owner, kind="stable")]
    return make_lists(pa.array(ordered), np.maximum(counts, 0), is_null=counts < 0), shape


def _products(shapes: pa.ListArray) -> Ints:
    """Return the number of elements of each shape, -1 where a dimension is unknown or there are too many elements."""
    offsets, sizes = list_offsets(shapes), list_values(shapes).to_numpy(zero_copy_only=False).astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # infinity, also times 0, is too many
        product = product_by_row(np.where(sizes < 0, np.nan, sizes), offsets)
    known = product <= MOST_ELEMENTS  # False for NaN
    result: Ints = np.where(known, product, -1).astype(np.int64)
    return result
