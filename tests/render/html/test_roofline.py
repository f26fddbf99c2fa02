"""The roofline of a device: dots below lines, both axes logarithmic."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import pytest
from rated import CPU, product, rated, took, typed
from report_builders import make_report

from tfprof_report.compare.bounds.changed_bounds import compare_bounds
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.render.html.roofline import roofline
from tfprof_report.render.html.svg import BLUE, ORANGE, Picture

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
