"""The query of the tree views (scope, graph, code): account, start, trim, show, hide, minimums and order as masks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measure, Measures, check_sum, fits_sum, never_negative
from tfprof_report.options import MATCH_ALL, Options
from tfprof_report.schema.metrics import ROOT
from tfprof_report.semantics import Semantics
from tfprof_report.views import patterns as regex
from tfprof_report.views.figures import group_figures, node_figures, root_total, subtree_total
from tfprof_report.views.forest import Forest, keep_rows, sort_siblings, sum_ancestors, sum_subtrees
from tfprof_report.views.layout import Layout
from tfprof_report.views.patterns import count_type_matches
from tfprof_report.views.scope import SCOPE_TYPE
from tfprof_report.views.selection import (
    ORDER_STEMS,
    STATIC_MINIMUMS,
    TOTAL_MINIMUMS,
    Selection,
    descending,
    name_rank,
    passes_minimum,
    passes_minimums,
)


def query_tree(
    table: NodeTable,
    layout: Layout,
    options: Options,
    semantics: Semantics,
    measures: Measures | None = None,
) -> Selection:
    """Account and select the rows of a tree view (tfprof's account, start and display passes).

    A row is shown if it is reached and passes the minimums and the show and hide patterns; the children of a row that
    is not shown move up. In scope and code view a row that is not accounted is kept if any row below it is accounted;
    in graph view it is removed, and its children move up, before the other options apply.
    """
    forest, is_code = layout.forest, layout.view == "code"
    matched = count_type_matches(table, options.account_type_regexes, semantics)
    if is_code:
        own = group_figures(table, layout, matched=matched, step=options.step, semantics=semantics, measures=measures)
    else:
        own = node_figures(table, layout, step=options.step, semantics=semantics, measures=measures)
    accounted = _accounted(layout, matched > 0, options)
    kept = accounted if layout.view == "graph" else sum_subtrees(forest, accounted.astype(np.int64)) > 0
    counted = kept if semantics.count_unaccounted_scopes else accounted
    if not semantics.wrap_negative_average:
        _check_sums(own, counted, {} if is_code else measures or {})
    totals = own.each(partial(subtree_total, forest, counted=counted))
    root = own.each(partial(root_total, counted=counted))

    shows = _reached(layout, kept, options) & (
        passes_minimums(totals, TOTAL_MINIMUMS, options, semantics, never_negative(table, semantics))
        & passes_minimums(totals if is_code else own, STATIC_MINIMUMS, options, semantics)
        & (is_code or passes_minimum(own, "run_count", options.min_occurrence, semantics))
        & regex.is_wanted(layout.names, options.show_name_regexes)
        & ~regex.matches_any(layout.names, options.hide_name_regexes)
    )
    rows, shown = keep_rows(forest, shows)
    own_shown = own.take(rows, len(layout))
    total_shown = totals.take(rows, len(layout))
    if options.account_displayed_op_only and not is_code:
        displayed = np.ones(len(rows), dtype=bool) if semantics.count_unaccounted_scopes else accounted[rows]
        total_shown = own_shown.each(partial(subtree_total, shown, counted=displayed))
        root = own_shown.each(partial(root_total, counted=displayed))
        if semantics.count_scopes_as_definitions:
            root["definition_count"].values[0] += 1
    order = _order(layout, shown, rows, own=own_shown, totals=total_shown, order_by=options.order_by)
    return Selection(
        accounted=accounted,
        self_all=own,
        total_all=totals,
        rows=rows[order],
        depth=shown.depth[order],
        self_shown=own_shown.take(order, len(rows)),
        total_shown=total_shown.take(order, len(rows)),
        root=root,
    )


def _check_sums(own: Measures, counted: Bools, measures: Mapping[str, Measure]) -> None:
    """Raise InputError if the sum over the counted rows of any figure could leave the 64-bit range.

    A row has at most the figure of one node in `measures`: if these fit, those of the rows need not be computed now.
    """
    for stem in own:
        if stem not in measures or not fits_sum(measures[stem].values):
            check_sum(own[stem].values[counted], stem)


def _accounted(layout: Layout, picked: Bools, options: Options) -> Bools:
    """Return the rows with a node in `picked`, and those without nodes whose type matches an account pattern."""
    accounted = np.zeros(len(layout), dtype=bool)
    patterns = options.account_type_regexes
    if layout.view == "scope":
        accounted[:] = regex.matches_any(pa.array([SCOPE_TYPE]), patterns)[0]
        accounted[layout.row_of_node[layout.row_of_node >= 0]] = False
    elif patterns == MATCH_ALL:
        accounted[:] = True
    accounted[layout.row_of_node[picked & (layout.row_of_node >= 0)]] = True
    return accounted


def _reached(layout: Layout, kept: Bools, options: Options) -> Bools:
    """Return the rows that tfprof's display pass visits.

    They are at or below a start row, not below a trimmed row (in code view not trimmed themselves), and at most
    max_depth levels deep, the root being level 1. Levels count all kept rows, shown or not.
    """
    forest = layout.forest
    level = 1 + sum_ancestors(forest, kept.astype(np.int64))
    is_start = kept & (level == 1)
    if options.start_name_regexes != MATCH_ALL:
        # Only the outermost match on each path is a start row; matches below it are reached anyway.
        candidate = kept & regex.matches_any(layout.names, options.start_name_regexes)
        is_start = candidate & (sum_ancestors(forest, candidate.astype(np.int64)) == 0)
    start_level = np.where(is_start, level, 0)
    start_level += sum_ancestors(forest, start_level)
    started = kept & (start_level > 0)
    trimmed = started & regex.matches_any(layout.names, options.trim_name_regexes)
    stopped = sum_ancestors(forest, trimmed.astype(np.int64)) > 0
    if layout.view == "code":
        stopped |= trimmed
    if regex.matches_any(pa.array([ROOT]), options.trim_name_regexes)[0]:
        stopped[:] = True
    return started & ~stopped & (level - start_level + 2 <= options.max_depth)


def _order(
    layout: Layout,
    shown: Forest,
    rows: Ints,
    *,
    own: Measures,
    totals: Measures,
    order_by: str,
) -> Ints:
    """Return the order in which the shown rows are displayed: siblings by total, descending, or by name."""
    # The scope view is in the order of names; only rows that move up may be out of it.
    if not order_by or (order_by == "name" and layout.view == "scope" and len(rows) == len(layout)):
        return np.arange(len(rows))
    if order_by in ORDER_STEMS:
        return sort_siblings(shown, descending(totals[ORDER_STEMS[order_by]]))
    if order_by == "occurrence" and layout.view == "code":
        return sort_siblings(shown, descending(own["definition_count"]))
    return sort_siblings(shown, [name_rank(layout.names.take(pa.array(rows)))])
