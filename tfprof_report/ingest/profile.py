"""ProfileProto, as ProfileContext and tfprof write it, to the columns of a graph, run metadata and an op log.

A profile has less information than the files that it was made from. It lacks the output index of an edge and whether it
is a control input; a scalar shape has become the shape (1); records on other devices than a node's first one are
missing; and of records on devices that tfprof does not count (single streams, copies) only the first start and the last
end are left.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    Struct,
    list_offsets,
    list_values,
    make_lists,
    marks,
    row_of_value,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.ingest.attrs.shape_attrs import shape_attrs
from tfprof_report.ingest.decode import Decoded
from tfprof_report.ingest.graph_def import GraphColumns, first_of_each_name, frame_names, rule_attrs
from tfprof_report.ingest.op_log import OpLogColumns
from tfprof_report.ingest.repeated_text import take_text
from tfprof_report.ingest.run_meta import ALLOCATIONS, EXECUTIONS, NEGATIVE, OUTPUTS, SIZES, RunMetaColumns
from tfprof_report.record import record

_GPU_ALLOCATOR = "GPU"
"""A profile has memory in use of GPU allocators only, without their names; any name with GPU in it will do."""


_FIGURES = {
    "bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "bytes_in_use": "allocator_bytes_in_use",
}


_NODES, _DEVICES = "names of nodes", "names of devices"
"""What is too long, in errors."""


_SIDES = ("host", "accelerator")


_NO_DEVICE, _CPU, _ACCELERATOR, _OTHER = range(4)
"""The sources of execution records, in the order in which a node's records of a step are sorted."""


def read_steps(node: Struct, added: Ints) -> tuple[tuple[int, RunMetaColumns], ...]:
    """Return the records of every step: the steps of `added`, and all others in which a node ran."""
    execs = Struct(node["execs"].items)
    steps = to_ints(node["execs"].keys)
    records, allocations = _records(node, execs, steps)
    bounds = []
    numbers = np.union1d(added, steps)
    for table in (records, allocations):
        at = to_ints(table["step"])
        bounds.append((np.searchsorted(at, numbers), np.searchsorted(at, numbers, side="right")))
    run_metas = []
    for index, number in enumerate(numbers.tolist()):
        (first, last), (first_change, last_change) = ((start[index], stop[index]) for start, stop in bounds)
        mine = records.slice(first, last - first).select(EXECUTIONS.names).cast(EXECUTIONS)
        changes = allocations.slice(first_change, last_change - first_change)
        changes = changes.set_column(0, "execution", pc.subtract(changes["execution"], int(first)))
        columns = RunMetaColumns(
            executions=mine,
            allocations=changes.select(ALLOCATIONS.names).cast(ALLOCATIONS),
            outputs=OUTPUTS.empty_table(),
            devices=tuple(mine["device"].unique().to_pylist()),
            has_step_stats=True,
            is_of_profile=True,
        )
        run_metas.append((number, columns))
    return tuple(run_metas)


