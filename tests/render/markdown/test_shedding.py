from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.render.markdown.fit import FIRST_ROWS, Part, cut, shed
from tfprof_report.render.tables.cells import Cell, Column, Row, Table

HEAD, ROW = 100, 10
"""Sizes of a part without rows, and of a row."""


def table_of(count: int, *, depths: Sequence[int] | None = None, total: int | None = None) -> Table:
    rows = tuple((Cell(str(i), depth=(depths or [0] * count)[i]),) for i in range(count))
    return Table(caption="x", columns=(Column("a"),), rows=rows, total=total)


def part_size(part: Part) -> int:
    return HEAD + sum(ROW * len(table.rows) for table in part.tables)


def row_size(row: Row) -> int:
    return ROW * len(row)


def kept(parts: Sequence[Part], room: int) -> dict[str, list[int]]:
    found = shed(parts, room, part_size=part_size, row_size=row_size)
    return {part.title: [len(table.rows) for table in part.tables] for part in found}


def test_the_first_rows_of_all_tables_come_before_the_others() -> None:
    parts = [Part(title="a", tables=(table_of(30),)), Part(title="b", tables=(table_of(30),))]
    both = 2 * (HEAD + 2 + FIRST_ROWS * ROW)  # 2: digits of the number of rows
    assert kept(parts, both) == {"a": [10], "b": [10]}
    assert kept(parts, both - 1) == {"a": [10], "b": [9]}
    assert kept(parts, both + 25 * ROW) == {"a": [30], "b": [15]}


def test_a_part_without_room_for_a_row_is_left_out() -> None:
    parts = [Part(title="a", tables=(table_of(3),)), Part(title="words", text=("x",))]
    assert kept(parts, HEAD) == {}
    assert kept(parts, HEAD + 1 + ROW) == {"a": [1]}
    assert kept(parts, 2 * HEAD + 1 + 3 * ROW) == {"a": [3], "words": []}


def test_a_cut_table_keeps_parents_and_counts_what_is_missing() -> None:
    table = cut(table_of(5, depths=[0, 1, 2, 0, 1], total=40), 3)
    assert [row[0].text for row in table.rows] == ["0", "1", "3"]
    assert table.left_out == "Shows 3 of 40 rows; 37 are left out (summary.json)."


def test_a_table_that_was_whole_counts_its_own_rows() -> None:
    assert cut(table_of(5), 2).left_out == "Shows 2 of 5 rows; 3 are left out (summary.json)."


@given(
    st.lists(st.lists(st.integers(1, 25), max_size=3), max_size=5),
    st.integers(0, 2000),
    st.integers(0, 300),
)
def test_what_is_kept_fits_and_grows_with_the_room(counts: list[list[int]], room: int, more: int) -> None:
    parts = [Part(title=str(i), tables=tuple(map(table_of, tables))) for i, tables in enumerate(counts)]
    found = shed(parts, room, part_size=part_size, row_size=row_size)
    assert sum(map(part_size, found)) <= room
    less, greater = kept(parts, room), kept(parts, room + more)
    assert all(rows <= greater[title][j] for title, tables in less.items() for j, rows in enumerate(tables))


def test_a_cut_table_says_the_largest_change_of_what_is_left_out() -> None:
    table = dataclasses.replace(table_of(5), rest=("+9", "+7", "+5", "+3", "+1"))
    assert cut(table, 2).left_out == "Shows 2 of 5 rows; 3 are left out, the largest +5 (summary.json)."
    assert cut(table, 5).left_out == ""
