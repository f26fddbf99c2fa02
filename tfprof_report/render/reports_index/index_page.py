"""One page that lists many reports, with search and sort where there are scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup, escape

from tfprof_report.errors import one_line
from tfprof_report.formatting import COMMIT_DIGITS, label_of, plural, unit_of
from tfprof_report.record import record
from tfprof_report.render.content.sections import STATUS
from tfprof_report.render.html.page import render_page
from tfprof_report.render.tables.cells import ABSENT, Cell, Column, name_cell, text_cell, total_cell
from tfprof_report.schema.index_columns import figure_columns
from tfprof_report.schema.listed_columns import LISTED, LISTED_FIGURES

MOST_ROWS = 2000
"""Most reports on the page: with more, browsers become slow."""

_ALWAYS = ("float_ops", "params")
"""Figures that have a column, even if no report knows them."""

_NAMES = {"commit": "Commit", "label": "Label", "branch": "Branch"}
"""Columns of names with their headers, for as far as any report has one."""

_STYLES = ("base.css", "reports_index.css")
_SCRIPT = "reports_index.js"


@record
class _IndexContent:
    """What the page shows; `body` is the body of its table."""

    title: Cell
    count: str
    counts: tuple[Cell, ...]
    note: str
    columns: tuple[Column, ...]
    body: Markup


def render_reports_index(rows: pa.Table, *, title: str, timestamp: str) -> str:
    """Return a self-contained page with a row for each report, in the order given; the first `MOST_ROWS` of more.

    The page makes no request, and the same rows give the same page. Without scripts it is complete; with them its rows
    can be searched and sorted.

    Parameters
    ----------
    rows
        The columns of `schema.listed_columns.LISTED`.
    title
        What the reports are of, such as the name of a folder or store.
    timestamp
        When the page was made.
    """
    table = rows.select(LISTED.names).slice(0, MOST_ROWS)
    names = [name for name in _NAMES if _has_any(table, name)]
    stems = [stem for stem in LISTED_FIGURES if stem in _ALWAYS or _knows_any(table, stem)]
    content = _IndexContent(
        title=name_cell(title),
        count=f"{plural(rows.num_rows, 'report')}, {one_line(timestamp)}",
        counts=tuple(_counts(rows)),
        note=_left_out(rows.num_rows),
        columns=(
            Column("Model"),
            Column("Outcome"),
            Column("Time"),
            *(Column(_NAMES[name]) for name in names),
            *(Column(label_of(stem), is_number=True) for stem in stems),
        ),
        body=Markup("\n").join(_row(row, names, stems) for row in table.to_pylist()),
    )
    return render_page("reports_index", _STYLES, _SCRIPT, content=content)


def _has_any(table: pa.Table, name: str) -> bool:
    return bool(pc.any(pc.not_equal(table[name], "")).as_py())


def _knows_any(table: pa.Table, stem: str) -> bool:
    value, least, _ = figure_columns(stem)
    return bool(pc.any(pc.or_(table[value].is_valid(), table[least].is_valid())).as_py())


def _counts(rows: pa.Table) -> Sequence[Cell]:
    """Return how many reports have each outcome, the most first."""
    found = sorted(
        pc.value_counts(rows["outcome"]).to_pylist(), key=lambda each: (-each["counts"], each["values"] or "")
    )
    cells = [(each["counts"], _outcome(each["values"])) for each in found]
    return [cell._replace(text=f"{count:,} {cell.text}") for count, cell in cells]


def _left_out(count: int) -> str:
    if count <= MOST_ROWS:
        return ""
    return f"Shows the first {MOST_ROWS:,} of {count:,} reports."


def _outcome(word: str | None) -> Cell:
    if not word:
        return text_cell("NO REPORT", tone="inconclusive")
    known = {str(outcome): cell for outcome, cell in STATUS.items()}
    return known.get(word) or text_cell(word.upper(), tone="inconclusive")


def _row(row: Mapping[str, Any], names: Sequence[str], stems: Sequence[str]) -> Markup:
    """Return a row; joining strings is several times faster than a loop in a template."""
    time = row["time"]
    cells = [
        _cell(_outcome(row["outcome"]), note=row["problem"] or ""),
        _cell(text_cell(f"{time:%Y-%m-%d %H:%M}") if time else ABSENT),
        *(_cell(_name(name, row[name]), kind=name if name == "commit" else "") for name in names),
        *(_cell(_figure(row, stem), is_number=True) for stem in stems),
    ]
    name = name_cell(row["model"] or "")
    text = (
        Markup('<a href="{}" rel="noreferrer">{}</a>').format(row["link"], name.text)
        if row["link"]
        else escape(name.text)
    )
    head = Markup('<th scope="row" class="name">{}</th>').format(text)
    return Markup("<tr>{}{}</tr>").format(head, Markup("").join(cells))


def _name(column: str, name: str | None) -> Cell:
    if not name:
        return ABSENT
    return name_cell(name[:COMMIT_DIGITS], exact=name) if column == "commit" else name_cell(name)


def _figure(row: Mapping[str, Any], stem: str) -> Cell:
    value, least, unknown = (row[column] for column in figure_columns(stem))
    if value is None and least is None and not unknown:
        return ABSENT
    return total_cell(least if unknown else value, unit_of(stem), unknown or 0)


def _cell(cell: Cell, *, is_number: bool = False, note: str = "", kind: str = "") -> Markup:
    """Return a cell of the body, of a further class `kind`; the key of a number is left out where it is its text."""
    words = ("n" if is_number else "", "name" if cell.is_name else "", kind, cell.tone)
    classes = " ".join(word for word in words if word)
    parts = [
        Markup(' class="{}"').format(classes) if classes else "",
        Markup(' data-key="{}"').format(cell.key) if is_number and cell.key != cell.text else "",
        Markup(' title="{}"').format(cell.exact) if cell.exact else "",
    ]
    more = Markup('<div class="note">{}</div>').format(name_cell(note).text) if note else ""
    return Markup("<td{}>{}{}</td>").format(Markup("").join(parts), cell.text, more)
