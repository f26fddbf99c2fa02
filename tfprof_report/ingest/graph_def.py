"""GraphDef to columns: one row per distinct node name, in graph order, and one row per input edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cache, partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    list_offsets,
    list_values,
    make_lists,
    row_of_value,
    take_ranges,
    to_bools,
    whole,
)
from tfprof_report.ingest.attrs.shape_attrs import forget_legacy_scalars, shape_attrs
from tfprof_report.ingest.decode import Decoded
from tfprof_report.ingest.library import Library, merge_libraries, read_calls, read_library
from tfprof_report.record import record

SHAPE = pa.list_(pa.int64())
SHAPES = pa.list_(SHAPE)

RULE_ATTRS = {
    "transpose_a": pa.bool_(),
    "adj_x": pa.bool_(),
    "adjoint_b": pa.bool_(),
    "is_training": pa.bool_(),
    "compute_uv": pa.bool_(),
    "compute_v": pa.bool_(),
    "data_format": pa.string(),
    "equation": pa.string(),
    "rnn_mode": pa.string(),
    "activation_mode": pa.string(),
    "fused_ops": pa.string(),
    "op_names": pa.string(),
    "depth_radius": pa.int64(),
    "strides": SHAPE,
    "ksize": SHAPE,
}
"""Attributes that FLOPs formulas need besides shapes; each is a column of the nodes, NULL where a node lacks it."""

VARIABLE_ATTRS = {"dtype": pa.int64(), "shared_name": pa.string(), "container": pa.string()}
"""Attributes of variables and constants, likewise; `dtype` is a number of TensorFlow's DataType. Not in profiles."""

TYPE_ATTRS = {"T": pa.int64(), "DstT": pa.int64()}
"""Attributes with the type of what a node computes, likewise: `T` of most ops, `DstT` of a cast. Not in profiles."""

_ARGUMENT = "_user_specified_name"
"""Attribute that TensorFlow gives to the placeholders of a function's arguments (func_graph.py)."""

_ATTRS = (
    "shape",
    "_output_shapes",
    "output_shapes",
    "shapes",
    "frame_name",
    _ARGUMENT,
    *RULE_ATTRS,
    *VARIABLE_ATTRS,
    *TYPE_ATTRS,
)


@record
class GraphColumns:
    """The nodes of a GraphDef.

    nodes : name, op, device (as assigned, empty if not), inputs (as written), shape (attr ``shape``: sizes, -1 for an
        unknown dimension, empty for a scalar, NULL if absent or of unknown rank), output_shapes (attr
        ``_output_shapes``: one shape per output, NULL within the list for an unknown rank, NULL if absent),
        declared_shapes (attr ``output_shapes``, or ``shapes`` of a queue), calls (attribute key and name of each
        function that the attributes refer to), frame_name, is_argument (whether TensorFlow made the node for an
        argument of a ``tf.function`` whose graph this is), `RULE_ATTRS`, and unless the graph is from a profile
        `VARIABLE_ATTRS`, `TYPE_ATTRS`, `shape_attrs.SHAPE_ATTRS` and attrs_digest (`attr_digests.attr_digests`; NULL
        unless wanted).
    duplicates : names of nodes that were left out because an earlier node has the same name.
    conflicts : names of nodes that a later graph defines with another op than the first graph that has them.
    late : per node, the number of run metadata files before the graph that added it; None without later graphs.
    library : the functions that nodes can call; None if the input has none.
    trainable : which variables are trainable (`saved_model.ModelInfo.trainable`).
    """

    nodes: pa.Table
    duplicates: tuple[str, ...]
    conflicts: tuple[str, ...] = ()
    late: Ints | None = None
    library: Library | None = None
    trainable: Mapping[str, bool] = field(default_factory=dict)


def read_graph(decoded: Decoded) -> GraphColumns:
    """Return the columns of a decoded GraphDef: its nodes, and the functions of its library."""
    producer = decoded.batch.column("versions").field("producer")[0].as_py() or 0
    own, of_bodies = decoded.digests or (None, None)
    nodes = forget_legacy_scalars(read_nodes(list_values(decoded.batch.column("node"))), producer)
    graph = first_of_each_name(_with_digests(nodes, own))
    library = read_library(decoded.batch.column("library"), read_nodes)
    return replace(
        graph,
        library=library and replace(library, bodies=_with_digests(library.bodies, of_bodies)).named(),
        trainable=decoded.model.trainable if decoded.model else {},
    )