def _records(node: Struct, execs: Struct, steps: Ints) -> tuple[pa.Table, pa.Table]:
    """Return `EXECUTIONS` and `ALLOCATIONS` of all steps with a column `step`, sorted by it."""
    node_of_exec = row_of_value(list_offsets(node["execs"]))
    cpu, accelerator = (_times(execs[name]) for name in ("cpu_execs", "accelerator_execs"))
    memory_offsets = list_offsets(execs["memory_execs"])
    memory_exec = row_of_value(memory_offsets)
    memory = Struct(list_values(execs["memory_execs"]))
    # A profile does not say which execution a memory record belongs to. They are in the order of the CPU times; if
    # there are more of them, the first ones are from records without a device name.
    surplus = np.maximum(np.diff(memory_offsets) - np.bincount(cpu.exec, minlength=len(steps)), 0)
    memory_place = np.arange(len(memory_exec)) - memory_offsets[:-1][memory_exec]
    has_no_device = memory_place < surplus[memory_exec]
    first_cpu = np.searchsorted(cpu.exec, np.arange(len(steps)))
    cpu_of_memory = (first_cpu[memory_exec] + memory_place - surplus[memory_exec])[~has_no_device]
    memory_of_cpu = np.full(len(cpu.exec), -1, dtype=np.int64)
    memory_of_cpu[cpu_of_memory] = np.flatnonzero(~has_no_device)
    memory_end = to_ints(memory["memory_micros"])
    # tfprof changes a duration of 0 microseconds to 1, but not the end time in the memory record: take it from there.
    cpu_micros = (
        np.where(memory_of_cpu >= 0, memory_end[memory_of_cpu] - cpu.start, cpu.micros)
        if len(memory_end)
        else cpu.micros
    )
    other = _other_devices(node, execs, node_of_exec, cpu, accelerator)

    alone = np.flatnonzero(has_no_device)
    exec_of = np.concatenate([memory_exec[alone], cpu.exec, accelerator.exec, other.exec])
    kind = np.repeat(
        [_NO_DEVICE, _CPU, _ACCELERATOR, _OTHER], [len(alone), len(cpu.exec), len(accelerator.exec), len(other.exec)]
    )
    memory_of = np.concatenate([alone, memory_of_cpu, np.full(len(accelerator.exec) + len(other.exec), -1)])
    devices = pa.concat_arrays([pa.array([""] * len(alone), pa.string()), cpu.device, accelerator.device, other.device])
    start = np.concatenate([memory_end[alone], cpu.start, accelerator.start, other.start])
    micros = np.concatenate([np.zeros(len(alone), np.int64), cpu_micros, accelerator.micros, other.micros])
    order = np.lexsort((kind, exec_of, steps[exec_of]))
    exec_of, memory_of, index = exec_of[order], memory_of[order], pa.array(order)
    figures = {name: _take_or_zero(to_ints(memory[field]), memory_of) for name, field in _FIGURES.items()}
    for name in ("temp", "persistent"):
        host, accelerators = (_take_or_zero(to_ints(memory[f"{side}_{name}_bytes"]), memory_of) for side in _SIDES)
        figures[f"{name}_bytes"] = host + accelerators
    records = pa.table(
        {
            "step": steps[exec_of],
            "node_name": take_text(node["name"], node_of_exec[exec_of], _NODES),
            "device": devices.take(index),
            "start_micros": start[order],
            "micros": micros[order],
            "label": pa.nulls(len(order), pa.binary()),
            "start_nanos": pa.nulls(len(order), pa.int64()),  # a profile has microseconds only
            "nanos": pa.nulls(len(order), pa.int64()),
            "ends_early": micros[order] < 0,
            "run_count": pa.nulls(len(order), pa.int64()),
            "is_runtime": np.zeros(len(order), dtype=bool),
            **figures,
            **_knowledge(figures, memory_of >= 0, steps[exec_of]),
        }
    )
    return records, _allocations(execs, exec_of, records)


def _knowledge(figures: dict[str, Ints], has_record: Bools, step: Ints) -> dict[str, Bools]:
    """Return the columns of `EXECUTIONS` that tell which sizes are known, and which are negative.

    A profile has a memory record for each execution, of zeros if the trace had none. So zeros count only in a step that
    has another size.
    """
    numbers, place = np.unique(step, return_inverse=True)

    def is_recorded(names: Collection[str]) -> Bools:
        sized = has_record & np.logical_or.reduce([figures[name] != 0 for name in names])
        steps_with_sizes = marks(place[sized], len(numbers))
        recorded: Bools = has_record & steps_with_sizes[place]
        return recorded

    is_temp, is_persistent = (figures[f"{name}_bytes"] < 0 for name in ("temp", "persistent"))
    behind = {"bytes": is_temp | is_persistent, "peak_bytes": is_temp | is_persistent, "residual_bytes": is_persistent}
    has_memory = is_recorded(set(figures) - {"output_bytes"})
    return {
        "has_memory": has_memory,
        "has_outputs": has_memory | is_recorded(["output_bytes"]),
        **{NEGATIVE + name: (figures[name] < 0) | behind.get(name, False) for name in SIZES},
    }


def _take_or_zero(values: Ints, index: Ints) -> Ints:
    """Return ``values[index]``, 0 for -1."""
    return np.append(values, 0)[index]


@record
class _Times:
    """Executions, sorted by `exec`: the row of the (node, step) record that they belong to."""

    exec: Ints
    device: pa.Array
    start: Ints
    micros: Ints


def _times(by_device: pa.MapArray) -> _Times:
    """Return the executions in a map from device to (start, duration) pairs."""
    exec_of_device = row_of_value(list_offsets(by_device))
    times = by_device.items.field("times")
    device_of_time = row_of_value(list_offsets(times))
    pairs = list_values(times).field("int64_values")
    offsets, numbers = list_offsets(pairs), np.append(to_ints(list_values(pairs)), [0, 0])
    sizes = np.diff(offsets)
    return _Times(
        exec=exec_of_device[device_of_time],
        device=take_text(by_device.keys, device_of_time, _DEVICES),
        start=np.where(sizes > 0, numbers[offsets[:-1]], 0),
        micros=np.where(sizes > 1, numbers[offsets[:-1] + 1], 0),
    )


