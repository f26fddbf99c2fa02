"""Which step of training or inference each event belongs to: steps are what the program marked with a number.

``tf.profiler.experimental.Trace``, Keras' callbacks and ``jax.profiler.StepTraceAnnotation`` write an event with the
stat ``step_num`` around each step. What runs on other threads belongs to the step whose events handed it over (stats
``_p`` and ``_c``, of the event or of the region of a thread pool that it lies in), or launched it
(``correlation_id``), and else to the step during which it began.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, mix, to_bools, to_ints
from tfprof_report.ingest.xplane.nesting import nearest
from tfprof_report.ingest.xplane.ops import Lines, Place
from tfprof_report.ingest.xplane.space import Space
from tfprof_report.ingest.xplane.stats import matches
from tfprof_report.record import record

_REGION, _REGION_END = "ThreadpoolListener::StartRegion", "ThreadpoolListener::StopRegion"
"""Events between which a thread of a pool runs what was handed over."""

_DEVICE_STEPS = "Steps"
"""The line of a device that marks steps, in traces of TPUs."""

_TRACED = "^traced-"
"""What ``tf_function_call`` says of a call that traced its function (def_function.py): ``traced-nonXla``."""

_COMPILES = r"(?i)compile|autotun"
_NO_COMPILING = r"(?i)compiled|^\$|:|/"
"""Names of events that compile or look for the fastest kernel: not those of ops, Python functions, compiled code."""


@record
class StepMarks:
    """The marked steps of one file, by their start.

    name, number : as the program marked them
    start_ps, end_ps : when
    prepares : whether a function is traced, compiled or tuned in it
    of_event : per event of the file the row of its step, -1 for none
    """

    name: tuple[str, ...]
    number: Ints
    start_ps: Ints
    end_ps: Ints
    prepares: Bools
    of_event: Ints

    @property
    def counts(self) -> Bools:
        """Whether each event is in a step that does not prepare."""
        prepares = np.append(self.prepares, np.ones(1, dtype=bool))
        counts: Bools = (self.of_event >= 0) & ~prepares[self.of_event]
        return counts


def mark_steps(space: Space, lines: Lines, parent: Ints) -> StepMarks:
    """Find the steps of a file; without marks it has none, and no event belongs to one.

    `parent` is the event that encloses each event, by `nesting.enclosing`.
    """
    line = to_ints(space.events["line"])
    start, duration = space.times()
    on_host = lines.place[line] == Place.HOST
    numbers = space.ints("step_num")
    is_mark = to_bools(pc.is_valid(numbers)) & on_host
    names = space.names()
    if not is_mark.any():
        is_device_step = to_bools(pc.equal(space.lines["name"], _DEVICE_STEPS))[line]
        numbers = _numbers_in(names, is_device_step)
        is_mark = to_bools(pc.is_valid(numbers))
    if not is_mark.any():
        nothing = np.zeros(0, dtype=np.int64)
        return StepMarks(
            name=(),
            number=nothing,
            start_ps=nothing,
            end_ps=nothing,
            prepares=nothing.astype(bool),
            of_event=np.full(len(line), -1, dtype=np.int64),
        )
    followed = _followed(space, lines, np.where(parent < 0, _regions(names, line, start), parent))
    above = nearest(is_mark, parent)
    rows = np.flatnonzero(is_mark & ((parent < 0) | (above[np.maximum(parent, 0)] < 0)))
    rows = rows[np.argsort(start[rows], kind="stable")]
    place = np.full(len(line), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    owner = nearest(place >= 0, followed)
    during = _during(start, start[rows], (start + duration)[rows])
    during[to_bools(pc.is_null(space.events["start_ps"]))] = -1
    of_event = np.where(owner >= 0, place[np.maximum(owner, 0)], during)
    prepares = np.zeros(len(rows), dtype=bool)
    preparing = of_event[_prepares(space, names)]
    prepares[preparing[preparing >= 0]] = True
    return StepMarks(
        name=tuple(names.take(pa.array(rows)).cast(pa.string()).to_pylist()),
        number=to_ints(numbers.take(pa.array(rows))),
        start_ps=start[rows],
        end_ps=(start + duration)[rows],
        prepares=prepares,
        of_event=of_event,
    )


def _followed(space: Space, lines: Lines, parent: Ints) -> Ints:
    """Return the event that each event follows from: that which handed it over or launched it, else its parent."""
    produced, consumed = (_pairs(space, *stats) for stats in (("_pt", "_p"), ("_ct", "_c")))
    followed = _linked(consumed, produced, parent)
    correlation = space.ints("correlation_id")
    on_device = lines.place[to_ints(space.events["line"])] != Place.HOST
    on_host = pc.if_else(pa.array(on_device), None, correlation)
    return _linked(pc.if_else(pa.array(on_device), correlation, None), on_host, followed)


def _regions(names: pa.DictionaryArray, line: Ints, start: Ints) -> Ints:
    """Return for each event the beginning of the region of a thread pool in which it lies, -1 for none."""
    kind = to_ints(pc.fill_null(pc.index_in(names, value_set=pa.array([_REGION, _REGION_END])), -1))
    if not (kind >= 0).any():
        return np.full(len(line), -1)
    order = np.lexsort((start, line))
    bound = kind[order] >= 0
    last = np.maximum.accumulate(np.where(bound, np.arange(len(order)), -1))
    found = order[np.maximum(last, 0)]
    is_within = (last >= 0) & (kind[found] == 0) & (line[found] == line[order]) & (found != order)
    region = np.full(len(order), -1, dtype=np.int64)
    region[order] = np.where(is_within, found, -1)
    return region


def _pairs(space: Space, kind: str, number: str) -> pa.Array:
    """Return a key of each event's pair of stats, NULL without it."""
    if not space.of_events.has(number):
        return pa.nulls(space.events.num_rows, pa.int64())
    kinds = pc.fill_null(space.of_events.ints(kind), 0)
    numbers = space.of_events.ints(number)
    key = (to_ints(pc.fill_null(numbers, 0)).astype(np.uint64) ^ mix(to_ints(kinds))).astype(np.int64)
    return pa.array(key, mask=~to_bools(pc.is_valid(numbers)))


