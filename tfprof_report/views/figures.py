"""The figures of a view's rows: their own (self) figures, and totals over subtrees."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Bools, Ints, Numbers
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measure, Measures, check_sum, node_measures
from tfprof_report.schema.metrics import METRICS
from tfprof_report.semantics import Semantics
from tfprof_report.views.forest import Forest, sum_subtrees
from tfprof_report.views.layout import Layout


def node_figures(
    table: NodeTable, layout: Layout, *, step: int, semantics: Semantics, measures: Measures | None = None
) -> Measures:
    """Return the own figures of rows that are one node each; a row without a node has a known 0.

    `measures` are those of the nodes (`node_measures`), if they are there already.
    """
    node, measures = layout.node, measures or node_measures(table, step=step, semantics=semantics)
    defined = np.ones(len(layout), dtype=bool) if semantics.count_scopes_as_definitions else node >= 0

    def compute(stem: str) -> Measure:
        return _counts(defined.astype(np.int64)) if stem == "definition_count" else measures[stem].take(node)

    return Measures(METRICS, compute)


def group_figures(
    table: NodeTable,
    layout: Layout,
    *,
    matched: Ints,
    step: int,
    semantics: Semantics,
    measures: Measures | None = None,
) -> Measures:
    """Return the own figures of rows that are groups of nodes: sums over their accounted members.

    Parameters
    ----------
    matched : per node, the number of account patterns that match; 0 means not accounted. tfprof adds the figures of a
        node once per matching pattern, but counts the node and its runs once.
    measures : of the nodes (`node_measures`), if they are there already
    """
    picked = (matched > 0).astype(np.int64)
    times = matched if semantics.count_node_per_pattern else picked
    members = np.flatnonzero(layout.row_of_node >= 0)
    groups = layout.row_of_node[members]

    def sums(values: Ints) -> Ints:
        by_row = np.zeros(len(layout), dtype=np.int64)
        if values.any():  # few nodes are unknown, and few graphs have all figures
            np.add.at(by_row, groups, values[members])
        return by_row

    measures = measures or node_measures(table, step=step, semantics=semantics)

    def compute(stem: str) -> Measure:
        if stem == "definition_count":
            return _counts(sums(picked))
        measure = measures[stem]
        values = measure.values * (picked if stem == "run_count" else times)
        guard_sum(values, stem, semantics)
        return Measure(
            values=sums(values),
            counted=sums(picked * measure.counted),
            unknown=sums(picked * measure.unknown),
            divisor=measure.divisor,
        )

    figures = Measures(METRICS, compute)
    if not semantics.wrap_negative_average:
        dict(figures)  # all of them are guarded before any is printed
    return figures


def guard_sum(values: Ints, stem: str, semantics: Semantics) -> None:
    """Raise InputError if a total overflows int64, unless means wrap around on purpose, as in the native tool."""
    if not semantics.wrap_negative_average:
        check_sum(values, stem)


def subtree_total(forest: Forest, own: Measure, counted: Bools) -> Measure:
    """Return totals over the counted rows of each subtree."""
    parts = [own.values, own.unknown]
    if own.unknown.any():  # else every total is known, whatever is counted
        parts.append(own.counted)
    values, unknown, *known = (_sum_counted(forest, part, counted) for part in parts)
    return Measure(values=values, counted=known[0] if known else own.counted, unknown=unknown, divisor=own.divisor)


def _sum_counted(forest: Forest, part: Numbers, counted: Bools) -> Numbers:
    if not part.any():  # as mostly no node is unknown
        return np.zeros(len(part), dtype=np.int64)
    return sum_subtrees(forest, part if counted.all() else np.where(counted, part, 0))


def root_total(own: Measure, counted: Bools) -> Measure:
    """Return the total over all counted rows as a measure of one row."""
    is_whole = counted.all()
    values, known, unknown = (
        (part if is_whole else part[counted]).sum(dtype=np.int64, keepdims=True)
        for part in (own.values, own.counted, own.unknown)
    )
    return Measure(values=values, counted=known, unknown=unknown, divisor=own.divisor)


def _counts(values: Ints) -> Measure:
    """Return a measure that is known everywhere."""
    return Measure.of_nodes(values, np.ones(len(values), dtype=bool))
