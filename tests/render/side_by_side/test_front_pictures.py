from __future__ import annotations

import re
from random import Random

from columned import column, four_models, side_by_side
from lxml import etree

from tfprof_report.render.html.svg import Picture, width_of
from tfprof_report.render.side_by_side.front_pictures import front_pictures

SVG = "{http://www.w3.org/2000/svg}"


def drawn(picture: Picture) -> etree._Element:
    return etree.fromstring(str(picture.svg))


def titles(picture: Picture) -> list[str]:
    return [title.text or "" for title in drawn(picture).iterfind(f"{SVG}circle/{SVG}title")]


def test_a_picture_for_each_two_figures() -> None:
    pictures = front_pictures(side_by_side(*four_models()))
    assert [picture.title for picture in pictures] == [
        "Parameters over FLOPs",
        "Device peak memory over FLOPs",
        "Wall time over FLOPs",
        "Device peak memory over parameters",
        "Wall time over parameters",
        "Wall time over device peak memory",
    ]


def test_a_dot_says_its_model_and_figures_and_one_without_a_figure_is_left_out() -> None:
    flops, *_ = front_pictures(side_by_side(*four_models()))
    assert sorted(titles(flops)) == [
        "1: wide: FLOPs 1.00 k, Parameters 100",
        "2: deep: FLOPs 800, Parameters 150",
        "3: </script><b>|: FLOPs 1.20 k, Parameters 150",
    ]
    assert "The line is the front of these two figures: wide and deep." in flops.text
    assert "1 model is left out: a figure is unknown or counted otherwise." in flops.text
    assert "<b>" not in str(flops.svg)


def test_filled_dots_are_on_the_front_of_all_figures() -> None:
    flops, *_ = front_pictures(side_by_side(*four_models()))
    filled = {
        circle.findtext(f"{SVG}title", "")[0]: circle.get("fill") != "none"
        for circle in drawn(flops).iterfind(f"{SVG}circle")
    }
    assert filled == {"1": True, "2": True, "3": False}


def test_dots_are_where_their_figures_are() -> None:
    columns = [column(name, params=x, float_ops=y) for name, x, y in (("a", 0, 30), ("b", 5, 20), ("c", 10, 10))]
    (picture,) = front_pictures(side_by_side(*columns))
    places = {
        circle.findtext(f"{SVG}title", "")[0]: (float(circle.get("cx", 0)), float(circle.get("cy", 0)))
        for circle in drawn(picture).iterfind(f"{SVG}circle")
    }
    assert places["2"][0] * 2 == places["1"][0] + places["3"][0]
    assert places["2"][1] * 2 == places["1"][1] + places["3"][1]
    assert places["3"][0] < places["1"][0]  # c has the fewest FLOPs
    assert places["3"][1] < places["1"][1]  # and the most parameters, which are further up


def test_an_axis_of_values_that_differ_much_is_logarithmic() -> None:
    columns = [column(name, params=10 * 100**place, float_ops=5) for place, name in enumerate("abc")]
    (picture,) = front_pictures(side_by_side(*columns))
    assert picture.text.startswith("The upright axis is logarithmic. ")
    assert {"10", "1 k", "100 k"} <= {text.text for text in drawn(picture).iterfind(f"{SVG}text")}
    heights = sorted(float(circle.get("cy", 0)) for circle in drawn(picture).iterfind(f"{SVG}circle"))
    assert abs(heights[1] * 2 - heights[0] - heights[2]) < 0.2


def test_no_two_labels_of_many_models_overlap() -> None:
    random = Random(3)
    columns = [
        column(f"model-{number}", params=random.randrange(99), float_ops=random.randrange(99)) for number in range(20)
    ]
    (picture,) = front_pictures(side_by_side(*columns))
    boxes = []
    for text in drawn(picture).iterfind(f"{SVG}text"):
        if re.match(r"\d+ model-\d+$", text.text or ""):
            x, y, width = float(text.get("x", 0)), float(text.get("y", 0)), width_of(text.text or "")
            left = x - {"start": 0.0, "middle": width / 2, "end": width}[text.get("text-anchor", "")]
            boxes.append((left, y - 10, left + width, y + 3))
    assert len(boxes) > 4
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            assert one[0] >= other[2] - 0.1 or other[0] >= one[2] - 0.1 or one[1] >= other[3] or other[1] >= one[3]


def test_one_model_with_both_figures_makes_no_picture() -> None:
    assert front_pictures(side_by_side(column("a", params=1, float_ops=1), column("b", params=2))) == ()


def test_bytes_are_at_powers_of_two() -> None:
    columns = [column(name, device_peak_bytes=3 << 20 << 4 * place, float_ops=5) for place, name in enumerate("abc")]
    (picture,) = front_pictures(side_by_side(*columns))
    ticks = [text.text for text in drawn(picture).iterfind(f"{SVG}text") if (text.text or "").endswith("iB")]
    assert ticks == ["1 MiB", "4 MiB", "16 MiB", "64 MiB", "256 MiB", "1 GiB"]
