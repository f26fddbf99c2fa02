"""The events of all steps on one clock per step, with what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, distinct, to_bools, to_ints, whole
from tfprof_report.ingest.activity import CODES, KINDS, Activity
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.model.join.clocks import Fault, check_times
from tfprof_report.model.join.devices import CANONICAL
from tfprof_report.model.totals import StepWall
from tfprof_report.record import record

NO_KIND = len(CODES)
"""The code of an event whose kind is not told."""

BUSY = (
    *(Activity.COMPUTE, Activity.COLLECTIVE),
    *(Activity.HOST_TO_DEVICE, Activity.DEVICE_TO_HOST, Activity.DEVICE_TO_DEVICE),
)
"""What keeps a device busy. In the other kinds it waits for others, or the host works for it."""

_OF_HOST = (Activity.LAUNCH, Activity.SEND, Activity.RECEIVE, Activity.INPUT_WAIT)
"""What a host notes of a GPU, whose kernels may have another clock."""

_OF_TASK = re.compile(r"(?:device:)?\w+:\d+$")
"""The part of a device's name that comes after its task."""

_MOST_IDLE = 10**6

NO_TRACE = "its kernels have no trace"
NO_TIME = "events without a time"
SEVERAL_CLOCKS = "a part of a device has another clock"


@record
class Events:
    """The events of all steps. A group is a step and a device that was traced in it (`_traced`), sorted by both.

    table : `ACTIVITY`, of which `name`, `bytes`, `source`, `destination` and `correlation` are read
    step : of each event, its index in `numbers`
    device : of each event, its index in `devices`
    kind : code of each event, by `CODES`
    start, end : nanoseconds since the step began, by its mark or with its first start; 0 without a sound time
    is_sound : which events have a time that is possible
    numbers : the steps, ascending
    devices : the names of devices, sorted
    span : nanoseconds of each step: its wall time, at least from its first start to its last end
    span_reason : per step why that is not known, empty if it is
    group : of each event
    group_step, group_device : step and device of each group
    busy_reason : per group why not all is known that the device did, empty if it is
    """

    table: pa.Table
    step: Ints
    device: Ints
    kind: Ints
    start: Ints
    end: Ints
    is_sound: Bools
    numbers: Ints
    devices: tuple[str, ...]
    span: Ints
    span_reason: tuple[str, ...]
    group: Ints
    group_step: Ints
    group_device: Ints
    busy_reason: tuple[str, ...]

    @property
    def is_busy(self) -> Bools:
        """Which events keep their device busy, with or without a sound time."""
        return _are_busy(self.kind)

    def groups_of(self, step: Ints, device: Ints) -> Ints:
        """Return the group of each step and device (-1: none), -1 if it has none."""
        keys = self.group_step * len(self.devices) + self.group_device
        wanted = step * len(self.devices) + device
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((device >= 0) & (keys[place] == wanted), place, -1)


