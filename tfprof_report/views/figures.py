"""The figures of a view's rows: their own (self) figures, and totals over subtrees."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Bools, Ints, prefix_sums
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measure, check_sum, node_measures
from tfprof_report.schema.metrics import METRICS
from tfprof_report.semantics import Semantics
from tfprof_report.views.forest import Forest, sum_subtrees
from tfprof_report.views.layout import Layout


def node_figures(table: NodeTable, layout: Layout, *, step: int, semantics: Semantics) -> dict[str, Measure]:
    """Return the own figures of rows that are one node each; a row without a node has a known 0."""
    node = layout.node
    own = {stem: measure.take(node) for stem, measure in node_measures(table, step=step, semantics=semantics).items()}
    defined = np.ones(len(layout), dtype=bool) if semantics.count_scopes_as_definitions else node >= 0
    own["definition_count"] = Measure(values=defined.astype(np.int64), known=np.ones(len(defined), dtype=bool))
    return {stem: own[stem] for stem in METRICS}


def group_figures(
    table: NodeTable, layout: Layout, *, matched: Ints, step: int, semantics: Semantics
) -> dict[str, Measure]:
    """Return the own figures of rows that are groups of nodes: sums over their accounted members.

    Parameters
    ----------
    matched : per node, the number of account patterns that match; 0 means not accounted. tfprof adds the figures of a
        node once per matching pattern, but counts the node and its runs once.
    """
    picked = (matched > 0).astype(np.int64)
    times = matched if semantics.count_node_per_pattern else picked
    order = np.argsort(layout.row_of_node, kind="stable")
    offsets = np.searchsorted(layout.row_of_node[order], np.arange(len(layout) + 1))

    def sums(values: Ints) -> Ints:
        prefix = prefix_sums(values[order])
        by_row: Ints = prefix[offsets[1:]] - prefix[offsets[:-1]]
        return by_row

    members = sums(picked)
    own = {}
    for stem, measure in node_measures(table, step=step, semantics=semantics).items():
        values = np.where(measure.known, measure.values, 0) * (picked if stem == "run_count" else times)
        guard_sum(values, stem, semantics)
        known = (sums(picked * measure.known) > 0) | ((members == 0) & measure.known.any()) | measure.known.all()
        own[stem] = Measure(values=sums(values), known=known, divisor=measure.divisor)
    own["definition_count"] = Measure(values=members, known=np.ones(len(layout), dtype=bool))
    return {stem: own[stem] for stem in METRICS}


def guard_sum(values: Ints, stem: str, semantics: Semantics) -> None:
    """Raise InputError if a total overflows int64, unless means wrap around on purpose, as in the native tool."""
    if not semantics.wrap_negative_average:
        check_sum(values, stem)


def subtree_total(forest: Forest, own: Measure, counted: Bools, has_nodes: Bools) -> Measure:
    """Return totals over the counted rows of each subtree.

    A total is known if the figure of at least one of its nodes is known: it is then a lower bound. The sum over no
    nodes is a known 0, unless the figure is unknown for all nodes of the view.
    """
    values = sum_subtrees(forest, np.where(counted & own.known, own.values, 0))
    nodes = sum_subtrees(forest, (counted & has_nodes).astype(np.int64))
    known = sum_subtrees(forest, (counted & has_nodes & own.known).astype(np.int64)) > 0
    return Measure(values=values, known=known | ((nodes == 0) & _is_measured(own, has_nodes)), divisor=own.divisor)


def root_total(own: Measure, counted: Bools, has_nodes: Bools) -> Measure:
    """Return the total over all counted rows as a measure of one row, known as in `subtree_total`."""
    nodes = counted & has_nodes
    known = (nodes & own.known).any() or (not nodes.any() and _is_measured(own, has_nodes))
    return Measure(
        values=own.values[counted & own.known].sum(dtype=np.int64, keepdims=True),
        known=np.array([bool(known)]),
        divisor=own.divisor,
    )


def _is_measured(own: Measure, has_nodes: Bools) -> bool:
    """Return whether the figure is known for any node of the view, or the view has no nodes."""
    return bool((own.known & has_nodes).any() or not has_nodes.any())
