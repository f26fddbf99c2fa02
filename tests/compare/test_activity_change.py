from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from measured import side_of

from tfprof_report.compare.activity_change import ActivityChange, compare_activity
from tfprof_report.compare.side import Side
from tfprof_report.model.totals import DeviceActivity, StepActivity
from tfprof_report.schema.activity_columns import ACTIVITY, TRANSFERS, WAITS


def side(
    devices: Sequence[tuple[Any, ...]],
    pairs: Sequence[tuple[Any, ...]] = (),
    waits: Sequence[tuple[str, int]] = (),
    steps: int = 1,
) -> Side:
    """Return a side: (step, device, kind, nanos), (step, source, destination, kind, bytes, nanos), (name, nanos)."""
    by_device = [
        {"step": step, "device": device, "kind": kind, "nanos": nanos, "count": 2, "reason": "" if nanos else "why"}
        for step, device, kind, nanos in devices
    ]
    by_pair = [
        {"step": row[0], "source": row[1], "destination": row[2], "kind": row[3], "count": 1, "bytes": row[4]}
        | {"unknown_bytes": int(row[4] is None), "nanos": row[5]}
        for row in pairs
    ]
    longest = [{"step": 0, "device": "d", "name": name, "nanos": nanos} for name, nanos in waits]
    activity = DeviceActivity(
        by_device=pa.Table.from_pylist(by_device, schema=ACTIVITY),
        by_pair=pa.Table.from_pylist(by_pair, schema=TRANSFERS),
        waits=pa.Table.from_pylist(longest, schema=WAITS),
        steps=tuple(
            StepActivity(step=step, idle_nanos=1, idle_reason="", transfer_bytes=1, transfer_reason="")
            for step in range(steps)
        ),
    )
    return replace(side_of({"a": {}}), activity=activity)


def change(base: Side | None, head: Side) -> ActivityChange:
    found = compare_activity(base, head)
    assert found is not None
    return found


def times(found: ActivityChange) -> list[tuple[Any, ...]]:
    columns = ["device", "kind", "base_nanos", "head_nanos", "delta_nanos", "head_reason"]
    return [tuple(row.values()) for row in found.devices.select(columns).to_pylist()]


def test_times_are_means_over_steps_and_what_a_device_does_not_do_takes_none() -> None:
    base = side([(0, "d", "busy", 10), (0, "d", "compute", 10), (0, "d", "idle", 5)])
    head = side([(0, "d", "busy", 20), (1, "d", "busy", 40), (0, "d", "receive", 3), (0, "d", "idle", None)], steps=2)
    assert times(change(base, head)) == [
        ("d", "busy", 10.0, 30.0, 20.0, ""),
        ("d", "compute", 10.0, 0.0, -10.0, ""),
        ("d", "idle", 5.0, None, None, "why"),
        ("d", "receive", 0.0, 1.5, 1.5, ""),
    ]


def test_a_device_of_one_side_is_unknown_on_the_other_and_the_busiest_comes_first() -> None:
    found = change(side([(0, "a", "busy", 10)]), side([(0, "b", "busy", 20)]))
    assert times(found) == [("b", "busy", None, 20.0, None, ""), ("a", "busy", 10.0, None, None, None)]


def test_a_report_without_base_has_only_head_and_one_without_events_nothing() -> None:
    assert times(change(None, side([(0, "a", "busy", 10)]))) == [("a", "busy", None, 10.0, None, "")]
    assert compare_activity(side_of({"a": {}}), side_of({"a": {}})) is None


def test_transfers_that_a_side_lacks_are_0_and_unknown_bytes_stay_unknown() -> None:
    base = side([], [(0, "p", "w", "receive", 100, 7)])
    head = side([], [(0, "p", "w", "receive", 130, 9), (0, "w", "p", "receive", None, 4)])
    columns = ["source", "base_count", "head_count", "base_bytes", "head_bytes", "delta_bytes", "delta_nanos"]
    assert [tuple(row.values()) for row in change(base, head).transfers.select(columns).to_pylist()] == [
        ("p", 1.0, 1.0, 100.0, 130.0, 30.0, 2.0),
        ("w", 0.0, 1.0, 0.0, None, None, 4.0),
    ]


def test_waits_are_the_longest_of_any_step_and_unknown_where_they_are_none_of_the_longest() -> None:
    found = change(side([], waits=[("a", 5), ("c", 50)]), side([], waits=[("a", 9), ("b", 20), ("a", 30)]))
    columns = ["name", "base_nanos", "head_nanos", "delta_nanos"]
    assert [tuple(row.values()) for row in found.waits.select(columns).to_pylist()] == [
        ("a", 5, 30, 25),
        ("b", None, 20, None),
        ("c", 50, None, None),
    ]
