"""The sections of the page in its order: what a reader wants first stands first, references come last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tfprof_report.render.cells import Row, Table
from tfprof_report.render.content import Section
from tfprof_report.render.highlights import VIEW
from tfprof_report.render.tables import VIEW_TITLES

_SHORT = {
    "gates": "Gates",
    "acknowledged": "Acknowledged",
    "changes": "Growth",
    "improvements": "Improvements",
    "why": "Why",
    "renames": "Renames",
    "time": "Time",
    "view-scope": "Scopes",
    "view-graph": "Graph",
    "view-op": "Op types",
    "view-code": "Code",
    "totals": "Totals",
    "memory": "Memory",
    "classes": "Classes",
    "not-counted": "Not counted",
    "params": "Parameters",
    "left-out": "Left out",
    "view-changes": "By view",
    "advice": "Advice",
    "diagnostics": "Warnings",
    "provenance": "Provenance",
    "conventions": "Glossary",
}
"""Sections in the order of the page, with what the navigation calls them."""

_DETAILS = (
    "renames",
    "memory",
    "classes",
    "not-counted",
    "left-out",
    "view-changes",
    "advice",
    "diagnostics",
    "provenance",
)
"""Sections whose long tables are folded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSection:
    """A section of the page. `short` is its name in the navigation, `view` the view that it shows, empty for others.

    In a section of details, long tables are folded.
    """

    anchor: str
    title: str
    short: str
    tables: tuple[Table, ...]
    text: tuple[str, ...]
    view: str
    is_detail: bool


def page_sections(sections: Iterable[Section], links: Mapping[str, str] | None = None) -> tuple[PageSection, ...]:
    """Return the sections of a report in the order of the page; those that it does not know come last.

    `links` are the addresses of scopes that the page links to, by name: without scripts they lead to the rows here.
    """
    order = list(_SHORT)
    ordered = sorted(
        sections, key=lambda section: order.index(section.anchor) if section.anchor in order else len(order)
    )
    return tuple(
        PageSection(
            anchor=section.anchor,
            title=section.title,
            short=_SHORT.get(section.anchor, section.title),
            tables=_linked(section.tables, links or {}) if section.anchor == f"view-{VIEW}" else section.tables,
            text=section.text,
            view=_view_of(section.anchor),
            is_detail=section.anchor in _DETAILS,
        )
        for section in ordered
    )


def _view_of(anchor: str) -> str:
    name = anchor.removeprefix("view-")
    return name if name in VIEW_TITLES else ""


def _linked(tables: Iterable[Table], links: Mapping[str, str]) -> tuple[Table, ...]:
    """Return the tables with the names of `links` as places that their addresses lead to."""
    return tuple(replace(table, rows=tuple(_with_place(row, links) for row in table.rows)) for table in tables)


def _with_place(row: Row, links: Mapping[str, str]) -> Row:
    name = row[0].exact or row[0].text
    return (row[0]._replace(anchor=links[name].removeprefix("#")), *row[1:]) if name in links else row
