"""Forests as arrays in preorder, without recursion.

In preorder a subtree is a contiguous range of rows. So the total of a subtree is a difference of two prefix sums, sums
over ancestors take one prefix sum, and sorting all siblings takes one `numpy.lexsort`.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints, Numbers, prefix_sums, take_ranges, to_ints
from tfprof_report.record import record


@record
class Forest:
    """The structure of a forest of n rows in preorder: a parent is before its children, a subtree is contiguous.

    depth : 1 for a top row
    parent : row of the parent, -1 for a top row
    size : number of rows of the subtree, including the row itself
    """

    depth: Ints
    parent: Ints
    size: Ints

    def __len__(self) -> int:
        return len(self.depth)

    @classmethod
    def of_rows(cls, rows: pa.Table) -> Forest:
        """Return the forest of a view's rows (`View.rows`: depth, parent, subtree_size)."""
        depth, parent, size = (to_ints(rows[name].fill_null(-1)) for name in ("depth", "parent", "subtree_size"))
        return cls(depth=depth, parent=parent, size=size)

    @classmethod
    def from_depths(cls, depth: Ints) -> Forest:
        """Build a forest from the depths of its rows in preorder.

        The first row has depth 1 and no row is more than one level below the row before it.
        """
        parent = parents_of(depth)
        return cls(depth=depth, parent=parent, size=_sizes_of(parent))

    @classmethod
    def from_parents(cls, parent: Ints) -> Forest:
        """Build a forest from the parents of its rows in preorder, -1 for a top row."""
        return cls(depth=depths_of(parent), parent=parent, size=_sizes_of(parent))


def parents_of(depth: Ints) -> Ints:
    """Return for each row the last earlier row that is one level higher; -1 at the top."""
    count = len(depth)
    rows = np.arange(count, dtype=np.int64)
    # Sorted by (depth, row), the parent is the last key below (depth - 1, row).
    keys = np.sort(depth * count + rows)
    at = np.searchsorted(keys, (depth - 1) * count + rows) - 1
    return np.where(depth > 1, keys[at] % max(count, 1), -1)


def depths_of(parent: Ints) -> Ints:
    """Return the depth of each row from the parents (-1 at the top), by pointer doubling.

    Each pass doubles the distance to the ancestor that a row points to, so a chain of n rows takes log n passes.
    """
    depth = np.ones(len(parent), dtype=np.int64)
    above = parent.copy()
    while len(rows := np.flatnonzero(above >= 0)):
        depth[rows] += depth[above[rows]]
        above[rows] = above[above[rows]]
    return depth


def _sizes_of(parent: Ints) -> Ints:
    """Return the subtree sizes. A subtree ends with its last descendant, which pointer doubling finds."""
    rows = np.arange(len(parent), dtype=np.int64)
    last = rows.copy()
    below = np.flatnonzero(parent >= 0)
    last[parent[below]] = below  # of several assignments to a parent the last one wins: its last child
    while True:
        further = last[last]
        if np.array_equal(further, last):
            return last - rows + 1
        last = further


def sum_subtrees(forest: Forest, values: Numbers) -> Numbers:
    """Return for each row the sum of `values` over its subtree, in their dtype; int64 wraps around."""
    sums = prefix_sums(values)
    totals: Numbers = values.astype(sums.dtype)
    inner = np.flatnonzero(forest.size > 1)  # most rows are leaves
    totals[inner] = sums[inner + forest.size[inner]] - sums[inner]
    return totals


def sum_ancestors(forest: Forest, values: Ints) -> Ints:
    """Return for each row the sum of `values` over its proper ancestors.

    Each value is added where the row's descendants begin and subtracted where they end; a prefix sum does the rest.
    """
    rows = np.arange(len(forest))
    changes = np.zeros(len(forest) + 1, dtype=np.int64)
    np.add.at(changes, rows + 1, values)
    np.subtract.at(changes, rows + forest.size, values)
    return np.cumsum(changes)[:-1]


def keep_rows(forest: Forest, kept: Bools) -> tuple[Ints, Forest]:
    """Return the kept rows and their forest: the children of a dropped row take its place."""
    rows = np.flatnonzero(kept)
    if len(rows) == len(forest):
        return rows, forest
    depth = 1 + sum_ancestors(forest, kept.astype(np.int64))[rows]
    return rows, Forest.from_depths(depth)


def upper_levels(depth: Ints, limit: int) -> Ints:
    """Return the `limit` rows of least depth, in preorder; every row comes with its parent.

    The first `limit` rows of the preorder would be a single branch.
    """
    return np.sort(np.argsort(depth, kind="stable")[:limit])


def sort_siblings(forest: Forest, keys: list[Ints | Bools]) -> Ints:
    """Return the rows in the preorder that results from sorting all siblings.

    `keys` are as for `numpy.lexsort`: the last one is the primary key. Equal rows keep their order.
    """
    count = len(forest)
    order = np.lexsort((np.arange(count), *keys, forest.parent))
    sizes = forest.size[order]
    before = np.cumsum(sizes) - sizes
    parent = forest.parent[order]
    starts = np.ones(count, dtype=bool)
    starts[1:] = parent[1:] != parent[:-1]
    group = np.cumsum(starts) - 1
    offset = np.empty(count, dtype=np.int64)
    offset[order] = before - before[np.flatnonzero(starts)][group] if count else before
    # Before a row come its ancestors, and the subtrees of its own and its ancestors' earlier siblings.
    position = offset + sum_ancestors(forest, offset + 1)
    result = np.empty(count, dtype=np.int64)
    result[position] = np.arange(count)
    return result


def shared_with_previous(codes: Ints, offsets: Ints) -> Ints:
    """Return the length of the common prefix of each list with the one before it: rows that a trie has already."""
    lengths = np.diff(offsets)
    shared = np.zeros(len(lengths), dtype=np.int64)
    common = np.minimum(lengths[1:], lengths[:-1])
    if not len(common):
        return shared
    here, before = take_ranges(offsets[1:-1], common), take_ranges(offsets[:-2], common)
    differs = codes[here] != codes[before]
    starts = np.cumsum(common) - common
    place = np.arange(len(differs)) - np.repeat(starts, common)
    first_difference = np.minimum.reduceat(np.where(differs, place, np.iinfo(np.int64).max), starts)
    shared[1:] = np.minimum(first_difference, common)
    return shared
