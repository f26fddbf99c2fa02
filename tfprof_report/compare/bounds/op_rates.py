"""The executions of each op: how long they took, and what they computed and moved meanwhile."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, marks, to_bools, to_ints
from tfprof_report.model.join.devices import is_stream
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS

_NEEDED = ("device", "run_count", "is_fused", *NANOS.values())
_GPU = "gpu:"


@record
class OpRates:
    """The nodes whose time is known, in their order; sums over all steps.

    node : the row of each
    owner : per node of the model the index of the op in whose kernel it ran, mostly its own; -1 for nodes without one
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

    The time of an op is that of its kernels, where it has any, and that of its executions where it ran on CPUs only.
    What ran on a GPU without a kernel, and what has an execution of unknown time, is left out.

    Parameters
    ----------
    nodes, steps : the columns of nodes.parquet and of steps.parquet
    """
    if not steps.num_rows or not set(_NEEDED) <= set(steps.column_names) or "moved_bytes" not in nodes.column_names:
        return None
    count = nodes.num_rows
    node, codes, names = to_ints(steps["node"]), *_devices(steps)
    stream, gpu = is_stream(pa.array(names, pa.string())), np.array([_GPU in name for name in names])
    of_kernels, on_gpu = stream[codes], (gpu & ~stream)[codes]
    is_fused = to_bools(steps["is_fused"])
    has_kernels = marks(node[of_kernels], count)
    timed = np.where(has_kernels[node], of_kernels, ~on_gpu & ~is_fused & ~marks(node[on_gpu], count)[node])
    nanos = steps[NANOS["micros"]]
    lost = marks(node[timed & to_bools(pc.is_null(nanos))], count)
    rows = np.flatnonzero(timed)
    of_row = np.asarray(pc.fill_null(nanos, 0), dtype=np.float64)
    total = add_up(node[rows], of_row[rows], count)
    ops = np.flatnonzero((total > 0) & ~lost)
    if not len(ops):
        return None
    place = np.full(count, -1)
    place[ops] = np.arange(len(ops))
    owner = np.where(place >= 0, place, _kernels(nodes, place))
    first = np.full(count, -1)
    first[node[rows[::-1]]] = codes[rows[::-1]]

    counted = np.flatnonzero(~of_kernels & (owner[node] >= 0))
    runs = np.asarray(pc.fill_null(steps["run_count"], 0), dtype=np.float64)[counted]
    step = to_ints(steps["step"])
    singles = [_singles(nodes, name) for name in ("single_float_ops", "moved_bytes")]
    if "run_count_reason" in nodes.column_names:
        singles[0][to_bools(pc.is_valid(nodes["run_count_reason"]))] = np.nan
    sums = [add_up(owner[node[counted]], what_runs(single[node[counted]], runs), len(ops)) for single in singles]
    own = ~is_fused[counted]
    kept = rows[place[node[rows]] >= 0]
    return OpRates(
        node=ops,
        device=first[ops],
        devices=tuple(names),
        nanos=total[ops],
        runs=add_up(owner[node[counted[own]]], runs[own], len(ops)),
        float_ops=sums[0],
        moved_bytes=sums[1],
        part_op=place[node[kept]],
        part_step=step[kept],
        part_nanos=of_row[kept],
        run_node=node[counted],
        run_op=owner[node[counted]],
        run_step=step[counted],
        run_count=runs,
        single_float_ops=singles[0],
        single_moved_bytes=singles[1],
    )


def _devices(steps: pa.Table) -> tuple[Ints, list[str]]:
    """Return the number of each row's device, and their names."""
    column = steps["device"].cast(pa.string()).combine_chunks().dictionary_encode()
    return to_ints(column.indices), column.dictionary.to_pylist()


def _kernels(nodes: pa.Table, place: Ints) -> Ints:
    """Return per node the op in whose kernel it ran, -1 if in none."""
    count = nodes.num_rows
    if "ran_in" not in nodes.column_names or nodes["ran_in"].null_count == count:
        return np.full(count, -1)
    row = to_ints(pc.fill_null(pc.index_in(nodes["ran_in"], value_set=nodes["name"].combine_chunks()), -1))
    return np.where(row >= 0, place[row], -1)


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
