"""The bytes of the outputs of nodes, by their shapes and the type of their elements."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, list_offsets, list_values, row_of_value, sum_by_row, to_bools, to_ints
from tfprof_report.ingest.attrs.shape_attrs import NUMBERS
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.graph.data_types import element_bytes
from tfprof_report.model.params.count import shape_products, unknown_dims
from tfprof_report.record import record

_INTERNAL = ("FusedBatchNormV3", 5)
"""An op type, and the output from which on its outputs are internal to cuDNN: without it they are empty."""


@record
class OutputSizes:
    """The bytes of each output of all nodes.

    bytes : per output, by the type of its node; -1 where the shape or the type is not known, or beyond int64
    offsets : ``bytes[offsets[i]:offsets[i + 1]]`` are those of node i
    is_open : nodes whose number of outputs or whose type is not known
    """

    bytes: Ints
    offsets: Ints
    is_open: Bools

    def sums(self) -> pa.Array:
        """Return the bytes of all outputs of each node, int64; NULL where one is not known, and beyond int64."""
        is_unknown = self.bytes < 0
        known = np.where(is_unknown, 0, self.bytes)
        roughly = np.bincount(row_of_value(self.offsets), weights=known, minlength=len(self.is_open))
        without = self.is_open | (roughly >= INT64_LIMIT)
        without |= sum_by_row(is_unknown.astype(np.int64), self.offsets) > 0
        return pa.array(sum_by_row(known, self.offsets), mask=without)


def output_sizes(output_shapes: pa.ListArray, types: pa.Array, ops: pa.Array) -> OutputSizes:
    """Return the bytes of each output of one execution of each node.

    All outputs count with the type of `types` (a number of TensorFlow's DataType). Those that are internal to a library
    are empty.
    """
    shapes, offsets, width = list_values(output_shapes), list_offsets(output_shapes), element_bytes(types)
    products, overflows = shape_products(shapes)
    node = row_of_value(offsets)
    op, internal = _INTERNAL
    is_internal = to_bools(pc.equal(ops, op))[node] & (np.arange(len(node)) - offsets[:-1][node] >= internal)
    is_typed = to_bools(width.is_valid())
    size = to_ints(pc.fill_null(width, 0))[node]
    is_unknown = (to_bools(shapes.is_null()) | unknown_dims(shapes) | overflows) & ~is_internal | ~is_typed[node]
    is_unknown |= products.astype(np.float64) * size >= INT64_LIMIT
    products[is_internal] = 0
    found = np.where(is_unknown, -1, np.where(is_unknown, 0, products) * size)
    return OutputSizes(bytes=found, offsets=offsets, is_open=to_bools(output_shapes.is_null()) | ~is_typed)


def declared_types(dtype: pa.Array, numbers: pa.ListArray) -> pa.Array:
    """Return the type that a node's attributes name: ``dtype``, or ``DstT`` of a Cast; NULL for most nodes."""
    pairs = list_values(numbers)
    found = np.flatnonzero(to_bools(pc.equal(pairs.field("key"), NUMBERS.index("DstT"))))
    node = row_of_value(list_offsets(numbers))[found]
    cast = np.full(len(dtype), -1, dtype=np.int64)
    cast[node] = to_ints(pairs.field("value").take(pa.array(found)))
    return pc.coalesce(dtype, pa.array(cast, mask=cast < 0))
