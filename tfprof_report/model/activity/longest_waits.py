"""The longest waits: times in which a device is idle before an op, and what that op waited for."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, marks, sort_distinct, take_ranges, to_ints, whole
from tfprof_report.ingest.activity import CODES, Activity
from tfprof_report.model.activity.intervals import Intervals, unite
from tfprof_report.model.activity.step_events import Events, task_of
from tfprof_report.record import record
from tfprof_report.schema.activity_columns import WAITS

MOST_WAITS = 50
"""Of each step."""

_HOPS, _MOST_PAIRS = 8, 10**6
"""How far inputs without events are followed, and how many pairs of waits and inputs are looked at in each round."""

_REASONS = (Activity.INPUT_WAIT, Activity.RECEIVE, Activity.SEND, Activity.LAUNCH)
"""What a device may wait in, in the order in which equally long ones count."""

_BY_HOST = (Activity.INPUT_WAIT, Activity.LAUNCH)
"""Those of the host of a device count too: it gets the input for it, and launches its kernels."""

_ACCELERATOR = re.compile(r"[gt]pu:\d+$")


def find_waits(events: Events, busy: Intervals, names: pa.Array, edges: pa.Table) -> pa.Table:
    """Return the `MOST_WAITS` longest waits of each step (`WAITS`), the longest first.

    The time before the first op of a device counts from when the step began; that after its last op is no wait. A
    device or a step of which not all is known has none.

    Parameters
    ----------
    busy : the times when each group is busy
    names, edges : the nodes of the graph, and their inputs (`graph.edges`)
    """
    gaps = _longest_gaps(events, busy)
    op = busy.first[gaps.until]
    row = pc.index_in(whole(events.table["name"]).take(pa.array(op)), value_set=names)
    waited_for = _last_inputs(events, op, to_ints(pc.fill_null(row, -1)), names, edges)
    kind = _kinds(events, gaps)
    step = events.group_step[gaps.group]
    return pa.table(
        [
            pa.array(events.numbers[step]),
            pa.array(events.devices, pa.string()).take(pa.array(events.group_device[gaps.group])),
            whole(events.table["name"]).take(pa.array(op)),
            pa.array(_REASONS, pa.string()).take(pa.array(kind, mask=kind < 0)).dictionary_encode(),
            pa.array(gaps.start),
            pa.array(gaps.end - gaps.start),
            names.take(pa.array(waited_for, mask=waited_for < 0)),
        ],
        schema=WAITS,
    )


@record
class _Gaps:
    """Idle times before an op: their group, start and end, and the interval of `busy` that each lasts until."""

    group: Ints
    start: Ints
    end: Ints
    until: Ints


def _longest_gaps(events: Events, busy: Intervals) -> _Gaps:
    """Return the longest idle times of each step, by step, the longest first."""
    is_known = np.array([not reason for reason in events.busy_reason])
    is_known &= np.array([not reason for reason in events.span_reason])[events.group_step]
    start = np.zeros(len(busy.group), dtype=np.int64)
    start[1:] = np.where(busy.group[1:] == busy.group[:-1], busy.end[:-1], 0)
    until = np.flatnonzero(is_known[busy.group] & (busy.start > start))
    start, group = start[until], busy.group[until]
    step = events.group_step[group]
    order = np.lexsort((group, start, start - busy.start[until], step))
    first = np.searchsorted(step[order], step[order])
    chosen = order[np.arange(len(order)) - first < MOST_WAITS]
    return _Gaps(group=group[chosen], start=start[chosen], end=busy.start[until[chosen]], until=until[chosen])


def _kinds(events: Events, gaps: _Gaps) -> Ints:
    """Return in which of `_REASONS` a device or its host is for most of each idle time, -1 for none."""
    overlaps, host = [], _hosts(events)[gaps.group]
    for kind in _REASONS:
        rows = np.flatnonzero(events.is_sound & (events.kind == CODES[kind]))
        united = unite(events.group[rows], events.start[rows], events.end[rows])
        groups = (gaps.group, host) if kind in _BY_HOST else (gaps.group,)
        of_groups = [united.before(group, gaps.end) - united.before(group, gaps.start) for group in groups]
        overlaps.append(np.max(of_groups, axis=0))
    longest = np.stack(overlaps)
    return np.where(longest.max(axis=0, initial=0) > 0, np.argmax(longest, axis=0), -1)


def _hosts(events: Events) -> Ints:
    """Return for each group that of the first CPU of its task in the same step; for a CPU, and without one, itself."""
    cpus = {task_of(name): at for at, name in enumerate(events.devices) if name.endswith("cpu:0")}
    host = np.array(
        [cpus.get(task_of(name), at) if _ACCELERATOR.search(name) else at for at, name in enumerate(events.devices)]
    )
    found = events.groups_of(events.group_step, host[events.group_device])
    return np.where(found >= 0, found, np.arange(len(found)))


def _last_inputs(events: Events, op: Ints, row: Ints, names: pa.Array, edges: pa.Table) -> Ints:
    """Return which input of the node `row` of each event `op` was there last before it started, -1 if none is known.

    An input is there when its node ends, or when it is received. Inputs without an event, such as cheap ops that a
    trace leaves out, stand for their own inputs, up to `_HOPS` of them in a row.
    """
    consumer, source = (to_ints(pc.fill_null(edges[name], -1)) for name in ("node", "source"))
    order = np.argsort(consumer, kind="stable")
    consumer, source = consumer[order], source[order]
    is_end = events.is_sound & (events.kind != CODES[Activity.LAUNCH])
    of_event = to_ints(pc.fill_null(pc.index_in(whole(events.table["name"]), value_set=names), -1))
    ends = np.flatnonzero(is_end & (of_event >= 0))
    wait, at = np.flatnonzero(row >= 0), row[row >= 0]
    found, latest = np.full(len(op), -1), np.full(len(op), -1)
    for _ in range(_HOPS):
        low, high = np.searchsorted(consumer, at), np.searchsorted(consumer, at, side="right")
        wait, at = np.repeat(wait, high - low), source[take_ranges(low, high - low)]
        (wait, at), _ = sort_distinct([wait[at >= 0], at[at >= 0]])
        if not 0 < len(wait) <= _MOST_PAIRS:
            break
        mine = ends[marks(at, len(names))[of_event[ends]]]
        own = [events.step[mine], of_event[mine], events.end[mine]]
        moment = _latest_before(own, [events.step[op[wait]], at, events.start[op[wait]]])
        best = np.lexsort((at, moment, wait))
        best = best[moment[best] > latest[wait[best]]]
        found[wait[best]], latest[wait[best]] = at[best], moment[best]  # numpy keeps the last of equal places
        never = _latest_before(own, [events.step[op[wait]], at, np.full(len(wait), np.iinfo(np.int64).max)]) < 0
        wait, at = wait[never], at[never]
    return found


def _latest_before(ends: list[Ints], queries: list[Ints]) -> Ints:
    """Return the last end at or before the time of each query with the same step and node, -1 if there is none."""
    step, node, time = (np.concatenate(columns) for columns in zip(ends, queries, strict=True))
    is_query = np.arange(len(step)) >= len(ends[0])
    order = np.lexsort((is_query, time, node, step))
    places = np.arange(len(order))
    last = np.maximum.accumulate(np.where(is_query[order], -1, places)) if len(order) else places
    step, node, time = step[order], node[order], time[order]
    has = (last >= 0) & (step[last] == step) & (node[last] == node)
    latest = np.empty(len(order), dtype=np.int64)
    latest[order] = np.where(has, time[last], -1)
    return latest[len(ends[0]) :]
