from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_builders import make_comparison_report, make_report, make_view, with_base
from repository import DATA

from tfprof_report.compare.causes.scope_sizes import find_changed_sizes, find_sizes
from tfprof_report.compare.delta import diff_view
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.matching.pairs import match_rows
from tfprof_report.compare.union import union_forest
from tfprof_report.ingest.paths import find_in_folder
from tfprof_report.job import Job, run
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.totals import DevicePeak
from tfprof_report.options import Options
from tfprof_report.render.html.pictures import pictures_of
from tfprof_report.render.html.svg import INK, Picture, fit, width_of
from tfprof_report.render.tables.cells import visible
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import Number
from tfprof_report.schema.tables import MEMORY
from tfprof_report.views.view import View

RESNET = DATA / "resnet"
HOSTILE = "</text><script>alert(1)</script>\u202e\x00\"'&"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(report: Report) -> dict[str, Picture]:
    changed = find_changed_sizes(report.comparison) if report.comparison else None
    pictures = pictures_of(dataclasses.replace(report, sizes=find_sizes(report.head), changed_sizes=changed))
    return {picture.anchor.removeprefix("picture-"): picture for picture in pictures}


def shapes(picture: Picture, tag: str) -> list[ET.Element]:
    return list(ET.fromstring(picture.svg).iter(SVG + tag))


def boxes(picture: Picture) -> dict[str, tuple[float, float, float]]:
    """Return left edge, width and level of each rectangle, by the name in its title."""
    found = {}
    for rect in shapes(picture, "rect"):
        name = (rect.findtext(SVG + "title") or "").partition(": ")[0]
        found[name] = (float(rect.attrib["x"]), float(rect.attrib["width"]) + 1, float(rect.attrib["y"]) / 27)
    return found


def words(picture: Picture) -> list[str]:
    return [each.text or "" for each in shapes(picture, "text")]


def scope(names: Sequence[str], own: Sequence[Number | None], stem: str = "params") -> View:
    """Make a scope view from the self figures of its rows."""
    totals = [
        sum(each or 0 for other, each in zip(names, own, strict=True) if f"{other}/".startswith(f"{name}/"))
        for name in names
    ]
    depths = [name.count("/") + 1 for name in names]
    return make_view("scope", names, {stem: totals}, depths=depths, own={stem: own})


def compared(base: View, head: View) -> Report:
    """Make a report with a comparison of one view."""
    pairs = match_rows(base.rows["name"], head.rows["name"])
    diff = diff_view(base.rows, head.rows, pairs, {}, {})
    report = make_comparison_report(views={head.name: head})
    assert report.comparison is not None
    comparison = dataclasses.replace(
        report.comparison,
        views={head.name: diff},
        forests={head.name: union_forest(base.rows, head.rows, pairs, diff["status"])},
    )
    return with_base(dataclasses.replace(report, comparison=comparison), views={base.name: base})


def steps_of(*rows: tuple[str, int, int | None]) -> pa.Table:
    """Make steps.parquet from device, step and microseconds of single nodes, None where they are unknown."""
    devices, steps, micros = zip(*rows, strict=True)
    nanos = [None if each is None else 1000 * each for each in micros]
    return pa.table({"device": pa.array(devices).dictionary_encode(), "step": list(steps), "nanos": nanos})


def test_a_scope_is_as_wide_as_its_share_with_its_parts_below_it() -> None:
    picture = drawn(make_report(views={"scope": scope(["a", "a/b", "c", "zero"], [2, 4, 2, 0])}))["scope"]
    assert boxes(picture) == {
        "Parameters": (0, 960, 0),
        "a": (0, 720, 1),
        "a/b": (0, 480, 2),
        "c": (720, 240, 1),
    }
    assert words(picture) == ["All parameters  8", "a  6", "b  4", "c  2"]
    assert picture.title == "Parameters by scope"
    assert picture.text.endswith("All 3 scopes and nodes with Parameters are drawn.")


def test_the_largest_sibling_comes_first() -> None:
    found = boxes(drawn(make_report(views={"scope": scope(["a", "b", "b/x"], [1, 0, 3])}))["scope"])
    assert found["b"] == (0, 720, 1)
    assert found["a"] == (720, 240, 1)


