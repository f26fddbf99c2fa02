"""The scope tree as a static icicle: a scope is as wide as its share, and stands above what is in it.

Of one model it shows where a figure is, of a comparison where it changed. Loops are over the few rows that are drawn;
whatever is over all rows is one step on columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from markupsafe import Markup

from tfprof_report.arrays import Floats, Ints, marks, to_bools, to_ints
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.formatting import format_delta, format_exact, format_number, format_percent, label_of, unit_of
from tfprof_report.render.html.svg import BLUE, GREY, INK, ORANGE, Picture, drawing, fit, label, shape, width_of
from tfprof_report.render.tables.cells import visible
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import Unit
from tfprof_report.views.forest import Forest, keep_rows, sort_siblings, sum_subtrees

LEVELS = 6
MOST_TILES = 250
LEAST_SHARE = 0.003
"""Of the whole width; what is narrower is left out."""

_SIZED_BY = ("float_ops", "params", "micros", "bytes")
_CHANGED_IN = ("float_ops", "params", "bytes")
_WIDTH, _HEIGHT, _GAP, _PADDING = 960, 26, 1, 4
_MORE, _LESS = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
_FILLS = {None: BLUE, 1: ORANGE, 0: GREY, -1: BLUE}
_ARROWS = {None: "", 1: f"{_MORE} ", 0: "", -1: f"{_LESS} "}
_STATUS_WORDS = {RowStatus.NEW: ", new", RowStatus.REMOVED: ", not in head"}
_SCALE = 2**40  # widths are compared as integers, which no rounding tells from their sum


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tile:
    """A rectangle: where it begins and how wide it is, as shares of the whole, its level from 0, and what it says."""

    start: float
    width: float
    level: int
    name: str
    amount: str
    title: str
    sign: int | None = None
    is_gone: bool = False


def scope_icicle(report: Report, *, anchor: str = "picture-scope") -> Picture | None:
    """Return where the FLOPs of the model are, else its parameters, time or memory; None if it has none of them."""
    if "scope" not in report.head.views:
        return None
    rows = report.head.views["scope"].rows
    forest = Forest.of_rows(rows)
    for stem in _SIZED_BY:
        own = np.maximum(np.nan_to_num(_own(rows, stem)), 0)
        if own.any():
            break
    else:
        return None
    weight, figure, unit = sum_subtrees(forest, own), label_of(stem), unit_of(stem)
    index, starts = _place(forest, weight)
    whole = float(own.sum())
    names, leaves, totals = _taken(rows, index, "name", "leaf", f"total_{stem}")
    tiles = [_Tile(start=0, width=1, level=0, name=f"All {figure}", amount=format_number(whole, unit), title=figure)]
    tiles += [
        _Tile(
            start=start,
            width=share,
            level=level,
            name=leaf,
            amount=format_number(total, unit),
            title=f"{visible(name)}: {format_exact(total, unit)}, {_percent(share)} of all",
        )
        for name, leaf, total, level, share, start in zip(
            names, leaves, totals, forest.depth[index].tolist(), (weight[index] / whole).tolist(), starts, strict=True
        )
    ]
    return _picture(
        tiles,
        anchor=anchor,
        title=f"{figure} by scope",
        text=f"A scope is as wide as its share of all {figure}, and what is in it stands below it, the largest first. "
        + _left_out(len(index), _count(forest, own), f"with {figure}", "scope.parquet"),
    )


def change_icicle(report: Report, *, anchor: str = "picture-changes") -> Picture | None:
    """Return where FLOPs changed, else parameters or requested memory; None if none of them did, as far as is known.

    A row of one side alone changed by all it has; one whose figure became known or unknown has no size of change.
    """
    if report.comparison is None or "scope" not in report.comparison.forests:
        return None
    rows, base = report.comparison.forests["scope"], report.comparison.base.views["scope"].rows
    head = report.head.views["scope"].rows
    forest = Forest.of_rows(rows)
    for stem in _CHANGED_IN:
        delta = np.nan_to_num(_side(rows, "head", head, stem) - _side(rows, "base", base, stem))
        if delta.any():
            break
    else:
        return None
    more, less = sum_subtrees(forest, np.maximum(delta, 0)), sum_subtrees(forest, np.maximum(-delta, 0))
    figure, unit = label_of(stem), unit_of(stem)
    grown, shrunk = (float(np.maximum(sign * delta, 0).sum()) for sign in (1, -1))
    index, starts = _place(forest, more + less)
    names, leaves, status = _taken(rows, index, "name", "leaf", "status")
    tiles = [
        _Tile(
            start=0,
            width=1,
            level=0,
            name=f"All changes of {figure}",
            amount=_moves(grown, shrunk, unit),
            title=figure,
            sign=_sign(grown - shrunk),
        )
    ]
    tiles += [
        _Tile(
            start=start,
            width=(up + down) / (grown + shrunk),
            level=level,
            name=leaf,
            amount=format_delta(up - down, unit),
            title=f"{visible(name)}: {_moves(up, down, unit)}{_STATUS_WORDS.get(word, '')}",
            sign=_sign(up - down),
            is_gone=word == RowStatus.REMOVED,
        )
        for name, leaf, word, level, up, down, start in zip(
            names,
            leaves,
            status,
            forest.depth[index].tolist(),
            more[index].tolist(),
            less[index].tolist(),
            starts,
            strict=True,
        )
    ]
    return _picture(
        tiles,
        anchor=anchor,
        title=f"{figure}: what changed, by scope",
        text=f"A scope is as wide as what {figure} grew and shrank by in it, {_moves(grown, shrunk, unit)} in all. "
        f"{_MORE}, orange with a line on top: more in sum. {_LESS}, blue with a line at the bottom: less. "
        "Dashed: not in head. "
        + _left_out(len(index), _count(forest, delta), f"whose {figure} changed", "diff_scope.parquet"),
    )


def _own(rows: pa.Table, stem: str) -> Floats:
    """Return the figure of each accounted row itself, NaN where unknown; of other rows 0."""
    column = f"self_{stem}"
    if column not in rows.column_names:
        return np.zeros(rows.num_rows)
    own = rows[column].cast(pa.float64(), safe=False).to_numpy()
    return np.where(to_bools(rows["accounted"]), own, 0)


def _side(forest: pa.Table, side: str, view: pa.Table, stem: str) -> Floats:
    """Return `_own` of one side for each row of a forest of both, 0 where that side does not have it."""
    row = to_ints(forest[f"{side}_row"].fill_null(-1))
    return np.append(_own(view, stem), 0.0)[row]


def _count(forest: Forest, own: Floats) -> int:
    """Return how many rows have, or have below them, a figure that is not 0."""
    return int(np.count_nonzero(sum_subtrees(forest, (own != 0).astype(np.int64))))


def _place(forest: Forest, weight: Floats) -> tuple[Ints, list[float]]:
    """Return rows to draw, in preorder with the heaviest siblings first, and where each begins in shares of all."""
    whole = float(weight[forest.depth == 1].sum())
    size = np.round(weight / whole * _SCALE).astype(np.int64)
    # A row is at least as heavy as one below it and comes first among equals, so no row is there without its parent.
    heaviest = np.lexsort((forest.depth, -size))
    is_wide = (size[heaviest] >= LEAST_SHARE * _SCALE) & (forest.depth[heaviest] <= LEVELS)
    chosen = marks(heaviest[is_wide][:MOST_TILES], len(forest))
    rows, kept = keep_rows(forest, chosen)
    order = sort_siblings(kept, [-size[rows]])
    starts: list[float] = []
    free = [0.0] * (LEVELS + 2)  # where the next row of each level begins
    for level, width in zip(kept.depth[order].tolist(), (size[rows[order]] / _SCALE).tolist(), strict=True):
        starts.append(free[level])
        free[level + 1] = free[level]
        free[level] += width
    return rows[order], starts


def _taken(rows: pa.Table, index: Ints, *columns: str) -> list[list[Any]]:
    taken = rows.select(columns).take(pa.array(index))
    return [taken[name].to_pylist() for name in columns]


def _moves(more: float, less: float, unit: Unit) -> str:
    """Return what was added and what was taken away, each with its sign."""
    return " and ".join(format_delta(each, unit) for each in (more, -less) if each) or "0"


def _percent(share: float) -> str:
    return format_percent(100 * share).removeprefix("+")


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _left_out(drawn: int, all_rows: int, which: str, file: str) -> str:
    if drawn >= all_rows:
        return f"All {all_rows:,} scopes and nodes {which} are drawn."
    return f"Drawn are the {drawn:,} widest of {all_rows:,} scopes and nodes {which}; {file} has all."


def _picture(tiles: Sequence[_Tile], *, anchor: str, title: str, text: str) -> Picture:
    height = (max(tile.level for tile in tiles) + 1) * (_HEIGHT + _GAP)
    shapes = [shape for tile in tiles for shape in _drawn(tile)]
    shapes += [edge for sign in (1, -1) if (edge := _edges(tiles, sign))]
    svg = drawing(shapes, anchor=anchor, title=title, text=text, width=_WIDTH, height=height)
    return Picture(anchor=anchor, title=title, text=text, svg=svg, is_wide=True)


def _drawn(tile: _Tile) -> Iterator[Markup]:
    """Yield a rectangle and as much of its label as it has room for."""
    x, y, width, height = _box(tile)
    box = {"x": x, "y": y, "width": width, "height": height}
    if tile.is_gone:
        yield shape("rect", tile.title, **box, fill="none", stroke="currentColor", stroke_dasharray="4 2")
    else:
        yield shape("rect", tile.title, **box, fill=_FILLS[tile.sign] if tile.level or tile.sign else GREY)
    arrow, room = _ARROWS[tile.sign], width - 2 * _PADDING
    words = f"{arrow}{visible(tile.name)}  {tile.amount}"
    if width_of(words) > room:
        words = f"{arrow}{fit(tile.name, room - width_of(arrow))}"
    if words and width_of(words) <= room:
        yield label(x + _PADDING, y + height - 8, words, **({} if tile.is_gone else {"fill": INK}))


def _edges(tiles: Sequence[_Tile], sign: int) -> Markup | None:
    """Return the lines on top of what grew, or at the bottom of what shrank: narrow rectangles have no label."""
    boxes = [_box(tile) for tile in tiles if tile.sign == sign and not tile.is_gone]
    if not boxes:
        return None
    path = "".join(f"M{x:.1f} {y + (3 if sign > 0 else height - 3):g}h{width:.1f}" for x, y, width, height in boxes)
    return shape("path", d=path, stroke=INK, stroke_width=2, fill="none")


def _box(tile: _Tile) -> tuple[float, float, float, float]:
    """Return the left and upper edge, the width and the height."""
    width = max(tile.width * _WIDTH - _GAP, 1)
    return tile.start * _WIDTH, tile.level * (_HEIGHT + _GAP), width, _HEIGHT
