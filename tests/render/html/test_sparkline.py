"""A figure over time as a line of a word's size."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof_report.render.html.sparkline import HEIGHT, WIDTH, sparkline


def paths(drawn: str) -> list[str]:
    return re.findall(r' d="([^"]*)"', drawn)


def dots(drawn: str) -> list[tuple[str, ...]]:
    return re.findall(r'<circle cx="([^"]*)" cy="([^"]*)" r="2" fill="([^"]*)"', drawn)


def test_the_newest_value_has_a_dot_and_the_highest_is_at_the_top() -> None:
    drawn = sparkline([10, 20, 15], text="3 reports")
    assert paths(drawn) == ["M2.5 17.5L48 2.5L93.5 10"]
    assert dots(drawn) == [("93.5", "10", "#e08a1e")]
    assert 'role="img" aria-label="3 reports"' in drawn


def test_a_value_that_is_not_known_is_a_gap_and_at_the_end_a_ring() -> None:
    drawn = sparkline([1, None, 2, 3, None], text="x")
    assert paths(drawn) == ["M2.5 17.5h0M48 10L70.8 2.5"]
    assert dots(drawn) == [("93.5", "17.5", "none")]


def test_equal_values_are_a_line_in_the_middle_and_one_value_is_a_dot() -> None:
    assert paths(sparkline([7, 7], text="x")) == ["M2.5 10L93.5 10"]
    assert dots(sparkline([7], text="x")) == [("2.5", "10", "#e08a1e")]


def test_without_a_known_value_there_is_no_picture() -> None:
    assert sparkline([], text="x") == sparkline([None, None], text="x") == ""


def test_the_text_is_only_text() -> None:
    drawn = sparkline([1, 2], text='"><script>alert(1)</script>\n')
    root = ET.fromstring(drawn)
    assert root.attrib["aria-label"] == '"><script>alert(1)</script>\\n'
    assert [each.tag.rpartition("}")[2] for each in root] == ["title", "path", "circle"]
    assert "style" not in drawn


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.none() | st.integers(0, 2**63 - 1) | st.floats(0, 1e18), max_size=500))
def test_every_value_is_inside_and_the_drawing_stays_small(values: list[float | None]) -> None:
    drawn = sparkline(values, text="x")
    assert bool(drawn) == any(value is not None for value in values)
    for path in paths(drawn):
        points = re.findall(r"[ML]([\d.]+) ([\d.]+)", path)
        assert all(0 <= float(x) <= WIDTH and 0 <= float(y) <= HEIGHT for x, y in points)
    assert len(drawn) < 8000
