"""The bars of one model's figures: shapes with attributes alone, since a content security policy may block styles."""

from __future__ import annotations

import re

from tfprof_report.render.content.figures import Part
from tfprof_report.render.html.figure_bars import part_key, parts_bar, share_bar
from tfprof_report.render.html.svg import BLUE, GREY
from tfprof_report.render.tables.cells import text_cell

PARTS = (
    Part(name=text_cell("forward"), amount="1", share=0.25),
    Part(name=text_cell("gradients"), amount="2", share=0.5),
    Part(name=text_cell("others"), amount="1", share=0.25, is_rest=True),
)


def test_parts_lie_side_by_side_and_the_rest_is_grey() -> None:
    bar = parts_bar(PARTS)
    rows = re.findall(r'<rect x="([^"]+)" width="([^"]+%)" height="10" fill="([^"]+)"', bar)
    assert rows == [("0.00%", "25.00%", BLUE), ("25.00%", "50.00%", BLUE), ("75.00%", "25.00%", GREY)]
    assert 'aria-hidden="true"' in bar
    assert "style" not in bar


def test_the_key_of_a_part_has_its_colour() -> None:
    for place, part in enumerate(PARTS):
        (fill,) = re.findall(r'fill="[^"]+"(?: fill-opacity="[^"]+")?', part_key(part, place))
        assert fill in parts_bar(PARTS)


def test_a_share_is_a_bar_and_an_unknown_one_is_none() -> None:
    assert f'width="12.50%" height="10" fill="{BLUE}"' in share_bar("12.5")
    assert share_bar("") == ""
