"""One forest of both sides of a view: head's rows in head's order, and where they stood those that only base has."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_bools, to_ints
from tfprof_report.compare.causes.movers import is_one_of, moved_by
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.compare.matching.pairs import Pairs
from tfprof_report.schema.metrics import METRICS, Kind, Number
from tfprof_report.views.forest import Forest, depth_first

_LAST = np.iinfo(np.int64).max


def union_forest(base: pa.Table, head: pa.Table, pairs: Pairs, status: pa.Array) -> pa.Table:
    """Return the rows of a view on either side as one forest.

    A row that both sides have stands where head has it. A removed row stands below its base parent, behind the last of
    its earlier siblings that is there too; without one it comes last.

    Parameters
    ----------
    base, head : rows of the view (`View.rows`)
    pairs : the rows that belong together
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

    # Siblings stand by the head row of the sibling that they follow (their own, where head has them), then as in base.
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
    """Return for each base row the head row of its last earlier sibling that head has below the same parent."""
    count = len(base_parent)
    order = np.argsort(base_parent, kind="stable")
    stays = (head_rows >= 0) & (parent == base_parent)
    place = np.where(stays[order], np.arange(count), -1)
    last = np.maximum.accumulate(place) if count else place
    starts = np.searchsorted(base_parent[order], base_parent[order])
    found = np.full(count, _LAST)
    has_one = last >= starts
    found[order[has_one]] = head_rows[order[last[has_one]]]
    return found


_INT64 = 2**63


def split_by_count(rows: pa.Table) -> pa.Table:
    """Return the differences of op view with ``more_X`` and ``bigger_X`` for each figure X but the count itself.

    With n nodes of a type in base and m in head, ``more_X`` is what m - n nodes more would take if each took as much
    as those of base on average, in whole units; ``bigger_X`` is the rest. So the two add up to what the row moved its
    figure by: `movers.moved_by`, in a new or removed row all of it ``more_X``. NULL where that is unknown.
    """
    stems = [stem for stem, metric in METRICS.items() if metric.kind is not Kind.COUNT]
    for stem in stems:
        if f"delta_{stem}" in rows.column_names:
            more, bigger = _split(rows, stem)
            rows = rows.append_column(f"more_{stem}", more).append_column(f"bigger_{stem}", bigger)
    return rows


def _split(rows: pa.Table, stem: str) -> tuple[pa.Array, pa.Array]:
    moved = moved_by(rows, stem).combine_chunks()
    counts = (rows[f"{side}_definition_count"].combine_chunks() for side in ("base", "head"))
    old, new = counts
    is_alone = is_one_of(rows["status"], RowStatus.NEW, RowStatus.REMOVED)
    nothing = pa.scalar(0, moved.type)
    more = pc.if_else(is_alone, moved, pc.if_else(pc.equal(old, new), nothing, pa.scalar(None, moved.type)))
    bigger = pc.if_else(is_alone, nothing, moved)
    # op types with another count are few: their parts are computed one by one, as exact fractions
    is_open = pc.and_(pc.invert(is_alone), pc.and_(pc.not_equal(old, new), pc.greater(old, 0)))
    places = np.flatnonzero(to_bools(pc.and_(is_open, moved.is_valid())))
    taken = pa.array(places)
    figures = (values.take(taken).to_pylist() for values in (old, new, rows[f"base_{stem}"].combine_chunks(), moved))
    parts = [_parts(*each) for each in zip(*figures, strict=True)]
    mask = pa.array(np.isin(np.arange(len(moved)), places))
    more = pc.replace_with_mask(more, mask, pa.array([part for part, _ in parts], moved.type))
    bigger = pc.replace_with_mask(bigger, mask, pa.array([rest for _, rest in parts], moved.type))
    is_known = pc.and_(moved.is_valid(), more.is_valid())
    unknown = pa.scalar(None, moved.type)
    return pc.if_else(is_known, more, unknown), pc.if_else(is_known, bigger, unknown)


def _parts(old: int, new: int, base: Number, moved: Number) -> tuple[Number | None, Number | None]:
    """Return what `new` - `old` more nodes of base's average would take, and the rest; None beyond 64 bits."""
    if isinstance(base, float) or isinstance(moved, float):
        more = (new - old) * base / old
        return more, moved - more
    whole = round(Fraction((new - old) * base, old))
    fits = max(abs(whole), abs(moved - whole)) < _INT64
    return (whole, moved - whole) if fits else (None, None)
