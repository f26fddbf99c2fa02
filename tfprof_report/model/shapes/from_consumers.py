"""Shapes of outputs as the nodes that took them saw them: a trace has the inputs of ops, not their outputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_bools, to_ints, whole
from tfprof_report.ingest.run_meta import TAKEN, RunMetaColumns

_KERNEL = r"^.* = (?:_Mkl(?:Native)?)?(?P<op>[A-Za-z0-9_>]+)(?:\(.*\))?$"
"""The op type in a label; kernels of oneDNN do the same as the op without their prefix."""

Steps = tuple[tuple[int, RunMetaColumns], ...]


def add_taken(run_metas: Steps, *, names: pa.Array, ops: pa.Array, edges: pa.Table) -> Steps:
    """Return run metadata with the outputs that nodes took in each step (`RunMetaColumns.taken`).

    An execution counts whose kernel is of the node's own op type and has as many inputs as the node: one that the
    runtime fused has inputs of its own.
    """
    if not any(columns.inputs.num_rows for _, columns in run_metas):
        return run_metas
    data = edges.filter(pc.invert(edges["is_control"]))
    consumer = to_ints(data["node"])
    first, last = (np.searchsorted(consumer, np.arange(len(names)), side=side) for side in ("left", "right"))
    source, slot = whole(data["source"]), whole(data["slot"])
    taken = [
        _taken(columns, names=names, ops=ops, first=first, count=last - first, source=source, slot=slot)
        if columns.inputs.num_rows
        else columns.taken
        for _, columns in run_metas
    ]
    return tuple((step, replace(columns, taken=table)) for (step, columns), table in zip(run_metas, taken, strict=True))


def _taken(
    columns: RunMetaColumns,
    *,
    names: pa.Array,
    ops: pa.Array,
    first: Ints,
    count: Ints,
    source: pa.Array,
    slot: pa.Array,
) -> pa.Table:
    inputs = columns.inputs.filter(pc.is_valid(columns.inputs["shape"]))
    execution = pa.array(to_ints(inputs["execution"]))
    row = whole(pc.index_in(columns.executions["node_name"], value_set=names)).take(execution)
    labels = whole(columns.executions["label"]).cast(pa.string()).dictionary_encode()
    kernel = pc.struct_field(pc.extract_regex(labels.dictionary, _KERNEL), "op").take(labels.indices).take(execution)
    is_same = to_bools(pc.fill_null(pc.equal(kernel, ops.take(row)), fill_value=False))
    node = to_ints(pc.fill_null(row, 0))
    is_same &= to_ints(inputs["count"]) == count[node]
    edge = pa.array((first[node] + to_ints(inputs["position"]))[is_same])
    shapes = inputs["shape"].filter(pa.array(is_same))
    return pa.table([names.take(source.take(edge)), slot.take(edge), shapes], schema=TAKEN)
