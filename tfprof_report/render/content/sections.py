"""The sections of a report for people, in order. HTML and Markdown differ in layout and in how much they show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import NamedTuple

from tfprof_report.compare.causes.movers import least_change
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.formatting import format_number
from tfprof_report.ingest.origin import Origin
from tfprof_report.options import MEAN_OF_STEPS
from tfprof_report.record import record
from tfprof_report.render.content.headline import fallen_totals
from tfprof_report.render.tables.activity_tables import activity_tables, activity_text
from tfprof_report.render.tables.advice_table import advice_table
from tfprof_report.render.tables.bounds_tables import bounds_tables
from tfprof_report.render.tables.causes_tables import WHY_TEXT, carriers_table, flops_table, split_tables
from tfprof_report.render.tables.cells import Cell, Table
from tfprof_report.render.tables.changed_layers import changed_layers_table
from tfprof_report.render.tables.changes_tables import fold_notes, grown_table, percent_text, shrunk_table, view_changes
from tfprof_report.render.tables.counting_tables import classes_table, left_out_table, not_counted_table, params_table
from tfprof_report.render.tables.folded_layers import fold_layers
from tfprof_report.render.tables.gates_tables import acknowledged_table, gates_table
from tfprof_report.render.tables.layers_tables import ALIKE_TEXT, LAYERS_TEXT, layers_table
from tfprof_report.render.tables.peak_tables import PEAK_TEXT, held_layers_table, holders_table, kinds_table, peak_words
from tfprof_report.render.tables.renames_tables import matching_words, renames_tables
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
from tfprof_report.urls import is_url
from tfprof_report.vocabulary import Preset


@record
class Limits:
    """How much a format shows: rows per table, and columns.

    `stems` are the figures of views, `change_stems` those of changed rows, each with the columns `change_parts`.
    """

    view_rows: int
    changed_rows: int
    changed_nodes: int
    other_rows: int
    examples: int
    stems: tuple[str, ...]
    change_stems: tuple[str, ...]
    change_parts: tuple[str, ...]


class Body(NamedTuple):
    """The content of a section: a few sentences, then tables."""

    tables: tuple[Table, ...]
    text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SectionKind:
    """A section that a report can have.

    anchor : its name in links
    place_in_markdown : its position in Markdown, where the last sections are cut first
    make : returns the content of the section, or None to leave the section out
    short : its name in the navigation of the page, if it differs from the title
    title_in_markdown : its title in Markdown, if it differs
    view : the view whose rows it shows
    is_detail : whether the page folds its long tables
    """

    anchor: str
    title: str
    place_in_markdown: int
    make: Callable[[Report, Limits], Body | None]
    short: str = ""
    title_in_markdown: str = ""
    view: str = ""
    is_detail: bool = False


@record
class Section:
    """A section of one report: a few sentences and tables under the heading of its kind."""

    kind: SectionKind
    tables: tuple[Table, ...]
    text: tuple[str, ...]


_TONES = {Outcome.OK: "passed", Outcome.FAILED: "failed", Outcome.NOT_JUDGED: "neutral"}

STATUS = {outcome: Cell(outcome.upper(), tone=_TONES.get(outcome, "inconclusive")) for outcome in Outcome}
"""Each outcome in a word, which verdicts begin with."""


_RUNS = ("plugins", "profile")
"""The folders of a log directory that hold the runs of the profiler."""


def title_of(side: Origin) -> str:
    """Return the model's name: its label, else its graph file or trace, or the folder of a file with a usual name."""
    files = {file.role: file.path for file in reversed(side.inputs)}
    path = files.get("graph", files.get("xplane"))
    if side.label or path is None:
        return side.label or "TensorFlow profile"
    scheme, mark, place = path.rpartition("://" if is_url(path) else "\0")
    file = PurePath(place)
    is_usual = file.name.startswith(("graph.pb", "xplane.pb")) or "graph" not in files
    folder = file.parents[3] if file.parts[-4:-2] == _RUNS and len(file.parts) > len(_RUNS) + 2 else file.parent
    return f"{scheme}{mark}{folder}" if is_usual and folder.name else file.name


def sides_of(report: Report) -> list[tuple[str, Origin]]:
    """Return ``("base", origin)``, if there is a base, and ``("head", origin)``."""
    if report.comparison is None:
        return [("head", report.head.origin)]
    return [("base", report.comparison.base.origin), ("head", report.head.origin)]


def make_sections(report: Report, limits: Limits) -> Iterator[Section]:
    """Yield the sections of `report` below its first screen, cut to `limits`, in the order of `SECTIONS`.

    Each table counts its rows that are cut.
    """
    for kind in SECTIONS:
        if body := kind.make(report, limits):
            yield Section(kind=kind, tables=body.tables, text=body.text)


def _gates(report: Report, limits: Limits) -> Body | None:
    gates = report.verdict.gates
    return Body((gates_table(gates, limits.other_rows),)) if gates else None


def _acknowledged(report: Report, limits: Limits) -> Body | None:
    accepted = report.verdict.acknowledged
    if not accepted:
        return None
    text = "While an acknowledged change holds, its nodes count as unchanged, in every total above them too."
    return Body((acknowledged_table(accepted, limits.other_rows),), (text,))


