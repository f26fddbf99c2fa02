"""Options to shown rows for views that are trees: account, start, trim, show, hide, minimums, order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.ingest.arrays import Ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.schema import METRICS, ROOT
from tfprof_report.model.values import Measure, check_sum, node_measures
from tfprof_report.options import MATCH_ALL, Options
from tfprof_report.semantics import Semantics
from tfprof_report.views import regex
from tfprof_report.views.accounting import count_type_matches
from tfprof_report.views.forest import Forest, keep_rows, sort_siblings, sum_ancestors, sum_subtrees
from tfprof_report.views.scope import SCOPE_TYPE, Tree
from tfprof_report.views.selection import (
    ORDER_STEMS,
    STATIC_MINIMUMS,
    TOTAL_MINIMUMS,
    Bools,
    Selection,
    descending,
    name_rank,
    passes_minimum,
    passes_minimums,
)


def query_tree(table: NodeTable, tree: Tree, options: Options, semantics: Semantics) -> Selection:
    """Account and select the rows of a scope tree (tfprof's account, start and display passes).

    A row shows if it is reached (below a start row, not below a trimmed one, at most max_depth levels deep, the root
    being level 1), passes the minimums and the show and hide patterns. Children of a row that does not show move up.
    """
    forest = tree.forest
    accounted = _accounted(table, tree, options, semantics)
    kept = sum_subtrees(forest, accounted.astype(np.int64)) > 0
    counted = kept if semantics.count_unaccounted_scopes else accounted
    own = _own_figures(table, tree, options, semantics)
    totals = _totals(forest, own, counted, tree, semantics)

    shows = _reached(tree, kept, options) & (
        passes_minimums(totals, TOTAL_MINIMUMS, options, semantics)
        & passes_minimums(own, STATIC_MINIMUMS, options, semantics)
        & passes_minimum(own["run_count"], options.min_occurrence, semantics)
        & regex.matches_any(tree.names, options.show_name_regexes)
        & ~regex.matches_any(tree.names, options.hide_name_regexes)
    )
    rows, shown = keep_rows(forest, shows)
    own_shown = {stem: measure.take(rows) for stem, measure in own.items()}
    root = _roots(own, counted, tree.node >= 0)
    total_shown = {stem: measure.take(rows) for stem, measure in totals.items()}
    if options.account_displayed_op_only:
        displayed = np.ones(len(rows), dtype=bool) if semantics.count_unaccounted_scopes else accounted[rows]
        is_node = tree.node[rows] >= 0
        total_shown = {stem: _total(shown, measure, displayed, is_node) for stem, measure in own_shown.items()}
        root = _roots(own_shown, displayed, is_node)
        if semantics.count_scopes_as_definitions:
            root["definition_count"] = _single(int(root["definition_count"].values[0]) + 1, known=True)
    order = _order(shown, rows, tree.names, total_shown, options)
    return Selection(
        accounted=accounted,
        self_all=own,
        total_all=totals,
        rows=rows[order],
        depth=shown.depth[order],
        self_shown={stem: measure.take(order) for stem, measure in own_shown.items()},
        total_shown={stem: measure.take(order) for stem, measure in total_shown.items()},
        root=root,
    )


def _accounted(table: NodeTable, tree: Tree, options: Options, semantics: Semantics) -> Bools:
    scope = bool(regex.matches_any(pa.array([SCOPE_TYPE]), options.account_type_regexes)[0])
    accounted = np.full(len(tree.forest), scope)
    is_node = tree.node >= 0
    matched = count_type_matches(table, options.account_type_regexes, semantics) > 0
    accounted[is_node] = matched[tree.node[is_node]]
    return accounted


def _own_figures(table: NodeTable, tree: Tree, options: Options, semantics: Semantics) -> dict[str, Measure]:
    own = {
        stem: measure.take(tree.node)
        for stem, measure in node_measures(table, step=options.step, semantics=semantics).items()
    }
    defined = np.ones(len(tree.forest), dtype=bool) if semantics.count_scopes_as_definitions else tree.node >= 0
    own["definition_count"] = Measure(values=defined.astype(np.int64), known=np.ones(len(defined), dtype=bool))
    return {stem: own[stem] for stem in METRICS}


def _totals(
    forest: Forest, own: dict[str, Measure], counted: Bools, tree: Tree, semantics: Semantics
) -> dict[str, Measure]:
    if not semantics.wrap_negative_average:  # with it, sums of wrapped numbers wrap on, as in the native tool
        for stem, measure in own.items():
            check_sum(measure.values[counted], stem)
    return {stem: _total(forest, measure, counted, tree.node >= 0) for stem, measure in own.items()}


def _total(forest: Forest, own: Measure, counted: Bools, is_node: Bools) -> Measure:
    """Return totals over subtrees: known where the figure of at least one counted node below is."""
    values = sum_subtrees(forest, np.where(counted & own.known, own.values, 0))
    known = sum_subtrees(forest, (counted & own.known & is_node).astype(np.int64)) > 0
    return Measure(values=values, known=known | own.known.all(), divisor=own.divisor)


def _roots(own: dict[str, Measure], counted: Bools, is_node: Bools) -> dict[str, Measure]:
    return {
        stem: _single(
            measure.values[counted & measure.known].sum(dtype=np.int64),
            known=bool((counted & measure.known & is_node).any() or measure.known.all()),
            divisor=measure.divisor,
        )
        for stem, measure in own.items()
    }


def _single(value: int | np.int64, *, known: bool, divisor: int = 1) -> Measure:
    return Measure(values=np.array([value], dtype=np.int64), known=np.array([known]), divisor=divisor)


def _reached(tree: Tree, kept: Bools, options: Options) -> Bools:
    """Return the rows that the display pass comes to."""
    forest = tree.forest
    is_start = kept & (forest.depth == 1)
    if options.start_name_regexes != MATCH_ALL:
        candidate = kept & regex.matches_any(tree.names, options.start_name_regexes)
        is_start = candidate & (sum_ancestors(forest, candidate.astype(np.int64)) == 0)
    start_depth = np.where(is_start, forest.depth, 0)
    start_depth += sum_ancestors(forest, start_depth)
    depth = forest.depth - start_depth + 2
    trimmed = regex.matches_any(tree.names, options.trim_name_regexes)
    below_trimmed = sum_ancestors(forest, (trimmed & (start_depth > 0)).astype(np.int64)) > 0
    if regex.matches_any(pa.array([ROOT]), options.trim_name_regexes)[0]:
        below_trimmed[:] = True
    return kept & (start_depth > 0) & ~below_trimmed & (depth <= options.max_depth)


def _order(shown: Forest, rows: Ints, names: pa.Array, totals: dict[str, Measure], options: Options) -> Ints:
    stem = ORDER_STEMS.get(options.order_by)
    if not options.order_by:
        return np.arange(len(rows))
    if stem:
        return sort_siblings(shown, descending(totals[stem]))
    return sort_siblings(shown, [name_rank(names.take(pa.array(rows)))])
