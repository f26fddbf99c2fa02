"""The sections of the page in its order: what a reader wants first stands first, references come last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tfprof_report.render.cells import Table
from tfprof_report.render.content import Section
from tfprof_report.render.tables import VIEW_TITLES

_SHORT = {
    "changes": "Changes",
    "view-scope": "Scopes",
    "view-graph": "Graph",
    "view-op": "Op types",
    "view-code": "Code",
    "gates": "Gates",
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

_DETAILS = ("memory", "classes", "not-counted", "left-out", "view-changes", "advice", "diagnostics", "provenance")
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


def page_sections(sections: Iterable[Section]) -> tuple[PageSection, ...]:
    """Return the sections of a report in the order of the page; those that it does not know come last."""
    order = list(_SHORT)
    ordered = sorted(
        sections, key=lambda section: order.index(section.anchor) if section.anchor in order else len(order)
    )
    return tuple(
        PageSection(
            anchor=section.anchor,
            title=section.title,
            short=_SHORT.get(section.anchor, section.title),
            tables=section.tables,
            text=section.text,
            view=_view_of(section.anchor),
            is_detail=section.anchor in _DETAILS,
        )
        for section in ordered
    )


def _view_of(anchor: str) -> str:
    name = anchor.removeprefix("view-")
    return name if name in VIEW_TITLES else ""
