"""The verdict as JSON for machines: verdict.json, a versioned format that docs/verdict.md describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tfprof_report.compare.causes.layer_causes import LayerCause
from tfprof_report.compare.causes.movers import Movers
from tfprof_report.compare.comparison import Comparison, MatchedBy, RowStatus, TimeChange, TotalDelta
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.verdict import GateResult, JudgedRow, Verdict
from tfprof_report.diagnostics import Severity
from tfprof_report.formatting import unit_of
from tfprof_report.ingest.origin import Origin
from tfprof_report.render.machine.summary_json import bounded, json_text
from tfprof_report.report.changed import has_changed
from tfprof_report.report.distance import Distance
from tfprof_report.report.models import Model, ModelsReport
from tfprof_report.report.report import Report
from tfprof_report.schema.files import HTML
from tfprof_report.schema.metrics import Number

VERSION = 2
"""Version of the format; it is raised when a key is removed or changes its meaning, not when one is added."""

LISTED = 20
"""Maximum rows of each kind that are listed; all are counted."""

_SIDES = ("base", "head")


def render_verdict(report: Report, *, is_alone: bool = False) -> str:
    """Return verdict.json of one model; `is_alone` if no other file of the report is written.

    Integers beyond 2^53 are strings, as in summary.json.
    """
    return json_text({**_about(report, is_alone=is_alone), **verdict_of(report)})


def render_models_verdict(
    report: ModelsReport, verdicts: Mapping[str, Mapping[str, Any]], *, is_alone: bool = False
) -> str:
    """Return verdict.json of several models; `verdicts` has the entry of each (`verdict_of`) by name."""
    models = [{"name": model.name, "presence": model.status, **verdicts[model.name]} for model in report.models]
    content = {
        **_about(report, is_alone=is_alone),
        **{word: getattr(report, word) for word in ("label", "commit", "branch")},
        **_outcome(report.verdict),
        "models": models,
    }
    return json_text(content)


def verdict_of(report: Report) -> dict[str, Any]:
    """Return the entry of one model in verdict.json, as plain data."""
    comparison = report.comparison
    return {
        **_outcome(report.verdict),
        "has_changed": has_changed(report),
        "head": _side(report.head.origin),
        "base": {**_side(comparison.base.origin), **asdict(report.distance)} if comparison else None,
        "semantics": report.head.measurement.semantics_name,
        "rules": report.head.rules,
        "base_rules": comparison.base.rules if comparison else None,
        "nodes": report.head.nodes.num_rows,
        "rows": _rows(comparison) if comparison else None,
        "matching": _matching(comparison, report.policy) if comparison else None,
        "totals": _compared(comparison) if comparison else _of_one_side(report, "head"),
        "threshold_percent": float(report.policy.threshold) if comparison else None,
        "why": report.sentence,
        "causes": [_cause(cause) for cause in report.causes[:LISTED]],
        "cause_count": len(report.causes),
        "changes": [_changes(movers) for movers in report.movers],
        "times": [_plain(change) for change in comparison.times] if comparison else [],
        "gates": [_gate(gate) for gate in report.verdict.gates],
        "acknowledged": [asdict(change) for change in report.verdict.acknowledged],
        "warnings": [asdict(found) for found in report.diagnostics if found.severity is Severity.WARNING],
    }


def verdict_of_gone(model: Model, base: Report) -> dict[str, Any]:
    """Return the entry in verdict.json of a model that only the base has; `base` is its report there."""
    return {
        **verdict_of(base),
        **_outcome(model.verdict),
        "head": None,
        "base": {**_side(base.head.origin), **asdict(Distance())},
        "totals": _of_one_side(base, "base"),
    }


def _about(report: Report | ModelsReport, *, is_alone: bool) -> dict[str, Any]:
    return {
        "verdict_version": VERSION,
        "tool": "tfprof-report",
        "tool_version": report.tool_version,
        "timestamp": report.timestamp,
        "report": None if is_alone else HTML,
    }


def _outcome(verdict: Verdict) -> dict[str, Any]:
    return {"status": verdict.outcome, "exit_code": verdict.exit_code, "text": verdict.text}


def _side(side: Origin) -> dict[str, Any]:
    return {"digest": side.digest, **asdict(side)}


def _rows(comparison: Comparison) -> dict[str, int]:
    counts = comparison.counts
    return {"matched": comparison.matched_nodes, **{str(status): counts[status] for status in RowStatus}}


def _matching(comparison: Comparison, policy: Policy) -> dict[str, Any]:
    """Return how nodes were matched, and the share without a match: above the limit the verdict is inconclusive."""
    matching = comparison.matching
    share = matching.unmatched_share
    return {
        **{f"by_{how}": matching.counts[how] for how in MatchedBy},
        "unmatched_percent": None if share is None else float(100 * share),
        "most_unmatched_percent": float(100 * policy.max_unmatched),
        "renames": [asdict(rename) for rename in matching.renames[:LISTED]],
        "rename_count": len(matching.renames),
        "unused": matching.unused,
    }


def _cause(cause: LayerCause) -> dict[str, Any]:
    """Return one cause, with the part of each figure's change that its layers make up."""
    return {
        "kind": cause.kind,
        "reasons": [{"kind": each.kind, "base": each.base, "head": each.head} for each in cause.reasons],
        "layers": cause.layers[:LISTED],
        "layer_count": len(cause.layers),
        "parts": cause.parts,
        "unknown_layers": cause.open,
        "code_line": cause.code_line,
    }


