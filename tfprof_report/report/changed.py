"""Decides whether a report has news: changes other than of time, or gates that need attention."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.comparison import SAME, Comparison, RowStatus
from tfprof_report.compare.gates.verdict import GateStatus, Outcome, Verdict
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import METRICS, Unit

_QUIET = (GateStatus.PASSED, GateStatus.SKIPPED, GateStatus.NO_REFERENCE, GateStatus.INCONCLUSIVE)
"""Outcomes of a gate that need no attention. An inconclusive gate of level fail shows in the verdict anyway."""

_QUIET_OUTCOMES = (Outcome.OK, Outcome.NOT_JUDGED)


def has_changed(report: Report) -> bool | None:
    """Return whether anything but time changed: a node, its name or op type, a figure, a kind of parameters.

    None without a base. Times are ignored because they differ from run to run.
    """
    comparison = report.comparison
    if comparison is None:
        return None
    peak = comparison.device_peak
    return (
        any(METRICS[stem].unit is not Unit.MICROS for stem in changed_stems(comparison))
        or (peak is not None and peak.state not in SAME)
        or _has_other_ops(comparison.nodes)
        or comparison.matching.renamed > 0
        or report.param_totals != report.base_param_totals
    )


def has_news(report: Report) -> bool:
    """Return whether a report is worth reading: something changed, there is no base, or a gate needs attention."""
    return has_changed(report) is not False or speaks_up(report.verdict)


def speaks_up(verdict: Verdict) -> bool:
    """Return whether the outcome needs attention, or any gate, including level inform, failed or was acknowledged.

    That nothing was judged is no news: without gates it is so in every run.
    """
    return verdict.outcome not in _QUIET_OUTCOMES or any(gate.status not in _QUIET for gate in verdict.gates)


def changed_stems(comparison: Comparison) -> tuple[str, ...]:
    """Return the metrics that changed in any node, in the order of every report; all if a node is new or removed."""
    nodes = comparison.nodes
    if comparison.counts[RowStatus.NEW] or comparison.counts[RowStatus.REMOVED]:
        return tuple(METRICS)
    return tuple(
        stem
        for stem in METRICS
        if f"state_{stem}" in nodes.column_names and not set(nodes[f"state_{stem}"].unique().to_pylist()) <= set(SAME)
    )


def _has_other_ops(nodes: pa.Table) -> bool:
    """Return whether the op type of a matched node changed."""
    base, head = (nodes[name].cast(pa.string()) for name in ("base_op", "head_op"))
    differs = pc.or_(pc.xor(base.is_null(), head.is_null()), pc.fill_null(pc.not_equal(base, head), fill_value=False))
    return bool(pc.any(differs).as_py())