def _other_devices(node: Struct, execs: Struct, node_of_exec: Ints, cpu: _Times, accelerator: _Times) -> _Times:
    """Return one record for each device without times, from the node's first start and last end in the step.

    If tfprof would have counted the device, the lack of times shows that its records had no start: it gets none.
    """
    rows = np.arange(len(node_of_exec))
    lists = execs["devices"]
    listed_exec, listed = row_of_value(list_offsets(lists)), list_values(lists).cast(pa.string())
    # A (node, step) without any device gets one record without a device, so that it is not lost.
    idle = np.setdiff1d(rows, np.concatenate([listed_exec, cpu.exec, accelerator.exec]))
    exec_of = np.concatenate([listed_exec, idle])
    devices = pa.concat_arrays([listed, pa.array([""] * len(idle), pa.string())])
    timed = pa.concat_arrays([cpu.device, accelerator.device])
    words = pa.concat_arrays([devices, timed]).dictionary_encode()
    key = np.concatenate([exec_of, cpu.exec, accelerator.exec]) * max(len(words.dictionary), 1) + to_ints(words.indices)
    _, first = np.unique(np.append(key[len(exec_of) :], key[: len(exec_of)]), return_index=True)
    kept = np.sort(first[first >= len(timed)] - len(timed))
    exec_of, devices = exec_of[kept], devices.take(pa.array(kept))
    canonical = take_text(node["canonical_device"], node_of_exec[exec_of], _DEVICES)
    would_count = to_bools(pc.or_(pc.equal(devices, canonical), pc.match_substring(devices, "stream:all")))
    start, end = (to_ints(execs[name])[exec_of] for name in ("all_start_micros", "latest_end_micros"))
    start = np.where(would_count, 0, start)
    return _Times(exec=exec_of, device=devices, start=start, micros=np.where(start > 0, end - start, 0))


def _allocations(execs: Struct, exec_of_record: Ints, records: pa.Table) -> pa.Table:
    """Return memory in use and allocation records; the latter are assigned to the first record of a node in a step."""
    in_use = to_ints(records["bytes_in_use"])
    using = np.flatnonzero(in_use)
    changes = Struct(list_values(execs["allocations"]))
    exec_of_change = row_of_value(list_offsets(execs["allocations"]))
    first_record = np.zeros(len(execs["allocations"]), dtype=np.int64)
    first_record[exec_of_record[::-1]] = np.arange(len(exec_of_record))[::-1]
    record = np.concatenate([using, first_record[exec_of_change]])
    nulls, zeros = pa.nulls(len(using), pa.int64()), pa.nulls(len(exec_of_change), pa.int64())
    table = pa.table(
        {
            "execution": record,
            "step": to_ints(records["step"])[record],
            "device": take_text(whole(records["device"]), record, _DEVICES),
            "allocator": pa.array([_GPU_ALLOCATOR] * len(record), pa.string()),
            "bytes_in_use": pa.concat_arrays([pa.array(in_use[using]), zeros]),
            "micros": pa.concat_arrays([nulls, changes["alloc_micros"]]),
            "allocated_bytes": pa.concat_arrays([nulls, changes["alloc_bytes"]]),
            **dict.fromkeys(("region", "shape"), pa.nulls(len(record), pa.string())),
        }
    )
    return table.take(pa.array(np.argsort(to_ints(table["step"]), kind="stable")))


_MISSING_POSITIONS, _SPARE_POSITIONS = 10, 1000
"""Lists may have so many positions for each value, and so many more; in real profiles few are missing."""


@record
class Content:
    """A model's graph, run metadata by step and op log, from a profile or from separate files.

    misses_stream : a profile's flag for GPU devices without ``stream:all``; None where run metadata shows it.
    """

    graph: GraphColumns
    run_metas: tuple[tuple[int, RunMetaColumns], ...]
    op_log: OpLogColumns | None
    misses_stream: bool | None = None


def count_steps(decoded: Decoded) -> int:
    """Return how many steps a decoded ProfileProto has."""
    execs = decoded.batch.column("nodes").items.field("execs")
    return len(np.union1d(to_ints(execs.keys), to_ints(list_values(decoded.batch.column("steps")))))


