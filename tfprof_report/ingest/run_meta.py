"""RunMetadata to columns: one row per NodeExecStats, with its memory added up.

Only ``RunMetadata.step_stats`` is read, as in tfprof. Joining records to nodes happens in ``model/join``.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    contains,
    list_offsets,
    list_values,
    row_of_value,
    sum_by_row,
    to_bools,
    to_ints,
)
from tfprof_report.ingest.activity import ACTIVITY
from tfprof_report.ingest.decode import Decoded
from tfprof_report.ingest.graph_def import SHAPE, dims_of
from tfprof_report.ingest.repeated_text import take_text
from tfprof_report.ingest.run_activity import read_activity
from tfprof_report.later import Later
from tfprof_report.record import record

SIZES = ("bytes", "peak_bytes", "residual_bytes", "output_bytes", "bytes_in_use")
"""The columns of `EXECUTIONS` that are sums or maxima of sizes."""

NEGATIVE = "negative_"
"""With one of `SIZES`: the column that tells whether a size that it is made from is negative."""

EXECUTIONS = pa.schema(
    [
        ("node_name", pa.string()),
        ("device", pa.string()),
        ("start_micros", pa.int64()),
        ("micros", pa.int64()),
        ("start_nanos", pa.int64()),
        ("nanos", pa.int64()),
        ("ends_early", pa.bool_()),
        ("bytes", pa.int64()),
        ("peak_bytes", pa.int64()),
        ("residual_bytes", pa.int64()),
        ("output_bytes", pa.int64()),
        ("temp_bytes", pa.int64()),
        ("persistent_bytes", pa.int64()),
        ("bytes_in_use", pa.int64()),
        ("label", pa.binary()),
        ("has_memory", pa.bool_()),
        ("has_outputs", pa.bool_()),
        *((NEGATIVE + name, pa.bool_()) for name in SIZES),
        ("run_count", pa.int64()),
        ("is_runtime", pa.bool_()),
    ]
)
_OF_ALLOCATORS = ("total_bytes", "peak_bytes", "live_bytes", "allocator_bytes_in_use")
"""The sizes of an AllocatorMemoryUsed."""

ALLOCATIONS = pa.schema(
    [
        ("execution", pa.int64()),
        ("device", pa.string()),
        ("allocator", pa.string()),
        ("bytes_in_use", pa.int64()),
        ("micros", pa.int64()),
        ("allocated_bytes", pa.int64()),
        ("region", pa.string()),
        ("shape", pa.string()),
    ]
)
OUTPUTS = pa.schema([("execution", pa.int64()), ("position", pa.int64()), ("count", pa.int64()), ("shape", SHAPE)])
TAKEN = pa.schema([("node_name", pa.string()), ("position", pa.int64()), ("shape", SHAPE)])


@record
class RunMetaColumns:
    """One traced step.

    executions : one row per NodeExecStats, in file order. `node_name` is cut at the first ``:``; `device` is in lower
        case; `micros` is op_end_rel_micros, from all_start_micros to the end of the kernel; `start_nanos` and `nanos`
        are the same moments in nanoseconds, NULL where the trace has microseconds only; `ends_early` is whether the
        kernel ends before it starts, or before the record does; `bytes` is the sum of
        total_bytes plus persistent and temporary memory (memory_stats), `peak_bytes` the same with peak_bytes,
        `residual_bytes` live_bytes plus persistent memory, `output_bytes` the sum over outputs of the larger of
        allocated and requested bytes, `temp_bytes` and `persistent_bytes` those of memory_stats, `bytes_in_use` the
        largest allocator_bytes_in_use of its GPU allocators (`is_gpu_allocator`), at least 0; `label` is
        timeline_label, mostly ``name = Op(inputs)``. `has_memory` is whether the record says what was requested: by
        memory_stats, or by an allocator with a size other than 0 or with allocation records. `has_outputs` is whether
        it says what its outputs hold, as it does without outputs if it has memory. The executor runs no kernel for a
        NoOp, and so notes no memory: that record says 0. Columns ``negative_`` + one of `SIZES` tell whether a size
        behind it is negative, though the column has the plain sum. `run_count` is how many executions the record stands
        for, NULL as tfprof counts: one, and one for all kernels of a node that has no other records in a step.
        `is_runtime` marks records that belong to no node, whatever their name.
    allocations : one row per allocator, then one per allocation record, both in file order; `execution` is the row in
        `executions`. Either `bytes_in_use` (allocator_bytes_in_use of an AllocatorMemoryUsed) or `micros` and
        `allocated_bytes` (of an AllocationRecord) are set. What memory is for, `region` (``output``, ``temp``) and
        `shape` (``[32,64]``), only traces tell.
    outputs : one row per output of an execution, in file order: row in `executions`, position among its `count`
        outputs, and shape (empty for a scalar, NULL if not given). Executions whose name was cut have none here: they
        are kernels of a node, not the node itself.
    inputs : the same columns for inputs, which only traces have.
    taken : name of a node, position of an output and its shape, as the nodes that take it saw it (`from_consumers`).
    devices : the device names in lower case, in file order, duplicates included.
    has_step_stats : False for a message without step_stats, which tfprof ignores.
    is_of_profile : it is read from a profile, whose memory tfprof has assigned to nodes already.
    wall_start, wall_nanos : when the step began, on the clock of `activity`, and how long it took, where the program
        marked it; None for from its first to its last record.
    has_all_ops : False for a trace that leaves out cheap ops: whether nodes without a record ran is unknown.
    activity : what its devices did (`activity.ACTIVITY`), which text views do without; empty for a profile, which
        keeps no events.
    """

    executions: pa.Table
    allocations: pa.Table
    outputs: pa.Table
    devices: tuple[str, ...]
    has_step_stats: bool
    is_of_profile: bool = False
    inputs: pa.Table = field(default_factory=OUTPUTS.empty_table)
    taken: pa.Table = field(default_factory=TAKEN.empty_table)
    wall_start: int | None = None
    wall_nanos: int | None = None
    has_all_ops: bool = True
    activity: Later[pa.Table] = field(default_factory=lambda: Later(ACTIVITY.empty_table))


def is_gpu_allocator(names: pa.Array | pa.ChunkedArray) -> Bools:
    """Return which allocators tfprof takes for GPU allocators: those whose name contains ``GPU`` in capitals."""
    return to_bools(pc.match_substring(names, "GPU"))


def read_run_meta(decoded: Decoded) -> RunMetaColumns:
    """Return the columns of a decoded RunMetadata."""
    step_stats = decoded.batch.column("step_stats")
    devices = step_stats.field("dev_stats")
    if step_stats.null_count or not len(list_values(devices)):
        return RunMetaColumns(
            executions=EXECUTIONS.empty_table(),
            allocations=ALLOCATIONS.empty_table(),
            outputs=OUTPUTS.empty_table(),
            devices=(),
            has_step_stats=not step_stats.null_count,
        )
    device_rows = list_values(devices)
    stats = device_rows.field("node_stats")
    device_of_execution = row_of_value(list_offsets(stats))
    device_names = pc.ascii_lower(device_rows.field("device"))
    records = list_values(stats)
    memory, outputs, memory_stats = (records.field(name) for name in ("memory", "output", "memory_stats"))

    temp = to_ints(pc.fill_null(pc.struct_field(memory_stats, "temp_memory_size"), 0))
    persistent = to_ints(pc.fill_null(pc.struct_field(memory_stats, "persistent_memory_size"), 0))
    per_allocator = list_values(memory)
    allocator_offsets = list_offsets(memory)

    sizes = {name: to_ints(per_allocator.field(name)) for name in _OF_ALLOCATORS}

    def allocator_sum(name: str) -> Ints:
        return sum_by_row(sizes[name], allocator_offsets)

    def any_allocator(mask: Bools) -> Bools:
        return sum_by_row(mask.astype(np.int64), allocator_offsets) > 0

    output_offsets = list_offsets(outputs)
    shapes = _shapes_of(list_values(outputs))
    output_sizes, is_negative_output, is_told = _output_bytes(list_values(outputs), shapes)

    def any_output(mask: Bools) -> Bools:
        return sum_by_row(mask.astype(np.int64), output_offsets) > 0

    is_described = np.logical_or.reduce([values != 0 for values in sizes.values()])
    is_described |= np.diff(list_offsets(per_allocator.field("allocation_records"))) > 0
    labels = records.field("timeline_label")
    is_idle = to_bools(pc.match_substring(labels, b" = NoOp("))
    has_memory = any_allocator(is_described) | to_bools(pc.is_valid(memory_stats)) | is_idle
    negative = {name: any_allocator(values < 0) for name, values in sizes.items()}
    executions = pa.table(
        [
            _before_colon(records.field("node_name")),
            take_text(device_names, device_of_execution, "names of devices"),
            records.field("all_start_micros"),
            records.field("op_end_rel_micros"),
            *_exact_times(records),
            pa.array(allocator_sum("total_bytes") + persistent + temp),
            pa.array(allocator_sum("peak_bytes") + persistent + temp),
            pa.array(allocator_sum("live_bytes") + persistent),
            pa.array(sum_by_row(output_sizes, output_offsets)),
            pa.array(temp),
            pa.array(persistent),
            pa.array(_bytes_in_use(per_allocator, row_of_value(allocator_offsets), len(records))),
            labels,
            pa.array(has_memory),
            pa.array((has_memory | (np.diff(output_offsets) > 0)) & ~any_output(~is_told)),
            pa.array(negative["total_bytes"] | (temp < 0) | (persistent < 0)),
            pa.array(negative["peak_bytes"] | (temp < 0) | (persistent < 0)),
            pa.array(negative["live_bytes"] | (persistent < 0)),
            pa.array(any_output(is_negative_output)),
            pa.array(negative["allocator_bytes_in_use"]),
            pa.nulls(len(records), pa.int64()),
            pa.array(np.zeros(len(records), dtype=bool)),
        ],
        schema=EXECUTIONS,
    )
    execution = row_of_value(allocator_offsets)
    return RunMetaColumns(
        executions=executions,
        allocations=_allocations(
            per_allocator, execution, take_text(device_names, device_of_execution[execution], "names of devices")
        ),
        outputs=_outputs(outputs, shapes, pc.match_substring(records.field("node_name"), ":")),
        devices=tuple(device_names.to_pylist()),
        has_step_stats=True,
        activity=Later(partial(read_activity, records, device_of_execution, device_names, executions)),
    )


def _exact_times(records: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return `start_nanos`, `nanos` and `ends_early` of `EXECUTIONS`.

    A field that is 0 was not written. A record with a start in nanoseconds and no end in either unit took none.
    """
    start, kernel, end = (
        to_ints(records.field(name)) for name in ("all_start_nanos", "op_start_rel_nanos", "op_end_rel_nanos")
    )
    kernel_micros, end_micros = (to_ints(records.field(name)) for name in ("op_start_rel_micros", "op_end_rel_micros"))
    is_exact = (end != 0) | ((start > 0) & (end_micros == 0))
    kernel, end_of_kernel = np.where(end != 0, (kernel, end), (kernel_micros, end_micros))
    ends_early = (end_of_kernel < 0) | ((end_of_kernel != 0) & (end_of_kernel < kernel))
    return pa.array(start, mask=start <= 0), pa.array(end, mask=~is_exact), pa.array(ends_early)