def test_unknown_figures_take_no_room_and_without_any_there_is_no_picture() -> None:
    assert "b" not in boxes(drawn(make_report(views={"scope": scope(["a", "b"], [1, None])}))["scope"])
    assert "scope" not in drawn(make_report(views={"scope": scope(["a", "b"], [0, None])}))


def test_what_is_too_deep_or_too_narrow_is_counted() -> None:
    deep = "/".join("abcdefgh")
    names = [deep[: 2 * level + 1] for level in range(8)] + ["narrow"]
    picture = drawn(make_report(views={"scope": scope(names, [0] * 7 + [1000, 1])}))["scope"]
    assert max(level for _, _, level in boxes(picture).values()) == 6
    assert "narrow" not in boxes(picture)
    assert "The 6 widest of 9 scopes and nodes with Parameters are drawn; scope.parquet has all." in picture.text


@st.composite
def trees(draw: st.DrawFn) -> View:
    depths: list[int] = []
    for _ in range(draw(st.integers(1, 12))):
        depths.append(draw(st.integers(1, depths[-1] + 1 if depths else 1)))
    names: list[str] = []
    for row, depth in enumerate(depths):
        above = next((names[at] for at in reversed(range(row)) if depths[at] < depth), None)
        names.append(f"{above}/{row}" if above else str(row))
    return scope(names, draw(st.lists(st.integers(0, 9), min_size=len(names), max_size=len(names))))


@given(trees())
@settings(deadline=None)
def test_no_two_rectangles_of_a_level_overlap_and_each_lies_below_its_scope(view: View) -> None:
    pictures = drawn(make_report(views={"scope": view}))
    found = boxes(pictures["scope"]) if "scope" in pictures else {}
    for name, (left, width, level) in found.items():
        above = found.get(name.rpartition("/")[0], (0, 960, 0))
        assert above[0] - 0.2 <= left
        assert left + width <= above[0] + above[1] + 0.2
        for other, (start, _, other_level) in found.items():
            assert other == name or other_level != level or start >= left + width - 0.2 or start < left


def test_changes_are_as_wide_as_increases_plus_decreases() -> None:
    base, head = scope(["a", "gone", "s"], [4, 2, 5]), scope(["a", "new", "s"], [7, 1, 5])
    picture = drawn(compared(base, head))["changes"]
    assert boxes(picture) == {
        "Parameters": (0, 960, 0),
        "a": (0, 480, 1),
        "gone": (480, 320, 1),
        "new": (800, 160, 1),
    }
    assert "+4 and \N{MINUS SIGN}2 in all" in picture.text
    assert "All 3 scopes and nodes whose Parameters changed are drawn." in picture.text


def test_the_direction_of_a_change_is_shown_without_colour() -> None:
    base, head = scope(["less", "more", "gone"], [9, 1, 9]), scope(["less", "more"], [3, 7])
    picture = drawn(compared(base, head))["changes"]
    up, down = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
    assert {text.partition("  ")[0] for text in words(picture)[1:]} == {f"{down} less", f"{up} more", f"{down} gone"}
    dashed = [rect for rect in shapes(picture, "rect") if "stroke-dasharray" in rect.attrib]
    assert [rect.findtext(SVG + "title") for rect in dashed] == ["gone: \N{MINUS SIGN}9, not in head"]
    lines = [path.attrib["d"] for path in shapes(picture, "path")]
    assert len(lines) == 2  # at the top for more, at the bottom for less; dashed ones have none


def test_increases_and_decreases_that_cancel_out_still_have_a_width() -> None:
    base, head = scope(["s", "s/a", "s/b"], [0, 5, 1]), scope(["s", "s/a", "s/b"], [0, 2, 4])
    picture = drawn(compared(base, head))["changes"]
    assert boxes(picture)["s"] == (0, 960, 1)
    assert "s  0" in words(picture)


def test_a_figure_that_became_known_is_no_change_and_without_changes_there_is_no_picture() -> None:
    assert "changes" not in drawn(compared(scope(["a", "b"], [None, 1]), scope(["a", "b"], [5, 1])))