def read_profile(decoded: Decoded) -> Content:
    """Return the columns of a decoded ProfileProto; nodes are in the order of their ids.

    A node that ran, whose op is its own name, and that has no edges, attributes or shape is left out of the graph: it
    was most likely in run metadata only.
    """
    batch = decoded.batch
    by_id = batch.column("nodes")
    ids = to_ints(by_id.keys)
    order = np.argsort(ids, kind="stable")
    node = Struct(by_id.items.take(pa.array(order)))
    names, ops = node["name"], node["op"]
    ran = np.diff(list_offsets(node["execs"])) > 0
    is_bare = np.ones(len(names), dtype=bool)
    for column in ("inputs", "attrs", "shape"):
        is_bare &= np.diff(list_offsets(node[column])) == 0
    is_run_only = ran & is_bare & to_bools(pc.equal(ops, names))
    shape = _known_shapes(node["shape"])
    table = pa.table(
        {
            "name": names,
            "op": ops.dictionary_encode(),
            "device": pa.array([""] * len(names), pa.string()).dictionary_encode(),
            "inputs": _inputs(node["inputs"], ids[order], names),
            "shape": shape,
            "output_shapes": _output_shapes(node["output_shapes"]),
            **rule_attrs(node["attrs"], len(names)),
            "frame_name": frame_names(node["attrs"], len(names)),
            "value": shape_attrs(node["attrs"], shape)["value"],
        }
    )
    strings = batch.column("id_to_string")
    has_trace = bool(batch.column("has_trace")[0].as_py())
    entries = {
        "name": names,
        "float_ops": node["float_ops"],
        "types": _log_types(node["op_types"], ops, node["canonical_device"]),
        "has_code_def": pa.array(np.full(len(names), has_trace)),
        "traces": node["trace"].field("traces"),
    }
    return Content(
        graph=first_of_each_name(table.filter(pa.array(~is_run_only))),
        run_metas=read_steps(node, to_ints(list_values(batch.column("steps")))),
        op_log=OpLogColumns(
            entries=pa.table(entries),
            strings=pa.table({"id": strings.keys, "string": pc.fill_null(strings.items, "")}),
        ),
        misses_stream=bool(batch.column("miss_accelerator_stream")[0].as_py()),
    )


def _inputs(inputs: pa.MapArray, ids: Ints, names: pa.Array) -> pa.ListArray:
    """Return the names of each node's input nodes by position; NULL where a position or a node is missing."""
    row, position = row_of_value(list_offsets(inputs)), to_ints(inputs.keys)
    source = to_ints(pc.fill_null(inputs.items, 0))
    place = np.minimum(np.searchsorted(ids, source), max(len(ids) - 1, 0))
    written = pc.if_else(pc.starts_with(names, "^"), pc.binary_join_element_wise("^", names, ""), names)
    found = take_text(written, np.where(ids[place] == source, place, -1), _NODES)
    return _by_position(found, row, position, len(inputs))


def _output_shapes(shapes: pa.MapArray) -> pa.ListArray:
    """Return each node's shapes by output; NULL for an unknown rank, and for a node without any."""
    row, position = row_of_value(list_offsets(shapes)), to_ints(shapes.keys)
    sizes = _known_shapes(shapes.items.field("int64_values"))
    lists = _by_position(sizes, row, position, len(shapes))
    is_empty = pa.array(np.diff(list_offsets(shapes)) == 0)
    return pc.if_else(is_empty, pa.scalar(None, lists.type), lists)


def _by_position(values: pa.Array, row: Ints, position: Ints, count: int) -> pa.ListArray:
    """Return a list per row with each value at its position, NULL at positions that are missing."""
    order = np.lexsort((position, row))
    row, position = row[order], position[order]
    counts = np.bincount(row, minlength=count).astype(np.int64)
    sizes = _list_sizes(row, position, count)
    if position.min(initial=0) < 0 or sizes.sum() > _MISSING_POSITIONS * len(position) + _SPARE_POSITIONS:
        # Such positions cannot be real, and lists that long would exhaust memory: number the values in order instead.
        position = np.arange(len(position)) - np.repeat(np.cumsum(counts) - counts, counts)
        sizes = counts
    starts = np.cumsum(sizes) - sizes
    index = np.full(int(sizes.sum()), -1, dtype=np.int64)
    index[starts[row] + position] = order
    return make_lists(values.take(pa.array(index, mask=index < 0)), sizes)


def _list_sizes(row: Ints, position: Ints, count: int) -> Ints:
    sizes = np.zeros(count, dtype=np.int64)
    np.maximum.at(sizes, row, position + 1)
    return sizes


def _known_shapes(shapes: pa.ListArray) -> pa.ListArray:
    """Return shapes with NULL for an empty one, which means unknown: a scalar is (1) in a profile."""
    sizes = list_offsets(shapes)
    return make_lists(list_values(shapes), np.diff(sizes), is_null=np.diff(sizes) == 0)


def _log_types(types: pa.ListArray, ops: pa.Array, devices: pa.Array) -> pa.ListArray:
    """Return the types from the op log: those that are neither the op nor the device of a node."""
    row, words = row_of_value(list_offsets(types)), list_values(types)
    op, device = take_text(ops, row, "names of op types"), take_text(devices, row, _DEVICES)
    explained = to_bools(pc.or_(pc.equal(words, op), pc.equal(words, device)))
    counts = np.bincount(row[~explained], minlength=len(types)).astype(np.int64)
    return make_lists(words.filter(pa.array(~explained)), counts)