def _linked(wanted: pa.Array, offered: pa.Array, otherwise: Ints) -> Ints:
    """Return for each event the first one that offers the key it wants, or `otherwise`."""
    rows, asks = (np.flatnonzero(to_bools(pc.is_valid(each))) for each in (offered, wanted))
    found = pc.index_in(wanted.take(pa.array(asks)), value_set=offered.take(pa.array(rows)))
    is_found = to_bools(pc.is_valid(found))
    asks, sources = asks[is_found], rows[to_ints(found.drop_null())]
    is_other = sources != asks
    linked = otherwise.copy()
    linked[asks[is_other]] = sources[is_other]
    return linked


def _during(moments: Ints, starts: Ints, ends: Ints) -> Ints:
    """Return the last step that began before each moment and has not ended; -1 for none."""
    step = np.searchsorted(starts, moments, side="right") - 1
    if not len(starts):
        return step
    return np.where((step >= 0) & (moments < ends[np.maximum(step, 0)]), step, -1)


def _prepares(space: Space, names: pa.Array) -> Ints:
    """Return the events that trace, compile or tune."""
    is_named = to_bools(matches(names, _COMPILES)) & ~to_bools(matches(names, _NO_COMPILING))
    return np.flatnonzero(is_named | to_bools(matches(space.of_events.codes("tf_function_call"), _TRACED)))


def _numbers_in(names: pa.Array, mask: Bools) -> pa.Array:
    """Return names that are a number as such, where `mask`; NULL for the others."""
    words = names.dictionary
    number = pc.if_else(pc.match_substring_regex(words, r"^[0-9]{1,18}$"), words, None).cast(pa.int64())
    return pc.if_else(pa.array(mask), number.take(names.indices), None)
