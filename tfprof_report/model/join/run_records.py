"""The records of all steps as one table, and sums of records that belong to no node."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.run_meta import EXECUTIONS, RunMetaColumns

_SUMS = pa.schema([("name", pa.string()), ("records", pa.int64()), ("nanos", pa.int64()), ("bytes", pa.int64())])
RUN_RECORDS = EXECUTIONS.append(pa.field("step", pa.int64()))


def concat_records(run_metas: tuple[tuple[int, RunMetaColumns], ...]) -> pa.Table:
    """Return the records of all steps with a column `step`, in the order in which the steps were given."""
    return pa.concat_tables(
        [
            columns.executions.append_column("step", pa.array(np.full(columns.executions.num_rows, step)))
            for step, columns in run_metas
            if columns.has_step_stats
        ]
        or [RUN_RECORDS.empty_table()]
    )


def sum_up(records: pa.Table, key: str) -> pa.Table:
    """Return name, records, nanos and bytes by the column `key`, in order of appearance.

    Nanos are unknown if those of a timed record are, bytes if no record has any memory.
    """
    if not records.num_rows:  # grouping takes some hundredths of a second all the same
        return _SUMS.empty_table()
    is_timed = pc.greater(records["start_micros"], 0)
    has_memory = records["has_memory"]
    nothing = pa.scalar(0, pa.int64())
    table = pa.table(
        {
            "name": records[key],
            "nanos": pc.if_else(is_timed, records["nanos"], nothing),
            "is_known": pc.or_(pc.is_valid(records["nanos"]), pc.invert(is_timed)),
            "bytes": pc.if_else(has_memory, records["bytes"], pa.scalar(None, pa.int64())),
        }
    )
    sums = table.group_by("name", use_threads=False).aggregate(
        [("name", "count"), ("nanos", "sum"), ("is_known", "all"), ("bytes", "sum")]
    )
    nanos = pc.if_else(sums["is_known_all"], sums["nanos_sum"], pa.scalar(None, pa.int64()))
    return pa.table({"name": sums["name"], "records": sums["name_count"], "nanos": nanos, "bytes": sums["bytes_sum"]})
