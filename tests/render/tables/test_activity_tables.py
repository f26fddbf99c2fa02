from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
from report_builders import make_comparison_report, make_report, with_base, with_head

from tfprof_report.compare.activity_change import ActivityChange
from tfprof_report.model.totals import DeviceActivity, StepActivity
from tfprof_report.render.tables.activity_tables import (
    ACTIVITY_TEXT,
    KIND_WORDS,
    activity_text,
    devices_activity_table,
    kind_words,
    transfers_table,
    waits_table,
)
from tfprof_report.render.tables.cells import Table
from tfprof_report.schema.activity_columns import DIFF_ACTIVITY, DIFF_TRANSFERS, DIFF_WAITS, KIND_ORDER


def change(
    devices: list[dict[str, Any]], transfers: list[dict[str, Any]], waits: list[dict[str, Any]]
) -> ActivityChange:
    return ActivityChange(
        devices=pa.Table.from_pylist(devices, schema=DIFF_ACTIVITY),
        transfers=pa.Table.from_pylist(transfers, schema=DIFF_TRANSFERS),
        waits=pa.Table.from_pylist(waits, schema=DIFF_WAITS),
    )


def texts(table: Table | None) -> list[list[str]]:
    assert table is not None
    return [[cell.text for cell in row] for row in table.rows]


def device(kind: str, head: float | None, **others: Any) -> dict[str, Any]:
    return {"device": "/gpu:0", "kind": kind, "head_nanos": head, "head_reason": "", **others}


def test_a_device_has_its_share_of_the_step_and_what_goes_on_without_computing() -> None:
    rows = [
        device("busy", 7_500.0, head_count=3.0),
        device("compute", 5_000.0, head_count=2.0),
        device("idle", 2_500.0),
        device("receive", 4_000.0, head_count=1.0, head_exposed_nanos=1_500.0),
    ]
    table = devices_activity_table(change(rows, [], []), 3, is_compared=False)
    assert texts(table) == [
        ["/gpu:0", "Busy", "7.50 us", "75.00 %", "\N{EN DASH}", "3"],
        ["/gpu:0", "computing", "5 us", "50.00 %", "\N{EN DASH}", "2"],
        ["/gpu:0", "Idle", "2.50 us", "25.00 %", "\N{EN DASH}", "\N{EN DASH}"],
    ]
    assert table.left_out == "Shows 3 of 4 kinds of devices; 1 is left out (activity.parquet)."
    whole = devices_activity_table(change(rows, [], []), 9, is_compared=False)
    assert texts(whole)[3] == ["/gpu:0", "receiving", "4 us", "40.00 %", "1.50 us", "1"]


def test_an_unknown_time_says_why_in_its_title() -> None:
    row = device("idle", None) | {"head_reason": "its kernels have no trace"}
    (cells,) = devices_activity_table(change([row], [], []), 9, is_compared=False).rows
    assert (cells[2].text, cells[2].exact) == ("unknown", "its kernels have no trace")


def test_a_comparison_has_both_sides_and_the_change() -> None:
    sides = {"base_reason": "", "base_nanos": 4_000.0, "delta_nanos": 1_000.0}
    absent = {"device": "/gpu:1", "kind": "busy", "head_nanos": 1_000.0, "head_reason": ""}
    from_zero = device("send", 3_000.0, base_reason="", base_nanos=0.0, delta_nanos=3_000.0)
    rows = [device("busy", 5_000.0, **sides), from_zero, absent]
    dash = "\N{EN DASH}"
    assert texts(devices_activity_table(change(rows, [], []), 9, is_compared=True)) == [
        ["/gpu:0", "Busy", "4 us", "5 us", "+1 us", "+25.00 %"],
        ["/gpu:0", "sending", "0 us", "3 us", "+3 us", "new from 0"],
        ["/gpu:1", "Busy", dash, "1 us", "unknown", dash],
    ]


def test_transfers_name_both_devices() -> None:
    row = {"source": "/ps", "kind": "receive", "head_count": 2.0, "head_bytes": 2048.0, "head_nanos": 9_000.0}
    row |= {"base_bytes": 1024.0, "delta_bytes": 1024.0, "base_nanos": 9_000.0, "delta_nanos": 0.0}
    found = change([], [row], [])
    assert texts(transfers_table(found, 9, is_compared=False)) == [
        ["/ps", "not told", "receiving", "2", "2.00 KiB", "9 us"]
    ]
    assert texts(transfers_table(found, 9, is_compared=True)) == [
        ["/ps", "not told", "receiving", "2", "1.00 KiB", "2.00 KiB", "+1.00 KiB", "9 us", "9 us", "0 us"]
    ]
    assert transfers_table(change([], [], []), 9, is_compared=False) is None


def test_waits_say_what_was_waited_for() -> None:
    row = {"device": "/cpu:0", "name": "d", "waited_for": "b", "kind": "receive", "head_nanos": 45_000}
    found = change([], [], [row, {"device": "/cpu:0", "name": "e", "base_nanos": 5_000}])
    assert texts(waits_table(found, 1, is_compared=False)) == [["d", "45 us", "receiving", "b", "/cpu:0"]]
    dash = "\N{EN DASH}"
    assert texts(waits_table(found, 9, is_compared=True)) == [
        ["d", dash, "45 us", dash, "receiving", "b", "/cpu:0"],
        ["e", "5 us", dash, dash, "", "not known", "/cpu:0"],
    ]
    assert waits_table(change([], [], []), 9, is_compared=False) is None


def test_figures_of_steps_that_are_unknown_have_their_reason() -> None:
    known = StepActivity(step=0, idle_nanos=5, idle_reason="", transfer_bytes=0, transfer_reason="")
    lost = replace(known, step=1, idle_nanos=None, idle_reason="/gpu:0: events without a time")
    moved = replace(lost, step=2, transfer_bytes=None, transfer_reason="the bytes of 1 transfer are not recorded")
    report = with_head(make_report(), activity=DeviceActivity(steps=(known, lost, moved)))
    assert activity_text(report.sides) == (
        ACTIVITY_TEXT,
        "Idle time is unknown in 2 steps: /gpu:0: events without a time.",
        "What was moved is unknown in 1 step: the bytes of 1 transfer are not recorded.",
    )
    both = with_base(make_comparison_report(), activity=DeviceActivity(steps=(known, lost)))
    assert activity_text(both.sides)[1:] == ("Idle time of base is unknown in 1 step: /gpu:0: events without a time.",)


def test_every_kind_has_words_and_one_of_a_later_version_its_own() -> None:
    assert list(KIND_WORDS) == list(KIND_ORDER)
    assert kind_words("page_fault") == "page fault"
