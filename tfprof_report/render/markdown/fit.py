"""Fits a document into a limit of characters: leaves out whole rows, the least important first, and shortens names.

All rows are ranked in one fixed order, and the longest prefix of it that fits is kept. So a higher limit never shows
fewer rows, and the order in which rows go does not depend on the limit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, count, takewhile
from os.path import commonprefix

from tfprof_report.formatting import shorten
from tfprof_report.record import record
from tfprof_report.render.tables.cells import Cell, Row, Table
from tfprof_report.views.layout import SEPARATOR

FIRST_ROWS = 10
"""Rows that every table gets before any table gets more."""


@record
class Part:
    """A piece of a document under one title. It is kept if any row of its tables is; without tables, as a whole.

    `text` are sentences to be escaped, `lines` are Markdown already.
    """

    title: str
    text: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    is_folded: bool = True


def shed(
    parts: Sequence[Part], room: int, *, part_size: Callable[[Part], int], row_size: Callable[[Row], int]
) -> tuple[Part, ...]:
    """Return `parts`, the most important first, reduced to what fits into `room` characters.

    The first `FIRST_ROWS` rows of all tables rank before the others; otherwise rows are in the order of parts, tables
    and `rank_rows`. A part without any kept row is left out.

    Parameters
    ----------
    part_size : upper bound of the characters of a part without its rows
    row_size : characters of a row
    """
    units = list(_units(parts))
    costs = (_cost(parts[part], table, row, part_size, row_size) for part, table, row in units)
    count = sum(1 for _ in takewhile(lambda total: total <= room, accumulate(costs)))
    kept = units[:count]
    whole = {part for part, table, _ in kept if table is None}
    rows: dict[tuple[int, int], int] = {}
    for part, table, _ in kept:
        if table is not None:
            rows[part, table] = rows.get((part, table), 0) + 1
    found = (
        replace(part, tables=tuple(cut(table, rows[i, j]) for j, table in enumerate(part.tables) if (i, j) in rows))
        for i, part in enumerate(parts)
    )
    return tuple(part for i, part in enumerate(found) if part.tables or i in whole)


def cut(table: Table, count: int) -> Table:
    """Return a table with the `count` most important of its rows, in their original order."""
    rows = [table.rows[row] for row in sorted(rank_rows(table)[:count])]
    return replace(table, rows=tuple(rows), total=max(table.total or 0, len(table.rows)))


def rank_rows(table: Table) -> list[int]:
    """Return the row numbers of a table, the most important first: upper levels, so that no row lacks its parent."""
    return sorted(range(len(table.rows)), key=lambda row: table.rows[row][0].depth)


_Unit = tuple[int, int | None, int]
"""What is kept or left out at a time: a part, one of its tables (None if it has none), and the rank of a row in it."""


def _units(parts: Sequence[Part]) -> Iterator[_Unit]:
    for start, stop in ((0, FIRST_ROWS), (FIRST_ROWS, None)):
        for i, part in enumerate(parts):
            if not part.tables and not start:
                yield i, None, 0
            for j, table in enumerate(part.tables):
                yield from ((i, j, row) for row in range(len(table.rows))[start:stop])


def _cost(
    part: Part, place: int | None, row: int, part_size: Callable[[Part], int], row_size: Callable[[Row], int]
) -> int:
    """Return an upper bound of the characters that a row adds; the first row adds part, header and note of a cut."""
    if place is None:
        return part_size(part)
    table = part.tables[place]
    cost = row_size(table.rows[rank_rows(table)[row]])
    if row:
        return cost
    digits = len(f"{table.total or len(table.rows):,}")
    # The note of a cut may get longer with the number of rows in it, and with the text of the largest change.
    words = max(map(len, table.rest), default=0)
    return cost + digits + words + part_size(replace(part, tables=(cut(table, 0),)))


def short_names(table: Table, limit: int) -> Table:
    """Return a table whose names have at most `limit` characters each; different names in a column stay different."""
    rows = list(_relative_names(table.rows))
    columns = [_shorten_column(cells, limit) for cells in zip(*rows, strict=True)]
    return replace(table, rows=tuple(zip(*columns, strict=True)))


def shorten_apart(names: Iterable[str], limit: int) -> dict[str, str]:
    """Return each name shortened to at most `limit` characters, so that different names stay different.

    The middle is left out, of call stacks the outer calls. Names that would then be equal are cut after their common
    prefix instead, so that the difference is shown; names that are still equal are numbered.
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
    # a fifth of the limit is for what precedes the difference
    start = max(len(commonprefix(group)) - limit // 5, 0)  # noqa: RUF071 they are characters, not all are paths
    head = name[: min(limit // 4, start)]
    yield f"{head}\N{HORIZONTAL ELLIPSIS}{shorten(name[start:], limit - len(head) - 1)}"
    for number in count(2):
        mark = f" ({number})"
        yield f"{shorten(name, limit - len(mark))}{mark}"


def _shorten_column(cells: tuple[Cell, ...], limit: int) -> list[Cell]:
    short = shorten_apart((cell.text for cell in cells if cell.is_name), limit)
    return [cell._replace(text=short[cell.text]) if cell.is_name else cell for cell in cells]


def _relative_names(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows of a tree, each named by its full name without the prefix that is its parent's full name."""
    above: list[str] = []
    for first, *rest in rows:
        full = first.exact or first.text
        start = f"{above[first.depth - 1]}/" if 0 < first.depth <= len(above) else ""
        above[first.depth :] = [full]
        is_leaf = first.is_name and first.exact.endswith(first.text)  # not one name for several, as of alike layers
        yield (first._replace(text=full.removeprefix(start)) if is_leaf else first, *rest)
