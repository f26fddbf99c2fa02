"""The tables of a report, one function each: totals, memory, views, diagnostics, provenance, and the glossary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.comparison import Comparison, TotalDelta
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.formatting import format_exact, label_of, share_of, unit_of
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.model.totals import DevicePeak, Total
from tfprof_report.options import MEAN_OF_STEPS, UNLIMITED_DEPTH, WORDS
from tfprof_report.render.tables.cells import (
    Cell,
    Column,
    Row,
    Table,
    delta_cell,
    name_cell,
    number_cell,
    percent_cell,
    plain_table,
    text_cell,
    total_cell,
)
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import (
    DEVICE_PEAK,
    ESTIMATED_PEAK,
    IDLE,
    METRICS,
    TRANSFER,
    UNIT_CONVENTIONS,
    WALL,
    Unit,
)
from tfprof_report.views.forest import upper_levels
from tfprof_report.views.layout import SEPARATOR
from tfprof_report.views.view import View

_LABELS = {"device": "Devices", "op_types": "Types", "input_shapes": "Input shapes"}


_COLUMNS = {"device": "run_devices", "op_types": "op_types", "input_shapes": "input_shapes"}


def word_columns(view: View, rows: pa.ChunkedArray, nodes: pa.Table, select: Iterable[str]) -> dict[str, list[Cell]]:
    """Return the cells of the text attributes in `select`, by header, for the `rows` of a view.

    Rows of scope and graph view show the texts of their node, rows of op and code view all texts of their nodes; only
    rows of a single node have input shapes and the first values of a checkpoint's variable.
    """
    source = view.rows.take(rows)
    if "run_devices" not in source.column_names:
        source = nodes.take(source["node"])
    words = {
        _LABELS[word]: [_cell(word, values) for values in source[_COLUMNS[word]].to_pylist()]
        for word in _LABELS
        if word in set(select) and _COLUMNS[word] in source.column_names
    }
    if "tensor_value" in view.shown.column_names:
        place = pc.index_in(rows, value_set=view.shown["row"].combine_chunks())
        values = view.shown["tensor_value"].take(place).to_pylist()
        words["First values"] = [name_cell(text) if text else text_cell("") for text in values]
    return words


def _cell(word: str, values: list[str] | list[list[int] | None] | None) -> Cell:
    if not values:
        return text_cell("")
    if word == "input_shapes":
        return text_cell(", ".join(_shape(sizes) for sizes in values))  # type: ignore[arg-type]
    return name_cell(" | ".join(values))  # type: ignore[arg-type]


def _shape(sizes: list[int] | None) -> str:
    if sizes is None:
        return "unknown"
    return "x".join(map(str, sizes)) or "scalar"


def totals_table(totals: Iterable[Total]) -> Table:
    """Return the totals of one side with their coverage."""
    return Table(
        caption="Totals over all nodes",
        columns=(Column("Figure"), Column("Total", is_number=True), Column("Coverage")),
        rows=tuple(
            (
                text_cell(label_of(total.stem)),
                total_cell(total.value, unit_of(total.stem), total.unknown),
                text_cell(coverage_words(total.stem, total.known, total.capable)),
            )
            for total in totals
        ),
    )


def coverage_words(stem: str, known: int, capable: int) -> str:
    """Return how many of the nodes that could have a figure have one, as text."""
    if stem in FLOP_STEMS:
        return f"{share_of(known, capable)} {'MAC' if stem == 'macs' else 'FLOP'}-capable nodes counted"
    return f"known for {share_of(known, capable)} nodes"


def total_deltas_table(comparison: Comparison) -> Table:
    """Return the totals of both sides, their difference, and the coverage of each side.

    Figures that neither side knows are named in a note.
    """
    figures = ("Base", "Head", "Delta", "Change")
    totals = comparison.all_totals
    known = [total for total in totals if total.base is not None or total.head is not None]
    unknown = ", ".join(label_of(total.stem) for total in totals if total not in known)
    return Table(
        caption="Totals over all nodes, base against head",
        columns=(
            Column("Figure"),
            *(Column(label, is_number=True) for label in figures),
            Column("State"),
            Column("Known in base"),
            Column("Known in head"),
        ),
        rows=tuple(map(_total_delta_row, known)),
        notes=(f"Not known on either side: {unknown}.",) if unknown else (),
    )


def _total_delta_row(delta: TotalDelta) -> Row:
    unit = unit_of(delta.stem)
    return (
        text_cell(label_of(delta.stem)),
        total_cell(delta.base, unit, delta.base_unknown),
        total_cell(delta.head, unit, delta.head_unknown),
        delta_cell(delta.delta, unit),
        percent_cell(delta.percent, delta.state),
        text_cell(delta.state),
        text_cell(share_of(delta.base_known, delta.base_capable)),
        text_cell(share_of(delta.head_known, delta.head_capable)),
    )


def devices_table(devices: Sequence[DevicePeak], limit: int) -> Table:
    """Return the most memory in use per device and step."""
    return Table(
        caption="Most memory in use at one moment",
        columns=(Column("Device"), Column("Step", is_number=True), Column("Peak", is_number=True), Column("Source")),
        rows=tuple(
            (
                name_cell(peak.device),
                Cell(str(peak.step), key=str(peak.step)),
                number_cell(peak.device_peak_bytes, Unit.BYTES),
                text_cell(peak.source),
            )
            for peak in devices[:limit]
        ),
        total=len(devices),
    )


VIEW_TITLES = {
    "scope": "By scope",
    "graph": "From outputs to inputs",
    "op": "By op type",
    "code": "By line of code",
}
"""The titles of the views in a report."""


def view_table(
    view: View,
    nodes: pa.Table,
    limit: int,
    *,
    stems: Iterable[str],
    select: Sequence[str],
) -> Table:
    """Return the shown rows of a view in its order, cut to `limit` by dropping the lowest levels first.

    A row has its leaf name, indented, its totals of `stems`, and the text attributes in `select`. Notes name the
    figures that no row has, and those that are not in the table.
    """
    known = [stem for stem in view.stems if view.has_known(stem)]
    chosen = [stem for stem in stems if stem in known]
    rows = view.shown_rows(upper_levels(view.shown["depth"].to_numpy(), limit))
    others = [*(() if _is_flat(rows, chosen) else ("self figures",)), *_labels(known, chosen)]
    words = word_columns(view, rows["row"], nodes, select) if set(WORDS) & set(select) else {}
    columns = [
        _view_names(view, rows),
        *(_total_cells(rows, stem) for stem in chosen),
        *words.values(),
    ]
    return Table(
        caption=f"{view.name.capitalize()} view",
        columns=(
            Column("Name"),
            *(Column(label_of(stem), is_number=True) for stem in chosen),
            *(Column(label) for label in words),
        ),
        rows=tuple(zip(*columns, strict=True)),
        notes=(
            *_basis(nodes, chosen),
            *_listed("No row has a figure for", _labels(view.stems, known)),
            *_listed("Not in this table", others),
        ),
        total=view.shown.num_rows,
        noun="rows, upper levels first",
        file=f"{view.name}.parquet",
    )


def _basis(nodes: pa.Table, stems: Iterable[str]) -> Iterator[str]:
    """Yield what the FLOPs of a table rest on: an assumed or given batch, and sizes from run metadata."""
    if set(FLOP_STEMS) & set(stems) and (words := basis_of(nodes).words):
        yield f"FLOPs: {words}."


def diagnostics_table(diagnostics: Sequence[Diagnostic], limit: int, examples: int) -> Table:
    """Return the diagnostics, warnings first."""
    ordered = sorted(diagnostics, key=lambda diagnostic: diagnostic.severity is not Severity.WARNING)
    return Table(
        caption="What a reader of the numbers should know",
        columns=(Column("Severity"), Column("What"), Column("Rows", is_number=True), Column("Examples")),
        rows=tuple(
            (
                text_cell(found.severity, found.severity),
                text_cell(f"{found.text} ({found.code})"),
                Cell(format_exact(found.count), key=str(found.count)),
                name_cell(", ".join(found.examples[:examples])) if found.examples else text_cell(""),
            )
            for found in ordered[:limit]
        ),
        total=len(ordered),
    )


def sides_table(sides: Iterable[tuple[str, Origin]]) -> Table:
    """Return what the user stated about each side (label, commit, branch, time), and the digest of its inputs."""
    rows = (
        (text_cell(word), *map(name_cell, (side.label, side.commit, side.branch, side.timestamp, side.digest)))
        for word, side in sides
    )
    return plain_table("What was measured", ("Side", "Label", "Commit", "Branch", "Time", "Digest of inputs"), rows)


def inputs_table(sides: Sequence[tuple[str, Origin]], limit: int) -> Table:
    """Return the input files of all sides with their digests."""
    files = [(word, file) for word, side in sides for file in side.inputs]
    return Table(
        caption="Input files",
        columns=(
            Column("File"),
            Column("Side"),
            Column("Role"),
            Column("Step", is_number=True),
            Column("Form"),
            Column("Size", is_number=True),
            Column("SHA-256"),
        ),
        rows=tuple(
            (
                name_cell(file.path),
                text_cell(word),
                text_cell(file.role),
                Cell("" if file.step is None else str(file.step), key="" if file.step is None else str(file.step)),
                text_cell(file.form),
                number_cell(file.size_bytes, Unit.BYTES),
                name_cell(file.sha256),
            )
            for word, file in files[:limit]
        ),
        total=len(files),
        noun="files",
    )


def settings_table(report: Report) -> Table:
    """Return tool, versions of schema and counting, semantics, steps and options."""
    settings = {
        "Tool version": report.tool_version,
        "Schema version": str(report.schema_version),
        "Counting version": str(report.head.counting_version),
        "Semantics": report.head.measurement.semantics_name,
        "FLOPs rules": report.head.rules,
        "Report time": report.timestamp,
        "Steps": ", ".join(str(step) for step in report.head.step_numbers) or "none",
    }
    rows = [(text_cell(name), name_cell(value)) for name, value in settings.items()]
    rows += [(text_cell(name), _option_cell(name, value)) for name, value in report.head.measurement.as_dict().items()]
    return plain_table("Settings", ("Setting", "Value"), rows)


def _option_cell(name: str, value: Any) -> Cell:
    """Return the value of an option; as text if the number has a special meaning."""
    match name, value:
        case "max_depth", int() if value >= UNLIMITED_DEPTH:
            return text_cell("no limit")
        case "step", int() if value == MEAN_OF_STEPS:
            return text_cell("mean of all steps")
    return name_cell(value if isinstance(value, str) else json.dumps(value))


_PEAK = (
    "The most memory in use at once on one device: the highest of any device and step. It belongs to no node.",
    "NodeExecStats.memory.allocator_bytes_in_use, else allocation_records",
)
"""Meaning and source of the peak of a device, which is not a figure of nodes and so not in `METRICS`."""


_ESTIMATE = (
    "Estimated from the graph: parameters, constants, inputs, and the outputs alive at once. It belongs to no node.",
    "the graph and the shapes that FLOPs are counted with",
)
"""Meaning and source of the estimated peak."""


_WALL = (
    "From the first start to the last end of a step, over all devices, on average over steps. It belongs to no node.",
    "NodeExecStats.all_start_nanos and op_end_rel_nanos, else in microseconds",
)
"""Meaning and source of the wall time."""


_IDLE = (
    "Of a step, what devices neither compute nor copy in, summed over them, on average over steps; of no node.",
    "events of NodeExecStats, or of an XPlane",
)
_MOVED = (
    "Bytes copied, received or reduced by collectives in a step, over all devices, on average over steps; of no node.",
    "NodeExecStats.timeline_label and output, or statistics of events of an XPlane",
)
"""Meaning and source of the idle time, and of what is moved between devices."""


def conventions_tables() -> tuple[Table, Table]:
    """Return the glossary of figures, and the conventions of their units."""
    figures = (
        (text_cell(metric.label), name_cell(stem), *map(text_cell, (metric.unit, metric.doc, metric.source)))
        for stem, metric in METRICS.items()
    )
    others = (
        (text_cell(label_of(stem)), name_cell(stem), text_cell(unit_of(stem)), *map(text_cell, texts))
        for stem, texts in (
            (DEVICE_PEAK, _PEAK),
            (ESTIMATED_PEAK, _ESTIMATE),
            (WALL, _WALL),
            (IDLE, _IDLE),
            (TRANSFER, _MOVED),
        )
    )
    conventions = ((name_cell(name), text_cell(text)) for name, text in UNIT_CONVENTIONS.items())
    return (
        plain_table("Figures", ("Figure", "Column", "Unit", "Meaning", "Source"), (*figures, *others)),
        plain_table("Unit conventions", ("Column", "Convention"), conventions),
    )


def _total_cells(rows: pa.Table, stem: str) -> list[Cell]:
    values, unit, column = rows[f"total_{stem}"].to_pylist(), unit_of(stem), f"unknown_{stem}"
    if column not in rows.column_names:
        return [number_cell(value, unit) for value in values]
    return [total_cell(value, unit, unknown) for value, unknown in zip(values, rows[column].to_pylist(), strict=True)]


def _view_names(view: View, rows: pa.Table) -> list[Cell]:
    has_path = "path" in view.rows.column_names
    names = (view.rows["path"].take(rows["row"]) if has_path else rows["name"]).to_pylist()
    # Of a call stack only the innermost frame: full stacks in every row would be most of the page.
    full = [name.rpartition(SEPARATOR)[2] for name in names] if has_path else names
    leaves, depths = rows["leaf"].to_pylist(), rows["depth"].to_pylist()
    return [
        name_cell(leaf, exact=name, depth=max(depth - 1, 0))
        for leaf, name, depth in zip(leaves, full, depths, strict=True)
    ]


def _is_flat(rows: pa.Table, stems: Iterable[str]) -> bool:
    return all(
        pc.all(pc.equal(pc.fill_null(rows[f"self_{stem}"], -1), pc.fill_null(rows[f"total_{stem}"], -1))).as_py()
        for stem in stems
    )


def _labels(stems: Iterable[str], without: Sequence[str]) -> list[str]:
    return [label_of(stem) for stem in stems if stem not in without]


def _listed(lead: str, labels: Sequence[str]) -> tuple[str, ...]:
    return (f"{lead}: {', '.join(labels)}.",) if labels else ()
