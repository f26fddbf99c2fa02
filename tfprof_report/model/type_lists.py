"""The words by which nodes are accounted: op type, devices and op-log types, as lists per node."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, list_offsets, list_values, make_lists, row_of_value, to_bools, to_ints
from tfprof_report.model.executions import Executions


def run_devices_of(executions: Executions, count: int) -> pa.ListArray:
    """Return per node the distinct devices of its executions, without the streams of kernels."""
    steps = executions.steps
    on_device = pc.and_(
        pc.greater(steps["run_count"], 0), pc.invert(pc.match_substring(_text(steps["device"]), "stream"))
    )
    pairs = steps.filter(on_device).select(["node", "device"]).group_by(["node", "device"]).aggregate([])
    pairs = pairs.set_column(1, "device", _text(pairs["device"])).sort_by(
        [("node", "ascending"), ("device", "ascending")]
    )
    counts = np.bincount(to_ints(pairs["node"]), minlength=count).astype(np.int64)
    return make_lists(pairs["device"].combine_chunks(), counts)


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string())


def op_types_of(ops: pa.Array, run_devices: pa.ListArray, log_types: pa.ListArray) -> pa.ListArray:
    """Return per node its op, the devices it ran on and its op-log types, sorted, each once."""
    return sorted_types([ops, run_devices, log_types], len(ops))


def sorted_types(parts: list[pa.Array], count: int) -> pa.ListArray:
    """Return per node the sorted distinct strings of all `parts`: string columns (NULL adds nothing) or lists."""
    node, strings = type_pairs(parts)
    codes = strings.dictionary_encode()
    rank = to_ints(pc.rank(codes.dictionary, sort_keys="ascending")) - 1
    key = np.unique(node * max(len(rank), 1) + rank[to_ints(codes.indices)])
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
