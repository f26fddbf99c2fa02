"""The figures of a step that gates judge: idle time and bytes moved, over all devices."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import exact_sum
from tfprof_report.formatting import plural
from tfprof_report.ingest.activity import Activity
from tfprof_report.model.activity.step_events import NO_TRACE
from tfprof_report.model.totals import StepActivity
from tfprof_report.schema.activity_columns import BUSY, IDLE


def sum_by_step(by_device: pa.Table, by_pair: pa.Table) -> tuple[StepActivity, ...]:
    """Return the figures of each step, ascending, from the tables `ACTIVITY` and `TRANSFERS`."""
    words = by_device["kind"].cast(pa.string())
    kinds = by_device.append_column("word", words).filter(pc.is_in(words, value_set=pa.array([BUSY, IDLE])))
    received = _without_sends(by_pair)
    return tuple(
        _figures(step, kinds.filter(pc.equal(kinds["step"], step)), received.filter(pc.equal(received["step"], step)))
        for step in pc.unique(by_device["step"]).to_pylist()
    )


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


def _without_sends(by_pair: pa.Table) -> pa.Table:
    """Return what was moved, each transfer once: sends count only where nothing was received between the devices."""
    rows = by_pair.select(["step", "source", "destination", "kind"]).to_pylist()
    received = {_pair(row) for row in rows if row["kind"] == Activity.RECEIVE}
    kept = [row["kind"] != Activity.SEND or _pair(row) not in received for row in rows]
    return by_pair.filter(pa.array(kept, pa.bool_()))


def _pair(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["step"], row["source"], row["destination"]
