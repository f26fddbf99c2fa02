"""The roofline of a device: dots below lines, both axes logarithmic."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from rated import CPU, FLOAT, HALF, product, rated, took, typed
from report_builders import make_report

from tfprof_report.compare.bounds.changed_bounds import compare_bounds
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.render.html.roofline import roofline
from tfprof_report.render.html.svg import BLUE, ORANGE, Picture

DOUBLE = 2
SVG = "{http://www.w3.org/2000/svg}"
SPEED = DeviceSpeed(device="cpu:0", float_ops_per_second={"default": 1e12}, bytes_per_second=100e9)


def drawn(*speeds: DeviceSpeed, layers: int = 2, name: str = "fc") -> Picture | None:
    """Return the picture of layers of 10 FLOPs per byte and less, the first one with the most time."""
    nodes, runs = [], []
    for place in range(layers):
        scope, inner = f"{name}{place}", 200 // 10**place + 1
        nodes += [
            typed(f"{scope}/w", "VariableV2", shape=[inner, 50]),
            typed(f"{scope}/read", "Identity", f"{scope}/w", shape=[inner, 50]),
            typed(f"{scope}/x", "Placeholder", shape=[100, inner]),
            product(f"{scope}/y", f"{scope}/x", f"{scope}/read", shape=[100, 50]),
        ]
        runs.append(took(f"{scope}/y", 10_000 // (place + 1)))
    side = rated(nodes, {CPU: runs})
    report = dataclasses.replace(make_report(), head=side, bounds=compare_bounds(side, None, speeds))
    return roofline(report)


def circles(picture: Picture) -> list[ET.Element]:
    return list(ET.fromstring(picture.svg).iter(f"{SVG}circle"))


def test_each_layer_is_a_dot_that_says_what_bounds_it() -> None:
    picture = drawn(SPEED)
    assert picture is not None
    first, second = circles(picture)
    assert (first.get("fill"), second.get("fill")) == (BLUE, ORANGE)
    assert first.findtext(f"{SVG}title") == (
        "fc0: 201.00 G FLOP/s, 14.30 FLOP/byte, 10 us, 20.10 % of the peak, bound by arithmetic"
    )
    assert float(first.attrib["r"]) == 7
    assert float(first.attrib["cx"]) > float(second.attrib["cx"])
    assert float(first.attrib["cy"]) < float(second.attrib["cy"])  # faster is further up


def test_dots_are_at_the_logarithms_of_their_figures() -> None:
    picture = drawn(SPEED, layers=1)
    assert picture is not None
    # x: 14.3 FLOPs per byte between 10 (the ridge) and 100, y: 201 G between 100 G and 1 T
    (dot,) = circles(picture)
    assert float(dot.attrib["cx"]) == pytest.approx(48 + 0.1554 * 290, abs=0.1)
    assert float(dot.attrib["cy"]) == pytest.approx(222 - 0.3032 * 198, abs=0.1)


def test_a_roof_goes_up_to_its_ridge_and_then_level() -> None:
    picture = drawn(SPEED)
    assert picture is not None
    titles = [each.findtext(f"{SVG}title") or "" for each in ET.fromstring(picture.svg).iter(f"{SVG}path")]
    assert [title for title in titles if title] == [
        "float32: 1.00 T FLOP/s from 10 FLOP/byte on; below, 100.00 G bytes/s"
    ]


def test_a_layer_of_which_too_little_is_known_has_no_dot() -> None:
    def with_open(nanos: int) -> Picture | None:
        nodes = [
            typed("fc/x", "Placeholder", shape=[100, 201]),
            typed("fc/w", "VariableV2", shape=[201, 50]),
            product("fc/y", "fc/x", "fc/w", shape=[100, 50]),
            typed("fc/open", "MyOp", "fc/y", shape=[-1]),
            typed("out/w", "VariableV2", shape=[50]),
            typed("out/z", "Mul", "fc/y", "out/w", shape=[100, 50]),
        ]
        side = rated(nodes, {CPU: [took("fc/y", 10_000), took("fc/open", nanos), took("out/z", 900)]})
        return roofline(dataclasses.replace(make_report(), head=side, bounds=compare_bounds(side, None, [SPEED])))

    most, least = with_open(1000), with_open(12_000)
    assert most is not None
    assert least is not None
    assert (circles(most)[0].findtext(f"{SVG}title") or "").startswith("fc: at least 182.73 G FLOP/s")
    assert "too few" not in most.text
    assert [(dot.findtext(f"{SVG}title") or "")[:4] for dot in circles(least)] == ["out:"]
    assert "Left out: 1 layer of which too few FLOPs or bytes are known." in least.text


def test_labels_of_roofs_are_below_each_other() -> None:
    peaks = {"float32": 1e12, "float16": 1.1e12, "default": 1.05e12}
    nodes, runs = [], []
    for name, dtype in (("a", FLOAT), ("b", HALF), ("c", DOUBLE)):
        nodes += [
            typed(f"{name}/x", "Placeholder", shape=[100, 200], dtype=dtype),
            typed(f"{name}/w", "VariableV2", shape=[200, 50], dtype=dtype),
            product(f"{name}/y", f"{name}/x", f"{name}/w", shape=[100, 50], dtype=dtype),
        ]
        runs.append(took(f"{name}/y", 10_000))
    side = rated(nodes, {CPU: runs})
    speed = dataclasses.replace(SPEED, float_ops_per_second=peaks)
    picture = roofline(dataclasses.replace(make_report(), head=side, bounds=compare_bounds(side, None, [speed])))
    assert picture is not None
    labels = [each for each in ET.fromstring(picture.svg).iter(f"{SVG}text") if ":" in (each.text or "")]
    assert [each.text for each in labels] == ["float16: 1.10 T", "float64: 1.05 T", "float32: 1.00 T"]
    places = [float(each.attrib["y"]) for each in labels]
    assert all(below - above >= 12 for above, below in pairwise(places))


def test_it_fits_a_phone_and_says_what_it_shows() -> None:
    picture = drawn(SPEED)
    assert picture is not None
    root = ET.fromstring(picture.svg)
    assert (root.get("width"), root.get("role")) == ("360", "img")
    assert f"Layers on {CPU}" in picture.text
    assert "style" not in picture.svg


def test_names_are_escaped() -> None:
    picture = drawn(SPEED, name="<script>")
    assert picture is not None
    assert "<script>" not in picture.svg


def test_without_peaks_there_is_no_roofline() -> None:
    assert drawn() is None
    assert drawn(DeviceSpeed(device="gpu:0", float_ops_per_second={"default": 1e12}, bytes_per_second=1e9)) is None
    assert drawn(DeviceSpeed(device="cpu:0", float_ops_per_second={}, bytes_per_second=1e9)) is None
    assert roofline(make_report()) is None
