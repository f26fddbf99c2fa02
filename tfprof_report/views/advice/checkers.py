"""Runs tfprof's checkers on a node table and returns their findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import assert_never

import pyarrow.compute as pc

from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measures, node_measures
from tfprof_report.semantics import Semantics
from tfprof_report.views.advice.expensive import (
    CODE_QUERY,
    OP_QUERY,
    SCOPE_QUERY,
    expensive_lines,
    expensive_nodes,
    expensive_ops,
)
from tfprof_report.views.advice.findings import Advice, Checker, CheckerOptions, Finding, Topic
from tfprof_report.views.advice.utilization import check_utilization
from tfprof_report.views.build_view import build_layout, select, views_of
from tfprof_report.views.layout import Layout
from tfprof_report.views.selection import Selection

BATCH_NORM = "BatchNorm"
FUSED_BATCH_NORM = "FusedBatchNorm"
_QUERIES = {"op": OP_QUERY, "scope": SCOPE_QUERY, "code": CODE_QUERY}
_FUSED = f"^{FUSED_BATCH_NORM}(V[0-9]+)?$"


def advise(
    table: NodeTable,
    checkers: Iterable[Checker],
    semantics: Semantics,
    *,
    options: CheckerOptions | None = None,
    layouts: Mapping[str, Layout] | None = None,
    measures: Measures | None = None,
) -> tuple[Advice, ...]:
    """Return the findings of the `checkers`, in the order of `Checker`.

    Parameters
    ----------
    options : of all checkers; None for tfprof's, which under tfprof's semantics are always used
    layouts : layouts by view, if they have been built already; what needs a missing one is skipped, with a note
    measures : of the nodes (`values.node_measures`), means over all steps, if they are there already
    """
    wanted = set(checkers)
    if options is None or semantics.ignore_checker_options:
        options = CheckerOptions()
    if layouts is None:
        layouts = all_layouts(table, semantics) if Checker.EXPENSIVE in wanted else {}
    measures = measures or node_measures(table, step=CODE_QUERY.step, semantics=semantics)
    return tuple(
        _check(checker, table, options, layouts, semantics, measures=measures)
        for checker in Checker
        if checker in wanted
    )


def all_layouts(table: NodeTable, semantics: Semantics) -> dict[str, Layout]:
    """Return the layouts of all views that the node table supports."""
    return {name: build_layout(table, name, semantics) for name in views_of(table)}


def _check(
    checker: Checker,
    table: NodeTable,
    options: CheckerOptions,
    layouts: Mapping[str, Layout],
    semantics: Semantics,
    *,
    measures: Measures,
) -> Advice:
    match checker:
        case Checker.UTILIZATION:
            reports = [(finding,) for finding in check_utilization(table, options, semantics)]
            return Advice(checker=checker, reports=tuple(reports))
        case Checker.OPERATION:
            return Advice(checker=checker, reports=tuple((hint,) for hint in _check_operations(table, semantics)))
        case Checker.EXPENSIVE:
            return _check_expensive(table, options, layouts, semantics, measures)
    assert_never(checker)


def _check_operations(table: NodeTable, semantics: Semantics) -> Iterator[Finding]:
    if pc.any(pc.match_substring(table.column("name"), BATCH_NORM)).as_py():
        types = pc.list_flatten(table.column("op_types"))
        fused = (
            pc.equal(types, FUSED_BATCH_NORM)
            if semantics.one_fused_batch_norm
            else pc.match_substring_regex(types, _FUSED)
        )
        if not pc.any(fused).as_py():
            yield Finding(topic=Topic.BATCH_NORM)
    on_gpu = pc.match_substring(table.canonical_device.cast("string"), "gpu")
    if pc.any(pc.and_(pc.equal(table.data_format, "NHWC"), on_gpu)).as_py():
        yield Finding(topic=Topic.DATA_FORMAT)


def _check_expensive(
    table: NodeTable,
    options: CheckerOptions,
    layouts: Mapping[str, Layout],
    semantics: Semantics,
    measures: Measures,
) -> Advice:
    find = partial(_find, table, layouts, measures, semantics)
    reports: list[tuple[Finding, ...] | None] = []
    notes: list[str] = []
    if table.has_run_meta:
        reports.append(tuple(expensive_ops(*find("op"), options)) or None)
    else:
        notes += [f"Missing RunMetadata info. Skip {Checker.EXPENSIVE}", f"Missing run_meta for {Checker.EXPENSIVE}"]
    if "scope" in layouts:
        reports.append(tuple(expensive_nodes(*find("scope"), options, semantics)) or None)
    if "code" in layouts:
        reports.append(expensive_lines(*find("code"), options))
    elif "code" not in views_of(table):
        notes.append(f"Missing op_log (code traces) for {Checker.EXPENSIVE}")
    notes += [
        f"The {view} view is too large for {Checker.EXPENSIVE}" for view in views_of(table) if view not in layouts
    ]
    kept = tuple(report for report in reports if report is not None)
    return Advice(checker=Checker.EXPENSIVE, reports=kept, notes=tuple(notes))


def _find(
    table: NodeTable, layouts: Mapping[str, Layout], measures: Measures, semantics: Semantics, view: str
) -> tuple[Layout, Selection]:
    layout = layouts[view]
    return layout, select(table, layout, _QUERIES[view], semantics, measures)
