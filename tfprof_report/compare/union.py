"""Merges the rows of both sides of a view into one forest: head's order, with removed rows at their old places."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_ints
from tfprof_report.compare.matching.pairs import Pairs
from tfprof_report.graph_search import depth_first
from tfprof_report.views.forest import Forest

_LAST = np.iinfo(np.int64).max


def union_forest(base: pa.Table, head: pa.Table, pairs: Pairs, status: pa.Array) -> pa.Table:
    """Return the rows of both sides of a view as one forest.

    Rows that head has keep head's position. A removed row stays a child of its base parent, after the last of its
    earlier siblings that is still there; without one it comes last.

    Parameters
    ----------
    base, head : rows of the view (`View.rows`)
    pairs : the matched rows
    status : `RowStatus` of each pair

    Returns
    -------
    Table, one row per pair, in preorder
        row, parent (NULL at the top), depth (1 at the top), subtree_size, name (that of `pairs`: in code view the
        path), leaf, status, base_row and head_row (rows of `base` and `head`, NULL where that side lacks it).
    """
    base_rows, head_rows = (to_ints(rows.fill_null(-1)) for rows in (pairs.base_rows, pairs.head_rows))
    count, base_count = len(base_rows), base.num_rows
    pair_of_head = np.empty(head.num_rows, dtype=np.int64)
    pair_of_head[head_rows[head_rows >= 0]] = np.flatnonzero(head_rows >= 0)
    # Pairs begin with the rows of base, so a base row is its own pair.
    base_parent, in_head = to_ints(base["parent"].fill_null(-1)), to_ints(head["parent"].fill_null(-1))
    parent = np.full(count, -1, dtype=np.int64)
    parent[:base_count] = base_parent
    above = in_head[head_rows[head_rows >= 0]]
    parent[head_rows >= 0] = np.where(above >= 0, pair_of_head[above], -1)

    # Sort siblings by the head row of the sibling that they follow (their own, if head has them), then in base order.
    anchor = np.where(head_rows >= 0, head_rows, _LAST)
    removed = np.flatnonzero(head_rows < 0)
    anchor[removed] = _anchors(base_parent, parent[:base_count], head_rows[:base_count])[removed]
    behind = np.where(head_rows >= 0, -1, np.arange(count))
    order = np.lexsort((behind, anchor, parent))
    owner = np.where(parent >= 0, parent, count)
    visited, owner = depth_first(owner[order], order, root=count, count=count + 1)
    row = np.full(count + 1, -1, dtype=np.int64)
    row[visited] = np.arange(count)
    forest = Forest.from_parents(row[owner])
    taken = pa.array(visited)
    leaves = pc.coalesce(head["leaf"].take(pairs.head_rows), base["leaf"].take(pairs.base_rows))
    return pa.table(
        {
            "row": np.arange(count),
            "parent": pa.array(forest.parent, mask=forest.parent < 0),
            "depth": forest.depth,
            "subtree_size": forest.size,
            "name": pairs.names.take(taken),
            "leaf": leaves.take(taken),
            "status": status.take(taken),
            "base_row": pairs.base_rows.take(taken),
            "head_row": pairs.head_rows.take(taken),
        }
    )


def _anchors(base_parent: Ints, parent: Ints, head_rows: Ints) -> Ints:
    """Return for each base row the head row of its last earlier sibling that is still below the same parent."""
    count = len(base_parent)
    order = np.argsort(base_parent, kind="stable")
    stays = (head_rows >= 0) & (parent == base_parent)
    # Siblings are adjacent in `order`; a running maximum of places finds the last one that stays. One from before
    # `starts` belongs to another parent.
    place = np.where(stays[order], np.arange(count), -1)
    last = np.maximum.accumulate(place) if count else place
    starts = np.searchsorted(base_parent[order], base_parent[order])
    found = np.full(count, _LAST)
    has_one = last >= starts
    found[order[has_one]] = head_rows[order[last[has_one]]]
    return found


def states_of_union(diff: pa.Table, union: pa.Table) -> pa.Table:
    """Return the columns ``state_X`` of the differences of a view, in the order of its merged forest.

    The differences begin with the rows of base, in their order; then come those that only head has, in head's order.
    """
    base_row, head_row = (to_ints(union[f"{side}_row"].fill_null(-1)) for side in ("base", "head"))
    place = base_row.copy()
    new = np.flatnonzero(base_row < 0)
    place[new[np.argsort(head_row[new])]] = len(base_row) - len(new) + np.arange(len(new))
    return diff.select([column for column in diff.column_names if column.startswith("state_")]).take(pa.array(place))
