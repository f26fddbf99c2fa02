"""The figures of a step that gates judge: idle time and bytes moved, over all devices."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, exact_sum, sort_distinct, to_bools, to_ints, whole
from tfprof_report.formatting import plural
from tfprof_report.ingest.activity import Activity
from tfprof_report.model.activity.step_events import NO_TRACE
from tfprof_report.model.totals import StepActivity
from tfprof_report.schema.activity_columns import BUSY, IDLE, NOT_TOLD

_COPIES = (Activity.HOST_TO_DEVICE, Activity.DEVICE_TO_HOST, Activity.DEVICE_TO_DEVICE, NOT_TOLD)


def sum_by_step(by_device: pa.Table, by_pair: pa.Table) -> tuple[StepActivity, ...]:
    """Return the figures of each step, ascending, from the tables `ACTIVITY` and `TRANSFERS`, sorted by step."""
    words = by_device["kind"].cast(pa.string())
    kinds = by_device.append_column("word", words).filter(pc.is_in(words, value_set=pa.array([BUSY, IDLE])))
    steps = np.unique(to_ints(kinds["step"]))
    parts = [_slices(table.combine_chunks(), steps) for table in (kinds, _each_once(by_pair))]
    return tuple(_figures(step, *of_step) for step, *of_step in zip(steps.tolist(), *parts, strict=True))


def _slices(table: pa.Table, steps: Ints) -> list[pa.Table]:
    """Return the rows of each step of a table that is sorted by it."""
    first, last = (np.searchsorted(to_ints(table["step"]), steps, side=side).tolist() for side in ("left", "right"))
    return [table.slice(low, high - low) for low, high in zip(first, last, strict=True)]


def _figures(step: int, kinds: pa.Table, moved: pa.Table) -> StepActivity:
    idle = kinds.filter(pc.equal(kinds["word"], IDLE))
    lost = idle.filter(pc.is_null(idle["nanos"]))
    unknown = exact_sum(moved["unknown_bytes"])
    reason = ""
    if pc.any(pc.equal(kinds["reason"], NO_TRACE)).as_py():
        reason = NO_TRACE
    elif unknown:
        reason = f"the bytes of {plural(unknown, 'transfer')} are not recorded"
    return StepActivity(
        step=step,
        idle_nanos=None if lost.num_rows else exact_sum(idle["nanos"]),
        idle_reason=f"{lost['device'][0]}: {lost['reason'][0]}" if lost.num_rows else "",
        transfer_bytes=None if reason else exact_sum(moved["bytes"]),
        transfer_reason=reason,
    )


def _each_once(by_pair: pa.Table) -> pa.Table:
    """Return what was moved, each transfer once.

    A tensor that a GPU receives from the host is noted as a send, a receive and a copy. Sends count only where nothing
    was received between the devices, and both only where nothing was copied.
    """
    words = whole(by_pair["kind"].cast(pa.string()))
    is_copy = to_bools(pc.is_in(words, value_set=pa.array(_COPIES)))
    is_receive, is_send = (to_bools(pc.equal(words, kind.value)) for kind in (Activity.RECEIVE, Activity.SEND))
    ends = [whole(by_pair[name]).dictionary_encode().indices for name in ("source", "destination")]
    source, destination = (to_ints(pc.fill_null(end, -1)) for end in ends)
    _, pair = sort_distinct([to_ints(by_pair["step"]), source, destination])
    is_told = (source >= 0) & (destination >= 0)
    copied, received = (np.isin(pair, pair[rows]) for rows in (is_copy & is_told, is_receive))
    return by_pair.filter(pa.array(~(is_send & (received | copied) | is_receive & copied)))