def _with_digests(nodes: pa.Table, digests: pa.Array | None) -> pa.Table:
    known = pa.nulls(nodes.num_rows, pa.int64()) if digests is None else digests
    return nodes.append_column("attrs_digest", known)


def read_nodes(nodes: pa.StructArray) -> pa.Table:
    """Return the columns `GraphColumns.nodes`, one row per NodeDef."""
    columns = dict(zip([field.name for field in nodes.type], nodes.flatten(), strict=True))
    count = len(nodes)
    attr = columns["attr"]
    attrs = _Attributes(attr, count)
    shape = attrs.shape("shape")
    return pa.table(
        {
            "name": columns["name"],
            "op": columns["op"].dictionary_encode(),
            "device": columns["device"].dictionary_encode(),
            "inputs": columns["input"],
            "shape": shape,
            "output_shapes": attrs.shapes("_output_shapes"),
            "calls": read_calls(attr),
            "declared_shapes": attrs.shapes("output_shapes", "shapes"),
            "frame_name": attrs.column("frame_name", pa.string()),
            "is_argument": attrs.has(_ARGUMENT),
            **{name: attrs.column(name, kind) for name, kind in (RULE_ATTRS | VARIABLE_ATTRS | TYPE_ATTRS).items()},
            **shape_attrs(attr, shape),
        }
    )


def merge_graphs(graphs: Sequence[tuple[int, GraphColumns]]) -> GraphColumns:
    """Merge several graphs of one run: each adds the nodes whose names are new, as tfprof's AddStep does.

    `graphs` are pairs of the number of run metadata files before the graph, and the graph.
    """
    tables = [graph.nodes for _, graph in graphs]
    table = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    came_after = np.repeat([after for after, _ in graphs], [part.num_rows for part in tables]).astype(np.int64)
    names, ops = table["name"].combine_chunks(), table["op"].cast(pa.string())
    first = pc.index_in(names, value_set=names)
    is_new = to_bools(pc.equal(first, pa.array(np.arange(table.num_rows, dtype=np.int32))))
    other_op = to_bools(pc.not_equal(ops, ops.take(first)))
    return GraphColumns(
        nodes=table.filter(pa.array(is_new)),
        duplicates=tuple(name for _, graph in graphs for name in graph.duplicates),
        conflicts=tuple(names.filter(pa.array(other_op)).to_pylist()),
        late=came_after[is_new],
        library=merge_libraries([graph.library for _, graph in graphs if graph.library is not None]),
        trainable={name: flag for _, graph in reversed(graphs) for name, flag in graph.trainable.items()},
    )


def first_of_each_name(table: pa.Table) -> GraphColumns:
    """Return the nodes, leaving out those whose name an earlier node has."""
    if len(table["name"].unique()) == table.num_rows:
        return GraphColumns(nodes=table, duplicates=())
    codes = pc.index_in(table["name"], value_set=whole(table["name"]))
    is_first = pc.equal(codes, pa.array(np.arange(table.num_rows, dtype=np.int32)))
    repeated = table.filter(pc.invert(is_first))["name"]
    return GraphColumns(nodes=table.filter(is_first), duplicates=tuple(repeated.to_pylist()))


def rule_attrs(attr: pa.MapArray, count: int) -> dict[str, pa.Array]:
    """Return the columns `RULE_ATTRS` of `count` nodes from their attributes."""
    attrs = _Attributes(attr, count)
    return {name: attrs.column(name, kind) for name, kind in RULE_ATTRS.items()}


def frame_names(attr: pa.MapArray, count: int) -> pa.Array:
    """Return the attribute ``frame_name`` of `count` nodes, NULL where they have none."""
    return _Attributes(attr, count).column("frame_name", pa.string())


class _Attributes:
    """The attributes `_ATTRS` of nodes as columns; all columns of a type that no node has are the same array."""

    def __init__(self, attr: pa.MapArray, count: int) -> None:
        self._values, self._places, self._count = attr.items, _places(attr, count), count
        self._nothing = cache(partial(pa.nulls, count))

    def has(self, name: str) -> Bools:
        """Return which nodes have an attribute."""
        return self._places[name] >= 0 if name in self._places else np.zeros(self._count, dtype=bool)

    def column(self, name: str, kind: pa.DataType) -> pa.Array:
        """Return an attribute as `_attr_column` does, NULL where it is absent."""
        return _attr_column(self._values, self._places[name], kind) if name in self._places else self._nothing(kind)

    def shape(self, name: str) -> pa.ListArray:
        """Return an attribute that is a shape, NULL where it is absent or of unknown rank."""
        if name not in self._places:
            return self._nothing(SHAPE)
        return dims_of(self._values.field("shape"), _where_set(self._values, "shape", self._places[name]))

    def shapes(self, *names: str) -> pa.ListArray:
        """Return the first of these attributes that a node has, a list of shapes, NULL where all are absent."""
        present = [_output_shapes_attr(self._values, self._places[name]) for name in names if name in self._places]
        return pc.coalesce(*present) if present else self._nothing(SHAPES)


