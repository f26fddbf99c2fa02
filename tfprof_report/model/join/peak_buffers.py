"""Whose buffers a device holds at the moment of its peak, from the allocation records of run metadata.

TensorFlow (`step_stats_collector.cc`, `tracking_allocator.cc`) notes what a kernel allocates with the kernel's node
and, until the step ends, when each of these buffers is released. So a buffer belongs to the node that allocated it,
even where a later node goes on to use it in place. What was allocated before the step (variables, fed tensors) has no
record: only the device's bytes in use contain it, which many CPU allocators do not count.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, exact_sum, first_places, sort_distinct, to_bools, to_ints, whole
from tfprof_report.ingest.graph_def import SHAPE
from tfprof_report.ingest.xplane.sizes import parse_sizes
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.join.clocks import near
from tfprof_report.model.join.device_memory import (
    OF_RECORDS,
    DeviceTrace,
    HeldBytes,
    Steps,
    device_peak,
    device_traces,
    held_bytes,
)
from tfprof_report.record import record

BUFFERS = pa.schema(
    [
        ("device", pa.string()),
        ("step", pa.int64()),
        ("micros", pa.int64()),
        ("allocator", pa.string()),
        ("name", pa.string()),
        ("is_recorded", pa.bool_()),
        ("is_workspace", pa.bool_()),
        ("region", pa.string()),
        ("shape", SHAPE),
        ("bytes", pa.int64()),
    ]
)

_FAR, _NEVER = 2**61, 2**63 - 1
"""Most microseconds of a start and of a duration, two of which add up within int64, and a moment after all of them."""


def buffers_at_peak(run_metas: Steps) -> pa.Table:
    """Return what each CPU or GPU device holds at its peak (`device_memory.device_peaks`), as `BUFFERS`.

    One row per device, step, allocator and name of a record, and what a trace says that the memory is for (`region`,
    `shape`), largest first: its bytes held at that moment. Those that a
    running kernel releases before it ends are a row of their own, `is_workspace`; buffers have no names in a trace, so
    they are told by their sizes. Then the device's only row without a record (`is_recorded` is False): the rest, so
    that the rows add up to the peak. That is mostly what was allocated before the step; it is NULL where the peak is
    that of the records, which do not say it, and negative if the records hold more than that. `micros` is the moment
    of the peak on the axis of `memory_over_time`, NULL without records. The moment of bytes in use is the end of the
    kernel with whose node they stand. Devices whose peak is unknown have no rows.
    """
    return pa.concat_tables([BUFFERS.empty_table(), *map(_at_peak, device_traces(run_metas))])


@record
class _Moment:
    """The moment of a peak.

    micros : an absolute time; None if the trace does not say when it was
    allocator : the one whose bytes in use are the peak; None if the peak is that of the records of all
    is_over, is_ahead : the records that the peak counts, and those that come after it, in the order of `HeldBytes`
    """

    micros: int | None
    allocator: str | None
    is_over: Bools
    is_ahead: Bools


def _at_peak(trace: DeviceTrace) -> pa.Table:
    peak = device_peak(trace)
    if peak.device_peak_bytes is None:
        return BUFFERS.empty_table()
    records = held_bytes(trace.allocations)
    is_replayed = peak.source == OF_RECORDS
    moment = _highest_sum(records) if is_replayed else _highest_use(trace, records)
    held = _held(trace, records, moment)
    rest = peak.device_peak_bytes - exact_sum(held["bytes"])
    allocators = whole(trace.allocations["allocator"]).unique().to_pylist()
    unrecorded = pa.table(
        {
            "allocator": pa.array([allocators[0] if len(allocators) == 1 else moment.allocator], pa.string()),
            "name": pa.nulls(1, pa.string()),
            "is_workspace": [False],
            "region": pa.nulls(1, pa.string()),
            "shape": pa.nulls(1, SHAPE),
            "bytes": pa.array([None if is_replayed and not rest else rest], pa.int64()),
        }
    )
    rows = pa.concat_tables([held, unrecorded])
    count = rows.num_rows
    columns = {
        "device": pa.array([trace.device] * count, pa.string()),
        "step": np.full(count, trace.step),
        "micros": pa.array([_on_axis(moment.micros, records.micros, is_record=is_replayed)] * count, pa.int64()),
        "is_recorded": np.arange(count) < held.num_rows,
        **{name: rows[name] for name in rows.column_names},
    }
    return pa.table([columns[name] for name in BUFFERS.names], schema=BUFFERS)


def _highest_sum(records: HeldBytes) -> _Moment:
    """Return the first moment with the largest running sum."""
    held = records.held if records.held is not None else np.zeros(0, np.int64)
    last = int(np.argmax(held))
    is_over = np.arange(len(held)) <= last
    return _Moment(micros=int(records.micros[last]), allocator=None, is_over=is_over, is_ahead=~is_over)


def _highest_use(trace: DeviceTrace, records: HeldBytes) -> _Moment:
    """Return the first moment at which an allocator has the most bytes in use."""
    noted = trace.allocations.filter(trace.allocations["bytes_in_use"].is_valid())
    noted = noted.filter(pc.equal(noted["bytes_in_use"], pc.max(noted["bytes_in_use"])))
    start, end = _times(trace, to_ints(noted["execution"]))
    end = np.where(start > 0, end, _NEVER)
    first = int(np.argmin(end))
    allocator = noted["allocator"][first].as_py()
    is_counted = to_bools(pc.equal(trace.allocations["allocator"], allocator))[records.record]
    if end[first] == _NEVER:
        nothing = np.zeros_like(is_counted)
        return _Moment(micros=None, allocator=allocator, is_over=nothing, is_ahead=nothing)
    is_over = records.micros <= end[first]
    return _Moment(
        micros=int(end[first]), allocator=allocator, is_over=is_counted & is_over, is_ahead=is_counted & ~is_over
    )


def _times(trace: DeviceTrace, execution: Ints) -> tuple[Ints, Ints]:
    """Return when executions start, and when their kernels end."""
    chosen = trace.executions.select(["start_micros", "micros"]).take(pa.array(execution))
    start, micros = (np.clip(to_ints(column), -_FAR, _FAR) for column in chosen.columns)
    return start, start + micros


def _on_axis(moment: int | None, micros: Ints, *, is_record: bool) -> int | None:
    """Return a moment as microseconds since the first of the records, as `memory_over_time` counts them."""
    if moment is None or not len(micros):
        return None
    first, last = near(micros)
    since = (min(max(moment, first), last) if is_record else moment) - first
    return since if abs(since) < INT64_LIMIT else None


def _held(trace: DeviceTrace, records: HeldBytes, moment: _Moment) -> pa.Table:
    """Return allocator, name, is_workspace, region, shape and bytes of what is held, largest first."""
    is_counted = moment.is_over | moment.is_ahead
    rows = trace.allocations.take(pa.array(records.record[is_counted]))
    change, is_over = to_ints(rows["allocated_bytes"]), moment.is_over[is_counted]
    allocators = whole(rows["allocator"]).dictionary_encode()
    use = _uses(rows)
    keys = [to_ints(rows["execution"]), to_ints(allocators.indices), use]
    (execution, allocator, of_group), group = sort_distinct(keys)
    held = _sums(np.where(is_over, change, 0), group, len(execution))
    start, end = _times(trace, execution)
    workspace = np.zeros_like(held)
    if moment.micros is not None:
        is_running = (start > 0) & (start <= moment.micros) & (moment.micros <= end)
        of_running = is_running[group]
        is_soon = records.micros[is_counted] <= end[group]
        workspace = _released(
            change[of_running], group[of_running], is_over[of_running], is_soon[of_running], count=len(held)
        )
    names = whole(trace.executions["node_name"].take(pa.array(execution))).dictionary_encode()
    both = np.concatenate([held - workspace, workspace])
    is_workspace = np.repeat(np.array([0, 1]), len(held))
    keys, row = sort_distinct(
        [np.tile(allocator, 2), np.tile(to_ints(names.indices), 2), is_workspace, np.tile(of_group, 2)]
    )
    told = rows.select(["region", "shape"]).take(pa.array(first_places(use)[keys[3]]))
    found = pa.table(
        {
            "allocator": allocators.dictionary.take(pa.array(keys[0])),
            "name": names.dictionary.take(pa.array(keys[1])),
            "is_workspace": keys[2].astype(bool),
            "region": told["region"],
            "shape": parse_sizes(whole(told["shape"])),
            "bytes": _sums(both, row, len(keys[0])),
        }
    )
    found = found.filter(pc.greater(found["bytes"], 0))
    return found.sort_by(
        [("bytes", "descending"), *((key, "ascending") for key in ("name", "allocator", "is_workspace"))]
    )


def _uses(rows: pa.Table) -> Ints:
    """Return a number for what a trace says that each allocation is for: 0, 1, 2 ... by region and shape."""
    texts = pc.binary_join_element_wise(*(pc.fill_null(whole(rows[name]), "") for name in ("region", "shape")), "\n")
    return to_ints(texts.dictionary_encode().indices)


def _released(change: Ints, group: Ints, is_over: Bools, is_soon: Bools, *, count: int) -> Ints:
    """Return for each of `count` groups the bytes of its buffers that are held, and released soon.

    The arrays have an allocation record each: its bytes, its group, whether the peak counts it, and whether it is made
    before its kernel ends.
    """
    (owner, size), buffer = sort_distinct([group, np.abs(change)])
    held, released = np.zeros_like(size), np.zeros_like(size)
    np.add.at(held, buffer, np.sign(change) * is_over)
    np.add.at(released, buffer, (change < 0) & ~is_over & is_soon)
    return _sums(np.clip(np.minimum(held, released), 0, None) * size, owner, count)


def _sums(values: Ints, group: Ints, count: int) -> Ints:
    """Return the sum of the values of each of `count` groups."""
    sums = np.zeros(count, dtype=np.int64)
    np.add.at(sums, group, values)
    return sums
