"""What each device did in each step, by kind: unions of events, since a sum counts twice what overlaps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Ints, take_ranges
from tfprof_report.ingest.activity import CODES, Activity
from tfprof_report.model.activity.intervals import Intervals, unite
from tfprof_report.model.activity.launches import launch_gaps
from tfprof_report.model.activity.step_events import NO_KIND, NO_TIME, Events
from tfprof_report.schema.activity_columns import ACTIVITY, BUSY, IDLE, LAUNCH_GAP, NOT_TOLD

PARTS = 200
"""A timeline has so many parts of a step, equally long."""

_DRAWN = 16
"""So many devices, those that are busy longest, have timelines, and those in one step: a picture needs no more."""

_WORDS = (*(kind.value for kind in Activity), NOT_TOLD, BUSY, IDLE, LAUNCH_GAP)
_KINDS, _BUSY, _IDLE, _GAP = NO_KIND + 1, NO_KIND + 1, NO_KIND + 2, NO_KIND + 3


def sum_by_device(events: Events, busy: Intervals) -> pa.Table:
    """Return what each device did in each step (`ACTIVITY`), sorted by step, device and kind.

    `busy` are the times when each group is busy.
    """
    groups = np.arange(len(events.busy_reason))
    span, busy_time = events.span[events.group_step], busy.lengths(len(groups))
    busy_events = np.bincount(events.group[events.is_busy], minlength=len(groups))
    gaps, has_launches = launch_gaps(events, busy)
    launched = np.flatnonzero(has_launches)
    busy_reason = np.array(events.busy_reason, dtype=object)
    span_reason = np.array(events.span_reason, dtype=object)[events.group_step]
    parts = [
        _by_kind(events),
        _rows(groups, _BUSY, nanos=busy_time, count=busy_events, reason=busy_reason),
        _rows(groups, _IDLE, nanos=span - busy_time, reason=np.where(busy_reason == "", span_reason, busy_reason)),
        _rows(launched, _GAP, nanos=gaps[launched], reason=busy_reason[launched]),
    ]
    group, kind, nanos, count, exposed, reason = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((kind, group))
    group, kind, nanos, count, exposed, reason = (
        column[order] for column in (group, kind, nanos, count, exposed, reason)
    )
    is_lost = reason != ""
    return pa.table(
        [
            pa.array(events.numbers[events.group_step[group]]),
            pa.array(events.devices, pa.string()).take(pa.array(events.group_device[group])),
            pa.array(_WORDS).take(pa.array(kind)).dictionary_encode(),
            pa.array(count, mask=count < 0),
            pa.array(nanos, mask=is_lost),
            pa.array(exposed, mask=is_lost | (exposed < 0)),
            pa.array(reason, pa.string()),
            _timelines(events, busy_time, group, kind),
        ],
        schema=ACTIVITY,
    )


def _rows(
    group: Ints, kind: Ints | int, *, nanos: Ints, reason: Ints, count: Ints | int = -1, exposed: Ints | int = -1
) -> tuple[Ints, ...]:
    return group, *(np.broadcast_to(each, len(group)) for each in (kind, nanos, count, exposed, reason))


def _by_kind(events: Events) -> tuple[Ints, ...]:
    """Return the rows of the kinds that events have."""
    key = events.group * _KINDS + events.kind
    keys, place = np.unique(key, return_inverse=True)
    united = unite(place[events.is_sound], events.start[events.is_sound], events.end[events.is_sound])
    lost = np.bincount(place[~events.is_sound], minlength=len(keys)) > 0
    group, kind = np.divmod(keys, _KINDS)
    return _rows(
        group,
        kind,
        nanos=united.lengths(len(keys)),
        count=np.bincount(place, minlength=len(keys)),
        exposed=_exposed(united, group, kind),
        reason=np.where(lost, NO_TIME, "").astype(object),
    )


def _exposed(united: Intervals, group: Ints, kind: Ints) -> Ints:
    """Return how long only the kind of each row goes on and nothing is computed; -1 for kinds that do not compete.

    `united` are the times of each row: what they add to those of computing on the same device.
    """
    competes = ~np.isin(kind, [CODES[Activity.COMPUTE], CODES[Activity.LAUNCH]])
    computes = np.full(group.max(initial=-1) + 1, -1)
    rows = np.flatnonzero(kind == CODES[Activity.COMPUTE])
    computes[group[rows]] = rows
    beside = np.flatnonzero(competes & (computes[group] >= 0))
    lengths = united.lengths(len(group))
    if len(beside):
        bounds = np.searchsorted(united.group, np.arange(len(group) + 1))
        first, size = bounds[:-1][computes[group[beside]]], np.diff(bounds)[computes[group[beside]]]
        copied, own = take_ranges(first, size), np.isin(united.group, beside)
        both = unite(
            np.concatenate([united.group[own], np.repeat(beside, size)]),
            np.concatenate([united.start[own], united.start[copied]]),
            np.concatenate([united.end[own], united.end[copied]]),
        )
        lengths[beside] = both.lengths(len(group))[beside] - lengths[computes[group[beside]]]
    return np.where(competes, lengths, -1)


def _timelines(events: Events, busy_time: Ints, group: Ints, kind: Ints) -> pa.ListArray:
    """Return for each row how many percent of each part of its step its kind takes; NULL for all that is not drawn.

    Drawn is the step whose span is the median, of two the shorter one.
    """
    lists: list[list[int] | None] = [None] * len(group)
    whole = [each for each, reason in enumerate(events.span_reason) if not reason and events.span[each]]
    if whole:
        step = sorted(whole, key=lambda each: (events.span[each], each))[(len(whole) - 1) // 2]
        mine = np.flatnonzero(events.group_step == step)
        drawn = mine[np.lexsort((mine, -busy_time[mine]))][:_DRAWN]
        edges = np.linspace(0, int(events.span[step]), PARTS + 1).astype(np.int64)
        own = np.flatnonzero(events.is_sound & np.isin(events.group, drawn))
        united = unite(events.group[own] * _KINDS + events.kind[own], events.start[own], events.end[own])
        rows = np.flatnonzero(np.isin(group, drawn) & (kind < _KINDS))
        wanted = np.repeat(group[rows] * _KINDS + kind[rows], len(edges))
        covered = np.diff(united.before(wanted, np.tile(edges, len(rows))).reshape(len(rows), -1), axis=1)
        shares = -(-covered * 100 // np.maximum(np.diff(edges), 1))
        for row, share in zip(rows.tolist(), shares.tolist(), strict=True):
            lists[row] = share
    return pa.array(lists, pa.list_(pa.int8()))
