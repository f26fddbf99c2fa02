"""The user's op log and what a graph knows of itself as one, by the rules of TensorFlow's Python layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import to_bools, to_ints
from tfprof_report.ingest.op_log import OpLogColumns, read_op_log
from tfprof_report.ingest.sniff import Kind
from tfprof_report.profiler.sources import log_of, read_given


def merged_log(op_log: OpLogColumns | None, graph: Any, *, with_traces: bool) -> OpLogColumns:
    """Return `op_log` followed by a log of a live graph: types add up, and of call stacks the user's counts.

    Of several entries of the user's log for one node the last one counts. The user's strings are kept.
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
