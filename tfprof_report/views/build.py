"""A view as a report carries it: every row for Parquet, the shown rows in display order, the root's totals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.schema import METRICS
from tfprof_report.model.totals import Number
from tfprof_report.model.values import Measure
from tfprof_report.options import Options
from tfprof_report.semantics import Semantics
from tfprof_report.views.forest import Forest
from tfprof_report.views.op_query import build_op_list, query_ops
from tfprof_report.views.scope import Tree, build_scope_tree
from tfprof_report.views.selection import Selection
from tfprof_report.views.tree_query import query_tree
from tfprof_report.views.view import View

VIEWS = ("scope", "op")
"""The views that a report has."""


def build_view(table: NodeTable, name: str, options: Options, semantics: Semantics) -> View:
    """Return the view `name` (one of `VIEWS`) of a node table, accounted and selected by `options`."""
    stems = selected_stems(options)
    if name == "scope":
        tree = build_scope_tree(table.column("name"))
        selection = query_tree(table, tree, options, semantics)
        return _view(name, tree, selection, stems)
    ops = build_op_list(table)
    selection = query_ops(table, ops, options, semantics)
    # tfprof's cumulative totals belong to its text; in a table a row's total is the row.
    selection = replace(selection, total_shown=selection.self_shown)
    flat = Forest.from_depths(np.ones(ops.count, dtype=np.int64))
    rows = Tree(forest=flat, names=ops.names, leaves=ops.names, node=np.full(ops.count, -1))
    return _view(name, rows, selection, stems)


def shown_again(name: str, rows: pa.Table) -> View:
    """Return the view that an earlier report wrote, from its rows alone: the same rows are shown in the same order.

    Depths are those of the structure, and totals those of all accounted rows.
    """
    shown = rows.filter(rows["shown"]).sort_by("position")
    figures = [column for column in rows.column_names if column.startswith(("self_", "total_"))]
    tops = rows.filter(pc.equal(rows["depth"], 1))
    return View(
        name=name,
        rows=rows,
        shown=shown.select(["row", "depth", "name", "leaf", *figures]),
        total={stem: pc.sum(tops[f"total_{stem}"]).as_py() for stem in METRICS},
    )


def _view(name: str, tree: Tree, selection: Selection, stems: tuple[str, ...]) -> View:
    forest = tree.forest
    position = np.full(len(forest), -1, dtype=np.int64)
    position[selection.rows] = np.arange(len(selection.rows))
    rows = pa.table(
        {
            "row": np.arange(len(forest)),
            "parent": _or_null(forest.parent),
            "depth": forest.depth,
            "subtree_size": forest.size,
            "name": tree.names,
            "leaf": tree.leaves,
            "node": _or_null(tree.node),
            "accounted": selection.accounted,
            "shown": position >= 0,
            "position": _or_null(position),
            **_figures(selection.self_all, "self_"),
            **_figures(selection.total_all, "total_"),
        }
    )
    index = pa.array(selection.rows)
    shown = pa.table(
        {
            "row": index,
            "depth": selection.depth,
            "name": tree.names.take(index),
            "leaf": tree.leaves.take(index),
            **_figures({stem: selection.self_shown[stem] for stem in stems}, "self_"),
            **_figures({stem: selection.total_shown[stem] for stem in stems}, "total_"),
        }
    )
    return View(
        name=name,
        rows=rows,
        shown=shown,
        total={stem: _number(measure) for stem, measure in selection.root.items()},
    )


_STEMS_OF = {
    "micros": ("micros", "accelerator_micros", "cpu_micros"),
    "float_ops": ("float_ops", "run_float_ops"),
    "occurrence": ("run_count", "definition_count"),
}


def selected_stems(options: Options) -> tuple[str, ...]:
    """Return the figures that `select` asks for, in schema order; attributes that are no figures add none."""
    wanted = {stem for word in options.select for stem in _STEMS_OF.get(word, (word,))}
    return tuple(stem for stem in METRICS if stem in wanted)


def _or_null(index: Ints) -> pa.Array:
    return pa.array(index, mask=index < 0)


def _figures(figures: dict[str, Measure], prefix: str) -> dict[str, pa.Array]:
    """Return columns in schema order; run-time stems are float64 in every report, so that its schema never changes."""
    columns = {}
    for stem, measure in figures.items():
        column = measure.to_arrow()
        columns[prefix + stem] = column.cast(pa.float64(), safe=False) if METRICS[stem].is_mean else column
    return columns


def _number(measure: Measure) -> Number | None:
    value: Number | None = measure.to_arrow()[0].as_py()
    return value
