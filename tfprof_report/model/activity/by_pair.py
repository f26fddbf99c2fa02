"""What was moved in each step, by pair of devices."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import sort_distinct, to_bools, to_ints, whole
from tfprof_report.ingest.activity import CODES, Activity
from tfprof_report.model.activity.intervals import unite
from tfprof_report.model.activity.step_events import Events
from tfprof_report.schema.activity_columns import NOT_TOLD, TRANSFERS

_STAY = [CODES[kind] for kind in (Activity.COMPUTE, Activity.INPUT_WAIT, Activity.LAUNCH)]
_WORDS = pa.array([*(kind.value for kind in Activity), NOT_TOLD])


def sum_by_pair(events: Events) -> pa.Table:
    """Return what was moved in each step (`TRANSFERS`), sorted by step, source, destination and kind.

    Bytes are those that are told, NULL if none are; time is the union of the events, NULL if that of one is unknown.
    """
    rows = np.flatnonzero(~np.isin(events.kind, _STAY))
    if not len(rows):
        return TRANSFERS.empty_table()
    table = events.table.select(["source", "destination", "bytes"]).take(pa.array(rows))
    names = sorted({name for end in ("source", "destination") for name in whole(table[end]).dictionary.to_pylist()})
    places = pa.array(names, pa.string())
    ends = [
        to_ints(pc.fill_null(pc.index_in(whole(table[end]).cast(pa.string()), value_set=places), -1))
        for end in ("source", "destination")
    ]
    columns, pair = sort_distinct([events.step[rows], *ends, events.kind[rows]])
    step, source, destination, kind = columns
    count = np.bincount(pair, minlength=len(step))
    has_bytes = to_bools(pc.is_valid(table["bytes"]))
    known = np.bincount(pair[has_bytes], minlength=len(step))
    is_sound = events.is_sound[rows]
    moved = np.zeros(len(step), dtype=np.int64)
    np.add.at(moved, pair, to_ints(pc.fill_null(table["bytes"], 0)))
    nanos = unite(pair[is_sound], events.start[rows[is_sound]], events.end[rows[is_sound]]).lengths(len(step))
    is_lost = np.bincount(pair[~is_sound], minlength=len(step)) > 0
    return pa.table(
        [
            pa.array(events.numbers[step]),
            *(places.take(pa.array(end, mask=end < 0)) for end in (source, destination)),
            _WORDS.take(pa.array(kind)).dictionary_encode(),
            pa.array(count),
            pa.array(moved, mask=known == 0),
            pa.array(count - known),
            pa.array(nanos, mask=is_lost),
        ],
        schema=TRANSFERS,
    )
