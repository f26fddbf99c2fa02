"""Where a figure is in a model, or where it changed: the largest scopes, each within the one that holds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, marks, to_bools, to_ints
from tfprof_report.compare.causes.carriers import VIEW
from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.compare.exact_figures import Exact, as_exact, known_figures, sum_figures
from tfprof_report.compare.side import Side
from tfprof_report.schema.metrics import Number
from tfprof_report.views.forest import Forest, keep_rows, sort_siblings, sum_subtrees

LEVELS = 6
MOST_SCOPES = 250
LEAST_SHARE = 0.003
"""Part of the whole; smaller scopes are left out."""

_SIZED_BY = ("float_ops", "params", "micros", "bytes")
_CHANGED_IN = ("float_ops", "params", "bytes")
_SCALE = 2**40  # sizes are compared as integers, which no rounding tells from their sum


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSize:
    """A scope or node with its place in the whole, whose size is 1. What is in a scope lies within its place.

    level : 1 at the top
    more, less : what the figure grew and shrank by in the scope; without a base, all it has and 0
    """

    name: str
    leaf: str
    level: int
    start: float
    size: float
    more: Number
    less: Number
    status: RowStatus | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeSizes:
    """The largest scopes by one figure, in preorder with the largest siblings first.

    count : scopes and nodes that have the figure, or whose figure changed
    more, less : what the figure grew and shrank by in the whole model; without a base, all of it and 0
    """

    stem: str
    is_change: bool
    rows: tuple[ScopeSize, ...]
    count: int
    more: Number
    less: Number


def find_sizes(head: Side) -> ScopeSizes | None:
    """Return where the FLOPs of a model are, else its parameters, time or memory; None if it has none of them."""
    if VIEW not in head.views:
        return None
    rows = head.views[VIEW].rows
    for stem in _SIZED_BY:
        own = np.maximum(_own(rows, stem)[0], 0)
        if own.any():
            return _sizes(rows, stem, own, np.zeros(len(own), dtype=np.int64), totals=rows[f"total_{stem}"])
    return None


def find_changed_sizes(comparison: Comparison) -> ScopeSizes | None:
    """Return where FLOPs changed, else parameters or requested memory; None if none of them did, as far as is known.

    A row of one side alone changed by all it has; one whose figure became known or unknown has no size of change.
    """
    if VIEW not in comparison.forests:
        return None
    rows = comparison.forests[VIEW]
    base, head = (side.views[VIEW].rows for side in (comparison.base, comparison.head))
    for stem in _CHANGED_IN:
        (old, was_known), (new, is_known) = _own(base, stem, rows["base_row"]), _own(head, stem, rows["head_row"])
        delta = np.where(was_known & is_known, new - old, 0)
        if delta.any():
            return _sizes(rows, stem, np.maximum(delta, 0), np.maximum(-delta, 0))
    return None


def _sizes(rows: pa.Table, stem: str, more: Exact, less: Exact, *, totals: pa.ChunkedArray | None = None) -> ScopeSizes:
    """Return the largest rows by what they have of `more` and `less`; without a base, `totals` say what they have."""
    forest = Forest.of_rows(rows)
    ups, downs = (sum_subtrees(forest, as_exact(part)) for part in (more, less))
    all_more, all_less = sum_figures(more), sum_figures(less)
    index, starts = _place(forest, ups + downs)
    taken = rows.take(pa.array(index))
    status = [None] * len(index) if totals is not None else map(RowStatus, taken["status"].to_pylist())
    columns = (
        taken["name"].to_pylist(),
        taken["leaf"].to_pylist(),
        taken["depth"].to_pylist(),
        starts,
        ((ups + downs)[index] / float(all_more + all_less)).tolist(),
        ups[index].tolist() if totals is None else totals.take(pa.array(index)).to_pylist(),
        downs[index].tolist(),
        status,
    )
    return ScopeSizes(
        stem=stem,
        is_change=totals is None,
        rows=tuple(
            ScopeSize(name=name, leaf=leaf, level=level, start=start, size=size, more=up, less=down, status=word)
            for name, leaf, level, start, size, up, down, word in zip(*columns, strict=True)
        ),
        count=int(np.count_nonzero(sum_subtrees(forest, ((more != 0) | (less != 0)).astype(np.int64)))),
        more=all_more,
        less=all_less,
    )


def _own(rows: pa.Table, stem: str, places: pa.ChunkedArray | None = None) -> tuple[Exact, Bools]:
    """Return the figure of each row itself and whether it is known; of rows that are not accounted 0.

    With `places` they are those of the rows at these places, 0 where that is NULL.
    """
    column = f"self_{stem}"
    if column in rows.column_names:
        accounted = to_bools(rows["accounted"])
        own = np.where(accounted, known_figures(rows[column]), 0)
        known = to_bools(pc.is_finite(rows[column])) | ~accounted
    else:
        own, known = np.zeros(rows.num_rows, dtype=np.int64), np.ones(rows.num_rows, dtype=bool)
    if places is None:
        return own, known
    row = to_ints(places.fill_null(-1))
    return np.append(own, 0)[row], np.append(known, True)[row]


def _place(forest: Forest, weight: Exact) -> tuple[Ints, list[float]]:
    """Return the rows to show, in preorder with the heaviest siblings first, and where each begins in parts of all."""
    shares: Floats = weight.astype(np.float64) / float(weight[forest.depth == 1].sum())
    size = np.round(shares * _SCALE).astype(np.int64)
    # A row is at least as heavy as one below it and comes first among equals, so no row is there without its parent.
    heaviest = np.lexsort((forest.depth, -size))
    is_large = (size[heaviest] >= LEAST_SHARE * _SCALE) & (forest.depth[heaviest] <= LEVELS)
    rows, kept = keep_rows(forest, marks(heaviest[is_large][:MOST_SCOPES], len(forest)))
    order = sort_siblings(kept, [-size[rows]])
    starts: list[float] = []
    free = [0.0] * (LEVELS + 2)  # where the next row of each level begins
    for level, width in zip(kept.depth[order].tolist(), (size[rows[order]] / _SCALE).tolist(), strict=True):
        starts.append(free[level])
        free[level + 1] = free[level]
        free[level] += width
    return rows[order], starts
