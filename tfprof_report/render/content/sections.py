"""What a human report says, in which order. HTML and Markdown differ in how much they show and how it looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

from tfprof_report.compare.causes.highlights import VIEW
from tfprof_report.compare.causes.movers import least_change
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.formatting import format_number
from tfprof_report.ingest.origin import Origin
from tfprof_report.options import MEAN_OF_STEPS
from tfprof_report.render.content.headline import fallen_totals
from tfprof_report.render.tables.advice_table import advice_table
from tfprof_report.render.tables.causes_table import WHY_TEXT, carriers_table, flops_table, split_tables
from tfprof_report.render.tables.cells import Cell, Row, Table
from tfprof_report.render.tables.changes_tables import fold_notes, grown_table, percent_text, shrunk_table, view_changes
from tfprof_report.render.tables.counting_tables import classes_table, left_out_table, not_counted_table, params_table
from tfprof_report.render.tables.gates_table import acknowledged_table, gates_table
from tfprof_report.render.tables.renames_table import matching_words, renames_tables
from tfprof_report.render.tables.report_tables import (
    VIEW_TITLES,
    conventions_tables,
    coverage_words,
    devices_table,
    diagnostics_table,
    inputs_table,
    settings_table,
    sides_table,
    total_deltas_table,
    totals_table,
    view_table,
)
from tfprof_report.render.tables.time_table import TIME_TEXT, time_table
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a format shows.

    `stems` are the figures of views, `change_parts` the columns of a changed figure.
    """

    view_rows: int
    changed_rows: int
    changed_nodes: int
    other_rows: int
    examples: int
    stems: tuple[str, ...]
    change_stems: tuple[str, ...]
    change_parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading, a few sentences and tables. `anchor` is its name in links."""

    anchor: str
    title: str
    tables: tuple[Table, ...]
    text: tuple[str, ...] = ()


_TONES = {Outcome.OK: "passed", Outcome.FAILED: "failed"}


STATUS = {outcome: Cell(outcome.upper(), tone=_TONES.get(outcome, "inconclusive")) for outcome in Outcome}
"""Outcomes in a word, as verdicts begin."""


def title_of(side: Origin) -> str:
    """Return what the model is called: its label, else its graph file, or the folder of a file with the usual name."""
    graph = next((PurePath(file.path) for file in side.inputs if file.role == "graph"), None)
    if side.label or graph is None:
        return side.label or "TensorFlow profile"
    return str(graph.parent) if graph.name.startswith("graph.pb") and graph.parent.name else graph.name


def sides_of(report: Report) -> list[tuple[str, Origin]]:
    """Return base, where there is one, and head, with these words."""
    if report.comparison is None:
        return [("head", report.head.origin)]
    return [("base", report.comparison.base.origin), ("head", report.head.origin)]


def make_sections(report: Report, limits: Limits) -> Iterator[Section]:
    """Yield what `report` says below its first screen, cut to `limits`; what is cut is counted in its table."""
    yield from _outcome(report, limits)
    yield from _told_apart(report, limits)
    yield from _by_view(report, limits)
    yield from _background(report, limits)


def _outcome(report: Report, limits: Limits) -> Iterator[Section]:
    comparison, verdict = report.comparison, report.verdict
    if verdict.gates:
        gates = gates_table(verdict.gates, limits.other_rows)
        yield Section(anchor="gates", title="Gates", tables=(gates,))
    if verdict.acknowledged:
        accepted = acknowledged_table(verdict.acknowledged, limits.other_rows)
        text = ("While an acknowledged change holds, its nodes count as unchanged, in every total above them too.",)
        yield Section(anchor="acknowledged", title="Acknowledged changes", tables=(accepted,), text=text)
    totals = total_deltas_table(comparison) if comparison else totals_table(report.totals)
    yield Section(anchor="totals", title="Totals", tables=(totals,), text=(_counts(comparison),) if comparison else ())
    if comparison:
        yield from _changes(report, comparison, limits)


def _told_apart(report: Report, limits: Limits) -> Iterator[Section]:
    """Yield what the totals are made of, and what is in none of them."""
    comparison = report.comparison
    if report.classes or report.base_classes:
        classes = classes_table(report.classes, report.base_classes)
        yield Section(anchor="classes", title="FLOPs by class", tables=(classes,))
    if report.not_counted:
        table = not_counted_table(report.not_counted, limits.other_rows, limits.examples)
        yield Section(anchor="not-counted", title="Not counted", tables=(table,), text=(_uncounted(report),))
    if report.param_totals or report.base_param_totals:
        table = params_table(report.param_totals, report.base_param_totals if comparison else None)
        yield Section(anchor="params", title="Parameters by kind", tables=(table,))
    left_out = [("head", part) for part in report.head.left_out]
    left_out = [*(("base", part) for part in comparison.base.left_out), *left_out] if comparison else left_out
    if left_out:
        text = (
            "No total, view or difference has these nodes: with them the totals are those of the input.",
            "Device memory, and warnings about the inputs, are those of all nodes.",
        )
        yield Section(anchor="left-out", title="Left out", tables=(left_out_table(left_out),), text=text)
    if report.head.devices:
        table = devices_table(report.head.devices, limits.other_rows)
        yield Section(anchor="memory", title="Device memory", tables=(table,))


def _by_view(report: Report, limits: Limits) -> Iterator[Section]:
    for name, view in report.head.views.items():
        select = report.head.measurement.as_dict()["select"]
        table = view_table(view, report.head.nodes, limits.view_rows, stems=limits.stems, select=select)
        yield Section(anchor=f"view-{name}", title=VIEW_TITLES[name], tables=(table,), text=_unlike_totals(report))
    if report.comparison and report.comparison.views:
        yield _changes_by_view(report, report.comparison, limits)


def _background(report: Report, limits: Limits) -> Iterator[Section]:
    """Yield advice, warnings, and where the figures come from."""
    if any(advice.reports for advice in report.head.advice):
        yield Section(anchor="advice", title="Advice", tables=(advice_table(report.head.advice),))
    if report.diagnostics:
        table = diagnostics_table(report.diagnostics, limits.other_rows, limits.examples)
        yield Section(anchor="diagnostics", title="Warnings and notes", tables=(table,))
    sides = sides_of(report)
    provenance = (sides_table(sides), inputs_table(sides, limits.other_rows), settings_table(report))
    yield Section(anchor="provenance", title="Provenance", tables=provenance)
    yield Section(anchor="conventions", title="Glossary", tables=conventions_tables())


def _uncounted(report: Report) -> str:
    total = next(total for total in report.totals if total.stem == "float_ops")
    counted = f"FLOPs: known {format_number(total.value, Unit.COUNT)}" if total.known else "FLOPs are unknown"
    return f"{counted}; {coverage_words(total.stem, total.known, total.capable)}."


def _unlike_totals(report: Report) -> tuple[str, ...]:
    """Return why the figures of views are not those of the totals, where they are not."""
    step = report.head.measurement.as_dict()["step"]
    reasons = [
        *([f"of step {step} alone"] if step != MEAN_OF_STEPS else []),
        *(
            [f"by {report.head.measurement.semantics_name} semantics"]
            if report.head.measurement.semantics_name != "corrected"
            else []
        ),
    ]
    return (f"Figures {' and '.join(reasons)}, unlike the totals above.",) if reasons else ()


def _counts(comparison: Comparison) -> str:
    counts = ", ".join(f"{count:,} {status}" for status, count in comparison.counts.items())
    return f"Nodes: {counts}."


def _changes(report: Report, comparison: Comparison, limits: Limits) -> Iterator[Section]:
    """Yield what grew, what shrank, and why."""
    threshold = report.policy.threshold
    found = [(movers, grown_table(movers, limits.changed_nodes)) for movers in report.movers]
    folded = {movers.stem: fold_notes(movers, threshold) for movers in report.movers}
    grown = tuple(replace(table, notes=folded[movers.stem]) for movers, table in found if table)
    alone = [note for movers, table in found if not table for note in folded[movers.stem]]
    nothing = () if grown else ("No node's FLOPs, parameters or requested memory grew.",)
    yield Section(anchor="changes", title="What grew", tables=grown, text=(*nothing, *alone))
    shrunk = _tables(shrunk_table(movers, limits.changed_nodes) for movers in report.movers)
    fallen = fallen_totals(comparison)
    if shrunk or fallen:
        yield Section(anchor="improvements", title="Improvements", tables=shrunk, text=fallen)
    op_view = comparison.views.get("op")
    why = _tables(
        (
            *(carriers_table(carried) for carried in (report.why.carried if report.why else ())),
            *(split_tables(op_view, limits.changed_nodes) if op_view is not None else ()),
            flops_table(report.why.flops, limits.changed_nodes) if report.why and report.why.flops else None,
        )
    )
    if why:
        yield Section(anchor="why", title="Why it changed", tables=why, text=(WHY_TEXT,))
    if renames := renames_tables(comparison, limits.other_rows):
        yield Section(anchor="renames", title="Renames", tables=renames, text=(matching_words(comparison),))
    times = time_table(comparison.times)
    if times.rows:
        yield Section(anchor="time", title="Time", tables=(times,), text=(TIME_TEXT,))


def _tables(found: Iterable[Table | None]) -> tuple[Table, ...]:
    return tuple(table for table in found if table is not None)


def _changes_by_view(report: Report, comparison: Comparison, limits: Limits) -> Section:
    threshold = report.policy.threshold
    least = {stem: least_change(comparison, stem, threshold) for stem in limits.change_stems}
    tables = tuple(
        view_changes(name, rows, limits.changed_rows, stems=limits.change_stems, parts=limits.change_parts, least=least)
        for name, rows in comparison.views.items()
    )
    return Section(
        anchor="view-changes",
        title="Changes by view",
        tables=tuple(table for table in tables if table.rows or table.notes),
        text=(
            "Totals of rows; the largest changes of FLOPs first, then of parameters, then of memory.",
            f"The threshold is {percent_text(threshold)} of base's total of a figure.",
            *(f"{table.caption}: none." for table in tables if not table.rows and not table.notes),
        ),
    )


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