def test_op_types_have_a_bar_per_side_the_largest_first() -> None:
    base = make_view("op", ["Relu", "Conv2D"], {"float_ops": [30, 50]})
    head = make_view("op", ["Conv2D", "Relu", "Const"], {"float_ops": [100, None, 0]})
    picture = drawn(compared(base, head))["ops-float-ops"]
    assert words(picture) == ["Conv2D", "50 \N{RIGHTWARDS ARROW} 100", "Relu", "30 \N{RIGHTWARDS ARROW} unknown"]
    bars = [(rect.attrib["fill"] == "none", float(rect.attrib["width"])) for rect in shapes(picture, "rect")]
    assert bars == [(True, 179), (False, 360), (True, 107)]  # an outline is drawn half a pixel inside on each side


def test_op_types_that_are_not_drawn_are_counted() -> None:
    view = make_view("op", [f"op{n}" for n in range(14)], {"float_ops": [*([10] * 12), 4, 1]})
    picture = drawn(make_report(views={"op": view}))["ops-float-ops"]
    assert len(shapes(picture, "rect")) == 12
    assert picture.text == "The 12 largest of 14 op types; the others have 4.00 %. op.parquet has all."


def test_devices_have_their_highest_peak_and_their_mean_time() -> None:
    devices = [
        DevicePeak(device="/gpu:0", step=s, device_peak_bytes=size, source="") for s, size in ((1, 2048), (2, 3072))
    ]
    devices.append(DevicePeak(device="/cpu:0", step=1, device_peak_bytes=None, source=""))
    steps = steps_of(("/gpu:0", 1, 10), ("/gpu:0", 1, 20), ("/gpu:0", 2, 50), ("/cpu:0", 1, 6))
    pictures = drawn(make_report(devices=tuple(devices), steps=steps))
    assert words(pictures["device-memory"]) == ["/gpu:0", "3.00 KiB"]
    assert words(pictures["device-time"]) == ["/gpu:0", "40 us", "/cpu:0", "6 us"]


def test_figures_beyond_what_a_float_holds_are_drawn() -> None:
    peak = DevicePeak(device="/gpu:0", step=1, device_peak_bytes=2**53 + 1, source="")
    steps = steps_of(("/gpu:0", 1, 2**50 + 1), ("/gpu:0", 2, 2**53 + 1))
    pictures = drawn(make_report(devices=(peak,), steps=steps, views={"scope": scope(["a"], [2**60 + 1])}))
    assert words(pictures["device-memory"]) == ["/gpu:0", "8.00 PiB"]
    assert "a: 1,152,921,504,606,846,977, 100.00 % of all" in str(pictures["scope"].svg)


def test_a_step_is_a_dot_and_the_median_a_line() -> None:
    steps = steps_of(("/gpu:0", 1, 50), ("/gpu:0", 2, 100), ("/gpu:0", 3, 70), ("/gpu:0", 3, 5))
    picture = drawn(make_report(steps=steps))["steps"]
    assert words(picture) == ["/gpu:0", "median 75 us"]
    dots = {dot.findtext(SVG + "title"): float(dot.attrib["cx"]) for dot in shapes(picture, "circle")}
    assert dots == {"step 1: 50 us": 4 + 352 / 2, "step 2: 100 us": 356, "step 3: 75 us": 4 + 352 * 0.75}


def test_a_step_with_an_unknown_time_is_on_no_axis() -> None:
    steps = steps_of(("/gpu:0", 1, 50), ("/gpu:0", 2, 9), ("/gpu:0", 2, None), ("/gpu:0", 3, 60), ("/cpu:0", 1, None))
    pictures = drawn(make_report(steps=steps))
    assert words(pictures["device-time"]) == ["/gpu:0", "55 us"]
    assert [dot.findtext(SVG + "title") for dot in shapes(pictures["steps"], "circle")] == [
        "step 1: 50 us",
        "step 3: 60 us",
    ]


def test_a_single_step_has_no_spread() -> None:
    assert "steps" not in drawn(make_report(steps=steps_of(("/cpu:0", 1, 5), ("/cpu:0", 1, 6), ("/gpu:0", 1, 2))))


