"""Tables as renderers see them: headers, and rows of cells whose text is final. Templates only loop over them.

Numbers become text here, by `formatting`. Names are made visible, and escaped only by each output language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import to_bools
from tfprof_report.compare.comparison import State
from tfprof_report.errors import one_line
from tfprof_report.formatting import (
    UNKNOWN,
    format_delta,
    format_exact,
    format_exact_delta,
    format_number,
    format_percent,
    format_total,
    normalise,
    plural,
    shorten,
)
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number, Unit

EMPTY_NAME = "(empty)"
NAME_LIMIT = 1000
"""Maximum characters of a name in a page: hostile names are megabytes long. Longer ones lose their middle."""


class Cell(NamedTuple):
    """A cell. A tuple, not a dataclass, because a page has up to 100,000 of them.

    text : what is shown
    key : sort key in a column of numbers: the exact figure as decimal text, empty where unknown
    exact : the exact figure, where `text` is rounded; the full name, where `text` is a part of it
    tone : class for the style sheet: up, down, new, removed, passed, failed, inconclusive, unknown, absent
    depth : levels of indentation
    is_name : whether `text` comes from the user or an input: a name, a path, an option's value
    anchor : id within the page of the row that starts with this cell
    """

    text: str
    key: str = ""
    exact: str = ""
    tone: str = ""
    depth: int = 0
    is_name: bool = False
    anchor: str = ""


Row = tuple[Cell, ...]


class Column(NamedTuple):
    """A column header. Adjacent columns with the same `group` share a heading."""

    label: str
    group: str = ""
    is_number: bool = False


class Group(NamedTuple):
    """A heading over `span` columns; an empty label over a single column without a group."""

    label: str
    span: int
    columns: tuple[Column, ...]


@record
class Table:
    """A table to show.

    notes : sentences about its rows and columns
    total : the number of all rows if `rows` may be only some of them; None if `rows` has all
    noun : the word for the rows
    file : the file of the report that has all rows
    keeps_lines : whether a cell stays on one line where hosts would wrap it in a narrow window
    members : for each row those that it opens to; empty if no row opens
    rest : for rows ranked by a change, ``rest[i]`` is the largest change, as text, among row i and all after it, also
        those that are not in `rows`: a table cut before row i can report the largest change that it omits
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    total: int | None = None
    noun: str = "rows"
    file: str = "summary.json"
    keeps_lines: bool = False
    members: tuple[tuple[Row, ...], ...] = ()
    rest: tuple[str, ...] = ()

    @property
    def left_out(self) -> str:
        """The sentence on the rows that are not shown: how many, the largest, and the file; empty if all are shown."""
        shown, total = len(self.rows), self.total or 0
        if shown >= total:
            return ""
        verb = "is" if total - shown == 1 else "are"
        largest = f", the largest {self.rest[shown]}" if shown < len(self.rest) and self.rest[shown] else ""
        return f"Shows {shown:,} of {total:,} {self.noun}; {total - shown:,} {verb} left out{largest} ({self.file})."

    @property
    def remarks(self) -> tuple[str, ...]:
        """The sentences below the rows: what is left out, then the notes."""
        return (self.left_out, *self.notes) if self.left_out else self.notes

    @property
    def groups(self) -> tuple[Group, ...]:
        """The upper line of a two-line header; empty if no column has a group."""
        if not any(column.group for column in self.columns):
            return ()
        groups: list[Group] = []
        for column in self.columns:
            if column.group and groups and groups[-1].label == column.group:
                groups[-1] = Group(column.group, groups[-1].span + 1, (*groups[-1].columns, column))
            else:
                groups.append(Group(column.group, 1, (column,)))
        return tuple(groups)


def text_cell(text: str, tone: str = "") -> Cell:
    """Return a cell with text that this package wrote, as opposed to a name."""
    return Cell(one_line(text), tone=tone)


def name_cell(name: str | None, *, exact: str | None = None, depth: int = 0, tone: str = "") -> Cell:
    """Return a cell with a name, a path or a user's value. `exact` is the full name if `name` is a part of it."""
    if name is None:
        return Cell("not given", tone="unknown")
    text = visible(name)
    full = text if exact is None else visible(exact)
    return Cell(text, exact="" if full == text else full, tone=tone, depth=depth, is_name=True)


@lru_cache(maxsize=8192)
def number_cell(value: Number | None, unit: Unit) -> Cell:
    """Return a cell with a figure scaled for people; `Cell.exact` has all its digits."""
    text, exact = format_number(value, unit), format_exact(value, unit)
    return Cell(text, sort_key(value), exact if exact != text else "", "unknown" if text == UNKNOWN else "")


@lru_cache(maxsize=8192)
def total_cell(value: Number | None, unit: Unit, unknown: int | None) -> Cell:
    """Return the cell of a total that lacks `unknown` nodes: with any of them it says ``at least``, and how many."""
    cell = number_cell(value, unit)
    if not unknown or cell.text == UNKNOWN:
        return cell
    exact = f"at least {format_exact(value, unit)}; {plural(unknown, 'node')} unknown"
    return cell._replace(text=format_total(value, unit, unknown=unknown), exact=exact, tone="inconclusive")


@lru_cache(maxsize=8192)
def delta_cell(value: Number | None, unit: Unit) -> Cell:
    """Return a cell with a signed difference."""
    text, exact = format_delta(value, unit), format_exact_delta(value, unit)
    return Cell(text, sort_key(value), exact if exact != text else "", direction(value))


@lru_cache(maxsize=8192)
def percent_cell(percent: float | None, state: str | None) -> Cell:
    """Return a cell with a relative change, or with the reason why there is none."""
    if normalise(percent) is not None:
        return Cell(format_percent(percent), sort_key(percent), tone=direction(percent))
    return Cell(format_percent(None, state), tone="up" if state == State.NEW_FROM_ZERO else "unknown")


ABSENT = Cell("\N{EN DASH}", tone="absent")
"""A cell that cannot have a figure, such as the missing side of a new or removed row."""


def direction(value: Number | None) -> str:
    """Return the tone of a difference; the sign in its text shows the same without colour."""
    known = normalise(value)
    if known is None:
        return "unknown"
    return "up" if known > 0 else "down" if known < 0 else ""


def sort_key(value: Number | None) -> str:
    """Return the exact figure as decimal text, empty if unknown: a browser's numbers are exact up to 2**53 only."""
    known = normalise(value)
    return "" if known is None else repr(known)


def visible(name: str) -> str:
    """Return a name on one line: control and bidirectional characters escaped, the middle of a long name left out."""
    return shorten(one_line(name) or EMPTY_NAME, NAME_LIMIT)


def visible_names(names: pa.Array) -> list[str]:
    """Return `visible` of each of many names; most need no change, which one pass over all of them tells."""
    texts: list[str] = names.to_pylist()
    is_odd = pc.or_(pc.match_substring_regex(names, "^$|[^ -~]"), pc.greater(pc.utf8_length(names), NAME_LIMIT))
    for place in np.flatnonzero(to_bools(is_odd)):
        texts[place] = visible(texts[place])
    return texts


def plain_table(caption: str, labels: Sequence[str], rows: Iterable[Row]) -> Table:
    """Return a table without columns of numbers."""
    return Table(caption=caption, columns=tuple(Column(label) for label in labels), rows=tuple(rows))
