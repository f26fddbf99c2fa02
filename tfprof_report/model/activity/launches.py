"""How long a device is idle although the host has begun to launch its next kernel."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_ints, whole
from tfprof_report.ingest.activity import CODES, Activity
from tfprof_report.model.activity.intervals import Intervals, unite
from tfprof_report.model.activity.step_events import Events

_LATEST = np.iinfo(np.int64).max


def launch_gaps(events: Events, busy: Intervals) -> tuple[Ints, Bools]:
    """Return per group how long its device is idle during launches, and whether it has launches.

    A launch lasts from its start to its end, or to the start of its kernel if that is later: a kernel waits in its
    stream until then. Its device is the one that it tells, else that of its kernel.
    """
    groups = len(events.busy_reason)
    rows = np.flatnonzero(events.is_sound & (events.kind == CODES[Activity.LAUNCH]))
    if not len(rows):
        return np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=bool)
    kernel = _kernels_of(events, rows)
    is_paired = kernel >= 0
    place = {name: at for at, name in enumerate(events.devices)}
    told = whole(events.table["destination"]).take(pa.array(rows))
    codes = np.array([place.get(name, -1) for name in told.dictionary.to_pylist()] or [-1])
    device = codes[to_ints(pc.fill_null(told.indices, 0))]
    device = np.where(np.asarray(told.is_valid()), device, np.where(is_paired, events.device[kernel], -1))
    group = events.groups_of(events.step[rows], device)
    until = np.maximum(events.end[rows], np.where(is_paired, events.start[kernel], 0))
    has_group = group >= 0
    rows, group, until = rows[has_group], group[has_group], until[has_group]
    both = unite(
        np.concatenate([group, busy.group]),
        np.concatenate([events.start[rows], busy.start]),
        np.concatenate([until, busy.end]),
    )
    return both.lengths(groups) - busy.lengths(groups), np.bincount(group, minlength=groups) > 0


def _kernels_of(events: Events, rows: Ints) -> Ints:
    """Return for each launch the first event that it launched, -1 if none is known.

    They have the same correlation; where none is told, the same device and name, and the event starts after the launch.
    """
    kinds = [CODES[kind] for kind in (Activity.INPUT_WAIT, Activity.SEND, Activity.RECEIVE, Activity.LAUNCH)]
    kernels = np.flatnonzero(events.is_sound & ~np.isin(events.kind, kinds))
    both = pa.array(np.concatenate([rows, kernels]))
    correlation = whole(events.table["correlation"].take(both))
    has_correlation = np.asarray(correlation.is_valid())
    name = to_ints(whole(events.table["name"].take(both)).dictionary_encode().indices)
    key = np.where(has_correlation, to_ints(pc.fill_null(correlation, 0)), name)
    group = np.where(has_correlation, events.step[both], events.group[both])
    is_kernel = np.arange(len(both)) >= len(rows)
    start = events.start[both]
    order = np.lexsort((is_kernel, start, key, group, has_correlation))
    columns = np.stack([each[order] for each in (key, group, has_correlation)])
    is_new = np.append(True, (np.diff(columns) != 0).any(axis=0))
    run = np.cumsum(is_new)
    places = np.arange(len(order))
    after = np.minimum.accumulate(np.where(is_kernel[order], places, len(order))[::-1])[::-1]
    after = np.minimum(after, len(order) - 1)
    found = is_kernel[order][after] & (run[after] == run)
    kernel = np.full(len(order), -1)
    kernel[order] = np.where(found, np.asarray(both)[order[after]], -1)
    return kernel[: len(rows)]
