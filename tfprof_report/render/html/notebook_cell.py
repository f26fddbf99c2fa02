"""Reports in a cell of a notebook: inert HTML, with styles that change nothing of the page around it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from tfprof_report.formatting import COMMIT_DIGITS, label_of, plural
from tfprof_report.render.content.cards import figure_cell
from tfprof_report.render.content.first_screen import Screen
from tfprof_report.render.content.sections import STATUS
from tfprof_report.render.files.templates import read_asset
from tfprof_report.render.html.page import page_environment
from tfprof_report.render.html.svg import Picture
from tfprof_report.render.tables.cells import Cell, Column, Table, name_cell, text_cell
from tfprof_report.schema.metrics import DEVICE_PEAK, WALL

_FIGURES = ("float_ops", "params", DEVICE_PEAK, WALL)
_MOST_ROWS = 20
"""Most reports that a cell lists: the newest."""


def render_cell(screen: Screen) -> str:
    """Return the first screen of a report for a cell; the same screen gives the same text."""
    key = hashlib.sha256(f"{screen.title.text} {screen.detail} {screen.created.text}".encode()).hexdigest()[:8]
    return _render("cell", screen=screen, key=key)


def render_reports_cell(name: str, verdicts: Sequence[Mapping[str, Any]], totals: Iterable[Mapping[str, Any]]) -> str:
    """Return the table of several reports for a cell, from their verdicts and totals."""
    figures: dict[tuple[Any, ...], dict[str, Mapping[str, Any]]] = {}
    for total in totals:
        figures.setdefault(_key(total), {})[total["metric"]] = total
    rows = tuple(_row(verdict, figures.get(_key(verdict), {})) for verdict in verdicts[-_MOST_ROWS:])
    table = Table(
        caption=plural(len(verdicts), "report"),
        columns=tuple(
            Column(label, is_number=is_number)
            for label, is_number in (
                *((label, False) for label in ("Model", "Commit", "Time of report", "Outcome")),
                *((label_of(stem), True) for stem in _FIGURES),
            )
        ),
        rows=rows,
        total=len(verdicts),
        noun="reports",
        file="the tables have all",
    )
    return render_tables_cell(name, [table])


def render_tables_cell(title: str, tables: Sequence[Table], pictures: Sequence[Picture] = ()) -> str:
    """Return tables, and pictures below them, for a cell."""
    return _render("cell_table", title=name_cell(title), tables=tables, pictures=pictures)


def _render(template: str, **content: Any) -> str:
    style = Markup(read_asset("cell.css"))  # noqa: S704 our own file, without anything from a report
    return page_environment().get_template(f"html/{template}.html.j2").render(style=style, **content)


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["model"], row["commit"], row["timestamp"]


def _row(verdict: Mapping[str, Any], figures: Mapping[str, Mapping[str, Any]]) -> tuple[Cell, ...]:
    status = next((cell for outcome, cell in STATUS.items() if outcome == verdict["outcome"]), text_cell("unknown"))
    return (
        name_cell(verdict["model"]),
        _short(verdict["commit"]),
        name_cell(verdict["timestamp"]),
        status,
        *(_figure(stem, figures.get(stem)) for stem in _FIGURES),
    )


def _short(commit: str | None) -> Cell:
    return name_cell(None) if commit is None else name_cell(commit[:COMMIT_DIGITS], exact=commit)


def _figure(stem: str, total: Mapping[str, Any] | None) -> Cell:
    if total is None:
        return figure_cell(stem, None, 0)
    known = total["exact"] if total["exact"] is not None else total["value"]
    return figure_cell(stem, total["at_least"] if known is None else known, total["unknown"] or 0)
