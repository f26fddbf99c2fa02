"""Bars of a waterfall: from where the step before ended. Lengths are shares, so that they fit any cell."""

from __future__ import annotations

from markupsafe import Markup

from tfprof_report.render.content.waterfall import Step
from tfprof_report.render.html.svg import BLUE, GREY, ORANGE, shape

_HEIGHT, _THICKNESS, _LEAST = 16, 12, 2
_FILLS = {"more": ORANGE, "less": BLUE, "total": GREY}


def waterfall_bar(step: Step) -> Markup:
    """Return the bar of a step, at least `_LEAST` pixels wide. The row says the same in words, so readers skip it."""
    x, width = f"{100 * step.start:.2f}%", f"{100 * (step.end - step.start):.2f}%"
    fill = _FILLS[step.tone]
    bars = [
        shape("rect", x=x, y=(_HEIGHT - _THICKNESS) // 2, width=each, height=_THICKNESS, fill=fill)
        for each in (width, str(_LEAST))
    ]
    return Markup('<svg class="step" width="100%" height="{}" overflow="visible" aria-hidden="true">{}</svg>').format(
        _HEIGHT, Markup("").join(bars)
    )
