"""Builds a `View` for a report: layout, query, and the columns of all rows and of the shown rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, whole
from tfprof_report.ingest.checkpoint import KNOWN_TYPES, Checkpoint, read_tensor
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measure, Measures
from tfprof_report.options import Options
from tfprof_report.schema.metrics import METRICS, NODE_VIEWS, SUMMED_STEMS, VIEWS, Number
from tfprof_report.schema.tables import freeze, view_schema
from tfprof_report.semantics import Semantics
from tfprof_report.views.code import build_code_layout, code_paths
from tfprof_report.views.graph import build_graph_layout
from tfprof_report.views.layout import Layout
from tfprof_report.views.members import member_words
from tfprof_report.views.op_query import build_op_layout, query_ops
from tfprof_report.views.scope import build_scope_layout
from tfprof_report.views.selection import Selection
from tfprof_report.views.tree_query import query_tree
from tfprof_report.views.view import View

MAX_VARIABLES = 200
"""Most variables whose values are read; each is read completely, to verify its checksum."""


FIRST_VALUES = 8
"""Most values of a variable that a table shows."""


LONGEST_STRING = 20
"""Most characters of a string value that a table shows."""


_WITHOUT_VALUES = ("resource", "variant")


def first_values(names: pa.Array, checkpoint: Checkpoint) -> pa.Array:
    """Return the first values (in C order, as text) of each row that is a variable of the checkpoint, NULL for others.

    ``...`` replaces the rest. Only the first `MAX_VARIABLES` variables are read.

    Raises
    ------
    InputError
        A value cannot be read, or its checksum is wrong.
    """
    readable = [
        name
        for name, variable in checkpoint.variables.items()
        if variable.dtype in KNOWN_TYPES and variable.dtype not in _WITHOUT_VALUES
    ]
    is_saved = pc.is_in(names, value_set=pa.array(readable, pa.string()))
    texts: list[str | None] = [None] * len(names)
    for row in np.flatnonzero(is_saved.to_numpy(zero_copy_only=False))[:MAX_VARIABLES].tolist():
        values = read_tensor(checkpoint, names[row].as_py()).reshape(-1)
        words = [_word(value) for value in values[:FIRST_VALUES].tolist()]
        texts[row] = " ".join([*words, "..."] if len(values) > FIRST_VALUES else words)
    return pa.array(texts, pa.string())


def _word(value: object) -> str:
    if isinstance(value, bytes):
        text = value.decode(errors="backslashreplace")
        return repr(text if len(text) <= LONGEST_STRING else f"{text[:LONGEST_STRING]}...")
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def views_of(table: NodeTable) -> tuple[str, ...]:
    """Return the views of a report on these nodes: code view only if there are call stacks."""
    return tuple(name for name in VIEWS if name != "code" or len(table.traces.frame))


def build_layout(table: NodeTable, view: str, semantics: Semantics) -> Layout:
    """Return the structure of the view called `view`, one of `VIEWS`."""
    match view:
        case "scope":
            return build_scope_layout(table.column("name"))
        case "graph":
            return build_graph_layout(table, semantics)
        case "op":
            return build_op_layout(table)
        case "code":
            return build_code_layout(table, semantics)
    raise ValueError(view)


def select(
    table: NodeTable, layout: Layout, options: Options, semantics: Semantics, measures: Measures | None = None
) -> Selection:
    """Return the selection of a view's rows by `options`.

    `measures` are those of the nodes in the step of `options` (`values.node_measures`), if they are there already.
    """
    query = query_ops if layout.view == "op" else query_tree
    return query(table, layout, options, semantics, measures)


def build_view(
    table: NodeTable,
    name: str,
    options: Options,
    semantics: Semantics,
    *,
    layout: Layout | None = None,
    measures: Measures | None = None,
) -> View:
    """Return the view `name` of a node table, accounted and selected by `options`.

    `layout` and `measures` are those that `build_layout` and `select` need, if they are there already.
    """
    layout = layout or build_layout(table, name, semantics)
    words = {}
    if name == "code":  # first, since it refuses stacks that are too deep
        words["path"] = code_paths(table, layout, semantics)
    selection = select(table, layout, options, semantics, measures)
    if name in ("op", "code"):
        words |= member_words(table, layout, options, semantics)
    adds_up_shown = options.account_displayed_op_only and name in NODE_VIEWS
    view = _view(layout, selection, selected_stems(options), words, adds_up_shown=adds_up_shown)
    if "tensor_value" in options.select and table.checkpoint and name in NODE_VIEWS:
        names = whole(view.rows["name"].take(view.shown["row"]))
        values = first_values(names, table.checkpoint)
        view = replace(view, shown=view.shown.append_column("tensor_value", values))
    return view


def _view(
    layout: Layout, selection: Selection, stems: tuple[str, ...], words: dict[str, pa.Array], *, adds_up_shown: bool
) -> View:
    """Return the view of a selection; with `adds_up_shown` totals of shown rows are not those that all rows have."""
    forest = layout.forest
    position = np.full(len(forest), -1, dtype=np.int64)
    position[selection.rows] = np.arange(len(selection.rows))
    totals = {stem: selection.total_shown[stem] for stem in stems} if adds_up_shown else {}
    rows = pa.table(
        {
            "row": np.arange(len(forest)),
            "parent": _or_null(forest.parent),
            "depth": forest.depth,
            "subtree_size": forest.size,
            "name": layout.names,
            "leaf": layout.leaves,
            **words,
            "node": _or_null(layout.node) if layout.view in NODE_VIEWS else pa.nulls(len(layout), pa.int64()),
            "accounted": selection.accounted,
            "shown": position >= 0,
            "position": _or_null(position),
            **_all_figures(selection),
        }
    )
    rows = freeze(rows, view_schema(layout.view))
    root = selection.root
    return View(
        name=layout.view,
        rows=rows,
        shown=pa.table(
            {"row": selection.rows, "depth": selection.depth, **_figures(totals, "total_"), **_unknown(totals)}
        ),
        stems=stems,
        total={stem: _number(root[stem]) for stem in METRICS},
        unknown={stem: int(root[stem].unknown[0]) for stem in SUMMED_STEMS},
    )


_STEMS_OF = {
    "micros": ("micros", "accelerator_micros", "cpu_micros"),
    "float_ops": ("float_ops", "run_float_ops"),
    "occurrence": ("run_count", "definition_count"),
}


def selected_stems(options: Options) -> tuple[str, ...]:
    """Return the stems of the figures in `select`, in schema order; attributes that are not figures are ignored."""
    wanted = {stem for word in options.select for stem in _STEMS_OF.get(word, (word,))}
    return tuple(stem for stem in METRICS if stem in wanted)


def _or_null(index: Ints) -> pa.Array:
    return pa.array(index, mask=index < 0)


def _all_figures(selection: Selection) -> dict[str, pa.Array | Ints]:
    """Return the figures of all rows as columns. Each is forgotten by the selection, which saves half the memory.

    The root's sums of it are computed before, and kept. Columns of zeros share their memory.
    """
    columns: dict[str, pa.Array | Ints] = {}
    nothing = np.zeros(len(selection.accounted), dtype=np.int64)
    for stem in METRICS:
        own, total, _ = selection.self_all[stem], selection.total_all[stem], selection.root[stem]
        columns |= _figures({stem: own}, "self_") | _figures({stem: total}, "total_")
        columns |= {name: counts if counts.any() else nothing for name, counts in _unknown({stem: total}).items()}
        selection.self_all.forget(stem)
        selection.total_all.forget(stem)
    return columns


def _figures(figures: Mapping[str, Measure], prefix: str) -> dict[str, pa.Array]:
    """Return the figures as columns; run-time stems are always float64, so that all reports have the same schema."""
    columns = {}
    for stem, measure in figures.items():
        column = measure.to_arrow()
        columns[prefix + stem] = column.cast(pa.float64(), safe=False) if METRICS[stem].is_mean else column
    return columns


def _unknown(figures: Mapping[str, Measure]) -> dict[str, Ints]:
    return {f"unknown_{stem}": figures[stem].unknown for stem in figures if stem in SUMMED_STEMS}


def _number(measure: Measure) -> Number | None:
    value: Number | None = measure.to_arrow()[0].as_py()
    return value
