"""Joins run metadata to nodes: exact figures per node, step and device, and the records that match no node.

Which devices count as CPU or accelerator time and which records are helpers of the runtime follows tfprof. Records that
tfprof drops because their node ran on another device first are kept and marked, so that each semantics can choose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    distinct,
    marks,
    match_words,
    places_of,
    sum_by_row,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.activity import exact_durations, exact_starts
from tfprof_report.ingest.run_meta import RunMetaColumns, is_gpu_allocator
from tfprof_report.model.join.clocks import CheckedTimes, Fault, check_times, diagnose_times
from tfprof_report.model.join.devices import CANONICAL, STREAM, find_lacking, is_unknown_kind, may_launch_kernels
from tfprof_report.model.join.memory import MEMORY_STEMS, Codes, negative_records, step_memory, why_unknown
from tfprof_report.model.join.name_rows import with_more_names
from tfprof_report.model.join.run_records import sum_up
from tfprof_report.model.totals import StepWall
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS, NANOS_PER_MICRO, STEP_STEMS

_RUNTIME_HELPERS = "^(?:RecvTensor|_SOURCE)$|MEMCPY"
_IDLE_OPS = ("NoOp",)
"""Op types that the executor runs no kernel for, so that it notes no memory."""


@record
class Executions:
    """All steps of one model.

    steps : one row per node, step and device (in this order): node (row of the node table), step, device (lower case),
        first_device (False where tfprof drops the record, because the node ran on another device first) and
        `STEP_STEMS`, int64, times as tfprof sums them. A node that has only kernel records (device ``stream:all``) has
        run_count 1 there. Memory is unknown (NULL) where one of the records does not tell it, and `memory_reason` says
        why (`memory.NoMemory`); peak_bytes is the largest of the records, the others are sums. The columns `NANOS` are
        the exact times, NULL where unknown: a record has impossible times, or the node ran on a GPU whose kernels no
        trace has. On a device of unknown kind all but the times that tfprof sums, which are 0, are NULL.
    records : one row per record of run metadata that belongs to a node (helpers are left out), in the order in which
        tfprof reads them: steps as given, devices and records in file order. Columns:

        ==================  ==========  ==============================================================================
        node, step          int64       row of the node table, step number
        device              dictionary  lower case, as in `steps`
        start_micros        int64       when it started, an absolute time; 0 or less: unknown, see `is_timed`
        micros              int64       from start to the end of the kernel. tfprof turns an execution of 0 into 1;
                                        the time of its memory is start + the unchanged micros
        is_canonical        bool        a CPU or GPU device: counts as CPU time unless `is_stream`
        is_stream           bool        ``stream:all``: counts as accelerator time
        start_nanos         int64       when it started, on the clock of its step (`clocks.CheckedTimes`)
        nanos               int64       exact duration; NULL where the times have a fault
        is_timed            bool        has a start time. tfprof skips time and memory of the others
        first_device        bool        False where tfprof drops the record: its node ran on another device first
        holds_memory        bool        timed, and its memory belongs to the node: the device is canonical, or has no
                                        name and comes before the node's first canonical one
        `MEMORY_STEMS`      int64       bytes as tfprof counts them: 0 where the record has none, or negative
        temp_bytes          int64       memory_stats: temporary and persistent; host memory where the device contains
        persistent_bytes    int64       ``cpu``, else the accelerator's
        bytes_in_use        int64       largest allocator_bytes_in_use of allocators with ``GPU`` in their name, or 0
        ==================  ==========  ==============================================================================

        First start and latest end of a node in a step are the extremes of `start_micros` and of
        ``start_micros + max(micros, 1)`` over its timed records, on whatever device.
    allocations : the allocation records of those GPU allocators, in the same order: record (row of `records`), node,
        step, micros (absolute time), bytes (negative when memory is released). tfprof keeps those whose record has
        `first_device` and `holds_memory`.
    run_only : names of records that are no graph node, in order of first appearance; their rows follow the graph's.
    canonical_device : per node the first CPU or GPU device that it ran on, NULL if it did not.
    step_numbers : the steps that were added, ascending.
    helpers : name, records, nanos and bytes of records that belong to no node: tensor transfers and the like, and
        those without a name unless they count.
    unknown_devices : the same of devices of unknown kind, on which nodes ran.
    without_start : records without a start time; they count for neither time nor memory.
    misses_stream : a GPU device appears in a step that has no ``stream:all`` device: tfprof's flag.
    without_stream : the GPUs that launched kernels in a step without a trace of them, by name.
    walls : the wall time of each step.
    has_other_clocks : devices were moved in some step, since their clock is far from the step's.
    diagnostics : what is wrong with the times.
    negative : names of the records that have a negative size.
    labels : per row of `records` its timeline_label, as bytes.
    has_all_ops : False where a step is from a trace that leaves out cheap ops.
    """

    steps: pa.Table
    records: pa.Table
    allocations: pa.Table
    run_only: pa.Array
    canonical_device: pa.Array
    step_numbers: tuple[int, ...]
    helpers: pa.Table
    unknown_devices: pa.Table
    without_start: int
    misses_stream: bool
    without_stream: tuple[str, ...]
    walls: tuple[StepWall, ...]
    has_other_clocks: bool
    diagnostics: tuple[Diagnostic, ...]
    negative: pa.Array
    labels: pa.Array
    has_all_ops: bool = True


def join_executions(
    records: pa.Table,
    row: pa.Array,
    ops: pa.Array,
    run_metas: tuple[tuple[int, RunMetaColumns], ...],
    *,
    count_nameless: bool = False,
) -> Executions:
    """Join the records of all steps to the nodes that they name.

    Parameters
    ----------
    records : the result of `run_records.concat_records` for `run_metas`
    row : per record the row of its node, NULL if no node has its name
    ops : the op types of the nodes
    count_nameless : whether records without a name belong to a node with an empty name; otherwise they belong to none
    """
    counted = [(step, columns) for step, columns in run_metas if columns.has_step_stats]
    records, checked = _check_times(records)
    record_names = records["node_name"]
    helpers_are = _RUNTIME_HELPERS if count_nameless else f"{_RUNTIME_HELPERS}|^$"
    is_helper, is_runtime = to_bools(pc.is_null(row)), to_bools(records["is_runtime"])
    is_helper[is_helper] = to_bools(
        pc.match_substring_regex(whole(record_names.filter(pa.array(is_helper))), helpers_are)
    )
    is_helper |= is_runtime
    traces = records.select(["step", "device"]).filter(pa.array(match_words(whole(records["device"]), STREAM)))
    helpers = sum_up(records.filter(pa.array(is_helper)), "node_name")
    if is_helper.any():
        records, row = records.filter(pa.array(~is_helper)), row.filter(pa.array(~is_helper))
    run_only = whole(records["node_name"].filter(pc.is_null(row))).unique()
    node = to_ints(with_more_names(row, records["node_name"], run_only, first=len(ops)))
    count = len(ops) + len(run_only)

    devices = whole(records["device"]).dictionary_encode()
    device_names = devices.dictionary.to_pylist()
    device = to_ints(devices.indices)
    canonical = _per_device(device, [bool(CANONICAL.fullmatch(name)) for name in device_names])
    stream = _per_device(device, [STREAM in name for name in device_names])
    unknown = _per_device(device, [is_unknown_kind(name) for name in device_names])

    first_device = np.full(count, -1, dtype=np.int64)
    first_record = np.full(count, len(node), dtype=np.int64)
    with_device, first_at = np.unique(node[canonical], return_index=True)
    first_record[with_device] = np.flatnonzero(canonical)[first_at]
    first_device[with_device] = device[first_record[with_device]]
    # In tfprof a node has the device "" until it runs on a real one, so a device without a name holds its memory. A
    # profile has no memory but that which tfprof took for the node's; its steps are no longer in the order of the runs.
    nameless = _per_device(device, [not name for name in device_names])
    is_of_profile = any(columns.is_of_profile for _, columns in counted)
    holds_memory = canonical | (nameless & (is_of_profile | (np.arange(len(node)) < first_record[node])))

    timed = to_ints(records["start_micros"]) > 0
    may_launch = may_launch_kernels(ops, count)[node]
    lacks_stream = find_lacking(to_ints(records["step"]), device, device_names, may_launch, traces)

    idle = pc.is_in(ops.take(row), value_set=pa.array(_IDLE_OPS))
    steps = _sum_records(
        records,
        node,
        device,
        device_names,
        canonical=canonical,
        stream=stream,
        unknown=unknown,
        hides_kernels=lacks_stream & may_launch,
        holds_memory=holds_memory,
        first_device=first_device,
        memory=why_unknown(records, timed=timed, is_idle=to_bools(idle), is_elsewhere=unknown & ~holds_memory),
    )
    kept = pa.table(
        {
            "node": pa.array(node),
            "step": records["step"],
            "device": devices,
            "start_micros": records["start_micros"],
            "micros": records["micros"],
            "start_nanos": records["start_nanos"],
            "nanos": records["nanos"],
            "is_canonical": pa.array(canonical),
            "is_stream": pa.array(stream),
            "is_timed": pa.array(timed),
            "first_device": pa.array(~canonical | (device == first_device[node])),
            "holds_memory": pa.array(timed & holds_memory),
            **{name: records[name] for name in (*MEMORY_STEMS, "temp_bytes", "persistent_bytes", "bytes_in_use")},
        }
    )
    gpus = distinct(device[lacks_stream & canonical])
    return Executions(
        steps=steps,
        records=kept,
        allocations=_allocations(counted, kept, is_kept=~is_helper),
        run_only=run_only,
        canonical_device=pa.array(device_names, pa.string())
        .dictionary_encode()
        .take(pa.array(first_device, mask=first_device < 0)),
        step_numbers=tuple(sorted({step for step, _ in counted})),
        helpers=helpers,
        unknown_devices=sum_up(records.filter(pa.array(unknown)), "device"),
        without_start=int(np.count_nonzero(~timed)),
        misses_stream=any(_misses_stream(columns) for _, columns in counted),
        without_stream=tuple(device_names[each] for each in (gpus if len(gpus) else distinct(device[lacks_stream]))),
        walls=_walls(checked.walls, distinct(to_ints(records["step"])[lacks_stream]).tolist(), _marked(counted)),
        has_other_clocks=bool(checked.aligned),
        diagnostics=tuple(diagnose_times(checked, record_names)),
        negative=negative_records(records),
        labels=whole(records["label"]),
        has_all_ops=all(columns.has_all_ops for _, columns in counted),
    )


def sound_records(records: pa.Table) -> pa.Table:
    """Return the records without those whose times have a fault, with starts in microseconds on the step's clock."""
    sound = records.filter(pc.is_valid(records["nanos"]))
    is_timed = sound["is_timed"]
    start = pc.if_else(is_timed, pc.divide(sound["start_nanos"], NANOS_PER_MICRO), sound["start_micros"])
    return sound.set_column(sound.column_names.index("start_micros"), "start_micros", start)


