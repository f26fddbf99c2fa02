"""Finds the nodes that hold parameters: each variable once, and constants that were variables before freezing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.graph.data_types import RESOURCE, element_bytes
from tfprof_report.model.graph.edges import shapes_of_outputs
from tfprof_report.model.graph.origins import Slots, at_slots, origins
from tfprof_report.model.params.count import is_variable, params_of, unknown_dims
from tfprof_report.model.params.frozen import likely_weights, looked_up, marked_weights
from tfprof_report.record import record

_BY_HANDLE: Slots = dict.fromkeys(("ReadVariableOp", "ResourceGather", "ResourceGatherNd"), (0,))
_READ: Slots = {"ReadVariableOp": (0,)}

_ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"
"""ResourceHandle::ANONYMOUS_NAME: nodes with this shared name do not share a variable."""


@record
class Weights:
    """Which nodes hold parameters, and how many.

    holds : nodes that hold some; of several nodes that share a variable only the first one
    holder : per node the row of that first node, its own row if it shares nothing
    is_frozen : nodes of `holds` that are constants
    is_guess : nodes of `holds` that are frozen weights by their use alone, without a mark
    params : elements per node, 0 for nodes that hold none, NULL where not known
    param_bytes : size of the elements in bytes, likewise
    dtype : DataType number per node of `holds`, NULL where not known
    origin : the result of `origins.origins`
    """

    holds: Bools
    holder: Ints
    is_frozen: Bools
    is_guess: Bools
    params: pa.Array
    param_bytes: pa.Array
    dtype: pa.Array
    origin: Ints
    diagnostics: tuple[Diagnostic, ...]


def find_weights(
    *,
    names: pa.Array,
    ops: pa.Array,
    edges: pa.Table,
    attrs: Mapping[str, pa.Array],
    output_shapes: pa.ListArray,
    given: pa.ListArray,
    body_row: Ints,
) -> Weights:
    """Return the nodes that hold parameters.

    These are variables (`metrics.VARIABLE_OPS`), placeholders for the handles of variables in the graph of a
    ``tf.function``, and weights of frozen graphs; guessed ones if neither variables nor marks are left.

    Parameters
    ----------
    edges : the result of `edges.read_edges`
    attrs : shape, own_shape and `graph_def.VARIABLE_ATTRS`, each NULL where a node lacks the attribute
    output_shapes : per node one shape for each output; the output of a read has the shape of the variable
    given : per node the shape that the user gives it, NULL for most; it counts for variables whose shape is open
    body_row : `Expansion.origin`
    """
    origin = origins(ops, edges)
    variables = to_bools(is_variable(ops)) | _captured(ops, edges, attrs["dtype"], origin)
    marked, are_all = marked_weights(names, ops, edges, attrs, origin)
    likely = np.zeros(len(names), dtype=bool)
    if not variables.any():
        likely = looked_up(ops, edges, attrs, origin)
        if not are_all:
            likely |= likely_weights(names, ops, edges, attrs, origin)
        likely &= ~marked
    frozen = marked | likely
    holds = variables | frozen
    shape, dtype = pc.coalesce(attrs["shape"], attrs["own_shape"]), attrs["dtype"]
    shape, dtype = _as_read(shape, dtype, variables, ops=ops, edges=edges, origin=origin, output_shapes=output_shapes)
    shape = pc.if_else(pa.array(variables & _is_open(shape)), pc.coalesce(given, shape), shape)
    params = params_of(shape, holds=holds, is_known=to_bools(pc.is_valid(ops)))
    holder = _holders(names, ops, attrs, params, holds=holds, body_row=body_row)
    repeats = holder != np.arange(len(holder))
    holds &= ~repeats
    params = pc.if_else(pa.array(repeats), 0, params)
    return Weights(
        holds=holds,
        holder=holder,
        is_frozen=frozen & holds,
        is_guess=likely & holds,
        params=params,
        param_bytes=_times(params, pc.if_else(pa.array(holds), element_bytes(dtype), 0)),
        dtype=dtype,
        origin=origin,
        diagnostics=tuple(_diagnose(names, repeats, likely & holds)),
    )


def _is_open(shape: pa.ListArray) -> Bools:
    """Return which shapes are not fully known."""
    return to_bools(pc.is_null(shape)) | unknown_dims(shape)


def _captured(ops: pa.Array, edges: pa.Table, dtype: pa.Array, origin: Ints) -> Bools:
    """Return placeholders of handles that are read as variables, unlike those of tables and iterators."""
    handles = to_bools(pc.and_(pc.equal(ops, "Placeholder"), pc.equal(dtype, RESOURCE)))
    read = np.zeros(len(ops), dtype=bool)
    if handles.any():
        by_handle = pa.array(at_slots(ops, edges, _BY_HANDLE))
        read[origin[to_ints(edges["source"].filter(by_handle).drop_null())]] = True
    return handles & read


def _as_read(
    shape: pa.ListArray,
    dtype: pa.Array,
    variables: Bools,
    *,
    ops: pa.Array,
    edges: pa.Table,
    origin: Ints,
    output_shapes: pa.ListArray,
) -> tuple[pa.ListArray, pa.Array]:
    """Return shapes and types, with those of a read where the variable itself does not give them."""
    is_handle = to_bools(pc.equal(ops, "Placeholder")) & variables
    is_open = variables & (is_handle | to_bools(pc.is_null(shape)))
    if not is_open.any():
        return shape, dtype
    dtype = _dtype_as_read(dtype, is_handle, ops=ops, edges=edges, origin=origin)
    reader = to_ints(edges["node"])[at_slots(ops, edges, _READ)]
    read = origin[reader]
    first = shapes_of_outputs(output_shapes, reader, np.zeros_like(reader))
    order = np.argsort(to_bools(pc.is_null(first)), kind="stable")  # readers that know a shape come first
    reader, read = reader[order], read[order]
    held, place = np.unique(read, return_index=True)
    held, place = held[is_open[held]], place[is_open[held]]
    index = np.full(len(ops), -1, dtype=np.int64)
    index[held] = reader[place]
    shapes = shapes_of_outputs(output_shapes, index, np.zeros_like(index))
    return pc.if_else(pa.array(is_open), shapes, shape.cast(shapes.type)), dtype


def _dtype_as_read(dtype: pa.Array, is_handle: Bools, *, ops: pa.Array, edges: pa.Table, origin: Ints) -> pa.Array:
    """Return types, with those of the ops that read a handle instead of that of the handle."""
    is_read = at_slots(ops, edges, _BY_HANDLE) & to_bools(pc.is_valid(edges["source"]))
    reader, source = (to_ints(edges[end].filter(pa.array(is_read))) for end in ("node", "source"))
    index = np.full(len(ops), -1, dtype=np.int64)
    index[origin[source]] = reader
    return pc.if_else(pa.array(is_handle), dtype.take(pa.array(index, mask=index < 0)), dtype)


def _holders(
    names: pa.Array, ops: pa.Array, attrs: Mapping[str, pa.Array], params: pa.Array, *, holds: Bools, body_row: Ints
) -> Ints:
    """Return per node the row of the first node of the same variable; its own row for nodes that share nothing.

    Nodes with the same op type, container and shared name (by default the node's name) are one variable, unless their
    sizes differ. So are the copies of a node in the bodies of one function.
    """
    rows = np.flatnonzero(holds)
    index = pa.array(rows)
    shared = pc.fill_null(attrs["shared_name"].take(index), "")
    is_named = pc.and_(pc.not_equal(shared, ""), pc.not_equal(shared, _ANONYMOUS))
    container = pc.fill_null(attrs["container"].take(index), "")
    name = pc.if_else(is_named, shared, names.take(index))
    by_name = pc.binary_join_element_wise(ops.take(index), container, name, "\n")
    by_body = pa.array(body_row[rows]).cast(pa.string())
    is_copy = pc.and_(pc.invert(is_named), pa.array(body_row[rows] >= 0))
    codes = to_ints(pc.if_else(is_copy, by_body, by_name).dictionary_encode().indices)
    _, first, code = np.unique(codes, return_index=True, return_inverse=True)
    original = rows[first[code]]
    sizes = to_ints(pc.fill_null(params, -1))
    holder = np.arange(len(names))
    holder[rows] = np.where(sizes[original] == sizes[rows], original, rows)
    return holder


def _times(elements: pa.Array, sizes: pa.Array) -> pa.Array:
    """Return the product, NULL where it is not known or overflows int64."""
    fits = pc.less_equal(elements, pc.divide(INT64_LIMIT - 1, pc.max_element_wise(sizes, 1)))
    return pc.if_else(fits, pc.multiply(elements, sizes), pa.scalar(None, pa.int64()))


def _diagnose(names: pa.Array, repeats: Bools, is_guess: Bools) -> Iterator[Diagnostic]:
    found = (
        ("shared_variables", "nodes share a variable with an earlier node, which alone counts its parameters", repeats),
        ("likely_weights", "constants are assumed to be frozen weights, by the inputs that they feed", is_guess),
    )
    for code, text, mask in found:
        rows = np.flatnonzero(mask)
        if len(rows):
            yield Diagnostic.about(rows, names, Severity.NOTE, code, text)
