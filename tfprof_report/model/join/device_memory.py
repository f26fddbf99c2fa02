"""Memory in use per device and step: its peak and its course over time, from run metadata, without regard to nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfprof_report.arrays import Ints, to_bools, to_ints
from tfprof_report.ingest.run_meta import ALLOCATIONS, RunMetaColumns
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.join.clocks import near
from tfprof_report.model.join.devices import CANONICAL
from tfprof_report.model.totals import DevicePeak
from tfprof_report.record import record
from tfprof_report.schema.tables import MEMORY

Steps = tuple[tuple[int, RunMetaColumns], ...]

MAX_POINTS = 1000
"""Points per device and step; a trace has an allocation per output of a node."""

_WITHOUT = ("the trace has no memory in use", "the allocation records only release memory")
"""Why a peak is unknown, without and with allocation records."""

_TOO_LARGE = "the allocation records add up to more bytes than an integer holds"

IN_USE, OF_RECORDS = "allocator_bytes_in_use", "allocation records"
"""The figures of a trace that a peak is taken from."""


@record
class DeviceTrace:
    """What a trace tells of the memory of one CPU or GPU device in one step.

    allocations : rows of `RunMetaColumns.allocations`, of the allocators that count
    executions : node_name, start_micros and micros of all executions of the step, which `allocations` refer to
    """

    device: str
    step: int
    allocations: pa.Table
    executions: pa.Table


@record
class HeldBytes:
    """The running sum of allocation records.

    record : the row in `DeviceTrace.allocations` of each allocation record, in order of time
    micros : when each was made
    held : bytes held after each, relative to before the first; None if int64 can't hold them
    """

    record: Ints
    micros: Ints
    held: Ints | None


def device_peaks(run_metas: Steps) -> tuple[DevicePeak, ...]:
    """Return peak memory in use per CPU or GPU device and step, in bytes.

    The larger of the maximum of ``allocator_bytes_in_use`` and the maximum of the running sum of allocation records;
    None where a trace has neither. An allocator notes its bytes in use when a node ends, after temporary memory was
    released, and the running sum starts at 0 though memory was held before, so that either may be too small. A negative
    number of bytes in use is not counted, nor are records that only release memory. On a GPU device only allocators
    with ``GPU`` in their name count, as in tfprof: the others are host memory.
    """
    return tuple(device_peak(trace) for trace in device_traces(run_metas))


def memory_over_time(run_metas: Steps) -> pa.Table:
    """Return the running sum of the allocation records of each device and step, over the same allocators.

    One row per moment: device, step, micros since the step's first record of that device, bytes held relative to that
    moment, negative where more is released than was allocated. A moment that is far from the others is moved to the
    first or last of these. More than `MAX_POINTS` moments are downsampled to the maximum of each stretch, which keeps
    the peak. A trace without allocation records gives no rows, nor does one whose bytes or times int64 can't hold.
    """
    tables = [_over_time(trace) for trace in device_traces(run_metas)]
    return pa.concat_tables([MEMORY.empty_table(), *tables])


def device_traces(run_metas: Steps) -> Iterator[DeviceTrace]:
    """Yield what is known of each CPU or GPU device, by step and then by name."""
    by_step: dict[int, list[RunMetaColumns]] = {}
    for step, columns in run_metas:
        by_step.setdefault(step, []).append(columns)
    for step, parts in sorted(by_step.items()):
        allocations = pa.concat_tables(_counted_through(parts))
        executions = pa.concat_tables([part.executions.select(_OF_EXECUTIONS) for part in parts])
        devices = sorted({name for part in parts for name in part.devices if CANONICAL.fullmatch(name)})
        number = to_ints(pc.fill_null(pc.index_in(allocations["device"], pa.array(devices, pa.string())), -1))
        order = np.argsort(number, kind="stable")
        bounds = np.searchsorted(number[order], np.arange(len(devices) + 1))
        for device, start, end in zip(devices, bounds[:-1], bounds[1:], strict=True):
            mine = allocations.take(pa.array(order[start:end]))
            if "gpu" in device:
                mine = mine.filter(pc.match_substring(mine["allocator"], "GPU"))
            yield DeviceTrace(device=device, step=step, allocations=mine, executions=executions)


_OF_EXECUTIONS = ["node_name", "start_micros", "micros"]


def _counted_through(parts: Sequence[RunMetaColumns]) -> list[pa.Table]:
    """Return the allocations of each part of a step, with `execution` a row of the executions of all parts."""
    before = np.cumsum([0, *(part.executions.num_rows for part in parts)])
    at = ALLOCATIONS.get_field_index("execution")
    return [
        part.allocations.set_column(at, ALLOCATIONS.field(at), pc.add(part.allocations["execution"], int(first)))
        for part, first in zip(parts, before, strict=False)
    ]


def device_peak(trace: DeviceTrace) -> DevicePeak:
    """Return the peak of one device in one step, as `device_peaks` does."""
    in_use = to_ints(trace.allocations["bytes_in_use"].drop_null())
    in_use = in_use[in_use >= 0]
    held = held_bytes(trace.allocations).held
    if held is None:
        return DevicePeak(device=trace.device, step=trace.step, device_peak_bytes=None, source=_TOO_LARGE)
    found = []
    if len(in_use):
        found.append((int(in_use.max()), IN_USE))
    if (held > 0).any():
        found.append((int(held.max()), OF_RECORDS))
    value, source = max(found, key=lambda peak: peak[0], default=(None, _WITHOUT[len(held) > 0]))
    return DevicePeak(device=trace.device, step=trace.step, device_peak_bytes=value, source=source)


def _over_time(trace: DeviceTrace) -> pa.Table:
    summed = held_bytes(trace.allocations)
    micros, held = summed.micros, summed.held
    if len(micros):
        first, last = near(micros)
        micros = np.clip(micros, first, last)  # a stray moment would leave no room for the others
        if last - first >= INT64_LIMIT:
            held = None
    if held is None:
        return MEMORY.empty_table()
    at = _highest_of_stretches(held)
    return pa.table(
        [
            pa.array([trace.device] * len(at), pa.string()),
            np.full(len(at), trace.step),
            micros[at] - micros[:1],
            held[at],
        ],
        schema=MEMORY,
    )


def held_bytes(allocations: pa.Table) -> HeldBytes:
    """Return the running sum of the allocation records among `allocations`."""
    record = np.flatnonzero(to_bools(allocations["micros"].is_valid()))
    records = allocations.take(pa.array(record))
    micros, changes = (to_ints(records[name]) for name in ("micros", "allocated_bytes"))
    order = np.argsort(micros, kind="stable")
    changes = changes[order]
    may_wrap = np.abs(changes.astype(np.float64)).sum() >= INT64_LIMIT
    return HeldBytes(record=record[order], micros=micros[order], held=None if may_wrap else np.cumsum(changes))


def _highest_of_stretches(values: Ints) -> NDArray[np.intp]:
    """Return the indices of all values, or of the first maximum of each of `MAX_POINTS` equal stretches."""
    count = len(values)
    if count <= MAX_POINTS:
        return np.arange(count)
    stretch = np.arange(count) * MAX_POINTS // count
    points = np.arange(MAX_POINTS)
    highest = np.maximum.reduceat(values, np.searchsorted(stretch, points))
    hits = np.flatnonzero(values == highest[stretch])
    first: NDArray[np.intp] = hits[np.searchsorted(stretch[hits], points)]
    return first