def _check_times(records: pa.Table) -> tuple[pa.Table, CheckedTimes]:
    """Return the records with exact times on the clock of their step; NULL durations where they have a fault."""
    micros, start_micros = to_ints(records["micros"]), to_ints(records["start_micros"])
    start, nanos = (to_ints(pc.fill_null(records[name], 0)) for name in ("start_nanos", "nanos"))
    devices = whole(records["device"]).dictionary_encode()
    names = devices.dictionary.to_pylist()
    checked = check_times(
        exact_starts(start_micros, start, is_exact=to_bools(pc.is_valid(records["start_nanos"]))),
        exact_durations(micros, nanos, is_exact=to_bools(pc.is_valid(records["nanos"]))),
        ends_early=to_bools(records["ends_early"]),
        is_timed=start_micros > 0,
        step=to_ints(records["step"]),
        device=to_ints(devices.indices),
        devices=names,
        is_canonical=[bool(CANONICAL.fullmatch(name)) for name in names],
    )
    times = {"start_nanos": pa.array(checked.start), "nanos": pa.array(checked.nanos, mask=checked.fault != Fault.NONE)}
    for name, values in times.items():
        records = records.set_column(records.column_names.index(name), name, values)
    return records, checked


def _walls(walls: Sequence[StepWall], without_stream: Sequence[int], marked: Mapping[int, int]) -> tuple[StepWall, ...]:
    """Return wall times: as the program marked them, else those of the records.

    The latter are unknown for the steps without a trace of a GPU's kernels, the last of which may end later.
    """
    reason = "a GPU that launched kernels has no stream:all trace"
    found = {each.step: each for each in walls}
    found |= {step: replace(found[step], nanos=None, reason=reason) for step in without_stream}
    found |= {step: StepWall(step=step, nanos=nanos, reason="") for step, nanos in marked.items()}
    return tuple(found[step] for step in sorted(found))


