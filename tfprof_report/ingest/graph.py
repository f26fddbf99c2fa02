"""GraphDef to columns: one row per distinct node name, in graph order, and one row per input edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfprof_report.ingest.arrays import (
    Ints,
    list_offsets,
    list_values,
    make_lists,
    row_of_value,
    take_ranges,
    to_bools,
)
from tfprof_report.ingest.decode import Decoded

SHAPE = pa.list_(pa.int64())
SHAPES = pa.list_(SHAPE)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphColumns:
    """The nodes of a GraphDef.

    nodes : name, op, device (as assigned; empty if not), inputs (as written), shape (attr ``shape``: sizes, -1 for an
        unknown dimension, empty for a scalar, NULL if absent or of unknown rank), output_shapes (attr
        ``_output_shapes``: one shape per output, NULL inside for an unknown rank, NULL if absent).
    duplicates : names of nodes that were left out because an earlier node has the same name; the first one counts.
    """

    nodes: pa.Table
    duplicates: tuple[str, ...]


def read_graph(decoded: Decoded) -> GraphColumns:
    """Return the columns of a decoded GraphDef (``GraphDef.node``; the function library is not looked at)."""
    nodes = list_values(decoded.batch.column("node"))
    columns = dict(zip([field.name for field in nodes.type], nodes.flatten(), strict=True))
    count = len(nodes)
    attr = columns["attr"]
    keys, values = attr.keys, attr.items
    node_of_attr = row_of_value(list_offsets(attr))
    table = pa.table(
        {
            "name": columns["name"],
            "op": columns["op"].dictionary_encode(),
            "device": columns["device"].dictionary_encode(),
            "inputs": columns["input"],
            "shape": _shape_attr(keys, values, node_of_attr, count),
            "output_shapes": _output_shapes_attr(keys, values, node_of_attr, count),
        }
    )
    return _first_of_each_name(table)


def _first_of_each_name(table: pa.Table) -> GraphColumns:
    codes = pc.index_in(table["name"], value_set=table["name"].combine_chunks())
    is_first = pc.equal(codes, pa.array(np.arange(table.num_rows, dtype=np.int32)))
    if pc.all(is_first).as_py() is not False:
        return GraphColumns(nodes=table, duplicates=())
    repeated = table.filter(pc.invert(is_first))["name"]
    return GraphColumns(nodes=table.filter(is_first), duplicates=tuple(repeated.to_pylist()))


def _last_attr(keys: pa.Array, name: str, is_set: NDArray[np.bool_], node_of_attr: Ints, count: int) -> Ints:
    """Return per node the index of its attribute `name`, -1 if it has none; the last of equal keys counts."""
    index = np.full(count, -1, dtype=np.int64)
    found = np.flatnonzero(to_bools(pc.equal(keys, name)))
    index[node_of_attr[found]] = found
    missing = index < 0
    index[~missing] = np.where(is_set[index[~missing]], index[~missing], -1)
    return index


def _shape_attr(keys: pa.Array, values: pa.Array, node_of_attr: Ints, count: int) -> pa.ListArray:
    shapes = values.field("shape")
    is_set = to_bools(pc.and_(pc.is_valid(values), pc.is_valid(shapes)))
    index = _last_attr(keys, "shape", is_set, node_of_attr, count)
    return _dims_of(shapes, index)


def _output_shapes_attr(keys: pa.Array, values: pa.Array, node_of_attr: Ints, count: int) -> pa.ListArray:
    lists = values.field("list")
    is_set = to_bools(pc.and_(pc.is_valid(values), pc.is_valid(lists)))
    index = _last_attr(keys, "_output_shapes", is_set, node_of_attr, count)
    shapes = lists.field("shape")
    offsets = shapes.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    present = index >= 0
    starts, ends = offsets[index], offsets[np.where(present, index + 1, 0)]
    counts = np.where(present, ends - starts, 0)
    inner = _dims_of(shapes.values, take_ranges(starts, counts))
    return make_lists(inner, counts, is_null=~present)


def _dims_of(shapes: pa.StructArray, index: Ints) -> pa.ListArray:
    """Return the sizes of the shapes at `index`; NULL for -1 and for an unknown rank."""
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
