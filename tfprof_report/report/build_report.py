"""Builds a report: totals, coverage, diagnostics and verdict from the tables of the earlier stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tfprof_report.clock import moment_of
from tfprof_report.compare.activity_change import compare_activity
from tfprof_report.compare.bounds.changed_bounds import compare_bounds
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.compare.causes.carriers import find_reasons
from tfprof_report.compare.causes.highlights import find_highlights
from tfprof_report.compare.causes.layer_causes import find_causes
from tfprof_report.compare.causes.movers import find_movers
from tfprof_report.compare.causes.scope_sizes import find_changed_sizes, find_sizes
from tfprof_report.compare.causes.sentence import say_why
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.exact_totals import as_number, exact_total, known_share
from tfprof_report.compare.gates.acknowledge import stale_notes
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.reference import References
from tfprof_report.compare.gates.verdict import GateStatus, Verdict
from tfprof_report.compare.lower_bound import Missing, find_missing
from tfprof_report.compare.matching.name_map import NameMap, unused_lines
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.totals import LeftOut, Total
from tfprof_report.report.at_peak import find_at_peak
from tfprof_report.report.breakdowns import not_counted, totals_by_class, totals_by_kind
from tfprof_report.report.distance import Distance
from tfprof_report.report.links import Links
from tfprof_report.report.measure import measure
from tfprof_report.report.report import Report
from tfprof_report.report.uncounted import find_uncounted
from tfprof_report.schema.metrics import ESTIMATED_PEAK, METRICS, SCHEMA_VERSION
from tfprof_report.views.build_views import VIEWS_LEFT_OUT

NO_BASELINE = "no_baseline"
"""The code of the warning that the baseline is missing or cannot be used."""


def same_sides(base: Origin, head: Origin) -> tuple[Diagnostic, ...]:
    """Return a warning if base and head are the same files or the same commit."""
    if base.digest is not None and base.digest == head.digest:
        text = "base and head are the same files: this compares a model with itself"
    elif base.commit is not None and base.commit == head.commit:
        text = "base and head are the same commit: this compares it with itself"
    else:
        return ()
    return (Diagnostic(severity=Severity.WARNING, code="same_sides", text=text),)


def views_of_base(base: Side) -> tuple[Diagnostic, ...]:
    """Return the warning that base lacks views, which are therefore not compared."""
    return tuple(
        replace(found, code=f"base_{VIEWS_LEFT_OUT}", text=f"base: {found.text}")
        for found in base.diagnostics
        if found.code == VIEWS_LEFT_OUT
    )


def no_baseline(problem: str | None) -> tuple[Diagnostic, ...]:
    """Return the warning that a report is without the baseline that was named; none if there is no problem to tell."""
    if problem is None:
        return ()
    text = f"NO BASELINE: {problem}"
    return (Diagnostic(severity=Severity.WARNING, code=NO_BASELINE, text=text),)


def build_report(
    head: Side,
    *,
    base: Side | None,
    policy: Policy,
    name_map: NameMap | None = None,
    is_new: bool = False,
    base_missing: bool = False,
    distance: Distance | None = None,
    references: References | None = None,
    speeds: tuple[DeviceSpeed, ...] = (),
    links: Links | None = None,
    diagnostics: tuple[Diagnostic, ...] = (),
    timestamp: str,
    tool_version: str,
    jobs: int = 1,
) -> Report:
    """Return the report of one side, compared with `base` if there is one.

    `is_new`, `base_missing` and `references` are as in `judge`; `distance` is that of base; `speeds` are the peaks of
    devices; `links` are those of pages; `diagnostics` are added to those of head. Up to `jobs` tables are compared at
    the same time.

    Raises
    ------
    OptionError
        A gate of the command line is relative, there is no base, and neither `is_new` nor `base_missing` is set.
    InputError
        A total or a difference does not fit into int64.
    """
    comparison = compare(base, head, name_map, jobs=jobs) if base else None
    causes = find_causes(comparison) if comparison else ()
    today = moment_of(timestamp).date()
    verdict = judge(
        head, comparison, policy, is_new=is_new, base_missing=base_missing, today=today, references=references
    )
    return Report(
        tool_version=tool_version,
        schema_version=SCHEMA_VERSION,
        timestamp=timestamp,
        head=head,
        totals=totals_of(head),
        diagnostics=(
            *head.diagnostics,
            *diagnostics,
            *(same_sides(base.origin, head.origin) if base else ()),
            *(views_of_base(base) if base else ()),
            *other_counting(comparison),
            *_other_rules(comparison),
            *other_signature(comparison),
            *unused_lines(comparison),
            *stale_notes(verdict.acknowledged),
        ),
        param_totals=totals_by_kind(head.nodes),
        base_param_totals=totals_by_kind(base.nodes) if base else (),
        classes=totals_by_class(head.nodes),
        base_classes=totals_by_class(base.nodes) if base else (),
        not_counted=not_counted(head.nodes),
        policy=policy,
        references=references or {},
        comparison=comparison,
        distance=distance or Distance(),
        links=links or Links(),
        movers=find_movers(comparison, policy.threshold) if comparison else (),
        why=find_reasons(comparison, policy.threshold) if comparison else None,
        missing=_missing(head),
        causes=causes,
        sentence=say_why(comparison, causes, _judged(verdict)) if comparison else "",
        uncounted=find_uncounted(comparison) if comparison else (),
        highlights=find_highlights(head, comparison, _gated(verdict)),
        sizes=find_sizes(head),
        changed_sizes=find_changed_sizes(comparison) if comparison else None,
        at_peak=find_at_peak(head, comparison),
        activity=compare_activity(base, head),
        bounds=compare_bounds(head, comparison, speeds),
        verdict=verdict,
    )


def _gated(verdict: Verdict) -> tuple[str, ...]:
    """Return the figures that gates are on."""
    return tuple(result.metric for result in verdict.gates if result.metric is not None)


def _judged(verdict: Verdict) -> tuple[str, ...]:
    """Return the figures that a change is about: those of gates that failed, of other gates, then FLOPs, parameters."""
    gates = sorted(verdict.gates, key=lambda result: result.status is not GateStatus.FAILED)
    metrics = (result.metric for result in gates if result.metric is not None)
    return tuple(dict.fromkeys([*metrics, "float_ops", "params"]))


def _missing(head: Side) -> dict[str, Missing]:
    """Return what the headline figures of head lack; figures that lack nothing are left out."""
    found = {stem: find_missing(head.nodes, stem) for stem in ("float_ops", "params")}
    return {stem: missing for stem, missing in found.items() if missing.nodes}


def other_counting(comparison: Comparison | None) -> tuple[Diagnostic, ...]:
    """Return a warning if the figures of the two sides are those of tools that count differently."""
    if comparison is None or comparison.has_same_counting:
        return ()
    text = (
        f"base was counted by another version of the tool (counting version {comparison.base.counting_version}, head "
        f"{comparison.head.counting_version}): that its figures differ or are equal says little"
    )
    return (Diagnostic(severity=Severity.WARNING, code="other_counting", text=text),)


def _other_rules(comparison: Comparison | None) -> tuple[Diagnostic, ...]:
    """Return a warning if the FLOPs of the two sides were counted by different rules."""
    if comparison is None or comparison.has_same_rules:
        return ()
    text = (
        f"base was counted by the rules {comparison.base.rules}, head by {comparison.head.rules}: "
        "differences in FLOPs and MACs may come from the rules"
    )
    return (Diagnostic(severity=Severity.WARNING, code="other_rules", text=text),)


def other_signature(comparison: Comparison | None) -> tuple[Diagnostic, ...]:
    """Return a warning if the nodes that count on the two sides are those of different signatures."""
    if comparison is None:
        return ()
    base, head = (side.measurement.signature for side in (comparison.base, comparison.head))
    if base == head:
        return ()
    words = [f"the signature {name}" if name else "all nodes" for name in (base, head)]
    text = f"base counts {words[0]}, head {words[1]}: differences may come from that"
    return (Diagnostic(severity=Severity.WARNING, code="other_signature", text=text),)


def totals_of(side: Side) -> tuple[Total, ...]:
    """Return the total of every metric over all nodes, and the estimated peak memory if there is one.

    Each has the number of nodes that have a figure.
    """
    estimated = (ESTIMATED_PEAK,) if side.estimate else ()
    return tuple(_total(side, stem) for stem in (*METRICS, *estimated))


def _total(side: Side, stem: str) -> Total:
    known, capable = known_share(side, stem)
    return Total(stem=stem, value=as_number(exact_total(side, stem)), known=known, capable=capable)


def sum_left_out(parts: Mapping[str, NodeTable]) -> tuple[LeftOut, ...]:
    """Return the totals of the parts left out, in their order; with those of the report they add up to the input's."""
    nowhere = Origin(inputs=())
    return tuple(LeftOut(part=name, totals=totals_of(measure(table, {}, nowhere))) for name, table in parts.items())