def _marked(counted: Sequence[tuple[int, RunMetaColumns]]) -> dict[int, int]:
    """Return the wall times of steps that the program marked."""
    return {step: columns.wall_nanos for step, columns in counted if columns.wall_nanos is not None}


def _allocations(counted: list[tuple[int, RunMetaColumns]], records: pa.Table, *, is_kept: Bools) -> pa.Table:
    """Return the allocation records of GPU allocators with the rows of `records` that they belong to."""
    before = np.cumsum([0, *(columns.executions.num_rows for _, columns in counted)])
    execution, micros, changes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for (_, columns), first in zip(counted, before, strict=False):
        table = columns.allocations
        table = table.filter(pa.array(is_gpu_allocator(table["allocator"]) & to_bools(pc.is_valid(table["micros"]))))
        execution.append(to_ints(table["execution"]) + first)
        micros.append(to_ints(table["micros"]))
        changes.append(to_ints(table["allocated_bytes"]))
    place = places_of(is_kept)
    record = place[np.concatenate(execution)]
    own = record >= 0
    record = record[own]
    return pa.table(
        {
            "record": record,
            "node": to_ints(records["node"])[record],
            "step": to_ints(records["step"])[record],
            "micros": np.concatenate(micros)[own],
            "bytes": np.concatenate(changes)[own],
        }
    )


