"""Forests in preorder: a total is a difference of two prefix sums, an order one sort of siblings. No recursion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array
from scipy.sparse.csgraph import depth_first_order

from tfprof_report.arrays import Bools, Ints, Numbers, prefix_sums, take_ranges, to_ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """The shape of a forest of n rows in preorder: a parent stands before its children, a subtree is contiguous.

    depth : 1 for a top row
    parent : row of the parent, -1 for a top row
    size : rows of the subtree, the row itself included
    """

    depth: Ints
    parent: Ints
    size: Ints

    def __len__(self) -> int:
        return len(self.depth)

    @classmethod
    def of_rows(cls, rows: pa.Table) -> Forest:
        """Return the forest that rows of a view are (`View.rows`: depth, parent, subtree_size)."""
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
    keys = np.sort(depth * count + rows)
    at = np.searchsorted(keys, (depth - 1) * count + rows) - 1
    return np.where(depth > 1, keys[at] % max(count, 1), -1)


def depths_of(parent: Ints) -> Ints:
    """Return the depths that belong to the parents of rows in preorder (-1 at the top), by pointer doubling."""
    depth = np.ones(len(parent), dtype=np.int64)
    above = parent.copy()
    while len(rows := np.flatnonzero(above >= 0)):
        depth[rows] += depth[above[rows]]
        above[rows] = above[above[rows]]
    return depth


def _sizes_of(parent: Ints) -> Ints:
    """Return the subtree sizes: a subtree ends with its last descendant, found by pointer doubling."""
    rows = np.arange(len(parent), dtype=np.int64)
    last = rows.copy()
    below = np.flatnonzero(parent >= 0)
    last[parent[below]] = below  # rows ascend, so the last child stays
    while True:
        further = last[last]
        if np.array_equal(further, last):
            return last - rows + 1
        last = further


def sum_subtrees(forest: Forest, values: Numbers) -> Numbers:
    """Return for each row the sum of `values` over its subtree, in their type of number; int64 wraps."""
    sums = prefix_sums(values)
    rows = np.arange(len(values))
    totals: Numbers = sums[rows + forest.size] - sums[rows]
    return totals


def sum_ancestors(forest: Forest, values: Ints) -> Ints:
    """Return for each row the sum of `values` over its proper ancestors."""
    rows = np.arange(len(forest))
    changes = np.zeros(len(forest) + 1, dtype=np.int64)
    np.add.at(changes, rows + 1, values)
    np.subtract.at(changes, rows + forest.size, values)
    return np.cumsum(changes)[:-1]


def keep_rows(forest: Forest, kept: Bools) -> tuple[Ints, Forest]:
    """Return the kept rows and the forest that they make: children of a row left out move up, in place."""
    rows = np.flatnonzero(kept)
    depth = 1 + sum_ancestors(forest, kept.astype(np.int64))[rows]
    return rows, Forest.from_depths(depth)


def upper_levels(depth: Ints, limit: int) -> Ints:
    """Return `limit` rows of a preorder in order, those of least depth: no row is there without its parent.

    The first `limit` rows of a preorder would show one branch.
    """
    return np.sort(np.argsort(depth, kind="stable")[:limit])


def sort_siblings(forest: Forest, keys: list[Ints | Bools]) -> Ints:
    """Return the rows in the preorder that results from sorting all siblings.

    `keys` as for `numpy.lexsort` without the original order: the last one decides first. Equal rows keep their order.
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
    # A row stands behind its ancestors and behind their and its own earlier siblings' subtrees.
    position = offset + sum_ancestors(forest, offset + 1)
    result = np.empty(count, dtype=np.int64)
    result[position] = np.arange(count)
    return result


def depth_first(parent: Ints, child: Ints, *, root: int, count: int) -> tuple[Ints, Ints]:
    """Return the nodes that `root` leads to, without it, in preorder, and the parent of each.

    Edges are grouped into a chain of helpers, each leading to one child, then to the next helper: the search looks at
    every neighbour of a node again when it comes back to it, which would be quadratic for a node with many.
    """
    order = np.argsort(parent, kind="stable")
    parent, child = parent[order], child[order]
    edges = len(parent)
    helper = count + np.arange(edges)
    starts = np.flatnonzero(np.append(True, parent[1:] != parent[:-1])) if edges else np.zeros(0, np.int64)
    continues = np.append(parent[1:] == parent[:-1], False) if edges else np.zeros(0, bool)
    # Rows of the matrix: a node leads to its first helper; a helper to its child, then to the next helper.
    rows = np.concatenate([parent[starts], helper, helper[continues]])
    columns = np.concatenate([helper[starts], child, helper[continues] + 1])
    order = np.argsort(rows, kind="stable")
    indptr = np.zeros(count + edges + 1, dtype=np.int32)
    np.cumsum(np.bincount(rows, minlength=count + edges), out=indptr[1:])
    matrix = csr_array(
        (np.ones(len(rows), dtype=np.float64), columns[order].astype(np.int32), indptr),
        shape=(count + edges, count + edges),
    )
    visited, before = depth_first_order(matrix, root, directed=True, return_predecessors=True)
    nodes: Ints = visited[1:][visited[1:] < count].astype(np.int64)
    return nodes, parent[before[nodes].astype(np.int64) - count]


def shared_with_previous(codes: Ints, offsets: Ints) -> Ints:
    """Return how many leading codes each list shares with the one before it, which a trie need not add."""
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