def _before_colon(names: pa.Array) -> pa.Array:
    """Return each name up to its first ``:`` (``a:Conv2D`` is a kernel of node ``a``)."""
    if not contains(names, b":"):
        return names
    has_colon = pc.match_substring(names, ":")
    cut = pc.list_element(pc.split_pattern(names.filter(has_colon), ":", max_splits=1), 0)
    return pc.replace_with_mask(names, has_colon, cut)


def _shapes_of(outputs: pa.Array) -> pa.ListArray:
    """Return the shape of each output, NULL where it has none."""
    shapes = pc.struct_field(outputs, ["tensor_description", "shape"])
    return dims_of(shapes, np.where(to_bools(pc.is_valid(shapes)), np.arange(len(shapes)), -1))


def _output_bytes(outputs: pa.Array, shapes: pa.ListArray) -> tuple[Ints, Bools, Bools]:
    """Return the bytes of each output, whether a size of it is negative, and whether its bytes are known.

    TensorFlow does not describe the allocation of a tensor without elements, since it has none: that is 0.
    """
    described = pc.struct_field(outputs, ["tensor_description", "allocation_description"])
    requested, allocated = (
        to_ints(pc.fill_null(pc.struct_field(described, name), 0)) for name in ("requested_bytes", "allocated_bytes")
    )
    is_described = to_bools(pc.is_valid(described))
    is_zero = (to_ints(list_values(shapes)) == 0).astype(np.int64)
    is_empty = sum_by_row(is_zero, list_offsets(shapes)) > 0
    sizes = np.where(is_described, np.maximum(requested, allocated), 0)
    return sizes, (requested < 0) | (allocated < 0), is_described | is_empty