def _per_device(device: Ints, facts: list[bool]) -> Bools:
    return np.array(facts, dtype=bool)[device] if facts else np.zeros(len(device), dtype=bool)


def _sum_records(
    records: pa.Table,
    node: Ints,
    device: Ints,
    device_names: list[str],
    *,
    canonical: Bools,
    stream: Bools,
    unknown: Bools,
    hides_kernels: Bools,
    holds_memory: Bools,
    first_device: Ints,
    memory: dict[str, Codes],
) -> pa.Table:
    """Return the `steps` table: records grouped by node, step and device name, sorted in this order.

    Sorting first makes every group a contiguous slice, so that each column is a difference of prefix sums.
    """
    step = to_ints(records["step"])
    # Device codes are in order of appearance; `by_name` is the rank of each by name, so that steps.parquet does not
    # depend on the order of files.
    by_name = np.argsort(np.argsort(np.array(device_names, dtype=object))) if device_names else np.zeros(0, np.int64)
    order = np.lexsort((by_name[device], step, node))
    node, step, device = node[order], step[order], device[order]
    canonical, stream = canonical[order], stream[order]
    unknown, hides_kernels = unknown[order], hides_kernels[order]
    is_new = np.ones(len(node), dtype=bool)
    is_new[1:] = (np.diff(node) != 0) | (np.diff(step) != 0) | (np.diff(device) != 0)
    first = np.flatnonzero(is_new)
    offsets = np.append(first, len(node)).astype(np.int64)

    started = to_ints(records["start_micros"])[order] > 0
    micros = to_ints(records["micros"])[order]
    micros = np.where(micros == 0, 1, micros)  # tfprof: an execution takes at least a microsecond
    accelerator = sum_by_row(np.where(started & stream, micros, 0), offsets)
    cpu = sum_by_row(np.where(started & canonical & ~stream, micros, 0), offsets)
    told = records["run_count"]
    is_told, times = to_bools(pc.is_valid(told))[order], to_ints(pc.fill_null(told, 1))[order]
    run_count = sum_by_row(np.where(started & canonical & ~stream, times, 0), offsets)
    # Kernel records are no executions of their node. Only if it has no other record in a step do they count as one,
    # unless they say as how many.
    kernel_only = _kernel_only(node[first], step[first], run_count, sum_by_row((started & stream).astype(int), offsets))
    of_kernels = np.maximum(sum_by_row(np.where(started & stream & is_told, times, 0), offsets), 1)

    columns: dict[str, pa.Array] = {
        "node": pa.array(node[first]),
        "step": pa.array(step[first]),
        "device": pa.array(device_names, pa.string()).dictionary_encode().take(pa.array(device[first])),
        "first_device": pa.array(~canonical[first] | (device[first] == first_device[node[first]])),
    }
    group = _groups(node[first], step[first])
    columns |= step_memory(records, memory, order=order, offsets=offsets, group=group, holds=holds_memory)
    columns["micros"] = pa.array(accelerator + cpu)
    columns["accelerator_micros"] = pa.array(accelerator)
    columns["cpu_micros"] = pa.array(cpu)
    columns["run_count"] = pa.array(np.where(kernel_only, of_kernels, run_count), mask=unknown[first])
    nanos = to_ints(pc.fill_null(records["nanos"], 0))[order]
    is_sound = to_bools(pc.is_valid(records["nanos"]))[order]
    on_stream, on_cpu = started & stream, started & canonical & ~stream
    accelerator, cpu = (sum_by_row(np.where(mine, nanos, 0), offsets) for mine in (on_stream, on_cpu))
    accelerator_is_lost, cpu_is_lost = (
        sum_by_row((lost | unknown).astype(np.int64), offsets) > 0
        for lost in (on_stream & ~is_sound | hides_kernels, on_cpu & ~is_sound)
    )
    columns[NANOS["micros"]] = pa.array(accelerator + cpu, mask=accelerator_is_lost | cpu_is_lost)
    columns[NANOS["accelerator_micros"]] = pa.array(accelerator, mask=accelerator_is_lost)
    columns[NANOS["cpu_micros"]] = pa.array(cpu, mask=cpu_is_lost)
    names = ("node", "step", "device", "first_device", *STEP_STEMS, "memory_reason", *NANOS.values())
    return pa.table({name: columns[name] for name in names})


def _groups(node: Ints, step: Ints) -> Ints:
    """Return a number for each node and step; equal ones are next to each other."""
    group = np.zeros(len(node), dtype=np.int64)
    group[1:] = np.cumsum((np.diff(node) != 0) | (np.diff(step) != 0))
    return group


def _kernel_only(node: Ints, step: Ints, run_count: Ints, kernels: Ints) -> Bools:
    """Return the first row with kernels of each node and step in which the node has kernels but no execution."""
    group = _groups(node, step)
    ran = np.bincount(group, weights=run_count, minlength=1) > 0
    candidate = (kernels > 0) & ~ran[group]
    _, first = np.unique(group[candidate], return_index=True)
    return marks(np.flatnonzero(candidate)[first], len(node))


def _misses_stream(columns: RunMetaColumns) -> bool:
    gpus = [name for name in columns.devices if "gpu" in name]
    return bool(gpus) and not any(STREAM in name for name in gpus)
