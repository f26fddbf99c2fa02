"""The report as JSON for machines: summary.json, which makes a report folder complete."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tfprof_report.compare.comparison import Comparison, TotalDelta
from tfprof_report.compare.gates.verdict import Verdict
from tfprof_report.limits import EXACT_IN_FLOAT64
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.model.totals import LeftOut, Total
from tfprof_report.report.models import ModelFigure, ModelsReport
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import UNIT_CONVENTIONS, WALL, Number


def render_summary(report: Report, files: dict[str, dict[str, Any]]) -> str:
    """Return summary.json: the whole report without its tables, and ``{"sha256", "bytes"}`` of each file.

    Integers beyond 2^53 are strings, because most JSON readers would round them.
    """
    content = {
        "schema_version": report.schema_version,
        "tool": "tfprof-report",
        "tool_version": report.tool_version,
        "timestamp": report.timestamp,
        "semantics": report.head.measurement.semantics_name,
        "conventions": UNIT_CONVENTIONS,
        "counting_version": report.head.counting_version,
        "rules": report.head.rules,
        "float_ops_basis": asdict(basis_of(report.head.nodes)),
        "options": report.head.measurement.as_dict(),
        "side": asdict(report.head.origin),
        "steps": report.head.step_numbers,
        "totals": [_total(total) for total in report.totals],
        "left_out": [_part(part) for part in report.head.left_out],
        "classes": [asdict(total) for total in report.classes],
        "not_counted": [asdict(group) for group in report.not_counted],
        "params_by_kind": [asdict(total) for total in report.param_totals],
        "devices": [asdict(peak) for peak in report.head.devices],
        "walls": [asdict(wall) for wall in report.head.walls],
        "activity": [asdict(step) for step in report.head.activity.steps],
        "advice": [asdict(advice) for advice in report.head.advice],
        "highlights": asdict(report.highlights),
        "diagnostics": [asdict(diagnostic) for diagnostic in report.diagnostics],
        "comparison": _comparison(report, report.comparison) if report.comparison else None,
        "verdict": _verdict(report.verdict),
        "files": files,
    }
    return json_text(content)


def render_models_summary(
    report: ModelsReport, summaries: Mapping[str, Mapping[str, Any] | None], files: dict[str, dict[str, Any]]
) -> str:
    """Return summary.json of several models: outcome, totals and the digest of the own summary of each.

    `summaries` has size and digest of the models' own summaries by name, None for a model without a report. Integers
    beyond 2^53 are strings.
    """
    content = {
        "schema_version": report.schema_version,
        "tool": "tfprof-report",
        "tool_version": report.tool_version,
        "timestamp": report.timestamp,
        **{name: getattr(report, name) for name in ("label", "commit", "branch")},
        "models": [
            {
                "name": model.name,
                "status": model.status,
                "nodes": model.nodes,
                "verdict": _verdict(model.verdict),
                "totals": [_figure(figure) for figure in model.figures],
                "summary": summaries[model.name],
            }
            for model in report.models
        ],
        "verdict": _verdict(report.verdict),
        "files": files,
    }
    return json_text(content)


def json_text(content: dict[str, Any] | list[Any]) -> str:
    """Return JSON in which integers beyond 2^53 are strings, because most readers would round them."""
    return json.dumps(_exact(content), indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _comparison(report: Report, comparison: Comparison) -> dict[str, Any]:
    return {
        "base": {**asdict(comparison.base.origin), **asdict(report.distance)},
        "base_rules": comparison.base.rules,
        "counts": {str(status): count for status, count in comparison.counts.items()},
        "classes": [asdict(total) for total in report.base_classes],
        "params_by_kind": [asdict(total) for total in report.base_param_totals],
        "totals": [_delta(total) for total in comparison.totals],
        "device_peak": _delta(comparison.device_peak) if comparison.device_peak else None,
        "estimated_peak": _delta(comparison.estimate) if comparison.estimate else None,
        "wall": next((_delta(total) for total in comparison.of_steps if total.stem == WALL), None),
        "activity": {total.stem: _delta(total) for total in comparison.of_steps if total.stem != WALL},
        "base_left_out": [_part(part) for part in comparison.base.left_out],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {**asdict(verdict), "exit_code": verdict.exit_code}


def _part(part: LeftOut) -> dict[str, Any]:
    return {"part": part.part, "totals": [_total(total) for total in part.totals]}


def _total(total: Total) -> dict[str, Any]:
    return {
        "stem": total.stem,
        **bounded("value", total.value, total.unknown),
        "known": total.known,
        "capable": total.capable,
    }


def _figure(figure: ModelFigure) -> dict[str, Any]:
    return {
        "stem": figure.stem,
        **bounded("base", figure.base, figure.base_unknown),
        **bounded("head", figure.head, figure.head_unknown),
        **{name: getattr(figure, name) for name in ("delta", "percent", "state", "basis")},
    }


def _delta(total: TotalDelta) -> dict[str, Any]:
    """Return both sides and their parts, which are null where they are lower bounds."""
    content = {name: value for name, value in asdict(total).items() if not name.startswith("exact_")}
    for side, parts in (("base", ("matched_base", "removed")), ("head", ("matched_head", "added"))):
        unknown = getattr(total, f"{side}_unknown")
        content |= bounded(side, getattr(total, side), unknown)
        content |= dict.fromkeys(parts) if unknown else {}
    return content


def bounded(key: str, value: Number | None, unknown: int) -> dict[str, Any]:
    """Return a figure under its key if it is exact, else null there and the lower bound under ``at_least``.

    The keys of a side are ``base``, ``base_at_least`` and ``base_unknown_nodes``; those of a total ``value``,
    ``at_least`` and ``unknown_nodes``.
    """
    prefix = "" if key == "value" else f"{key}_"
    return {
        key: None if unknown else value,
        f"{prefix}at_least": value if unknown else None,
        f"{prefix}unknown_nodes": unknown,
    }


def _exact(value: Any) -> Any:
    """Return JSON data in which integers that a double may not hold are strings."""
    match value:
        case dict():
            return {str(key): _exact(item) for key, item in value.items()}
        case list() | tuple():
            return [_exact(item) for item in value]
        case bool():
            return value
        case int() if abs(value) > EXACT_IN_FLOAT64:
            return str(value)
    return value
