"""Reads a report folder back as one side of a comparison, and checks its files against the digests in its summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import to_ints
from tfprof_report.compare.layers.layer_table import make_layer_table
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import BaselineError, InputError
from tfprof_report.ingest.origin import InputFile, Origin
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.totals import DevicePeak, LeftOut, PeakEstimate, StepWall, Total
from tfprof_report.options import Options
from tfprof_report.report.read_back.folder_files import UnusableError, read_summary, read_table, usable_folder
from tfprof_report.report.read_back.restored_activity import restore_activity
from tfprof_report.report.read_back.restored_verdict import number
from tfprof_report.schema.compatible import UnlikeError, as_now, known_fields
from tfprof_report.schema.files import SUMMARY
from tfprof_report.schema.metrics import ESTIMATED_PEAK, METRICS, SCHEMA_VERSION, SUMMED_STEMS, VIEWS, Number
from tfprof_report.schema.tables import TABLES
from tfprof_report.semantics import PRESETS
from tfprof_report.threads import Threads
from tfprof_report.urls import is_url
from tfprof_report.views.advice.findings import Advice, Checker, Finding, Topic
from tfprof_report.views.build_view import selected_stems
from tfprof_report.views.forest import Forest, keep_rows
from tfprof_report.views.view import View

_COMPARISON_CODES = (
    "same_sides",
    "other_rules",
    "other_counting",
    "base_",
    "name_map",
    "acknowledged_",
    "no_baseline",
    "references_",
)
"""Prefixes of the codes of diagnostics about a comparison; they are dropped, since only head is read."""

_ALWAYS = ("nodes", "steps", "memory", "unmatched")
"""Tables of every report; one of an earlier schema version may lack all but the first."""

_LATER = ("peak", "activity", "transfers", "waits")
"""Tables that versions of today's schema did not write at first: a report without one does not know it."""

_READ_AT_ONCE = 8
"""Tables in a bucket that are read at the same time: nearly all of the time goes into waiting for the server."""


def read_report_folder(
    path: str, error: type[InputError | BaselineError] = BaselineError, *, views: Sequence[str] = VIEWS
) -> Side:
    """Return the head of an earlier report, with some of its views; a comparison in it is ignored.

    Raises
    ------
    BaselineError, or the class given as `error`
        The folder is incomplete, a file was changed, or the schema version is not one that this version reads.
    """
    with usable_folder(path, error):
        summary = read_summary(path)
        names = [name for name in (*_ALWAYS, *_LATER, *views) if _has_table(summary, name)]
        with Threads(_READ_AT_ONCE if is_url(path) else 1) as threads:
            waiting = {name: threads.start(read_table, path, name, summary) for name in names}
            tables = {name: table() for name, table in waiting.items()}
        return _counted(_restore_side(summary, tables))


def files_read(views: Sequence[str]) -> tuple[str, ...]:
    """Return the files, besides the summary, that `read_report_folder` reads for some views."""
    return tuple(f"{name}.parquet" for name in (*_ALWAYS, *_LATER, *views))


def _has_table(summary: dict[str, Any], name: str) -> bool:
    """Return whether a report has a table; one that must be there counts as there."""
    is_required = name == "nodes" or (name in _ALWAYS and summary["schema_version"] == SCHEMA_VERSION)
    return is_required or f"{name}.parquet" in summary["files"]


