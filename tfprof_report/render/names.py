"""Names in little room: shortened so that rows can still be told apart; in trees without what the row above says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from os.path import commonprefix

from tfprof_report.render.cells import Cell, Row, Table, shorten
from tfprof_report.views.paths import SEPARATOR


def short_names(table: Table, limit: int) -> Table:
    """Return a table whose names have at most `limit` characters each, and are told apart within a column."""
    rows = list(_unfolded(table.rows))
    columns = [_shorten_column(cells, limit) for cells in zip(*rows, strict=True)]
    return replace(table, rows=tuple(zip(*columns, strict=True)))


def shorten_apart(names: Iterable[str], limit: int) -> dict[str, str]:
    """Return for each name at most `limit` characters of it, so that different names stay different.

    The middle is left out, of call stacks the upper calls. Where names then look alike, what is left out is chosen anew
    around what tells them apart; those that still do are numbered.
    """
    names = list(dict.fromkeys(names))
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[_brief(name, limit)].append(name)
    used = {name for name in names if len(name) <= limit}
    short = {name: name for name in used}
    for group in alike.values():
        for name in (each for each in group if each not in short):
            short[name] = next(text for text in _choices(name, group, limit) if text not in used)
            used.add(short[name])
    return short


def _brief(name: str, limit: int) -> str:
    end = name[-(limit - 1) :]
    if len(name) > limit and SEPARATOR in end:
        return f"\N{HORIZONTAL ELLIPSIS}{end[end.index(SEPARATOR) :]}"
    return shorten(name, limit)


def _choices(name: str, group: list[str], limit: int) -> Iterator[str]:
    if len(group) == 1:
        yield _brief(name, limit)
    # a fifth of the room for what stands before the difference
    start = max(len(commonprefix(group)) - limit // 5, 0)  # noqa: RUF071 they are characters, not all are paths
    head = name[: min(limit // 4, start)]
    yield f"{head}\N{HORIZONTAL ELLIPSIS}{shorten(name[start:], limit - len(head) - 1)}"
    for number in count(2):
        mark = f" ({number})"
        yield f"{shorten(name, limit - len(mark))}{mark}"


def _shorten_column(cells: tuple[Cell, ...], limit: int) -> list[Cell]:
    short = shorten_apart((cell.text for cell in cells if cell.is_name), limit)
    return [cell._replace(text=short[cell.text]) if cell.is_name else cell for cell in cells]


def _unfolded(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows of a tree under what their full names have beyond that of the row they stand below."""
    above: list[str] = []
    for first, *rest in rows:
        full = first.exact or first.text
        start = f"{above[first.depth - 1]}/" if 0 < first.depth <= len(above) else ""
        above[first.depth :] = [full]
        yield (first._replace(text=full.removeprefix(start)) if first.is_name and first.exact else first, *rest)
