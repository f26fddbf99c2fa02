"""The bars of gates: shapes with attributes alone, since a content security policy may block styles."""

from __future__ import annotations

import re

import pytest

from tfprof_report.render.content.gate_rows import Track
from tfprof_report.render.html.limit_bars import limit_bar
from tfprof_report.render.html.svg import BLUE, GREY, ORANGE


@pytest.mark.parametrize(("tone", "fill"), [("failed", ORANGE), ("passed", BLUE), ("inconclusive", GREY)])
def test_a_bar_has_its_length_and_a_mark_per_limit(tone: str, fill: str) -> None:
    bar = limit_bar(Track(figure=1, limits=(0.25, 0.606), tone=tone))
    widths = re.findall(r'<rect y="4" width="([^"]+)" height="8" fill="([^"]+)"', bar)
    assert widths == [("100%", "currentColor"), ("100.00%", fill)]
    assert re.findall(r'<rect x="([^"]+)" width="2"', bar) == ["25.00%", "60.60%"]
    assert 'aria-hidden="true"' in bar
    assert "style" not in bar