def _totals(report: Report, _: Limits) -> Body:
    comparison = report.comparison
    return (
        Body((total_deltas_table(comparison),), (_counts(comparison),))
        if comparison
        else Body((totals_table(report.totals),))
    )


def _classes(report: Report, _: Limits) -> Body | None:
    has_any = report.classes or report.base_classes
    return Body((classes_table(report.classes, report.base_classes),)) if has_any else None


def _not_counted(report: Report, limits: Limits) -> Body | None:
    if not report.not_counted:
        return None
    return Body((not_counted_table(report.not_counted, limits.other_rows, limits.examples),), (_uncounted(report),))


def _params(report: Report, _: Limits) -> Body | None:
    if not (report.param_totals or report.base_param_totals):
        return None
    return Body((params_table(report.param_totals, report.base_param_totals if report.comparison else None),))


def _left_out(report: Report, _: Limits) -> Body | None:
    base = report.comparison.base.left_out if report.comparison else ()
    parts = [*(("base", part) for part in base), *(("head", part) for part in report.head.left_out)]
    if not parts:
        return None
    text = (
        "These nodes are in no total, view or difference: with them the totals are those of the whole input.",
        "Device memory and warnings about the inputs cover all nodes.",
    )
    return Body((left_out_table(parts),), text)


def _memory(report: Report, limits: Limits) -> Body | None:
    return Body((devices_table(report.head.devices, limits.other_rows),)) if report.head.devices else None


def _layers(report: Report, limits: Limits) -> Body | None:
    if report.comparison is not None:
        found = changed_layers_table(report.comparison.layers, limits.other_rows)
        return Body((found,), (LAYERS_TEXT,)) if found and found.rows else None
    if not report.head.layers.num_rows:
        return None
    table = layers_table(fold_layers(report.head.layers), limits.other_rows)
    return Body((table,), (LAYERS_TEXT, ALIKE_TEXT))


def _at_peak(report: Report, limits: Limits) -> Body | None:
    found = report.at_peak
    if found is None:
        return None
    tables = _tables(
        (
            kinds_table(found),
            held_layers_table(found, limits.changed_nodes),
            holders_table(found, limits.changed_nodes),
        )
    )
    return Body(tables, (peak_words(found), PEAK_TEXT, *_peak_without_base(report)))


def _peak_without_base(report: Report) -> tuple[str, ...]:
    """Return the sentence that base is missing, if it is."""
    if report.comparison is None or (report.at_peak and report.at_peak.is_compared):
        return ()
    return ("What base holds at its peak is not known: it lacks the device, or allocation records of it.",)


def _view(name: str, report: Report, limits: Limits) -> Body | None:
    view = report.head.views.get(name)
    if view is None:
        return None
    select = report.head.measurement.options.select
    table = view_table(view, report.head.nodes, limits.view_rows, stems=limits.stems, select=select)
    return Body((table,), _unlike_totals(report))


def _advice(report: Report, _: Limits) -> Body | None:
    return Body((advice_table(report.head.advice),)) if any(advice.reports for advice in report.head.advice) else None


def _diagnostics(report: Report, limits: Limits) -> Body | None:
    found = report.diagnostics
    return Body((diagnostics_table(found, limits.other_rows, limits.examples),)) if found else None


def _provenance(report: Report, limits: Limits) -> Body:
    sides = sides_of(report)
    return Body((sides_table(sides), inputs_table(sides, limits.other_rows), settings_table(report)))


def _conventions(_: Report, __: Limits) -> Body:
    return Body(conventions_tables())


def _uncounted(report: Report) -> str:
    total = next(total for total in report.totals if total.stem == "float_ops")
    counted = f"FLOPs: known {format_number(total.value, Unit.COUNT)}" if total.known else "FLOPs are unknown"
    return f"{counted}; {coverage_words(total.stem, total.known, total.capable)}."


def _unlike_totals(report: Report) -> tuple[str, ...]:
    """Return why the figures of views differ from the totals, if they do."""
    step = report.head.measurement.options.step
    reasons = [
        *([f"of step {step} alone"] if step != MEAN_OF_STEPS else []),
        *(
            [f"by {report.head.measurement.semantics_name} semantics"]
            if report.head.measurement.semantics_name != Preset.CORRECTED
            else []
        ),
    ]
    return (f"Figures {' and '.join(reasons)}, unlike the totals above.",) if reasons else ()


def _counts(comparison: Comparison) -> str:
    counts = ", ".join(f"{count:,} {status}" for status, count in comparison.counts.items())
    return f"Nodes: {counts}."


def _changes(report: Report, limits: Limits) -> Body | None:
    if report.comparison is None:
        return None
    threshold = report.policy.threshold
    found = [(movers, grown_table(movers, limits.changed_nodes)) for movers in report.movers]
    folded = {movers.stem: fold_notes(movers, threshold) for movers in report.movers}
    grown = tuple(replace(table, notes=folded[movers.stem]) for movers, table in found if table)
    alone = [note for movers, table in found if not table for note in folded[movers.stem]]
    nothing = () if grown else ("No node's FLOPs, parameters or requested memory grew.",)
    return Body(grown, (*nothing, *alone))


