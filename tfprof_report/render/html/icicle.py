"""The scope tree as a static icicle plot: a scope is as wide as its share, with its children below it.

For one model it shows the distribution of a figure over scopes, for a comparison the distribution of its change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from tfprof_report.compare.causes.scope_sizes import ScopeSizes
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.formatting import (
    format_delta,
    format_exact,
    format_number,
    format_percent,
    in_a_sentence,
    label_of,
    plural,
    unit_of,
)
from tfprof_report.record import record
from tfprof_report.render.html.svg import BLUE, GREY, INK, ORANGE, Picture, fit, label, picture, shape, width_of
from tfprof_report.render.tables.cells import visible
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import Number, Unit

_WIDTH, _HEIGHT, _GAP, _PADDING = 960, 26, 1, 4
_MORE, _LESS = "\N{BLACK UP-POINTING TRIANGLE}", "\N{BLACK DOWN-POINTING TRIANGLE}"
_FILLS = {None: BLUE, 1: ORANGE, 0: GREY, -1: BLUE}
_ARROWS = {None: "", 1: f"{_MORE} ", 0: "", -1: f"{_LESS} "}
_STATUS_WORDS = {RowStatus.NEW: ", new", RowStatus.REMOVED: ", not in head"}


@record
class _Tile:
    """A rectangle: start and width as shares of the whole, level from 0 at the top, and texts."""

    start: float
    width: float
    level: int
    name: str
    amount: str
    title: str
    sign: int | None = None
    is_gone: bool = False


def draw_icicle(sizes: ScopeSizes, *, anchor: str, lacks: int = 0) -> Picture:
    """Return the icicle of a figure, or of its change, without the `lacks` nodes whose figure is unknown."""
    return (_changes if sizes.is_change else _scopes)(sizes, anchor, lacks)


def draw_layers(sizes: ScopeSizes, *, anchor: str, figure: str, lacks: int = 0) -> Picture:
    """Return the icicle of layers by `figure`; gradients and the optimizer's part are in their layer."""
    return _picture(
        _sized(sizes, figure, lacks),
        anchor=anchor,
        title=f"{figure} by layer",
        text=f"A layer is as wide as its share of {_all(lacks)} {in_a_sentence(figure)}, the largest first. "
        + _left_out(sizes, f"with {in_a_sentence(figure)}", table_file("layers"), "layers and scopes"),
    )


def _scopes(sizes: ScopeSizes, anchor: str, lacks: int) -> Picture:
    figure = label_of(sizes.stem)
    return _picture(
        _sized(sizes, figure, lacks),
        anchor=anchor,
        title=f"{figure} by scope",
        text=f"A scope is as wide as its share of {_all(lacks)} {figure}, with its parts below it, the largest first. "
        + _of_known(lacks)
        + _left_out(sizes, f"with {figure}", table_file("scope")),
    )


def _all(lacks: int) -> str:
    return "all known" if lacks else "all"


def _sized(sizes: ScopeSizes, figure: str, lacks: int) -> list[_Tile]:
    """Return a tile for the whole figure and one for each row."""
    unit, all_of = unit_of(sizes.stem), _all(lacks)
    amount = format_number(sizes.more, unit)
    name = f"{all_of.capitalize()} {in_a_sentence(figure)}"
    whole = _Tile(start=0, width=1, level=0, name=name, amount=amount, title=figure)
    return [
        whole,
        *(
            _Tile(
                start=row.start,
                width=row.size,
                level=row.level,
                name=row.leaf,
                amount=format_number(row.more, unit),
                title=f"{visible(row.name)}: {format_exact(row.more, unit)}, {_percent(row.size)} of {all_of}",
            )
            for row in sizes.rows
        ),
    ]


def _of_known(lacks: int) -> str:
    """Return how many nodes a picture lacks, as a sentence; empty if none."""
    return f"{plural(lacks, 'node')} of head {'is' if lacks == 1 else 'are'} unknown and not drawn. " if lacks else ""


def _changes(sizes: ScopeSizes, anchor: str, lacks: int) -> Picture:
    figure, unit = label_of(sizes.stem), unit_of(sizes.stem)
    tiles = [
        _Tile(
            start=0,
            width=1,
            level=0,
            name=f"All changes of {figure}",
            amount=_signed_changes(sizes.more, sizes.less, unit),
            title=figure,
            sign=_sign(sizes.more - sizes.less),
        )
    ]
    tiles += [
        _Tile(
            start=row.start,
            width=row.size,
            level=row.level,
            name=row.leaf,
            amount=format_delta(row.more - row.less, unit),
            title=f"{visible(row.name)}: {_signed_changes(row.more, row.less, unit)}"
            f"{_STATUS_WORDS.get(row.status, '') if row.status else ''}",
            sign=_sign(row.more - row.less),
            is_gone=row.status is RowStatus.REMOVED,
        )
        for row in sizes.rows
    ]
    return _picture(
        tiles,
        anchor=anchor,
        title=f"{figure}: what changed, by scope",
        text=f"A scope is as wide as the increases and decreases of {figure} in it together, "
        f"{_signed_changes(sizes.more, sizes.less, unit)} in all. "
        f"{_MORE}, orange with a line on top: more in total. {_LESS}, blue with a line at the bottom: less. "
        "Dashed: not in head. "
        + _of_known(lacks)
        + _left_out(sizes, f"whose {figure} changed", table_file("diff_scope")),
    )


def _signed_changes(more: Number, less: Number, unit: Unit) -> str:
    """Return the sum of increases and the sum of decreases, each with its sign."""
    return " and ".join(format_delta(each, unit) for each in (more, -less) if each) or "0"


def _percent(share: float) -> str:
    return format_percent(100 * share).removeprefix("+")


def _sign(number: Number) -> int:
    return (number > 0) - (number < 0)


def _left_out(sizes: ScopeSizes, which: str, file: str, noun: str = "scopes and nodes") -> str:
    drawn = len(sizes.rows)
    if drawn >= sizes.count:
        return f"All {sizes.count:,} {noun} {which} are drawn."
    return f"The {drawn:,} widest of {sizes.count:,} {noun} {which} are drawn; {file} has all."


def _picture(tiles: Sequence[_Tile], *, anchor: str, title: str, text: str) -> Picture:
    height = (max(tile.level for tile in tiles) + 1) * (_HEIGHT + _GAP)
    shapes = [shape for tile in tiles for shape in _drawn(tile)]
    shapes += [edge for sign in (1, -1) if (edge := _edges(tiles, sign))]
    return picture(shapes, anchor=anchor, title=title, text=text, width=_WIDTH, height=height, is_wide=True)


def _drawn(tile: _Tile) -> Iterator[Markup]:
    """Yield a rectangle and as much of its label as fits."""
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
    """Return the lines at the top of what grew, or at the bottom of what shrank; None if there is none.

    They show the direction without colour where a rectangle is too narrow for a label.
    """
    boxes = [_box(tile) for tile in tiles if tile.sign == sign and not tile.is_gone]
    if not boxes:
        return None
    path = "".join(f"M{x:.1f} {y + (3 if sign > 0 else height - 3):g}h{width:.1f}" for x, y, width, height in boxes)
    return shape("path", d=path, stroke=INK, stroke_width=2, fill="none")


def _box(tile: _Tile) -> tuple[float, float, float, float]:
    """Return the left and upper edge, the width and the height."""
    width = max(tile.width * _WIDTH - _GAP, 1)
    return tile.start * _WIDTH, tile.level * (_HEIGHT + _GAP), width, _HEIGHT
