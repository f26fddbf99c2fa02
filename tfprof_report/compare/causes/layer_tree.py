"""The layers of one side as a tree by their names, like the rows of a view, for a picture of what takes a figure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, whole
from tfprof_report.compare.exact_figures import Exact, as_exact, known_figures
from tfprof_report.errors import ViewLimitError
from tfprof_report.schema.metrics import Number
from tfprof_report.views.forest import Forest, keep_rows, sort_siblings, sum_subtrees
from tfprof_report.views.scope import build_scope_layout

MOST_LAYERS = 2000
"""Most layers of a tree, those with the most of the figure; the others are one row."""

_OTHERS = "smaller layers"


def layer_tree(layers: pa.Table, stem: str, others: Mapping[str, Number], scopes: pa.Array) -> pa.Table | None:
    """Return the layers with a figure as a tree, with the columns of `View.rows` that a picture needs.

    ``shown`` is whether `scopes` has the row.
    A scope that is no layer is a row if it has several layers below it. Siblings have the largest total first. Negative
    and unknown figures count as 0. None if no layer has any, or if names have too many parts.

    Parameters
    ----------
    others : figures of what is in no named layer, by what it is called
    scopes : names of rows of the scope view
    """
    named = layers.filter(pc.and_(pc.is_valid(layers["layer"]), pc.greater(pc.fill_null(layers[stem], 0), 0)))
    named = named.sort_by([(stem, "descending")])
    chosen, rest = named.slice(0, MOST_LAYERS), named.slice(MOST_LAYERS)
    beside = {**others, _OTHERS: pc.sum(rest[stem]).as_py()} if rest.num_rows else others
    beside = {word: figure for word, figure in beside.items() if figure > 0}
    if not chosen.num_rows:
        return None
    try:
        layout = build_scope_layout(whole(chosen["layer"]))
    except ViewLimitError:
        return None
    own = np.zeros(len(layout), dtype=chosen[stem].to_numpy().dtype)
    own[layout.row_of_node] = known_figures(chosen[stem])
    rows, forest = keep_rows(layout.forest, _told(layout.forest, layout.row_of_node))
    names = layout.names.take(pa.array(rows))
    return _table(
        names=pa.concat_arrays([names, pa.array(list(beside), pa.string())]),
        leaves=pa.concat_arrays([_leaves(names, forest), pa.array(list(beside), pa.string())]),
        forest=Forest.from_depths(np.append(forest.depth, np.ones(len(beside), dtype=np.int64))),
        own=np.append(own[rows], np.array(list(beside.values()), dtype=own.dtype)),
        stem=stem,
        scopes=scopes,
    )


def _told(forest: Forest, layers: Ints) -> Bools:
    """Return which rows tell something: layers, and scopes of several rows."""
    children = np.bincount(forest.parent[forest.parent >= 0], minlength=len(forest))
    return marks(layers, len(forest)) | (children > 1)


def _leaves(names: pa.Array, forest: Forest) -> pa.Array:
    """Return what each name adds to that of its parent."""
    texts = names.to_pylist()
    return pa.array(
        [
            name if above < 0 else name[len(texts[above]) + 1 :]
            for name, above in zip(texts, forest.parent.tolist(), strict=True)
        ],
        pa.string(),
    )


def _table(*, names: pa.Array, leaves: pa.Array, forest: Forest, own: Exact, stem: str, scopes: pa.Array) -> pa.Table:
    totals = sum_subtrees(forest, own if own.dtype.kind == "f" else as_exact(own))
    order = sort_siblings(forest, [-_ranks(totals)])
    forest = Forest.from_depths(forest.depth[order])
    taken = pa.array(order)
    return pa.table(
        {
            "name": names.take(taken),
            "leaf": leaves.take(taken),
            "depth": forest.depth,
            "parent": pa.array(forest.parent, mask=forest.parent < 0),
            "subtree_size": forest.size,
            "node": pa.nulls(len(order), pa.int64()),
            "accounted": pa.array(np.ones(len(order), dtype=bool)),
            "shown": pc.is_in(names.take(taken), value_set=scopes),
            f"self_{stem}": pa.array(own[order]),
            f"total_{stem}": pa.array(_storable(totals)[order]),
        }
    )


def _ranks(totals: Exact) -> Ints:
    """Return the places of totals in ascending order, the same for equal ones."""
    return np.unique(totals.astype(np.float64), return_inverse=True)[1].astype(np.int64)


def _storable(totals: Exact) -> Exact:
    """Return totals as numbers that a column holds: beyond int64 as floats."""
    return totals.astype(np.float64) if totals.dtype == object else totals
