"""Bars of figures with marks at their limits, for the rows of gates. Lengths are shares, so that they fit any cell."""

from __future__ import annotations

from markupsafe import Markup

from tfprof_report.render.content.gate_rows import Track
from tfprof_report.render.html.svg import BLUE, GREY, ORANGE, shape

_HEIGHT, _TOP, _THICKNESS, _MARK = 16, 4, 8, 2
_FILLS = {"failed": ORANGE, "passed": BLUE}


def limit_bar(track: Track) -> Markup:
    """Return the bar of a figure with a mark at each limit. The row says the same in words, so readers skip it."""
    bars = (("100%", {"fill": "currentColor", "fill_opacity": "0.16"}), (_percent(track.figure), _fill(track)))
    shapes = [shape("rect", y=_TOP, width=width, height=_THICKNESS, **fill) for width, fill in bars]
    shapes += [
        shape("rect", x=_percent(limit), width=_MARK, height=_HEIGHT, fill="currentColor", transform="translate(-1 0)")
        for limit in track.limits
    ]
    return Markup('<svg class="limit" width="100%" height="{}" overflow="visible" aria-hidden="true">{}</svg>').format(
        _HEIGHT, Markup("").join(shapes)
    )


def _fill(track: Track) -> dict[str, str]:
    return {"fill": _FILLS.get(track.tone, GREY)}


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
