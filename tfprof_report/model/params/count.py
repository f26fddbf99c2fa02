"""Counts the parameters of nodes: the product of a variable's shape."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, list_offsets, list_values, prefix_sums, to_bools, to_ints
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.schema.metrics import VARIABLE_OPS


def is_variable(ops: pa.Array) -> pa.Array:
    """Return which op types hold parameters (`metrics.VARIABLE_OPS`); NULL where the op is not known."""
    return pc.if_else(pc.is_valid(ops), pc.is_in(ops, value_set=pa.array(VARIABLE_OPS)), pa.scalar(None, pa.bool_()))


def params_of(shape: pa.ListArray, *, holds: Bools, is_known: Bools) -> pa.Array:
    """Return elements per node, int64: the product of the shape where it `holds` some (1 for a scalar), otherwise 0.

    NULL where the op is unknown, and where a shape is unknown, has an unknown dimension, or has more elements than
    int64 can hold.
    """
    values, overflows = shape_products(shape)
    has_unknown = unknown_dims(shape)
    unknown = holds & (to_bools(pc.is_null(shape)) | has_unknown | overflows)
    return pa.array(np.where(holds, values, 0), mask=unknown | ~is_known)


def unknown_params(names: pa.Array, *, holds: Bools, params: pa.Array) -> tuple[Diagnostic, ...]:
    """Return a warning about variables whose number of elements is not known, if there are any."""
    unknown = np.flatnonzero(holds & to_bools(pc.is_null(params)))
    if not len(unknown):
        return ()
    text = (
        "variables have no known number of elements: the shape is unknown, which --input-shape NAME=SIZES can give, or "
        "the number leaves the 64-bit range"
    )
    return (Diagnostic.about(unknown, names, Severity.WARNING, "unknown_params", text),)


def unknown_dims(shape: pa.ListArray) -> Bools:
    """Return which shapes have a negative (unknown) dimension; False for NULL."""
    offsets = list_offsets(shape)
    negative = prefix_sums(to_ints(list_values(shape)) < 0)
    result: Bools = negative[offsets[1:]] > negative[offsets[:-1]]
    return result


def shape_products(shape: pa.ListArray) -> tuple[Ints, Bools]:
    """Return the product of each shape's sizes (1 for a scalar and for NULL), and which ones overflow int64.

    An overflowing product wraps like the native tool's int64.
    """
    offsets, sizes = list_offsets(shape), to_ints(list_values(shape))
    products = np.ones(len(shape), dtype=np.int64)
    rows = np.flatnonzero(np.diff(offsets) > 0)
    overflows = np.zeros(len(shape), dtype=bool)
    if len(rows):
        some = np.abs(sizes.astype(np.float64))
        with np.errstate(over="ignore"):  # infinity is too large as well; a size of 0 does not meet it: it counts as 1
            products[rows] = np.multiply.reduceat(sizes, offsets[rows])
            estimate = np.multiply.reduceat(np.where(some == 0, 1, some), offsets[rows])
        estimate[np.minimum.reduceat(some, offsets[rows]) == 0] = 0
        overflows[rows] = estimate > 2.0**64
        for row in rows[(estimate > 2.0**62) & (estimate <= 2.0**64)]:  # few or none: exact Python integers
            overflows[row] = abs(math.prod(sizes[offsets[row] : offsets[row + 1]].tolist())) >= INT64_LIMIT
    return products, overflows
