"""Numbers the nodes by all that a shape rule reads of a node itself: nodes of a kind differ in their inputs only."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, list_offsets, list_values, number_distinct, to_ints, whole
from tfprof_report.ingest.attrs.shape_attrs import SHAPE_ATTRS

_COLUMNS = (*SHAPE_ATTRS, "declared_shapes")
_NONE = "-"


def kinds_of(nodes: pa.Table, op: Ints, rows: Ints) -> Ints:
    """Return a number for each of some nodes, the same for nodes with the same op type and attributes.

    Parameters
    ----------
    nodes : columns of all nodes, including `shape_attrs.SHAPE_ATTRS`
    op : a code for the op type of each node
    """
    code = number_distinct(op[rows])[0]
    index = pa.array(rows)
    for name in _COLUMNS:
        if name not in nodes.column_names or nodes[name].null_count == nodes.num_rows:
            continue
        texts = _texts(whole(nodes[name].take(index)))
        found = pc.fill_null(texts, _NONE).dictionary_encode()
        code = number_distinct(code * (len(found.dictionary) + 1) + to_ints(found.indices))[0]
    return code


def _texts(column: pa.Array) -> pa.Array:
    """Return a text for each value, which is another one for another value; NULL for NULL."""
    if pa.types.is_string(column.type):
        return pc.binary_join_element_wise("=", column, "")
    if pa.types.is_struct(column.type):
        return pc.binary_join_element_wise(*(_texts(part) for part in column.flatten()), ":")
    if not pa.types.is_list(column.type):
        return column.cast(pa.string())
    offsets, values = list_offsets(column), list_values(column)
    if not len(values):
        return pc.if_else(column.is_valid(), "", pa.scalar(None, pa.string()))
    texts = pc.fill_null(_texts(values), _NONE)
    if pa.types.is_list(values.type):
        texts = pc.binary_join_element_wise("(", texts, ")", "")
    joined = pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), texts), ",")
    return pc.if_else(column.is_valid(), joined, pa.scalar(None, pa.string()))
