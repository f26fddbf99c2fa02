"""Builds tiny reports by hand: input for renderers, without files and without the earlier stages."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof_report.compare.causes.movers import find_movers
from tfprof_report.compare.comparison import Comparison, RowStatus, State, TotalDelta
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.origin import InputFile, Origin
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.totals import DevicePeak, Total
from tfprof_report.options import Options
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import METRICS, SCHEMA_VERSION, SUMMED_STEMS, Kind, Number
from tfprof_report.views.forest import Forest
from tfprof_report.views.view import View

BEYOND_DOUBLE = 2**53 + 1
"""The smallest integer that a JavaScript number cannot represent."""

Figures = Mapping[str, Sequence[Number | None]]


def make_origin(word: str = "head", **changes: Any) -> Origin:
    origin = Origin(
        inputs=(
            InputFile(role="graph", path=f"{word}/graph.pb", form="binary", size_bytes=2048, sha256="ab" * 32),
            InputFile(
                role="run_meta", path=f"{word}/run.pb", form="gzip binary", size_bytes=999, sha256="cd" * 32, step=7
            ),
        ),
        label="resnet50",
        commit="0123456789abcdef0123",
        branch="main",
        timestamp="2024-05-01T12:00:00Z",
    )
    return dataclasses.replace(origin, **changes)


def make_view(
    name: str, names: Sequence[str], totals: Figures, *, depths: Sequence[int] | None = None, own: Figures | None = None
) -> View:
    """Make a view that shows all its rows; `own` are the self figures where they differ from the totals."""
    figures = {f"self_{stem}": (own or totals)[stem] for stem in totals}
    figures |= {f"total_{stem}": values for stem, values in totals.items()}
    types = {column: _type(column.partition("_")[2]) for column in figures}
    forest = Forest.from_depths(np.array(depths or [1] * len(names), dtype=np.int64))
    shown = pa.table(
        {
            "row": pa.array(range(len(names)), pa.int64()),
            "depth": forest.depth,
            "name": pa.array(names, pa.string()),
            "leaf": pa.array([name.rpartition("/")[2] or name for name in names], pa.string()),
            **{column: pa.array(values, types[column]) for column, values in figures.items()},
        }
    )
    rows = shown
    for column, values in {
        "parent": pa.array(forest.parent, mask=forest.parent < 0),
        "subtree_size": pa.array(forest.size),
        "node": pa.array([None] * len(names), pa.int64()),
        "accounted": pa.array([True] * len(names)),
        "shown": pa.array([True] * len(names)),
        **{f"unknown_{stem}": pa.array([0] * len(names), pa.int64()) for stem in SUMMED_STEMS},
    }.items():
        rows = rows.append_column(column, values)
    return View(
        name=name,
        rows=rows,
        shown=shown.select(["row", "depth"]),
        stems=tuple(stem for stem in METRICS if stem in totals),
        total={stem: values[0] for stem, values in totals.items()},
        unknown=dict.fromkeys(totals, 0),
    )


def make_side(names: Sequence[str] = ("conv1/kernel", "conv1/Conv2D"), **changes: Any) -> Side:
    """Make a side with a node per name."""
    ones: list[Number | None] = [1] * len(names)
    side = Side(
        origin=make_origin(),
        measurement=Measurement(options=Options()),
        nodes=pa.table(
            {"name": pa.array(names, pa.string()), "op": pa.array(["Conv2D"] * len(names)).dictionary_encode()}
        ),
        steps=pa.table({"node": pa.array([], pa.int64())}),
        step_numbers=(7,),
        devices=(
            DevicePeak(device="/device:GPU:0", step=7, device_peak_bytes=3 * 2**30, source="allocator_bytes_in_use"),
            DevicePeak(device="/device:CPU:0", step=7, device_peak_bytes=None, source="the trace does not say"),
        ),
        views={
            "scope": make_view("scope", names, {"params": ones, "definition_count": ones}),
            "op": make_view("op", ["Conv2D"], {"params": [BEYOND_DOUBLE], "micros": [None]}),
        },
        capable={},
    )
    return dataclasses.replace(side, **changes)


def make_report(names: Sequence[str] = ("conv1/kernel", "conv1/Conv2D"), **changes: Any) -> Report:
    """Make a report on one side, with a node per name. A keyword that is a field of `Side` changes head."""
    of_head = {field.name for field in dataclasses.fields(Side)} - {"diagnostics"}
    head = {name: value for name, value in changes.items() if name in of_head}
    report = Report(
        tool_version="0.1.0",
        schema_version=SCHEMA_VERSION,
        timestamp="2024-05-02T08:30:00Z",
        head=changes.get("head") or make_side(names, **head),
        totals=(
            Total(stem="params", value=BEYOND_DOUBLE, known=2, capable=2),
            Total(stem="float_ops", value=17_630_000_000, known=1, capable=3),
            Total(stem="bytes", value=1_299_227_648, known=2, capable=2),
            Total(stem="micros", value=None, known=0, capable=2),
        ),
        diagnostics=(
            Diagnostic(severity=Severity.NOTE, code="implied_scopes", text="Scopes without a node", count=2),
            Diagnostic(
                severity=Severity.WARNING,
                code="unmatched",
                text="Records of no node",
                count=1234,
                examples=("loss/a", "loss/b"),
            ),
        ),
        classes=(),
        not_counted=(),
        comparison=None,
        verdict=Verdict(text="Report on 2 nodes; nothing to compare with.", outcome=Outcome.OK),
    )
    report = dataclasses.replace(report, **{name: value for name, value in changes.items() if name not in of_head})
    return with_head(report)


def with_head(report: Report, **changes: Any) -> Report:
    """Return a report with other fields in head, also in the head of its comparison."""
    head = dataclasses.replace(report.head, **changes)
    comparison = dataclasses.replace(report.comparison, head=head) if report.comparison else None
    return dataclasses.replace(report, head=head, comparison=comparison)


def with_base(report: Report, **changes: Any) -> Report:
    """Return a report on two sides with other fields in base."""
    assert report.comparison is not None
    base = dataclasses.replace(report.comparison.base, **changes)
    return dataclasses.replace(report, comparison=dataclasses.replace(report.comparison, base=base))


def make_changes(
    rows: Sequence[tuple[str, RowStatus]],
    figures: Mapping[str, tuple[Sequence[Number | None], Sequence[Number | None]]],
) -> pa.Table:
    """Make a table as `Comparison.nodes` from base and head figures, row by row."""
    status = [word for _, word in rows]
    columns: dict[str, pa.Array] = {
        "name": pa.array([name for name, _ in rows], pa.string()),
        "status": pa.array(status, pa.string()).dictionary_encode(),
        "base_op": pa.array([None if word == RowStatus.NEW else "MatMul" for word in status], pa.string()),
        "head_op": pa.array([None if word == RowStatus.REMOVED else "MatMul" for word in status], pa.string()),
    }
    for stem, (base, head) in figures.items():
        pairs = list(zip(base, head, status, strict=True))
        columns |= {
            f"base_{stem}": pa.array(base, _type(stem)),
            f"head_{stem}": pa.array(head, _type(stem)),
            f"delta_{stem}": pa.array([_delta(old, new) for old, new, _ in pairs], _type(stem)),
            f"percent_{stem}": pa.array([_percent(old, new) for old, new, _ in pairs], pa.float64()),
            f"state_{stem}": pa.array(
                [None if word in (RowStatus.NEW, RowStatus.REMOVED) else _state(old, new) for old, new, word in pairs],
                pa.string(),
            ).dictionary_encode(),
        }
    return pa.table(columns)


def make_total_delta(stem: str, base: Number | None, head: Number | None) -> TotalDelta:
    return TotalDelta(
        stem=stem,
        base=base,
        head=head,
        delta=_delta(base, head),
        percent=_percent(base, head),
        state=State(_state(base, head)),
        matched_base=base,
        matched_head=head,
        added=None,
        removed=None,
        base_known=10,
        base_capable=12,
        head_known=11,
        head_capable=12,
    )


def make_comparison_report(
    names: Sequence[str] = ("fc/MatMul", "fc/new", "fc/old", "fc/same"), **changes: Any
) -> Report:
    """Make a report on two sides: the first name changed, the second is new, the third removed, the rest unchanged."""
    words = [RowStatus.CHANGED, RowStatus.NEW, RowStatus.REMOVED] + [RowStatus.UNCHANGED] * len(names)
    rows = list(zip(names, words, strict=False))
    same: list[Number | None] = [5] * (len(names) - 3)
    nodes = make_changes(
        rows,
        {
            "float_ops": ([1000, None, 700, *same], [1250, 4_000_000, None, *same]),
            "params": ([0, None, 64, *same], [BEYOND_DOUBLE, 32, None, *same]),
            "bytes": ([None, None, 2048.0, *same], [4096.0, 1536.0, None, *same]),
        },
    )
    comparison = Comparison(
        base=make_side(names, origin=make_origin("base", commit="fedcba9876543210fedc")),
        head=make_side(names),
        totals=(
            make_total_delta("float_ops", 1705, 4_001_255),
            make_total_delta("params", 0, BEYOND_DOUBLE),
            make_total_delta("micros", 12.5, None),
        ),
        device_peak=make_total_delta("device_peak_bytes", 2**30, 3 * 2**30),
        nodes=nodes,
        views={"scope": nodes},
        counts={word: words[: len(names)].count(word) for word in RowStatus},
    )
    gates = (
        GateResult(
            gate="params <= +0",
            status=GateStatus.FAILED,
            text="params is 9,007,199,254,740,993, was 0",
            metric="params",
        ),
        GateResult(gate="float_ops <= 1T", status=GateStatus.PASSED, text="float_ops is 4,001,255", metric="float_ops"),
    )
    return make_report(
        names,
        **{
            "comparison": comparison,
            "movers": find_movers(comparison, Fraction(0)),
            "verdict": Verdict(text="1 of 2 gates failed: params <= +0.", outcome=Outcome.FAILED, gates=gates),
            **changes,
        },
    )


def _type(stem: str) -> pa.DataType:
    return pa.float64() if METRICS[stem].kind is Kind.RUN else pa.int64()


def _delta(base: Number | None, head: Number | None) -> Number | None:
    return None if base is None or head is None else head - base


def _percent(base: Number | None, head: Number | None) -> float | None:
    if base is None or head is None or (base == 0 and head != 0):
        return None
    return 100.0 * (head - base) / abs(base) if base else 0.0


def _state(base: Number | None, head: Number | None) -> str:
    if base is None or head is None:
        return State.UNKNOWN if base is head else State.LOST if head is None else State.NOW_KNOWN
    if base == head:
        return State.UNCHANGED
    return State.CHANGED if base else State.NEW_FROM_ZERO