def _bytes_in_use(per_allocator: pa.Array, execution: Ints, count: int) -> Ints:
    in_use = to_ints(per_allocator.field("allocator_bytes_in_use"))
    largest = np.zeros(count, dtype=np.int64)
    of_gpu = is_gpu_allocator(per_allocator.field("allocator_name"))
    np.maximum.at(largest, execution[of_gpu], in_use[of_gpu])
    return largest


def _outputs(outputs: pa.ListArray, shapes: pa.ListArray, is_kernel: pa.Array) -> pa.Table:
    """Return the table `RunMetaColumns.outputs`, without the outputs of kernels."""
    offsets = list_offsets(outputs)
    execution = row_of_value(offsets)
    table = pa.table(
        [
            pa.array(execution),
            pa.array(np.arange(len(execution)) - offsets[:-1][execution]),
            pa.array(np.diff(offsets)[execution]),
            shapes,
        ],
        schema=OUTPUTS,
    )
    return table.filter(pa.array(~to_bools(is_kernel)[execution]))


def _allocations(per_allocator: pa.Array, execution: Ints, devices: pa.Array) -> pa.Table:
    records = per_allocator.field("allocation_records")
    allocator_of_record = row_of_value(list_offsets(records))
    changes = list_values(records)
    names = per_allocator.field("allocator_name")
    nulls = pa.nulls(len(per_allocator), pa.int64())
    executions, not_told = pa.array(execution), [pa.nulls(len(per_allocator), pa.string())] * 2
    in_use = pa.table(
        [executions, devices, names, per_allocator.field("allocator_bytes_in_use"), nulls, nulls, *not_told],
        schema=ALLOCATIONS,
    )
    recorded = pa.table(
        [
            executions.take(pa.array(allocator_of_record)),
            take_text(devices, allocator_of_record, "names of devices"),
            take_text(names, allocator_of_record, "names of allocators"),
            pa.nulls(len(changes), pa.int64()),
            changes.field("alloc_micros"),
            changes.field("alloc_bytes"),
            *[pa.nulls(len(changes), pa.string())] * 2,
        ],
        schema=ALLOCATIONS,
    )
    return pa.concat_tables([in_use.filter(pc.not_equal(in_use["bytes_in_use"], 0)), recorded])
