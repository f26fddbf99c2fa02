"""Models by two figures as dots, with the front of the two as a line; a picture for each two figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from markupsafe import Markup

from tfprof_report.compare.exact_totals import as_number
from tfprof_report.formatting import format_number, in_a_sentence, label_of, normalise, plural, unit_of
from tfprof_report.record import record
from tfprof_report.render.html.svg import BLUE, INK, Picture, fit, label, picture, shape, width_of
from tfprof_report.render.side_by_side.words import names_of
from tfprof_report.schema.metrics import Unit
from tfprof_report.side_by_side.build import SideBySide
from tfprof_report.side_by_side.front import Front

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BELOW = 360, 270, 62, 16, 26, 40
_INNER = 14
"""Pixels between the edge of the axes and the first dot."""
_RADIUS, _LINE = 4.5, 13
_LOGARITHMIC = 20
"""An axis is logarithmic if the largest value is at least this many times the smallest."""
_TICKS = 4
_NAME_WIDTH = 110
_MARGIN = 8
"""Pixels that are left free at the right edge, in case a font is wider than usual."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def front_pictures(result: SideBySide) -> tuple[Picture, ...]:
    """Return a picture for each two figures of the front that two models or more have."""
    return tuple(_draw(result, front) for front in result.fronts.pairs if len(front.judged) > 1)


@record
class _Dot:
    """A model in a picture: its number from 1, whether it is on the front of all figures, and its place."""

    number: int
    name: str
    is_on: bool
    x: float
    y: float
    words: str


@record
class _Axis:
    """Where values are along an axis, from 0 to 1, and the values that have a line."""

    share: Callable[[float], float]
    ticks: tuple[float, ...]
    is_logarithmic: bool


def _draw(result: SideBySide, front: Front) -> Picture:
    across, up = front.stems
    values = result.fronts.values
    x_axis, y_axis = (_axis([values[stem][place] for place in front.judged], unit_of(stem)) for stem in front.stems)
    dots = [
        _Dot(
            number=place + 1,
            name=result.columns[place].name,
            is_on=result.fronts.whole.places[place].is_on,
            x=_x(x_axis.share(_float(values[across][place]))),
            y=_y(y_axis.share(_float(values[up][place]))),
            words=", ".join(
                f"{label_of(stem)} {format_number(as_number(values[stem][place]), unit_of(stem))}"
                for stem in front.stems
            ),
        )
        for place in front.judged
    ]
    shapes = [
        *_axes(x_axis, y_axis, across, up),
        *_line(dots, front),
        *_dots(dots),
        *_labels(dots, [box for way in _steps(dots, front) for box in _along(way)]),
    ]
    return picture(
        shapes,
        anchor=f"front-{across}-{up}".replace("_", "-"),
        title=f"{label_of(up)} over {in_a_sentence(label_of(across))}",
        text=_text(result, front, x_axis, y_axis),
        width=_WIDTH,
        height=_HEIGHT,
    )


def _text(result: SideBySide, front: Front, x_axis: _Axis, y_axis: _Axis) -> str:
    scales = {(True, True): "Both axes are logarithmic. ", (True, False): "The axis across is logarithmic. "}
    scales |= {(False, True): "The upright axis is logarithmic. "}
    missing = len(front.places) - len(front.judged)
    verb = "is" if missing == 1 else "are"
    left_out = (
        f" {plural(missing, 'model')} {verb} left out: a figure is unknown or counted otherwise." if missing else ""
    )
    return (
        f"{scales.get((x_axis.is_logarithmic, y_axis.is_logarithmic), '')}The line is the front of these two figures: "
        f"{names_of(result.columns, front.on)}. Filled: on the front of all figures.{left_out}"
    )


def _float(value: Fraction | None) -> float:
    return float(value or 0)