def gather_events(
    run_metas: Sequence[tuple[int, RunMetaColumns]],
    walls: Mapping[int, StepWall],
    without_trace: Collection[str] = (),
    *,
    has_other_clocks: bool = False,
) -> Events | None:
    """Return the events of all steps; None if there are none.

    Parameters
    ----------
    walls : the wall times of steps by number, so far as there are any
    without_trace : the GPUs that launched kernels of which some step has no trace
    has_other_clocks : devices were moved to the clock of their step for `walls`. Events that are further apart than
        the wall time then are parts of one device (streams of a GPU) with several clocks: when it was idle is unknown.
    """
    counted = [(step, columns.activity()) for step, columns in run_metas if columns.activity().num_rows]
    if not counted:
        return None
    table = pa.concat_tables([activity for _, activity in counted]).unify_dictionaries().combine_chunks()
    step = np.repeat([step for step, _ in counted], [activity.num_rows for _, activity in counted])
    numbers = distinct(step)
    step = np.searchsorted(numbers, step)
    devices, device = _sorted_devices(whole(table["device"]))
    kind = _codes_of(whole(table["kind"]))
    is_timed = to_bools(pc.is_valid(table["start_nanos"]))
    start, end = (to_ints(pc.fill_null(table[name], 0)) for name in ("start_nanos", "end_nanos"))
    is_of_host = np.isin(kind, [CODES[each] for each in _OF_HOST])
    checked = check_times(
        start,
        end - start,
        ends_early=to_bools(pc.is_null(table["end_nanos"])),
        is_timed=is_timed,
        step=step,
        device=2 * device + is_of_host,
        devices=[name for name in devices for _ in range(2)],
        is_canonical=[bool(CANONICAL.fullmatch(name)) for name in devices for _ in range(2)],
    )
    is_sound = is_timed & (checked.fault == Fault.NONE)
    first = np.full(len(numbers), np.iinfo(np.int64).max)
    np.minimum.at(first, step[is_sound], checked.start[is_sound])
    for number, begun in {number: each.wall_start for number, each in run_metas if each.activity().num_rows}.items():
        at, marked = np.searchsorted(numbers, number), walls.get(number)
        if begun is not None and marked is not None and 0 <= first[at] - begun <= (marked.nanos or 0):
            first[at] = begun
    start = np.where(is_sound, checked.start - first[step], 0)
    end = np.where(is_sound, start + checked.nanos, 0)
    span = np.zeros(len(numbers), dtype=np.int64)
    np.maximum.at(span, step, end)
    groups = _traced(step, device, len(numbers), devices)
    group = np.searchsorted(groups, step * len(devices) + device)
    group_step, group_device = np.divmod(groups, len(devices))
    has_events = np.bincount(group, minlength=len(groups)) > 0
    has_kernels = np.bincount(group[_are_busy(kind)], minlength=len(groups)) > 0
    lacks_time = np.bincount(group[~is_sound], minlength=len(groups)) > 0
    lacks_trace = np.isin(group_device, [at for at, name in enumerate(devices) if name in without_trace])
    lacks_trace &= has_events & ~has_kernels
    own = {wall.step: wall.reason for wall in checked.walls}
    of_steps = [walls.get(number, StepWall(step=number, nanos=None, reason="")) for number in numbers.tolist()]
    wall = np.array([found.nanos or 0 for found in of_steps])
    disagrees = has_other_clocks & (wall > 0) & (span > wall)
    return Events(
        table=table,
        step=step,
        device=device,
        kind=kind,
        start=start,
        end=end,
        is_sound=is_sound,
        numbers=numbers,
        devices=devices,
        span=np.maximum(span, wall),
        span_reason=tuple(
            found.reason or own.get(index, "") or (SEVERAL_CLOCKS if disagrees[index] else "")
            for index, found in enumerate(of_steps)
        ),
        group=group,
        group_step=group_step,
        group_device=group_device,
        busy_reason=tuple(np.select([lacks_trace, lacks_time], [NO_TRACE, NO_TIME], "").tolist()),
    )


def task_of(device: str) -> str:
    """Return the part of a device's name that all devices of its task share, with a slash at its end; may be empty."""
    return _OF_TASK.sub("", device)


def _traced(step: Ints, device: Ints, steps: int, devices: Sequence[str]) -> Ints:
    """Return the keys, step x number of devices + device, of the devices that were traced in each step, ascending.

    A device without an event was idle in a step if another one of its task has events: a step has the trace of whole
    tasks. More than `_MOST_IDLE` steps and devices are not looked at: then only those with events are there.
    """
    if steps * len(devices) > _MOST_IDLE:
        return distinct(step * len(devices) + device)
    tasks, task = np.unique([task_of(name) for name in devices], return_inverse=True)
    is_traced = np.zeros((steps, len(tasks)), dtype=bool)
    is_traced[step, task[device]] = True
    return np.flatnonzero(is_traced[:, task])


def _sorted_devices(column: pa.DictionaryArray) -> tuple[tuple[str, ...], Ints]:
    """Return the names of devices that have events, sorted, and the place of each event's device among them."""
    used = column.unique().to_pylist()
    names = sorted(used)
    place = np.zeros(len(column.dictionary), dtype=np.int64)
    texts = {name: at for at, name in enumerate(column.dictionary.to_pylist())}
    for at, name in enumerate(names):
        place[texts[name]] = at
    return tuple(names), place[to_ints(column.indices)]


def _codes_of(kinds: pa.DictionaryArray) -> Ints:
    """Return the code of each kind, whatever order a file's dictionary has."""
    codes = to_ints(pc.fill_null(pc.index_in(kinds.dictionary, value_set=KINDS), NO_KIND))
    return np.append(codes, NO_KIND)[to_ints(pc.fill_null(kinds.indices, len(codes)))]


def _are_busy(kind: Ints) -> Bools:
    return np.isin(kind, [NO_KIND, *(CODES[each] for each in BUSY)])