def test_memory_over_time_is_that_of_the_step_with_the_highest_peak() -> None:
    moments = [("/gpu:0", 1, 0, 4096), ("/gpu:0", 2, 0, 1024), ("/gpu:0", 2, 10, 8192), ("/gpu:0", 2, 20, 2048)]
    memory = pa.Table.from_pylist([dict(zip(MEMORY.names, row, strict=True)) for row in moments], schema=MEMORY)
    picture = drawn(make_report(memory=memory))["memory"]
    assert words(picture) == ["/gpu:0", "step 2, peak 8.00 KiB", "0", "20 us"]
    curve = shapes(picture, "path")[0].attrib["d"]
    assert curve == "M0 107.0H0V95.8H180V17.0H360V84.5H360V107.0Z"  # 90 pixels for 8,192 bytes, from 17 on
    assert [dot.findtext(SVG + "title") for dot in shapes(picture, "circle")] == ["8,192 B after 10 us"]


def test_what_a_report_does_not_know_has_no_picture() -> None:
    assert pictures_of(make_report(views={}, devices=())) == ()


@pytest.fixture(scope="module")
def resnet() -> Report:
    head, base = (find_in_folder(str(RESNET / side)) for side in ("head", "base"))
    return run(Job(head=head, base=base, policy=Policy(), measurement=Measurement(options=Options())), lambda _: None)


def elements(report: Report) -> Iterator[ET.Element]:
    for picture in pictures_of(report):
        yield from ET.fromstring(picture.svg).iter()


@pytest.mark.thorough
def test_a_comparison_of_models_that_ran_has_every_picture_and_they_are_small(resnet: Report) -> None:
    pictures = drawn(resnet)
    assert list(pictures) == [
        "changes",
        "scope",
        "ops-float-ops",
        "ops-micros",
        "device-memory",
        "device-time",
        "steps",
        "memory",
        "lanes",
    ]
    assert sum(len(picture.svg.encode()) for picture in pictures.values()) < 100_000


def test_pictures_need_no_style_and_no_script(resnet: Report) -> None:
    names = {name for element in elements(resnet) for name in element.attrib}
    assert not {name for name in names if name in ("style", "class", "href") or name.startswith("on")}


def test_a_screen_reader_finds_title_and_text_of_each_picture(resnet: Report) -> None:
    found: list[str] = []
    for picture in pictures_of(resnet):
        root = ET.fromstring(picture.svg)
        labels = {each.attrib["id"]: each.text for each in root.iter() if "id" in each.attrib}
        assert root.attrib["role"] == "img"
        assert [labels[name] for name in root.attrib["aria-labelledby"].split()] == [picture.title, picture.text]
        found += labels
    assert len(found) == len(set(found))


def test_the_same_report_gives_the_same_pictures(resnet: Report) -> None:
    assert pictures_of(resnet) == pictures_of(dataclasses.replace(resnet))


def test_hostile_names_are_text() -> None:
    views = {"scope": scope([HOSTILE.replace("/", "")], [1]), "op": make_view("op", [HOSTILE], {"float_ops": [5]})}
    report = make_report(views=views)
    assert {element.tag.removeprefix(SVG) for element in elements(report)} == {"svg", "title", "desc", "rect", "text"}
    assert visible(HOSTILE) in words(drawn(report)["ops-float-ops"])


@given(st.text(max_size=60), st.floats(0, 500))
def test_a_name_is_cut_to_its_room(name: str, width: float) -> None:
    text = fit(name, width)
    assert width_of(text) <= width
    assert text in ("", visible(name)) or "\N{HORIZONTAL ELLIPSIS}" in text


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours as defined by WCAG 2.1."""
    lights = []
    for colour in (one, other):
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)
        lights.append(0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    return max(lights) / min(lights)


def test_text_on_a_fill_can_be_read(resnet: Report) -> None:
    fills: Any = {element.attrib.get("fill", "none") for element in elements(resnet) if element.tag == SVG + "rect"}
    assert len(fills) > 2
    assert min(contrast(INK, fill) for fill in fills - {"none"}) > 4.5
