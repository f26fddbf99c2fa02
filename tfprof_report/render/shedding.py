"""What of a document is kept where there is little room: whole rows, the most important first.

Rows stand in one fixed order of importance, and the longest beginning of it that fits is kept. So more room never shows
fewer rows, and what is shed first does not depend on how much has to go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, takewhile

from tfprof_report.render.cells import Row, Table

FIRST_ROWS = 10
"""Rows that every table has before any table has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch of a document under one title; it is there if one of its rows is, without tables as a whole."""

    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    is_folded: bool = True


def shed(
    parts: Sequence[Part], room: int, *, part_size: Callable[[Part], int], row_size: Callable[[Row], int]
) -> tuple[Part, ...]:
    """Return what of `parts`, the most important first, fits into `room` characters.

    The first rows of all tables come before the others, else rows come in the order of parts, tables and `kept_first`.
    A part of which no row is kept is left out.

    Parameters
    ----------
    part_size : characters of a part, at most, besides those of its rows
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
    """Return a table with `count` of its rows, in their order."""
    rows = [table.rows[row] for row in sorted(kept_first(table)[:count])]
    return replace(table, rows=tuple(rows), total=max(table.total or 0, len(table.rows)))


def kept_first(table: Table) -> list[int]:
    """Return the numbers of a table's rows, the most important first: upper levels, so that no row lacks its parent."""
    return sorted(range(len(table.rows)), key=lambda row: table.rows[row][0].depth)


_Unit = tuple[int, int | None, int]
"""A part, one of its tables, and how many of its rows are kept before; None for a part without tables."""


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
    """Return the most characters that a row adds: the first one brings its part, its header and the note of a cut."""
    if place is None:
        return part_size(part)
    table = part.tables[place]
    cost = row_size(table.rows[kept_first(table)[row]])
    if row:
        return cost
    digits = len(f"{table.total or len(table.rows):,}")
    # the note of a cut may grow with the rows that it counts, and with the words for the largest of them
    words = max(map(len, table.rest), default=0)
    return cost + digits + words + part_size(replace(part, tables=(cut(table, 0),)))
