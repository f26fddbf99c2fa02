from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from report_builders import make_comparison_report, make_report, with_base, with_head

from tfprof_report.model.totals import DeviceActivity
from tfprof_report.render.html.device_lanes import MOST_DEVICES, device_lanes
from tfprof_report.render.html.svg import Picture
from tfprof_report.report.report import Report
from tfprof_report.schema.activity_columns import ACTIVITY

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script>\u202e"
Row = tuple[str, str, int | None, Sequence[int | None] | None]
"""Device, kind, nanoseconds and timeline."""


def activity(*rows: Row, step: int = 3) -> DeviceActivity:
    names = ("device", "kind", "nanos", "timeline")
    listed = [{"step": step, **dict(zip(names, row, strict=True))} for row in rows]
    return DeviceActivity(by_device=pa.Table.from_pylist(listed, schema=ACTIVITY))


def lanes(picture: Picture | None) -> list[tuple[str, dict[str, str]]]:
    """Return the titles of the lanes with their attributes."""
    assert picture is not None
    paths = ET.fromstring(picture.svg).iter(f"{SVG}path")
    return [(path.findtext(f"{SVG}title") or "", path.attrib) for path in paths if path.find(f"{SVG}title") is not None]


def of_head(*rows: Row) -> Report:
    return with_head(make_report(), activity=activity(*rows))


HALF: list[int | None] = [100] * 100 + [0] * 100
WHOLE = [("d", "busy", 6_000, None), ("d", "idle", 4_000, None)]


def test_a_lane_is_as_high_as_the_share_of_its_kind() -> None:
    shares = [*[100] * 50, *[50] * 50, *[0] * 50, *[1] * 50]
    (lane,) = lanes(device_lanes(of_head(*WHOLE, ("d", "compute", 6_000, shares))))
    # from 116 to 360: 61 pixels for each quarter; a percent is a pixel high
    assert lane == ("d: computing", {"d": "M116 30H116V18H177V24H238V30H299V29H360V30Z", "fill": "#5b9bd9"})


def test_waiting_has_another_colour_and_comes_below_working() -> None:
    rows = [("d", kind, 1, HALF) for kind in ("launch", "receive", "compute")]
    found = lanes(device_lanes(of_head(*WHOLE, *rows)))
    assert [(title, attributes["fill"]) for title, attributes in found] == [
        ("d: computing", "#5b9bd9"),
        ("d: receiving", "#e08a1e"),
        ("d: launching kernels", "#9aa3af"),
    ]


def test_both_sides_of_a_comparison_share_an_axis() -> None:
    report = with_head(make_comparison_report(), activity=activity(*WHOLE, ("d", "compute", 6_000, HALF)))
    shorter = [("d", "busy", 2_000, None), ("d", "idle", 3_000, None), ("d", "compute", 2_000, HALF)]
    report = with_base(report, activity=activity(*shorter, step=1))
    picture = device_lanes(report)
    (base, base_look), (head, head_look) = lanes(picture)
    assert (base, base_look["d"]) == ("d: computing, base", "M116 30H116V18H177V30Z")  # half of its 5 us
    assert (head, head_look["d"]) == ("d: computing, head", "M116 30H116V18H238V30Z")
    assert picture is not None
    assert "step 1, 5 us \N{RIGHTWARDS ARROW} step 3, 10 us" in picture.text


def test_the_devices_that_do_most_are_drawn_and_the_others_counted() -> None:
    many = [(f"d{place}", "compute", 1, [place + 1]) for place in range(MOST_DEVICES + 2)]
    picture = device_lanes(of_head(*WHOLE, *many))
    assert [title for title, _ in lanes(picture)][:2] == ["d7: computing", "d6: computing"]
    assert len(lanes(picture)) == MOST_DEVICES
    assert picture is not None
    # with "d", whose lanes are not known, since only the busiest have timelines
    assert "Left out: 3 devices that did less." in picture.text


def test_without_timelines_or_the_length_of_the_step_there_is_no_picture() -> None:
    assert device_lanes(make_report()) is None
    assert device_lanes(of_head(*WHOLE)) is None
    assert device_lanes(of_head(("d", "busy", None, None), ("d", "compute", 1, HALF))) is None


def test_names_and_shares_of_any_kind_are_drawn_safely() -> None:
    odd: list[Any] = [None, -5, 120, 50]
    rows = [(HOSTILE, "busy", 1, None), (HOSTILE, "idle", 1, None), (HOSTILE, "page_fault", 1, odd)]
    picture = device_lanes(of_head(*rows))
    ((_, look),) = lanes(picture)
    assert look["d"] == "M116 30H238V18H299V24H360V30Z"
    assert picture is not None
    assert "<script>" not in picture.svg