def _improvements(report: Report, limits: Limits) -> Body | None:
    shrunk = _tables(shrunk_table(movers, limits.changed_nodes) for movers in report.movers)
    fallen = fallen_totals(report.comparison) if report.comparison else ()
    return Body(shrunk, fallen) if shrunk or fallen else None


def _why(report: Report, limits: Limits) -> Body | None:
    if report.comparison is None:
        return None
    op_view = report.comparison.views.get("op")
    why = _tables(
        (
            *(carriers_table(carried) for carried in (report.why.carried if report.why else ())),
            *(split_tables(op_view, limits.changed_nodes) if op_view is not None else ()),
            flops_table(report.why.flops, limits.changed_nodes) if report.why and report.why.flops else None,
        )
    )
    return Body(why, (WHY_TEXT,)) if why else None


def _renames(report: Report, limits: Limits) -> Body | None:
    comparison = report.comparison
    renames = renames_tables(comparison, limits.other_rows) if comparison else ()
    return Body(renames, (matching_words(comparison),)) if comparison and renames else None


def _time(report: Report, _: Limits) -> Body | None:
    times = time_table(report.comparison.times) if report.comparison else None
    return Body((times,), (TIME_TEXT,)) if times and times.rows else None


def _activity(report: Report, limits: Limits) -> Body | None:
    found, is_compared = report.activity, report.comparison is not None
    if found is None:
        return None
    tables = activity_tables(found, limits.other_rows, limits.changed_nodes, is_compared=is_compared)
    return Body(tables, activity_text(report.sides))


def _bounds(report: Report, limits: Limits) -> Body | None:
    tables, text = bounds_tables(report, limits.changed_nodes)
    return Body(tables, text) if tables else None


def _tables(found: Iterable[Table | None]) -> tuple[Table, ...]:
    return tuple(table for table in found if table is not None)


def _view_changes(report: Report, limits: Limits) -> Body | None:
    comparison = report.comparison
    if comparison is None or not comparison.views:
        return None
    threshold = report.policy.threshold
    least = {stem: least_change(comparison, stem, threshold) for stem in limits.change_stems}
    tables = [
        view_changes(name, rows, limits.changed_rows, stems=limits.change_stems, parts=limits.change_parts, least=least)
        for name, rows in comparison.views.items()
    ]
    return Body(
        tables=tuple(table for table in tables if table.rows or table.notes),
        text=(
            "Totals of rows; the largest changes of FLOPs first, then of parameters, then of memory.",
            f"The threshold is {percent_text(threshold)} of base's total of a figure.",
            *(f"{table.caption}: none." for table in tables if not table.rows and not table.notes),
        ),
    )


def _of_view(name: str, short: str, place_in_markdown: int) -> SectionKind:
    return SectionKind(
        f"view-{name}", VIEW_TITLES[name], place_in_markdown, partial(_view, name), short=short, view=name
    )


SECTIONS = (
    SectionKind("gates", "Gates", 3, _gates, title_in_markdown="All gates"),
    SectionKind("acknowledged", "Acknowledged changes", 4, _acknowledged, short="Acknowledged"),
    SectionKind("layers", "Layers", 5, _layers),
    SectionKind("changes", "What grew", 6, _changes, short="Growth"),
    SectionKind("improvements", "Improvements", 7, _improvements),
    SectionKind("why", "Why it changed", 8, _why, short="Why"),
    SectionKind("renames", "Renames", 9, _renames, is_detail=True),
    SectionKind("time", "Time", 10, _time),
    SectionKind("activity", "Waiting and moving", 11, _activity, short="Waiting"),
    SectionKind("bounds", "Rates and bounds", 12, _bounds, short="Bounds", is_detail=True),
    _of_view("scope", "Scopes", 19),
    _of_view("graph", "Graph", 21),
    _of_view("op", "Op types", 20),
    _of_view("code", "Code", 22),
    SectionKind("totals", "Totals", 1, _totals, title_in_markdown="All totals"),
    SectionKind("memory", "Device memory", 15, _memory, short="Memory", is_detail=True),
    SectionKind("peak", "At the peak", 16, _at_peak, short="Peak", is_detail=True),
    SectionKind("classes", "FLOPs by class", 13, _classes, short="Classes", is_detail=True),
    SectionKind("not-counted", "Not counted", 17, _not_counted, is_detail=True),
    SectionKind("params", "Parameters by kind", 14, _params, short="Parameters"),
    SectionKind("left-out", "Left out", 2, _left_out, is_detail=True),
    SectionKind("view-changes", "Changes by view", 18, _view_changes, short="By view", is_detail=True),
    SectionKind("advice", "Advice", 24, _advice, is_detail=True),
    SectionKind("diagnostics", "Warnings and notes", 23, _diagnostics, short="Warnings", is_detail=True),
    SectionKind("provenance", "Provenance", 25, _provenance, is_detail=True),
    SectionKind("conventions", "Glossary", 26, _conventions),
)
"""All sections below the first screen, in the order of the page."""
