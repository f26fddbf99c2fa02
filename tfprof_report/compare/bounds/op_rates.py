"""The executions of each op: how long they took, and what they computed and moved meanwhile."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, marks, places_of, to_bools, to_ints, whole
from tfprof_report.compare.bounds.speeds import device_name
from tfprof_report.model.join.devices import is_stream
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS

_NEEDED = ("device", "run_count", "is_fused", *NANOS.values())
_GPU = "gpu:"


@record
class OpRates:
    """The nodes whose time is known by the device that executed them, in their order; sums over all steps.

    node : the row of each
    device : index into `devices`
    devices : names of devices
    nanos : of kernels for an op that has any, else of its executions on a CPU
    runs : executions
    float_ops, moved_bytes : of all executions, with those of the other nodes of its kernel; NaN where not known
    part_op, part_step, part_nanos : the time of an op in a step
    run_node, run_op, run_step, run_count : the executions of a node in a step, and the op that it ran in
    single_float_ops, single_moved_bytes : of one execution of each node of the model, NaN where not known
    """

    node: Ints
    device: Ints
    devices: tuple[str, ...]
    nanos: Floats
    runs: Floats
    float_ops: Floats
    moved_bytes: Floats
    part_op: Ints
    part_step: Ints
    part_nanos: Floats
    run_node: Ints
    run_op: Ints
    run_step: Ints
    run_count: Floats
    single_float_ops: Floats
    single_moved_bytes: Floats


def find_op_rates(nodes: pa.Table, steps: pa.Table) -> OpRates | None:
    """Return the executions of the ops whose time is known; None if there are none.

    The time of an op on a GPU is that of its kernels; what ran there without any, and what has an execution of unknown
    time, is left out.

    Parameters
    ----------
    nodes, steps : the columns of nodes.parquet and of steps.parquet
    """
    if not steps.num_rows or not set(_NEEDED) <= set(steps.column_names) or "moved_bytes" not in nodes.column_names:
        return None
    node, (device, devices, of_kernels) = to_ints(steps["node"]), _devices(steps)
    key, is_fused = node * len(devices) + device, to_bools(steps["is_fused"])
    on_gpu = np.array([_GPU in name for name in devices])[device]
    timed = of_kernels | ~on_gpu & ~is_fused
    nanos = steps[NANOS["micros"]]
    of_row, is_lost = np.asarray(pc.fill_null(nanos, 0), dtype=np.float64), to_bools(pc.is_null(nanos))
    rows = np.flatnonzero(timed)
    keys, place = np.unique(key[rows], return_inverse=True)
    total = add_up(place, of_row[rows], len(keys))
    is_op = (total > 0) & (np.bincount(place[is_lost[rows]], minlength=len(keys)) == 0)
    if not is_op.any():
        return None
    number = places_of(is_op)
    keys, total, rows, part = keys[is_op], total[is_op], rows[is_op[place]], number[place[is_op[place]]]

    owner = np.where(marks(keys // len(devices), nodes.num_rows), np.arange(nodes.num_rows), _kernels(nodes))
    counted = np.flatnonzero(~of_kernels)
    op = _ops_of(owner[node[counted]], device[counted], keys, len(devices))
    counted, op = counted[op >= 0], op[op >= 0]
    runs = np.asarray(pc.fill_null(steps["run_count"], 0), dtype=np.float64)[counted]
    step = to_ints(steps["step"])
    singles = [_singles(nodes, name) for name in ("single_float_ops", "moved_bytes")]
    if "run_count_reason" in nodes.column_names:
        singles[0][to_bools(pc.is_valid(nodes["run_count_reason"]))] = np.nan
    sums = [add_up(op, what_runs(single[node[counted]], runs), len(keys)) for single in singles]
    own = ~is_fused[counted]
    total_runs = add_up(op[own], runs[own], len(keys))
    never = total_runs == 0  # a kernel of no execution that is known
    return OpRates(
        node=keys // len(devices),
        device=keys % len(devices),
        devices=devices,
        nanos=total,
        runs=total_runs,
        float_ops=np.where(never, np.nan, sums[0]),
        moved_bytes=np.where(never, np.nan, sums[1]),
        part_op=part,
        part_step=step[rows],
        part_nanos=of_row[rows],
        run_node=node[counted],
        run_op=op,
        run_step=step[counted],
        run_count=runs,
        single_float_ops=singles[0],
        single_moved_bytes=singles[1],
    )


def _devices(steps: pa.Table) -> tuple[Ints, tuple[str, ...], Bools]:
    """Return the number of the device that executed each row, their names, and which rows are of kernels."""
    column = whole(steps["device"].cast(pa.string())).dictionary_encode()
    codes, names = to_ints(column.indices), column.dictionary.to_pylist()
    devices = tuple(dict.fromkeys(map(device_name, names)))
    number = np.array([devices.index(device_name(name)) for name in names], dtype=np.int64)
    return number[codes], devices, is_stream(column.dictionary)[codes]


def _ops_of(node: Ints, device: Ints, keys: Ints, width: int) -> Ints:
    """Return the op of each execution, -1 for none: that on its device, else the first one of its node.

    A trace of kernels may name its device otherwise than the records of the executions.
    """
    key = node * width + device
    place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    first = np.minimum(np.searchsorted(keys, node * width), len(keys) - 1)
    found: Ints = np.where(keys[place] == key, place, np.where(keys[first] // width == node, first, -1))
    return found


def _kernels(nodes: pa.Table) -> Ints:
    """Return per node the row of the node in whose kernel it ran, -1 if in none."""
    if "ran_in" not in nodes.column_names or nodes["ran_in"].null_count == nodes.num_rows:
        return np.full(nodes.num_rows, -1)
    return to_ints(pc.fill_null(pc.index_in(nodes["ran_in"], value_set=whole(nodes["name"])), -1))


def _singles(nodes: pa.Table, name: str) -> Floats:
    """Return a figure of one execution of each node, NaN where it is not known."""
    column = nodes[name]
    values = np.asarray(pc.fill_null(column, 0), dtype=np.float64)
    return np.where(_is_known(column), values, np.nan)


def _is_known(column: pa.ChunkedArray) -> Bools:
    return to_bools(pc.is_valid(column))


def what_runs(single: Floats, runs: Floats) -> Floats:
    """Return what some executions do; what is not done is 0, also where one would do an unknown amount."""
    return np.where(runs == 0, 0, single * runs)


def add_up(group: Ints, values: Floats, count: int) -> Floats:
    """Return the sum of the values of each of `count` groups."""
    found: Floats = np.bincount(group, weights=values, minlength=count).astype(np.float64)
    return found