def _restore_side(summary: dict[str, Any], tables: dict[str, pa.Table]) -> Side:
    """Build a side from a summary and its tables; malformed content raises what the caller catches."""
    tables = _tables_as_now(tables, summary["schema_version"])
    nodes, steps = tables["nodes"], tables["steps"]
    _check_nodes("steps", pc.fill_null(steps["node"], -1), nodes.num_rows)
    _check_nodes("peak", tables["peak"]["node"].drop_null(), nodes.num_rows)
    if summary["semantics"] not in PRESETS:
        raise UnusableError(problem=f"names unknown semantics, {summary['semantics']}", name=SUMMARY)
    measurement = Measurement.of(summary["options"], summary["semantics"])
    return Side(
        origin=restore_origin(summary["side"]),
        measurement=measurement,
        nodes=nodes,
        steps=steps,
        layers=make_layer_table(nodes),
        estimate=_restore_estimate(summary["totals"], nodes.num_rows),
        unmatched=tables["unmatched"],
        memory=tables["memory"],
        peak=tables["peak"],
        activity=restore_activity(tables, summary.get("activity", ())),
        step_numbers=tuple(int(step) for step in summary["steps"]),
        devices=tuple(
            DevicePeak(
                **{
                    **known_fields(DevicePeak, peak),
                    "step": int(peak["step"]),
                    "device_peak_bytes": _int(peak["device_peak_bytes"]),
                }
            )
            for peak in summary.get("devices", ())
        ),
        walls=tuple(
            StepWall(**{**known_fields(StepWall, wall), "step": int(wall["step"]), "nanos": _int(wall["nanos"])})
            for wall in summary.get("walls", ())
        ),
        views={
            name: _restore_view(name, _checked(name, tables[name], nodes.num_rows), measurement.options)
            for name in VIEWS
            if name in tables
        },
        counting_version=int(summary.get("counting_version", 1)),
        rules=str(summary.get("rules", "none")),
        left_out=tuple(_restore_left_out(part) for part in summary.get("left_out", ())),
        capable={total["stem"]: int(total["capable"]) for total in summary["totals"] if total["stem"] in METRICS},
        advice=tuple(_restore_advice(found) for found in summary.get("advice", ())),
        diagnostics=tuple(
            _restore_diagnostic(found)
            for found in summary.get("diagnostics", ())
            if not str(found["code"]).startswith(_COMPARISON_CODES)
        ),
    )


def _check_nodes(name: str, rows: pa.ChunkedArray, count: int) -> None:
    """Raise an `UnusableError` if rows of a table are not among `count` nodes."""
    found = to_ints(rows)
    if not ((found >= 0) & (found < count)).all():
        raise UnusableError(problem="names nodes that nodes.parquet does not have", name=f"{name}.parquet")


def _counted(side: Side) -> Side:
    """Return a side; an `UnusableError` if more nodes lack a figure than could have one, or fewer than none."""
    for name, view in side.views.items():
        for stem, capable in side.capable.items():
            if not 0 <= view.unknown.get(stem, 0) <= capable:
                problem = f"has another number of nodes without {stem} than {SUMMARY} can have"
                raise UnusableError(problem=problem, name=f"{name}.parquet")
    return side


def _checked(name: str, rows: pa.Table, count: int) -> pa.Table:
    """Return the rows of a view; an `UnusableError` if they are no forest in preorder, or not over `count` nodes."""
    depth, node, position = (to_ints(rows[column].fill_null(-1)) for column in ("depth", "node", "position"))
    is_preorder = (depth >= 1).all() and (np.diff(depth, prepend=0) <= 1).all()
    if not (is_preorder and _is_forest(rows, Forest.from_depths(depth))):
        raise UnusableError(problem="has rows that are not those of a view", name=f"{name}.parquet")
    if not ((node >= -1) & (node < count)).all():
        raise UnusableError(problem="names nodes that nodes.parquet does not have", name=f"{name}.parquet")
    shown = np.sort(position[position != -1])
    if not np.array_equal(shown, np.arange(len(shown))):
        raise UnusableError(problem="has positions that are not those of its rows", name=f"{name}.parquet")
    return rows


def _is_forest(rows: pa.Table, forest: Forest) -> bool:
    """Return whether a view's rows have the numbers, parents and sizes of `forest`."""
    wanted = {"row": np.arange(len(forest)), "parent": forest.parent, "subtree_size": forest.size}
    return all(np.array_equal(to_ints(rows[column].fill_null(-1)), values) for column, values in wanted.items())


def _restore_view(name: str, rows: pa.Table, options: Options) -> View:
    """Return a view from its Parquet rows and `options`, with the same rows and figures shown.

    The totals of the root are summed over the top rows.
    """
    position = to_ints(rows["position"].fill_null(-1))
    index, kept = keep_rows(Forest.of_rows(rows), position >= 0)
    order = np.argsort(position[index])
    tops = rows.filter(pc.equal(rows["depth"], 1))
    return View(
        name=name,
        rows=rows,
        shown=pa.table({"row": index[order], "depth": kept.depth[order]}),
        stems=selected_stems(options),
        total={stem: _total_of(tops, stem) for stem in METRICS},
        unknown={stem: pc.sum(tops[f"unknown_{stem}"]).as_py() or 0 for stem in SUMMED_STEMS},
    )


