"""The ops of a trace in place of a graph, and the calls that built them in place of an op log."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, list_values, make_lists, to_bools, to_ints, whole
from tfprof_report.ingest.decode import decode_each
from tfprof_report.ingest.graph_def import GraphColumns, read_nodes
from tfprof_report.ingest.op_log import OpLogColumns

TRACED_BYTES, FIGURED_BY = "traced_moved_bytes", "figured_by"
"""Columns of `GraphColumns.nodes` that only the graph of a trace has: the bytes that an op moves, and who counted."""

TRACED_FIGURES = {"traced_float_ops": pa.int64(), "traced_macs": pa.int64()}
"""Columns of `GraphColumns.nodes` that only the graph of a trace has: FLOPs and multiply-adds by its programs."""

TRACED_REPEATS = "traced_repeats"
"""Likewise: how often an op is executed when its program is executed once; NULL unknown."""

_DEEPEST = 256
"""Most calls of a stack."""


def graph_of(ops: pa.Table) -> GraphColumns:
    """Return the ops (`traced_ops.OPS`) as nodes without inputs, with the shape and type of the result where known.

    An op whose type the trace does not tell has the type ``Unknown``.
    """
    count = ops.num_rows
    nothing = decode_each([b""], "columns.Graph")[0].column("node")
    kind = list_values(nothing).type
    columns = {
        "name": whole(ops["name"]),
        "op": pc.fill_null(whole(ops["op"]), "Unknown"),
        **{field.name: _empty(field.type, count) for field in kind if field.name not in ("name", "op")},
    }
    fields = [pa.field(field.name, field.type) for field in kind]
    nodes = read_nodes(pa.StructArray.from_arrays([columns[field.name] for field in kind], fields=fields))
    shape = whole(ops["shape"])
    is_known = to_bools(pc.is_valid(shape))
    shapes = make_lists(shape.drop_null(), is_known.astype(np.int64), is_null=~is_known)
    changed = {"output_shapes": shapes, "T": ops["dtype"]}
    for name, column in changed.items():
        nodes = nodes.set_column(nodes.column_names.index(name), name, column)
    for name, column in zip(TRACED_FIGURES, ("float_ops", "macs"), strict=True):
        nodes = nodes.append_column(name, ops[column])
    for name, column in ((TRACED_BYTES, "moved_bytes"), (FIGURED_BY, "figured_by"), (TRACED_REPEATS, "repeats")):
        nodes = nodes.append_column(name, ops[column])
    named = pc.if_else(ops["is_compiled"], pc.fill_null(ops["framework_op"], ""), ops["name"])
    nodes = nodes.append_column("framework_op", named)
    return GraphColumns(nodes=nodes.append_column("attrs_digest", pa.nulls(count, pa.int64())), duplicates=())


def _empty(kind: pa.DataType, count: int) -> pa.Array:
    """Return a column without values: empty texts, lists or maps."""
    offsets = pa.array(np.zeros(count + 1), pa.int32())
    if pa.types.is_map(kind):
        keys, items = pa.array([], kind.key_type), pa.array([], kind.item_type)
        return pa.MapArray.from_arrays(offsets, keys, items, type=kind)
    if pa.types.is_list(kind):
        return pa.ListArray.from_arrays(offsets, pa.array([], kind.value_type), type=kind)
    return pa.array([""] * count, kind)


def log_of(ops: pa.Table, frames: pa.Table) -> OpLogColumns:
    """Return the calls that built the ops, outermost first; of an op with a line and no calls, that line."""
    frame = to_ints(ops["frame"])
    row, stack = _stacks(frame, to_ints(frames["parent"]))
    alone = np.flatnonzero((frame < 0) & to_bools(pc.is_valid(ops["file"])))
    rows = np.concatenate([row, alone])
    order = np.argsort(rows, kind="stable")

    def column(of_frame: str, of_op: pa.ChunkedArray) -> pa.Array:
        parts = [whole(frames[of_frame]).take(pa.array(stack)), whole(of_op).take(pa.array(alone))]
        return pa.concat_arrays([part.cast(parts[0].type) for part in parts]).take(pa.array(order))

    unnamed = pa.chunked_array([pa.array([""] * ops.num_rows, pa.string())])
    texts = [column("file", ops["file"]), column("function", unnamed)]
    codes = pa.concat_arrays(texts).dictionary_encode()
    number = to_ints(codes.indices) + 1
    traces = pa.StructArray.from_arrays(
        [
            pc.fill_null(column("line", ops["line"]), 0).cast(pa.int32()),
            pa.array(np.zeros(len(rows)), pa.int32()),
            pa.array(number[: len(rows)]),
            pa.array(number[len(rows) :]),
        ],
        names=["lineno", "func_start_line", "file_id", "function_id"],
    )
    count = np.bincount(rows, minlength=ops.num_rows).astype(np.int64)
    entries = pa.table(
        {
            "name": ops["name"],
            "float_ops": np.zeros(ops.num_rows, dtype=np.int64),
            "types": make_lists(pa.array([], pa.string()), np.zeros(ops.num_rows, dtype=np.int64)),
            "has_code_def": count > 0,
            "traces": make_lists(traces, count),
        }
    )
    strings = pa.table({"id": np.arange(len(codes.dictionary)) + 1, "string": codes.dictionary})
    return OpLogColumns(entries=entries.filter(pa.array(count > 0)), strings=strings)


def _stacks(frame: Ints, parent: Ints) -> tuple[Ints, Ints]:
    """Return op and frame of each call of the ops with these innermost calls, outermost first."""
    op, here = np.flatnonzero(frame >= 0), frame[frame >= 0]
    ops, frames, depths = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for depth in range(_DEEPEST):
        ops.append(op)
        frames.append(here)
        depths.append(np.full(len(op), -depth))
        above = parent[here]
        op, here = op[above >= 0], above[above >= 0]
        if not len(op):
            break
    owner, found = np.concatenate(ops), np.concatenate(frames)
    order = np.lexsort((np.concatenate(depths), owner))
    return owner[order], found[order]