def _axis(values: Sequence[Fraction | None], unit: Unit) -> _Axis:
    """Return an axis with all values: logarithmic if they differ much, else from about the least to about the most."""
    numbers = [_float(value) for value in values]
    low, high = min(numbers), max(numbers)
    base = _base(unit)
    if low > 0 and high >= _LOGARITHMIC * low:
        step = max(1, math.ceil(math.log(high / low, base) / _TICKS))
        first = math.floor(math.log(low, base) / step) * step
        last = math.ceil(math.log(high, base) / step) * step
        powers = tuple(base**power for power in range(first, last + 1, step))
        return _Axis(
            share=lambda value: (math.log(value, base) - first) / (last - first), ticks=powers, is_logarithmic=True
        )
    if low == high:
        return _Axis(share=lambda _: 0.5, ticks=(low,), is_logarithmic=False)
    ticks = _round_values(low, high, unit)
    return _Axis(share=lambda value: (value - low) / (high - low), ticks=ticks, is_logarithmic=False)


def _round_values(low: float, high: float, unit: Unit) -> tuple[float, ...]:
    """Return a few round values from `low` to `high`, bytes in powers of two."""
    base = _base(unit)
    steps = (1.0,) if unit is Unit.BYTES else (1.0, 2.0, 5.0)
    rough = (high - low) / _TICKS
    power = base ** math.floor(math.log(rough, base))
    step = next((each * power for each in steps if each * power >= rough), base * power)
    first = math.ceil(low / step)
    return tuple(place * step for place in range(first, math.floor(high / step) + 1))


def _base(unit: Unit) -> float:
    return 2.0 if unit is Unit.BYTES else 10.0


def _x(share: float) -> float:
    return _LEFT + _INNER + share * (_WIDTH - _LEFT - _RIGHT - 2 * _INNER)


def _y(share: float) -> float:
    return _HEIGHT - _BELOW - _INNER - share * (_HEIGHT - _BELOW - _TOP - 2 * _INNER)


def _axes(x_axis: _Axis, y_axis: _Axis, across: str, up: str) -> Iterator[Markup]:
    """Yield the lines with their values, and what the axes are."""
    low, high, right = _HEIGHT - _BELOW, _TOP, _WIDTH - _RIGHT
    yield shape("path", d=f"M{_LEFT} {high}V{low}H{right}", fill="none", stroke="currentColor", stroke_opacity=0.4)
    free = float(_LEFT)
    for value in x_axis.ticks:
        x, text = _x(x_axis.share(value)), _tick(value, across)
        yield shape("path", d=f"M{x:.1f} {high}V{low}", stroke="currentColor", stroke_opacity=0.15)
        if x - width_of(text) / 2 >= free and x + width_of(text) / 2 <= _WIDTH:
            yield label(x, low + 15, text, text_anchor="middle")
            free = x + width_of(text) / 2 + 6
    for value in y_axis.ticks:
        y = _y(y_axis.share(value))
        yield shape("path", d=f"M{_LEFT} {y:.1f}H{right}", stroke="currentColor", stroke_opacity=0.15)
        yield label(_LEFT - 6, y + 4, _tick(value, up), text_anchor="end")
    yield label(0, 12, label_of(up), font_weight="600")
    yield label(right, _HEIGHT - 6, label_of(across), text_anchor="end", font_weight="600")


def _tick(value: float, stem: str) -> str:
    return format_number(normalise(value), unit_of(stem)).replace(".00", "")


def _line(dots: Sequence[_Dot], front: Front) -> Iterator[Markup]:
    """Yield the front of the two figures as steps: right of and above it a model is beaten."""
    for way in _steps(dots, front):
        (x, y), *others = way
        d = f"M{x:.1f} {y:.1f}" + "".join(f"L{x:.1f} {y:.1f}" for x, y in others)
        yield shape("path", d=d, fill="none", stroke=BLUE, stroke_width=1.5, stroke_dasharray="5 3")


def _steps(dots: Sequence[_Dot], front: Front) -> Iterator[Sequence[tuple[float, float]]]:
    """Yield the corners of the line of a front: down to its first dot, then right and down to each other one."""
    on = sorted((dot for dot in dots if dot.number - 1 in front.on), key=lambda dot: (dot.x, dot.y))
    corners = [(on[0].x, float(_TOP)), (on[0].x, on[0].y)]
    for before, after in pairwise(on):
        corners += [(after.x, before.y), (after.x, after.y)]
    yield [*corners, (float(_WIDTH - _RIGHT), on[-1].y)]