def _total_of(tops: pa.Table, stem: str) -> Number | None:
    """Return the sum over the top rows; None where no node has a figure, since a row without capable nodes has 0."""
    totals = tops[f"total_{stem}"]
    total: Number | None = pc.sum(totals).as_py()
    if total or stem not in SUMMED_STEMS:
        return total
    is_open = pc.greater(pc.fill_null(tops[f"unknown_{stem}"], 0), 0)
    has_figure = pc.or_(pc.and_(is_open, totals.is_valid()), pc.fill_null(pc.not_equal(totals, 0), fill_value=False))
    return None if pc.any(is_open).as_py() and not pc.any(has_figure).as_py() else total


def _tables_as_now(found: dict[str, pa.Table], version: int) -> dict[str, pa.Table]:
    """Return the tables of a report with the columns of this version.

    A table that an earlier schema version lacks, or wrote without a column that today's rows need, has no rows; a view
    is left out.
    """
    tables = {name: TABLES[name].empty_table() for name in (*_ALWAYS, *_LATER) if name not in found}
    for name, table in found.items():
        try:
            tables[name] = as_now(name, table, version=version)
        except UnlikeError as problem:
            if name == "nodes" or version == SCHEMA_VERSION:
                raise UnusableError(problem=str(problem), name=f"{name}.parquet") from problem
            if name in (*_ALWAYS, *_LATER):
                tables[name] = TABLES[name].empty_table()
    return tables


def _restore_diagnostic(found: dict[str, Any]) -> Diagnostic:
    known = known_fields(Diagnostic, found)
    return Diagnostic(
        **{**known, "severity": Severity(found["severity"]), "examples": tuple(found.get("examples", ()))}
    )


def _restore_left_out(part: dict[str, Any]) -> LeftOut:
    return LeftOut(part=str(part["part"]), totals=tuple(restore_total(total) for total in part["totals"]))


def restore_origin(side: dict[str, Any]) -> Origin:
    """Return the origin of a report from ``side`` of its summary; malformed content raises what readers catch."""
    inputs = (InputFile(**{**known_fields(InputFile, file), "step": _int(file["step"])}) for file in side["inputs"])
    known = known_fields(Origin, side)
    names = {name: _text(known.get(name)) for name in known if name != "inputs"}
    return Origin(inputs=tuple(inputs), **names)


def _text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def restore_total(total: dict[str, Any]) -> Total:
    """Return a total, whose JSON has a lower bound under a key of its own; malformed content raises as above."""
    value = total.get("at_least") if total["value"] is None else total["value"]
    return Total(**{**known_fields(Total, total), "value": number(value)})


def _restore_estimate(totals: list[dict[str, Any]], count: int) -> PeakEstimate | None:
    """Return the estimated peak of `count` nodes among the totals; None for a report of an earlier version."""
    found = [restore_total(total) for total in totals if total["stem"] == ESTIMATED_PEAK]
    if not found:
        return None
    total = found[0]
    size = None if total.value is None else int(total.value)
    if not (0 <= total.known <= total.capable <= count and 0 <= (size or 0) < INT64_LIMIT):
        raise UnusableError(problem=f"has an {ESTIMATED_PEAK} that its nodes can't have", name=SUMMARY)
    return PeakEstimate(bytes=size, known=int(total.known), capable=int(total.capable))


def _restore_advice(found: dict[str, Any]) -> Advice:
    return Advice(
        checker=Checker(found["checker"]),
        reports=tuple(tuple(_restore_finding(finding) for finding in report) for report in found["reports"]),
        notes=tuple(found.get("notes", ())),
    )


def _restore_finding(values: dict[str, Any]) -> Finding:
    """Return a finding from its JSON, in which large times are strings."""
    known: dict[str, Any] = {
        name: int(value) if name.endswith("micros") and isinstance(value, str) else value
        for name, value in known_fields(Finding, values).items()
    }
    return Finding(**{**known, "topic": Topic(values["topic"])})


def _int(value: int | str | None) -> int | None:
    return None if value is None else int(value)
