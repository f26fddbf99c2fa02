"""Part of a node table: some of its nodes, with everything that hangs on their rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, take_ranges, to_ints
from tfprof_report.model.calls import Bools
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.traces import Traces


def keep_nodes(table: NodeTable, kept: Bools) -> NodeTable:
    """Return the table of the nodes that are `kept`, in the same order: their figures, steps, records and call stacks.

    An edge from a node that is not kept has no source. What is said of the inputs as a whole stays as it is: devices,
    steps, unmatched names, diagnostics.
    """
    if kept.all():
        return table
    row = np.where(kept, np.cumsum(kept) - 1, -1)
    mask = pa.array(kept)
    records, record = _of_kept(table.records, row)
    allocations, _ = _of_kept(table.allocations, row)
    edges, _ = _of_kept(table.edges, row)
    source = row[to_ints(pc.fill_null(edges["source"], 0))]
    is_there = (source >= 0) & edges["source"].is_valid().to_numpy()
    return replace(
        table,
        nodes=table.nodes[kept].reset_index(drop=True),
        steps=_of_kept(table.steps, row)[0],
        records=records,
        allocations=_set(allocations, "record", record[to_ints(allocations["record"])]),
        edges=_set(edges, "source", pa.array(source, edges.schema.field("source").type, mask=~is_there)),
        canonical_device=table.canonical_device.filter(mask),
        data_format=table.data_format.filter(mask),
        log_types=table.log_types.filter(mask),
        traces=_keep_traces(table.traces, kept),
        calls=table.calls.keep(kept),
        holder=np.where(kept[table.holder], row[table.holder], row)[kept],
    )


def _of_kept(rows: pa.Table, row: Ints) -> tuple[pa.Table, Ints]:
    """Return the rows whose `node` has a new row, with it, and the new place of every row; -1 where there is none."""
    node = row[to_ints(rows["node"])]
    is_kept = node >= 0
    place = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
    return _set(rows.filter(pa.array(is_kept)), "node", node[is_kept]), place


def _set(rows: pa.Table, name: str, values: Ints | pa.Array) -> pa.Table:
    return rows.set_column(rows.column_names.index(name), name, pa.array(values))


def _keep_traces(traces: Traces, kept: Bools) -> Traces:
    counts = np.diff(traces.offsets)[kept]
    index = take_ranges(traces.offsets[:-1][kept], counts)
    return replace(traces, offsets=np.append(0, np.cumsum(counts)), frame=traces.frame[index])