def _along(corners: Sequence[tuple[float, float]]) -> Iterator[Box]:
    """Yield a thin box around each piece of a line."""
    for (x, y), (other_x, other_y) in pairwise(corners):
        yield (min(x, other_x) - 1, min(y, other_y) - 1, max(x, other_x) + 1, max(y, other_y) + 1)


def _dots(dots: Sequence[_Dot]) -> Iterator[Markup]:
    """Yield the dots, those on the front above the others."""
    for dot in sorted(dots, key=lambda dot: dot.is_on):
        title = f"{dot.number}: {dot.name}: {dot.words}"
        look: dict[str, float | str] = (
            {"fill": BLUE, "stroke": INK}
            if dot.is_on
            else {"fill": "none", "stroke": "currentColor", "stroke_width": 1.5}
        )
        yield shape("circle", title, cx=dot.x, cy=dot.y, r=_RADIUS, pointer_events="all", **look)


def _labels(dots: Sequence[_Dot], taken: Sequence[Box]) -> Iterator[Markup]:
    """Yield the number of each dot beside it where there is room, with the name where there is more.

    Dots on the front come first, and nothing is over a dot or over what is `taken`. The table has all numbers.
    """
    taken = [*taken, *((dot.x - _RADIUS, dot.y - _RADIUS, dot.x + _RADIUS, dot.y + _RADIUS) for dot in dots)]
    ranked = sorted(dots, key=lambda dot: (not dot.is_on, dot.number))
    placed: dict[int, _Label] = {}
    for texts in ({dot.number: str(dot.number) for dot in ranked}, {dot.number: _named(dot) for dot in ranked}):
        for dot in ranked:
            others = [*taken, *(each.box for number, each in placed.items() if number != dot.number)]
            if found := _placed(dot, texts[dot.number], others):
                placed[dot.number] = found
    for each in placed.values():
        yield label(each.x, each.box[3] - 3, each.text, text_anchor=each.anchor)


@record
class _Label:
    """A text, the box that it takes, and where it is anchored."""

    text: str
    box: Box
    x: float
    anchor: str


def _named(dot: _Dot) -> str:
    name = fit(dot.name, _NAME_WIDTH)
    return f"{dot.number} {name}" if name else str(dot.number)


def _placed(dot: _Dot, text: str, taken: Sequence[Box]) -> _Label | None:
    """Return a text at the first free place beside its dot; None if there is none."""
    for box, anchor in _places(dot, width_of(text)):
        if _is_free(box, taken):
            x = {"start": box[0], "end": box[2], "middle": dot.x}[anchor]
            return _Label(text=text, box=box, x=x, anchor=anchor)
    return None


def _places(dot: _Dot, width: float) -> Iterator[tuple[Box, str]]:
    """Yield where a text of this width may be, and where it is anchored: beside, above and below the dot."""
    right, left, middle = dot.x + _RADIUS + 3, dot.x - _RADIUS - 3 - width, dot.x - width / 2
    level, above, below = dot.y - _LINE / 2, dot.y - _RADIUS - 2 - _LINE, dot.y + _RADIUS + 2
    for x, y, anchor in (
        (right, level, "start"),
        (left, level, "end"),
        (middle, above, "middle"),
        (middle, below, "middle"),
        (right, dot.y - _LINE - 1, "start"),
        (right, dot.y + 1, "start"),
        (left, dot.y - _LINE - 1, "end"),
        (left, dot.y + 1, "end"),
    ):
        yield (x, y, x + width, y + _LINE), anchor


def _is_free(box: Box, taken: Sequence[Box]) -> bool:
    left, top, right, bottom = box
    is_inside = left >= _LEFT and right <= _WIDTH - _MARGIN and top >= _TOP - _LINE / 2 and bottom <= _HEIGHT - _BELOW
    return is_inside and not any(
        left < other[2] and right > other[0] and top < other[3] and bottom > other[1] for other in taken
    )
