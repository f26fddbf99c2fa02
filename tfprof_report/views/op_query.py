"""The op view: a list with one row per op type, and the query that selects its rows."""

from __future__ import annotations

from functools import partial
from operator import methodcaller

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, to_ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measure, Measures, never_negative
from tfprof_report.options import MATCH_ALL, Options
from tfprof_report.semantics import Semantics
from tfprof_report.views import patterns as regex
from tfprof_report.views.figures import group_figures, root_total
from tfprof_report.views.forest import Forest
from tfprof_report.views.layout import Layout
from tfprof_report.views.patterns import count_type_matches
from tfprof_report.views.selection import (
    ORDER_STEMS,
    STATIC_MINIMUMS,
    TOTAL_MINIMUMS,
    Selection,
    descending,
    passes_minimum,
    passes_minimums,
)


def build_op_layout(table: NodeTable) -> Layout:
    """Return one row per op type; a node that is only in run metadata has its own name as its type."""
    codes = table.ops.dictionary_encode()
    order = pc.sort_indices(codes.dictionary)
    place = np.empty(len(order), dtype=np.int64)
    place[to_ints(order)] = np.arange(len(order))
    names = codes.dictionary.take(order)
    return Layout(
        view="op",
        forest=Forest.from_depths(np.ones(len(names), dtype=np.int64)),
        names=names,
        leaves=names,
        row_of_node=place[to_ints(codes.indices)],
    )


def query_ops(
    table: NodeTable,
    layout: Layout,
    options: Options,
    semantics: Semantics,
    measures: Measures | None = None,
) -> Selection:
    """Account, order, accumulate and select the rows of the op view.

    Rows are ordered by their own figures; the total of a row is cumulative, over itself and all accounted rows after
    it. max_depth N shows up to N + 1 rows from the start row on; the first trimmed row ends the list.
    """
    matched = count_type_matches(table, options.account_type_regexes, semantics)
    own = group_figures(table, layout, matched=matched, step=options.step, semantics=semantics, measures=measures)
    is_all = options.account_type_regexes == MATCH_ALL
    accounted = np.full(len(layout), is_all) | (own["definition_count"].values > 0)
    order = _order(own, options)
    order = order[accounted[order]]
    own_ordered = own.each(methodcaller("take", order))
    root = own.each(partial(root_total, counted=accounted))
    totals = own_ordered.each(Measure.cumulate)
    names = layout.names.take(pa.array(order))

    reached = _reached(names, options)
    compared = totals if semantics.op_minimum_is_cumulative else own_ordered
    shows = reached & (
        passes_minimums(
            compared, {**TOTAL_MINIMUMS, **STATIC_MINIMUMS}, options, semantics, never_negative(table, semantics)
        )
        & passes_minimum(own_ordered, "definition_count", options.min_occurrence, semantics)
        & regex.is_wanted(names, options.show_name_regexes)
        & ~regex.matches_any(names, options.hide_name_regexes)
    )
    kept = np.flatnonzero(shows)
    own_shown = own_ordered.each(methodcaller("take", kept))
    total_shown = totals.each(methodcaller("take", kept))
    if options.account_displayed_op_only:
        total_shown = own_shown.each(Measure.cumulate)
        displayed = marks(order[kept], len(layout))
        root = own.each(partial(root_total, counted=displayed))
    return Selection(
        accounted=accounted,
        self_all=own,
        total_all=own,
        rows=order[kept],
        depth=np.ones(len(kept), dtype=np.int64),
        self_shown=own_shown,
        total_shown=total_shown,
        root=root,
    )


def _order(own: Measures, options: Options) -> Ints:
    stem = "definition_count" if options.order_by == "occurrence" else ORDER_STEMS.get(options.order_by)
    count = len(own["definition_count"].values)
    if stem is None:  # keep the layout's name order
        return np.arange(count)
    return np.lexsort((np.arange(count), *descending(own[stem])))


def _reached(names: pa.Array, options: Options) -> Bools:
    """Return the rows from the start row on, up to the first trimmed row or max_depth."""
    count = len(names)
    start = 0
    if options.start_name_regexes and options.start_name_regexes != MATCH_ALL:
        start = _first(regex.matches_any(names, options.start_name_regexes), count)
    trimmed = regex.matches_any(names, options.trim_name_regexes)
    end = _first(trimmed & (np.arange(count) >= start), count)
    place = np.arange(count)
    return (place >= start) & (place < end) & (place - start <= options.max_depth)


def _first(mask: Bools, otherwise: int) -> int:
    return int(mask.argmax()) if mask.any() else otherwise
