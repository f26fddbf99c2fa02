"""Joins the op log to the nodes that it names."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    distinct,
    list_offsets,
    list_values,
    make_lists,
    marks,
    row_of_value,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.ingest.op_log import OpLogColumns
from tfprof_report.later import Later
from tfprof_report.model.join.executions import Executions
from tfprof_report.model.join.traces import Traces, read_traces
from tfprof_report.record import record
from tfprof_report.schema.metrics import TRAINABLE_TYPE


@record
class LoggedNodes:
    """What the op log contains about nodes.

    float_ops : int64, NULL where the log has no number
    is_named : nodes that have an entry in the log
    types : per node its types, in log order
    unmatched : names of entries that match no node
    repeated : names of entries that repeat the name of an earlier one, of the others
    """

    float_ops: pa.Array
    is_named: Bools
    types: pa.ListArray
    traces: Later[Traces]
    unmatched: tuple[str, ...]
    repeated: tuple[str, ...] = ()


def join_op_log(names: pa.Array, op_log: OpLogColumns | None, row: pa.Array | pa.ChunkedArray) -> LoggedNodes:
    """Join the op log to the nodes; if a node has several entries, the last non-zero float_ops and all types count.

    `row` is that of the node that each entry names, NULL if there is none.
    """
    if op_log is None:
        empty = make_lists(pa.array([], pa.string()), np.zeros(len(names), dtype=np.int64))
        return LoggedNodes(
            float_ops=pa.nulls(len(names), pa.int64()),
            is_named=np.zeros(len(names), dtype=bool),
            types=empty,
            traces=Later(lambda: read_traces(None, None, len(names))),
            unmatched=(),
        )
    entries = op_log.entries
    traces = Later(partial(read_traces, op_log, row, len(names)))
    entries, unmatched = entries.select(["name", "float_ops", "types"]), []
    if row.null_count:
        unmatched = entries["name"].filter(pc.is_null(row)).to_pylist()
        entries, row = entries.filter(pc.is_valid(row)), row.drop_null()
    rows = to_ints(row)
    first = np.zeros(len(names), dtype=np.int64)
    first[rows[::-1]] = np.arange(len(rows))[::-1]  # numpy keeps the last of equal rows
    repeated = entries["name"].filter(pa.array(first[rows] != np.arange(len(rows))))
    given = to_ints(entries["float_ops"])
    values = np.zeros(len(names), dtype=np.int64)
    values[rows[given != 0]] = given[given != 0]
    types = whole(entries["types"])
    row_of_type = rows[row_of_value(list_offsets(types))]
    order = np.argsort(row_of_type, kind="stable")
    return LoggedNodes(
        float_ops=pa.array(values, mask=values == 0),
        is_named=marks(rows, len(names)),
        types=make_lists(
            list_values(types).take(pa.array(order)), np.bincount(row_of_type, minlength=len(names)).astype(np.int64)
        ),
        traces=traces,
        unmatched=tuple(unmatched),
        repeated=tuple(repeated.to_pylist()),
    )


def marked_trainable(log: LoggedNodes, count: int) -> pa.Array:
    """Return which nodes the op log marks as trainable variables; all NULL where it marks none."""
    is_marked = pc.equal(list_values(log.types), TRAINABLE_TYPE)
    if not pc.any(is_marked).as_py():
        return pa.nulls(count, pa.bool_())
    marked = marks(row_of_value(list_offsets(log.types))[to_bools(is_marked)], count)
    return pa.array(marked)


def run_devices_of(executions: Executions, count: int) -> pa.ListArray:
    """Return per node the distinct devices of its executions, without kernel streams, sorted."""
    steps = executions.steps
    on_device = pc.and_(
        pc.greater(steps["run_count"], 0), pc.invert(pc.match_substring(_text(steps["device"]), "stream"))
    )
    pairs = steps.filter(on_device).select(["node", "device"]).group_by(["node", "device"]).aggregate([])
    pairs = pairs.set_column(1, "device", _text(pairs["device"])).sort_by(
        [("node", "ascending"), ("device", "ascending")]
    )
    counts = np.bincount(to_ints(pairs["node"]), minlength=count).astype(np.int64)
    return make_lists(whole(pairs["device"]), counts)


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string())


def op_types_of(ops: pa.Array, run_devices: pa.ListArray, log_types: pa.ListArray) -> pa.ListArray:
    """Return per node its op, the devices it ran on and its op-log types, sorted, each once."""
    return sorted_types([ops, run_devices, log_types], len(ops))


def sorted_types(parts: list[pa.Array], count: int) -> pa.ListArray:
    """Return per node the sorted distinct strings of all `parts`, which are string columns (NULL is skipped) or lists.

    Each (node, string) pair becomes one integer, node times number of strings plus the string's rank: one sort orders
    and deduplicates all nodes at once.
    """
    node, strings = type_pairs(parts)
    codes = strings.dictionary_encode()
    rank = to_ints(pc.rank(codes.dictionary, sort_keys="ascending")) - 1
    key = distinct(node * max(len(rank), 1) + rank[to_ints(codes.indices)])
    ordered = codes.dictionary.take(pc.sort_indices(codes.dictionary))
    return make_lists(
        ordered.take(pa.array(key % max(len(rank), 1))),
        np.bincount(key // max(len(rank), 1), minlength=count).astype(np.int64),
    )


def type_pairs(parts: list[pa.Array]) -> tuple[Ints, pa.Array]:
    """Return (node, string) pairs of string columns and list columns, in the order of `parts`."""
    rows, strings = [], []
    for part in parts:
        if pa.types.is_list(part.type):
            rows.append(row_of_value(list_offsets(part)))
            strings.append(list_values(part).cast(pa.string()))
        else:
            rows.append(np.flatnonzero(to_bools(pc.is_valid(part))))
            strings.append(part.drop_null().cast(pa.string()))
    return np.concatenate(rows), pa.concat_arrays(strings)
