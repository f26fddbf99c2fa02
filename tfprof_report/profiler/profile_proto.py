"""Writes a model with all its steps as one ProfileProto, as tfprof's ``serialize_to_string`` does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.model.join.log_entries import sorted_types
from tfprof_report.model.node_table import NodeTable
from tfprof_report.profiler.handed_over import ProfileProto

_GPU = re.compile(r"gpu:\d+", re.ASCII)


def profile_bytes(table: NodeTable) -> bytes:
    """Return the bytes of a ProfileProto; the id of a node is its row.

    Inputs that name no node are left out, and ``data_format`` is the only attribute written. Records that tfprof drops
    are dropped too. The message is built node by node in Python, since this is not a hot path.
    """
    proto = ProfileProto(
        has_trace=table.traces.is_present,
        steps=table.step_numbers,
        miss_accelerator_stream=table.misses_stream,
    )
    strings: dict[str, int] = {}
    types = sorted_types([table.ops, table.canonical_device.cast(pa.string()), table.log_types], table.count)
    columns = zip(
        *(column.to_pylist() for column in (table.column("name"), table.ops, types)),
        *(table.column(name).to_pylist() for name in ("shape", "output_shapes", "float_ops")),
        table.canonical_device.to_pylist(),
        table.data_format.to_pylist(),
        strict=True,
    )
    for row, (name, op, op_types, shape, output_shapes, float_ops, device, data_format) in enumerate(columns):
        node = proto.nodes[row]
        node.id, node.name, node.op, node.float_ops = row, name, op, float_ops or 0
        node.op_types.extend(op_types)
        node.shape.extend(_sizes(shape))
        for index, each in enumerate(output_shapes or ()):
            node.output_shapes[index].int64_values.extend(_sizes(each))
        if device is not None:
            node.canonical_device, node.host_device = device, _GPU.sub("cpu:0", device)
        if data_format is not None:
            node.attrs["data_format"].s = data_format.encode()
    edges = table.edges.filter(pc.is_valid(table.edges["source"]))
    for row, position, source in zip(
        *(edges[name].to_pylist() for name in ("node", "position", "source")), strict=True
    ):
        proto.nodes[row].inputs[position] = source
        proto.nodes[row].src_output_index[source] = 0
    _add_traces(proto, table, strings)
    _add_steps(proto, table)
    for string, number in strings.items():
        proto.id_to_string[number] = string
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def _sizes(shape: list[int] | None) -> list[int]:
    """Return a shape as tfprof stores it: a scalar is [1], an unknown rank is empty."""
    return [] if shape is None else shape or [1]


def _add_traces(proto: Any, table: NodeTable, strings: dict[str, int]) -> None:
    traces = table.traces
    frames = traces.frames.to_pylist()
    for row in np.flatnonzero(np.diff(traces.offsets)).tolist():
        for number in traces.frame[traces.offsets[row] : traces.offsets[row + 1]].tolist():
            frame = frames[number]
            proto.nodes[row].trace.traces.add(
                lineno=frame["line"],
                func_start_line=frame["func_start_line"],
                file_id=strings.setdefault(frame["file"], len(strings)),
                function_id=strings.setdefault(frame["function"], len(strings)),
            )


def _add_steps(proto: Any, table: NodeTable) -> None:
    kept = np.flatnonzero(table.records["first_device"].to_numpy())
    place = {record: number for number, record in enumerate(kept.tolist())}
    made = []
    for record in _records(table.records.take(pa.array(kept))):
        execution = proto.nodes[record["node"]].execs[record["step"]]
        made.append(execution)
        if record["device"] not in execution.devices:
            execution.devices.append(record["device"])
        if record["is_timed"]:
            _add_time(execution, record)
        if record["holds_memory"]:
            _add_memory(execution, record)
    for change in _records(table.allocations):
        number = place.get(change["record"])
        if number is not None and table.records["holds_memory"][change["record"]].as_py():
            made[number].allocations.add(alloc_micros=change["micros"], alloc_bytes=change["bytes"])


def _add_time(execution: Any, record: dict[str, Any]) -> None:
    start, micros = record["start_micros"], max(record["micros"], 1) if record["micros"] == 0 else record["micros"]
    starts = [each for each in (execution.all_start_micros, start) if each]
    execution.all_start_micros = min(starts)
    execution.latest_end_micros = max(execution.latest_end_micros, start + micros)
    if record["is_stream"]:
        execution.accelerator_execs[record["device"]].times.add(int64_values=[start, micros])
    elif record["is_canonical"]:
        execution.cpu_execs[record["device"]].times.add(int64_values=[start, micros])
        execution.run_count += 1


def _add_memory(execution: Any, record: dict[str, Any]) -> None:
    where = "host" if "cpu" in record["device"] else "accelerator"
    execution.memory_execs.add(
        memory_micros=record["start_micros"] + record["micros"],
        requested_bytes=record["bytes"],
        peak_bytes=record["peak_bytes"],
        residual_bytes=record["residual_bytes"],
        output_bytes=record["output_bytes"],
        allocator_bytes_in_use=record["bytes_in_use"],
        **{f"{where}_temp_bytes": record["temp_bytes"], f"{where}_persistent_bytes": record["persistent_bytes"]},
    )


def _records(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()
