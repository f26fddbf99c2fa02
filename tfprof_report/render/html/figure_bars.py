"""Bars of the first screen of one model: what a figure is made of, and shares of it. Lengths are shares of the cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from tfprof_report.render.content.figures import Part
from tfprof_report.render.html.svg import BLUE, GREY, shape

_HEIGHT, _GAP, _KEY = 10, 1, 9

_STRENGTHS = ("1", "0.6", "0.32", "0.8", "0.45", "0.2", "0.7")
"""Opacities of parts in turn: neighbours differ."""


def parts_bar(parts: Sequence[Part]) -> Markup:
    """Return the bar of a figure, cut into its parts. The words beside it say the same, so readers skip it."""
    return Markup('<svg class="parts" width="100%" height="{}" aria-hidden="true">{}</svg>').format(
        _HEIGHT, Markup("").join(_pieces(parts))
    )


def _pieces(parts: Sequence[Part]) -> Iterator[Markup]:
    start = 0.0
    for place, part in enumerate(parts):
        yield shape("rect", x=_percent(start), width=_percent(part.share), height=_HEIGHT, **_fill(part, place))
        if place:
            yield shape("rect", x=_percent(start), width=_GAP, height=_HEIGHT, fill="Canvas")
        start += part.share


def part_key(part: Part, place: int) -> Markup:
    """Return a square in the colour of the part at `place`, which stands before its name."""
    square = shape("rect", width=_KEY, height=_KEY, **_fill(part, place))
    return Markup('<svg class="key" width="{0}" height="{0}" aria-hidden="true">{1}</svg>').format(_KEY, square)


def share_bar(key: str) -> Markup:
    """Return the bar of a share, given as the text of its percentage; nothing if that is not known."""
    if not key:
        return Markup("")
    track = shape("rect", width="100%", height=_HEIGHT, fill="currentColor", fill_opacity="0.1")
    bar = Markup("").join((track, shape("rect", width=_percent(float(key) / 100), height=_HEIGHT, fill=BLUE)))
    return Markup('<svg class="part" width="100%" height="{}" aria-hidden="true">{}</svg>').format(_HEIGHT, bar)


def _fill(part: Part, place: int) -> dict[str, str]:
    return {"fill": GREY} if part.is_rest else {"fill": BLUE, "fill_opacity": _STRENGTHS[place % len(_STRENGTHS)]}


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
