"""The picture of a figure over commits, without scripts: coordinates worked out by hand."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

from indexed import index_row
from made_histories import made_history

from tfprof_report.render.history.history_chart import RED, draw_line
from tfprof_report.render.history.plotted import failures, plotted
from tfprof_report.render.html.svg import BLUE, GREY, ORANGE, Picture

SVG = "{http://www.w3.org/2000/svg}"

SMALL = [
    index_row("c0", params=100),
    index_row("c1", params=100),
    index_row("c2", params=200, outcome="failed"),
    index_row("c4", params_at_least=150, params_unknown=1),
    index_row("c5", params=150, counting="b"),
    index_row("c10", params=150, counting="b"),
]
"""Six reports of eleven commits: a step, a gap, a figure that is not known, and another way of counting."""


def draw(rows: list[dict[str, Any]], stem: str = "params", *, most_points: int = 150, **about: Any) -> Picture:
    (model,) = made_history({"m": rows}, count=11, **about).models
    line = next(line for line in model.lines if line.stem == stem)
    link = "../store/{}".format
    return draw_line(plotted(model, line), failures(model), anchor="a", link=link, most_points=most_points)


def found(picture: Picture, tag: str, **having: str) -> list[dict[str, str]]:
    """Return the attributes of all elements with a tag and these attributes."""
    every = [each.attrib for each in ET.fromstring(picture.svg).iter(f"{SVG}{tag}")]
    return [each for each in every if having.items() <= each.items()]


def titles(picture: Picture) -> list[str]:
    return [each.text or "" for each in ET.fromstring(picture.svg).iter(f"{SVG}title")][1:]


def test_the_line_has_its_pieces() -> None:
    (path,) = found(draw(SMALL), "path", stroke=BLUE)
    # 1200 across for ten commits; 200 is 42 down, 100 is 152 down
    assert path["d"] == "M0 152L120 152L240 42M600 97h0M1200 97h0"
    assert path["vector-effect"] == "non-scaling-stroke"
    stretched = found(draw(SMALL), "svg", viewBox="0 0 1200 200", preserveAspectRatio="none")
    assert [(each["x"], each["width"], each["height"]) for each in stretched] == [("1%", "98%", "200")]


def test_points_are_at_their_commits_and_steps_are_larger() -> None:
    points = [(each["cx"], each["cy"], each["r"], each["fill"]) for each in found(draw(SMALL), "circle")]
    assert points == [
        ("1.00%", "152", "2.5", BLUE),
        ("10.80%", "152", "2.5", BLUE),
        ("20.60%", "42", "4", ORANGE),
        ("50.00%", "97", "2.5", BLUE),
        ("99.00%", "97", "2.5", BLUE),
    ]
    assert [each for each in titles(draw(SMALL)) if each.startswith(("c2,", "c4,"))] == [
        "c2, 2024-01-03: Parameters +100 (+100.00 %), 100 \u2192 200; gates failed",
        "c4, 2024-01-05: at least 150",
    ]


def test_a_failed_gate_is_a_cross_and_an_unknown_figure_a_triangle() -> None:
    drawn = draw(SMALL)
    assert [each["d"] for each in found(drawn, "path", stroke=RED)] == ["M-5 -5l10 10m0 -10l-10 10"]
    assert [each["d"] for each in found(drawn, "path", stroke=GREY)] == ["M-4 0h8l-4 -7z"]
    assert [(each["x"], each["y"]) for each in found(drawn, "svg", overflow="visible")] == [
        ("20.60%", "42"),
        ("40.20%", "172"),
    ]


def test_releases_breaks_and_budgets_are_lines() -> None:
    drawn = draw(SMALL, gates=["params <= 250"], tags={"c1": ("v1", "stable"), "c5": ("v2",)})
    assert [each["x1"] for each in found(drawn, "line", **{"stroke-dasharray": "2 3"})] == ["50.00%", "10.80%"]
    assert [each["x1"] for each in found(drawn, "line", **{"stroke-dasharray": "8 4"})] == ["45.10%"]
    assert [each["y1"] for each in found(drawn, "line", stroke=RED)] == ["42"]  # 250 is the highest now
    assert {"v1, stable: c1, 2024-01-02", "v2: c5, 2024-01-06", "budget params <= 250"} <= set(titles(drawn))
    texts = [each.text for each in ET.fromstring(drawn.svg).iter(f"{SVG}text")]
    assert texts == ["100", "250", "c0, 2024-01-01", "c10, 2024-01-11", "v2", "v1, stable", "budget params <= 250"]


def test_names_of_releases_that_would_overlap_on_a_phone_are_left_out_but_not_the_newest() -> None:
    rows = [index_row(f"c{number}", params=1) for number in range(11)]
    drawn = draw(rows, tags={f"c{number}": (f"v1.{number}.0",) for number in range(11)})
    shown = [each.text for each in ET.fromstring(drawn.svg).iter(f"{SVG}text") if (each.text or "").startswith("v1.")]
    assert shown[0] == "v1.10.0"
    assert 3 <= len(shown) <= 7
    assert len(found(drawn, "line", **{"stroke-dasharray": "2 3"})) == 11


def test_the_levels_of_a_noisy_figure_are_wide_lines() -> None:
    rows = [index_row(f"c{number}", wall_micros=1000.0 + number % 2) for number in range(11)]
    drawn = draw(rows, "wall_micros")
    assert [(each["x1"], each["x2"], each["y1"]) for each in found(drawn, "line", **{"stroke-width": "5"})] == [
        ("1.00%", "99.00%", "152")  # the median is 1000
    ]
    assert "the wide line is the median of a level" in drawn.text


def test_of_many_reports_only_steps_are_points() -> None:
    rows = [index_row(f"c{number}", params=100 + number // 4) for number in range(11)]
    assert [each["cx"] for each in found(draw(rows, most_points=10), "circle")] == ["40.20%", "79.40%"]
    assert [each["cx"] for each in found(draw(rows, most_points=1), "circle")] == ["79.40%"]
    assert len(found(draw(rows, most_points=11), "circle")) == 11


def test_the_keyboard_goes_from_step_to_step() -> None:
    links = found(draw(SMALL), "a")
    assert [each["href"] for each in links] == [f"../store/{row}" for row in (0, 1, 2, 4, 5)]
    assert [each.get("tabindex") for each in links] == ["-1", "-1", None, "-1", "-1"]


def test_one_report_is_a_point() -> None:
    drawn = draw([index_row("c3", params=5)])
    assert [(each["cx"], each["cy"]) for each in found(drawn, "circle")] == [("1.00%", "97")]
    texts = [each.text for each in ET.fromstring(drawn.svg).iter(f"{SVG}text")]
    assert texts == ["5", "c3, 2024-01-04"]


def test_a_figure_that_no_report_knows_has_triangles_and_no_line() -> None:
    drawn = draw([index_row("c0", params_at_least=5, params_unknown=1), index_row("c1", params_at_least=6)])
    assert found(drawn, "path", stroke=BLUE) == found(drawn, "circle") == []
    assert [each["x"] for each in found(drawn, "svg", y="172")] == ["1.00%", "99.00%"]
    assert titles(drawn) == ["c0, 2024-01-01: at least 5", "c1, 2024-01-02: at least 6"]


def test_the_caption_says_what_is_not_in_the_picture() -> None:
    assert draw(SMALL, gates=["params <= 1k"]).text == (
        "5 reports, 1 step; not wholly known in 1 report (triangles at the bottom); the limit params <= 1k is above "
        "the picture."
    )


def test_shapes_have_attributes_alone() -> None:
    assert not re.search(r"style|class=", draw(SMALL, gates=["params <= 250"], tags={"c1": ("v1",)}).svg)