def _changes(movers: Movers) -> dict[str, Any]:
    """Return the nodes that changed a figure: those that grew or shrank most, and how many are below the threshold."""
    largest = movers.largest_folded
    return {
        "metric": movers.stem,
        "worst": [asdict(mover) for mover in movers.grown[:LISTED]],
        "worst_count": movers.grown_count,
        "improvements": [asdict(mover) for mover in movers.shrunk[:LISTED]],
        "improvement_count": movers.shrunk_count,
        "below_threshold": {"count": movers.folded_count, "largest": asdict(largest) if largest else None},
        "unknown_on_a_side": movers.blurred_count,
    }


def _compared(comparison: Comparison) -> list[dict[str, Any]]:
    return [_total(total) for total in comparison.all_totals]


def _total(total: TotalDelta) -> dict[str, Any]:
    shares = (f"{side}_{word}" for side in _SIDES for word in ("known", "capable"))
    return {
        "metric": total.stem,
        "unit": unit_of(total.stem),
        **bounded("base", total.base, total.base_unknown),
        **bounded("head", total.head, total.head_unknown),
        **{name: getattr(total, name) for name in ("delta", "percent", "state", *shares)},
    }


def _gate(gate: GateResult) -> dict[str, Any]:
    return {**asdict(gate), "rows": [_row(row) for row in gate.rows]}


def _row(row: JudgedRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "status": row.status,
        **bounded("base", row.base, row.base_unknown),
        **bounded("head", row.head, row.head_unknown),
        **{name: getattr(row, name) for name in ("delta", "percent", "allowed", "text", "reason")},
    }


def _plain(change: TimeChange) -> dict[str, Any]:
    """Return a change of time without the exact fractions that gates compute with, which JSON cannot hold."""
    content = asdict(change)
    for side in _SIDES:
        del content[side]["exact_median"]
    return {"metric": content.pop("stem"), **content}


def _of_one_side(report: Report, side: str) -> list[dict[str, Any]]:
    """Return the totals of a report without a base as those of `side`; those of the other side are null."""
    figures: list[tuple[str, Number | None, int, int]] = [
        (total.stem, total.value, total.known, total.capable) for total in report.totals
    ]
    figures += [(stem, *figure) for stem, figure in report.head.step_figures.items()]
    nothing: dict[str, Any] = {}
    for each in _SIDES:
        nothing |= dict.fromkeys((*bounded(each, None, 0), f"{each}_known", f"{each}_capable"))
    nothing |= dict.fromkeys(("delta", "percent", "state"))
    return [
        {
            "metric": stem,
            "unit": unit_of(stem),
            **nothing,
            **bounded(side, value, capable - known),
            f"{side}_known": known,
            f"{side}_capable": capable,
        }
        for stem, value, known, capable in figures
    ]