def _places(attr: pa.MapArray, count: int) -> dict[str, Ints]:
    """Return per name of `_ATTRS` that occurs the index of each node's value, -1 if absent.

    Of equal keys the last one counts.
    """
    code = pc.fill_null(pc.index_in(attr.keys, value_set=pa.array(_ATTRS)), -1).to_numpy(zero_copy_only=False)
    occurs = np.bincount(code + 1, minlength=len(_ATTRS) + 1)[1:] > 0
    node_of_attr, places = row_of_value(list_offsets(attr)), {}
    for number in np.flatnonzero(occurs).tolist():
        found = np.flatnonzero(code == number)
        places[_ATTRS[number]] = place = np.full(count, -1, dtype=np.int64)
        place[node_of_attr[found]] = found
    return places


def _where_set(values: pa.StructArray, member: str, place: Ints) -> Ints:
    """Return the indices in `place` whose value has `member` set, -1 for the others."""
    if not len(values):
        return place
    is_set = to_bools(pc.and_(pc.is_valid(values), pc.is_valid(values.field(member))))
    return np.where((place >= 0) & is_set[place], place, -1)


def _attr_column(values: pa.StructArray, place: Ints, kind: pa.DataType) -> pa.Array:
    """Return an attribute as a column: booleans, integers or type numbers, lists of integers, or strings.

    A list of strings becomes one string, joined by commas.
    """
    if pa.types.is_list(kind):
        lists = values.field("list")
        return _slices(lists.field("i"), _where_set(values, "list", place))
    if pa.types.is_boolean(kind):
        return _members(values, "b", place)
    if pa.types.is_integer(kind):
        return pc.coalesce(_members(values, "i", place), _members(values, "type", place).cast(kind))
    texts = _members(values, "s", place)
    if texts.null_count > np.count_nonzero(place < 0):
        lists = _slices(values.field("list").field("s"), _where_set(values, "list", place))
        texts = pc.coalesce(texts, pc.binary_join(lists, b","))
    words = texts.dictionary_encode()  # few distinct words; invalid UTF-8 matches none that a formula looks for
    known = pa.array([word.decode(errors="replace") for word in words.dictionary.to_pylist()], kind)
    return known.take(words.indices)


def _output_shapes_attr(values: pa.StructArray, place: Ints) -> pa.ListArray:
    shapes = values.field("list").field("shape")
    starts, counts, present = _ranges(shapes, _where_set(values, "list", place))
    return make_lists(dims_of(shapes.values, take_ranges(starts, counts)), counts, is_null=~present)


def _members(values: pa.StructArray, member: str, place: Ints) -> pa.Array:
    """Return `member` of the values at `place`, NULL where it is not set."""
    index = _where_set(values, member, place)
    return values.field(member).take(pa.array(index, mask=index < 0))


def _slices(lists: pa.ListArray, index: Ints) -> pa.ListArray:
    """Return the lists at `index`, NULL for -1."""
    starts, counts, present = _ranges(lists, index)
    return make_lists(lists.values.take(pa.array(take_ranges(starts, counts))), counts, is_null=~present)


def _ranges(lists: pa.ListArray, index: Ints) -> tuple[Ints, Ints, Bools]:
    offsets = lists.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    present = index >= 0
    starts, ends = offsets[index], offsets[np.where(present, index + 1, 0)]
    return starts, np.where(present, ends - starts, 0), present


def dims_of(shapes: pa.StructArray, index: Ints) -> pa.ListArray:
    """Return the dimension sizes of the shapes at `index`, NULL for -1 and for an unknown rank."""
    dims = shapes.field("dim")
    sizes = dims.values.field("size")
    offsets = dims.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    unknown_rank = to_bools(shapes.field("unknown_rank"))
    is_null = index < 0
    if len(unknown_rank):
        is_null = is_null | unknown_rank[index]
    starts, ends = offsets[index], offsets[np.where(index >= 0, index + 1, 0)]
    counts = np.where(is_null, 0, ends - starts)
    return make_lists(sizes.take(pa.array(take_ranges(starts, counts))), counts, is_null=is_null)
