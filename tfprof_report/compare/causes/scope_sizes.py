"""Lays out the largest scopes by a figure, or by its change, as nested intervals for a picture."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, marks, to_bools, to_ints
from tfprof_report.compare.causes.carriers import VIEW
from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.compare.exact_figures import Exact, as_exact, known_figures, sum_figures
from tfprof_report.compare.side import Side
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number
from tfprof_report.views.forest import Forest, keep_rows, sort_siblings, sum_subtrees

LEVELS = 6
MOST_SCOPES = 250
LEAST_SHARE = 0.003
"""Minimum share of the total; smaller scopes are left out."""

_SIZED_BY = ("float_ops", "params", "micros", "bytes")
_CHANGED_IN = ("float_ops", "params", "bytes")
_SCALE = 2**40  # sizes are compared as integers, so that rounding does not make a scope differ from its only child


@record
class ScopeSize:
    """A scope or node as an interval (`start`, `size`) of the whole, which has size 1; children lie within their scope.

    level : 1 at the top
    more, less : the increases and decreases of the figure in the scope; without a base, its total and 0
    """

    name: str
    leaf: str
    level: int
    start: float
    size: float
    more: Number
    less: Number
    status: RowStatus | None


@record
class ScopeSizes:
    """The largest scopes by one figure, in preorder with the largest siblings first.

    count : the number of scopes and nodes with the figure, or with a change of it
    more, less : the increases and decreases of the figure in the whole model; without a base, its total and 0
    """

    stem: str
    is_change: bool
    rows: tuple[ScopeSize, ...]
    count: int
    more: Number
    less: Number


def find_sizes(head: Side) -> ScopeSizes | None:
    """Return the largest scopes by FLOPs, or else by parameters, time or memory; None if the model has none."""
    if VIEW not in head.views:
        return None
    rows = head.views[VIEW].rows
    return next((found for stem in _SIZED_BY if (found := sizes_of(rows, stem)) is not None), None)


def sizes_of(rows: pa.Table, stem: str, most: int = MOST_SCOPES) -> ScopeSizes | None:
    """Return the at most `most` largest rows of a view by a figure; None if none has any."""
    own = np.maximum(_own(rows, stem)[0], 0)
    if not own.any():
        return None
    nothing = np.zeros(len(own), dtype=np.int64)
    return _sizes(rows, stem, own, nothing, totals=rows[f"total_{stem}"], most=most)


def find_changed_sizes(comparison: Comparison) -> ScopeSizes | None:
    """Return the scopes with the largest changes of FLOPs, or else of parameters or requested memory.

    None if no known figure changed. A new or removed row changed by its whole figure; a row whose figure became known
    or unknown has no size of change.
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


def _sizes(
    rows: pa.Table,
    stem: str,
    more: Exact,
    less: Exact,
    *,
    totals: pa.ChunkedArray | None = None,
    most: int = MOST_SCOPES,
) -> ScopeSizes:
    """Return the largest rows by the sum of `more` and `less`; without a base, `totals` are the figures shown."""
    forest = Forest.of_rows(rows)
    ups, downs = (sum_subtrees(forest, as_exact(part)) for part in (more, less))
    all_more, all_less = sum_figures(more), sum_figures(less)
    index, starts = _place(forest, ups + downs, most)
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
    """Return the self figure of each row and whether it is known; 0 for rows that are not accounted.

    With `places` the rows are taken from there, with a known 0 where a place is NULL.
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


def _place(forest: Forest, weight: Exact, most: int) -> tuple[Ints, list[float]]:
    """Return the rows to show, in preorder with the heaviest siblings first, and the start of each interval."""
    shares: Floats = weight.astype(np.float64) / float(weight[forest.depth == 1].sum())
    size = np.round(shares * _SCALE).astype(np.int64)
    # A row is at least as heavy as its descendants and sorts before equal ones, so no row is chosen without its parent.
    heaviest = np.lexsort((forest.depth, -size))
    is_large = (size[heaviest] >= LEAST_SHARE * _SCALE) & (forest.depth[heaviest] <= LEVELS)
    rows, kept = keep_rows(forest, marks(heaviest[is_large][:most], len(forest)))
    order = sort_siblings(kept, [-size[rows]])
    starts: list[float] = []
    free = [0.0] * (LEVELS + 2)  # where the next interval of each level starts
    for level, width in zip(kept.depth[order].tolist(), (size[rows[order]] / _SCALE).tolist(), strict=True):
        starts.append(free[level])
        free[level + 1] = free[level]
        free[level] += width
    return rows[order], starts
