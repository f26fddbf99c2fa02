"""Which points of a line are drawn: of many in one column of pixels, only those that can be seen."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Floats, Ints


def seen_points(x: Floats, y: Floats, piece: Ints, width: int) -> Ints:
    """Return the places of the points to draw: in each of `width` columns the first, last, highest and lowest.

    `x` ascends and is at most `width`; `piece` numbers the pieces of the line, which are thinned apart. A line of few
    points keeps all of them.
    """
    if len(x) <= 2 * width:
        return np.arange(len(x))
    is_new = (np.diff(x.astype(np.int64)) != 0) | (np.diff(piece) != 0)
    starts = np.append(0, np.flatnonzero(is_new) + 1)
    ends = np.append(starts[1:], len(x)) - 1
    order = np.lexsort((y, np.cumsum(np.append(0, is_new))))
    return np.unique(np.concatenate((starts, ends, order[starts], order[ends])))


def line_path(x: Floats, y: Floats, piece: Ints) -> str:
    """Return the data of an SVG path with a subpath for each piece; a piece of one point is a dot with round caps."""
    if not len(x):
        return ""
    begins = np.append([True], np.diff(piece) != 0)
    is_alone = begins & np.append(begins[1:], [True])
    places = zip(np.round(x, 1).tolist(), np.round(y, 1).tolist(), begins.tolist(), is_alone.tolist(), strict=True)
    return "".join(
        f"{'M' if begin else 'L'}{across:g} {down:g}{'h0' if alone else ''}" for across, down, begin, alone in places
    )
