"""A figure over time as a line of a word's size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from tfprof_report.arrays import Floats
from tfprof_report.render.html.svg import BLUE, GREY, ORANGE, shape
from tfprof_report.render.html.thinned import line_path, seen_points
from tfprof_report.render.tables.cells import visible
from tfprof_report.schema.metrics import Number

WIDTH, HEIGHT = 96, 20
_EDGE = 2.5
"""Room for the dot of the newest value."""


def sparkline(values: Sequence[Number | None], *, text: str) -> Markup:
    """Return a picture of values, the oldest first, with a dot at the last one; nothing if none is known.

    The line has a gap where a value is None, and a ring at the bottom for the last value if it is not known. `text` is
    what the picture says, for screen readers and as the title.
    """
    known = np.array([value is not None for value in values], dtype=bool)
    if not known.any():
        return Markup()
    places = np.flatnonzero(known)
    x = _EDGE + places / max(len(values) - 1, 1) * (WIDTH - 2 * _EDGE)
    y = _heights(np.array([float(value) for value in values if value is not None]))
    piece = np.cumsum(np.diff(places, prepend=places[0]) > 1).astype(np.int64)
    kept = seen_points(x, y, piece, WIDTH)
    path = line_path(x[kept], y[kept], piece[kept])
    line = shape("path", d=path, fill="none", stroke=BLUE, stroke_width="1.5", stroke_linecap="round")
    end, size = WIDTH - _EDGE if len(values) > 1 else _EDGE, _EDGE - 0.5
    dot = (
        shape("circle", cx=end, cy=float(y[-1]), r=size, fill=ORANGE)
        if known[-1]
        else shape("circle", cx=end, cy=HEIGHT - _EDGE, r=size, fill="none", stroke=GREY)
    )
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="spark" viewBox="0 0 {width} {height}" width="{width}"'
        ' height="{height}" role="img" aria-label="{text}"><title>{text}</title>{line}{dot}</svg>'
    ).format(width=WIDTH, height=HEIGHT, text=visible(text), line=line, dot=dot)


def _heights(values: Floats) -> Floats:
    """Return how far down each value is; equal values are in the middle."""
    low, high = float(values.min()), float(values.max())
    share = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
    return HEIGHT - _EDGE - share * (HEIGHT - 2 * _EDGE)
