"""The bytes of the outputs of nodes, by their shapes and the type of their elements."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, list_offsets, list_values, row_of_value, sum_by_row, to_bools, to_ints
from tfprof_report.ingest.attrs.shape_attrs import NUMBERS
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.graph.data_types import element_bytes
from tfprof_report.model.params.count import shape_products, unknown_dims

_INTERNAL = ("FusedBatchNormV3", 5)
"""An op type, and the output from which on its outputs are internal to cuDNN: without it they are empty."""


def static_output_bytes(output_shapes: pa.ListArray, types: pa.Array, ops: pa.Array) -> pa.Array:
    """Return the bytes of all outputs of one execution of each node, int64.

    All outputs count with the type of `types` (a number of TensorFlow's DataType). NULL where it, the number of outputs
    or a size is not known, and beyond int64.
    """
    shapes, offsets, width = list_values(output_shapes), list_offsets(output_shapes), element_bytes(types)
    products, overflows = shape_products(shapes)
    node = row_of_value(offsets)
    op, internal = _INTERNAL
    is_internal = to_bools(pc.equal(ops, op))[node] & (np.arange(len(node)) - offsets[:-1][node] >= internal)
    is_unknown = (to_bools(shapes.is_null()) | unknown_dims(shapes) | overflows) & ~is_internal
    products[is_internal] = 0
    products = np.where(is_unknown, 0, products)
    sums = _sums(products, offsets)
    size = to_ints(pc.fill_null(width, 0))
    too_large = sums.astype(np.float64) * size >= INT64_LIMIT
    without = to_bools(output_shapes.is_null()) | to_bools(width.is_null()) | too_large
    without |= sum_by_row(is_unknown.astype(np.int64), offsets) > 0
    return pa.array(np.where(without, 0, sums) * size, mask=without)


def _sums(products: Ints, offsets: Ints) -> Ints:
    """Return the sum of each row's products, at most the largest int64."""
    roughly = np.bincount(row_of_value(offsets), weights=products, minlength=len(offsets) - 1)
    return np.where(roughly >= INT64_LIMIT, INT64_LIMIT - 1, sum_by_row(products, offsets))


def declared_types(dtype: pa.Array, numbers: pa.ListArray) -> pa.Array:
    """Return the type that a node's attributes name: ``dtype``, or ``DstT`` of a Cast; NULL for most nodes."""
    pairs = list_values(numbers)
    found = np.flatnonzero(to_bools(pc.equal(pairs.field("key"), NUMBERS.index("DstT"))))
    node = row_of_value(list_offsets(numbers))[found]
    cast = np.full(len(dtype), -1, dtype=np.int64)
    cast[node] = to_ints(pairs.field("value").take(pa.array(found)))
    return pc.coalesce(dtype, pa.array(cast, mask=cast < 0))
