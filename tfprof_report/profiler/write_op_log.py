"""Merges the user's op log with a graph's own information, by the rules of TensorFlow's Python layer."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf import text_format

from tfprof_report.arrays import to_bools, to_ints
from tfprof_report.ingest import sniff
from tfprof_report.ingest.op_log import OpLogColumns, read_op_log
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.flops.rule_sets import RULES
from tfprof_report.model.node_table import NodeTable
from tfprof_report.profiler.handed_over import OpLogEntry, OpLogProto, given_bytes, log_of, read_given


def merged_log(op_log: OpLogColumns | None, graph: Any, *, with_traces: bool) -> OpLogColumns:
    """Return the columns of `op_log` followed by those of a graph object's log, with string ids that do not collide.

    Types of a node add up; the user's call stack takes precedence. Of several entries in `op_log` for one node, the
    last one counts.
    """
    first_id = 0
    if op_log is not None:
        op_log = _last_of_each_name(op_log)
        first_id = max([-1, *to_ints(op_log.strings["id"]).tolist()]) + 1
    added = read_op_log(read_given(log_of(graph, with_traces=with_traces, first_id=first_id), Kind.OP_LOG).decoded)
    if op_log is None:
        return added
    return OpLogColumns(
        entries=pa.concat_tables([op_log.entries, added.entries]).combine_chunks(),
        strings=pa.concat_tables([op_log.strings, added.strings]).combine_chunks(),
    )


def _last_of_each_name(op_log: OpLogColumns) -> OpLogColumns:
    names = op_log.entries["name"].combine_chunks()
    backwards = names.take(pa.array(np.arange(len(names))[::-1]))
    is_last = to_bools(
        pc.equal(pc.index_in(backwards, value_set=backwards), pa.array(np.arange(len(names), dtype=np.int32)))
    )[::-1]
    return OpLogColumns(entries=op_log.entries.filter(pa.array(is_last)), strings=op_log.strings)


def build_op_log(graph: Any, table: NodeTable, op_log: Any, *, with_traces: bool) -> Any:
    """Return an OpLogProto: the user's entries, completed with FLOPs by rules, trainable variables and call stacks.

    The user's entries come first; of several ones for one node, the last one is kept. Then come entries for other nodes
    in graph order. Types add up; FLOPs and call stacks are added only where the user's entry has none. The user's
    strings keep their ids; those of the graph get the ids after them.
    """
    merged, entries = OpLogProto(), {}
    user = parse_op_log(op_log) if op_log is not None else OpLogProto()
    for each in user.log_entries:
        entries[each.name] = each
    merged.id_to_string.update(user.id_to_string)
    log = log_of(graph, with_traces=with_traces, first_id=max(user.id_to_string, default=-1) + 1)
    merged.id_to_string.update(log.id_to_string)
    by_graph = {each.name: each for each in log.log_entries}
    for name, float_ops in _figures(table):
        by_graph.setdefault(name, OpLogEntry(name=name)).float_ops = float_ops
    order = {name: row for row, name in enumerate(table.column("name").to_pylist())}
    for name in sorted(by_graph, key=lambda each: order.get(each, len(order))):
        own = by_graph[name]
        if name not in entries:
            entries[name] = own
            continue
        entries[name].types.extend(own.types)
        if not entries[name].float_ops:
            entries[name].float_ops = own.float_ops
        if not entries[name].code_def.traces and own.code_def.traces:
            entries[name].code_def.MergeFrom(own.code_def)
    merged.log_entries.extend(entries.values())
    return merged


def _figures(table: NodeTable) -> Iterator[tuple[str, int]]:
    """Yield the name and FLOPs of each node whose FLOPs are by rules and not 0."""
    float_ops = table.column("float_ops")
    by_rule = to_bools(pc.equal(table.column("float_ops_source").cast(pa.string()), RULES))
    chosen = pa.array(by_rule & to_bools(pc.not_equal(float_ops, 0)))
    yield from zip(table.column("name").filter(chosen).to_pylist(), float_ops.filter(chosen).to_pylist(), strict=True)


def parse_op_log(value: Any) -> Any:
    """Parse an op log, which has been decoded before without an error, as a message of our own descriptor pool."""
    _, data = given_bytes(value, Kind.OP_LOG)
    if sniff.is_gzip(data):
        data = gzip.decompress(data)
    if not sniff.fits(data, Kind.OP_LOG) and sniff.is_text(data):
        return text_format.Parse(data.decode(), OpLogProto(), allow_unknown_field=True)
    return OpLogProto.FromString(data)
