"""Searches of graphs given as edge lists: what is reachable, what is connected, the order of a depth-first search.

scipy does them, apart from searches over few edges: these take Python less time than importing scipy takes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from tfprof_report.arrays import Bools, Ints, distinct, marks, prefix_sums, take_ranges

FEW = 2_000
"""Most edges that are searched in Python: about a millisecond."""

FEW_IN_ORDER = 400_000
"""The same for depth-first order, at 0.4 microseconds an edge, while importing scipy takes 0.27 seconds."""

_WIDE = 256
"""From so many nodes on, numpy sorts a level faster than Python."""


def reachable(start: Bools, source: Ints, target: Ints) -> Bools:
    """Return which nodes are reachable from those of `start`, a mask over nodes, along edges, including these."""
    found = start.copy()
    begins = start[source]
    if not begins.any():
        return found
    if len(source) <= FEW:
        after = _lists(source, target)
        todo = list(set(source[begins].tolist()))
        seen = set(todo)
        while todo:
            new = set(after[todo.pop()]) - seen
            seen |= new
            todo += new
        found[list(seen)] = True
        return found
    from scipy.sparse.csgraph import breadth_first_order  # noqa: PLC0415 (slow, and few edges do without)

    # One search from an extra node with an edge to every node of `start` that an edge begins at.
    count, first = len(start), np.flatnonzero(marks(source[begins], len(start)))
    rows, columns = np.append(source, np.full(len(first), count)), np.append(target, first)
    reached = breadth_first_order(_matrix(rows, columns, count + 1), count, return_predecessors=False)
    found[reached[1:]] = True
    return found


def components(source: Ints, target: Ints, count: int) -> tuple[int, Ints]:
    """Return how many parts edges, in either direction, connect `count` nodes to, and the part of each node.

    Parts are numbered in the order of their first nodes.
    """
    if len(source) > FEW:
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 (slow, and few edges do without)

        parts, part = connected_components(_matrix(source, target, count), directed=False)
        return int(parts), part.astype(np.int64)
    first = np.arange(count)
    above: dict[int, int] = {}
    for one, other in zip(source.tolist(), target.tolist(), strict=True):
        low, high = sorted((_top(above, one), _top(above, other)))
        above[high] = low
    nodes = list(above)
    first[nodes] = [_top(above, node) for node in nodes]
    is_first = first == np.arange(count)
    return int(is_first.sum()), (np.cumsum(is_first) - 1)[first]


def cycles(source: Ints, target: Ints, count: int) -> Ints:
    """Return a number for each of `count` nodes: two have the same exactly if a cycle of edges leads through both."""
    if len(source) <= FEW and _is_acyclic(source, target):
        return np.arange(count)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 (slow, and few edges do without)

    _, cycle = connected_components(_matrix(source, target, count), directed=True, connection="strong")
    numbers: Ints = cycle.astype(np.int64)
    return numbers


def topological(source: Ints, target: Ints, count: int) -> Ints:
    """Return the place of each of `count` nodes in an order in which edges lead forward, -1 for nodes behind a cycle.

    By levels (Kahn's algorithm): first the nodes that nothing leads to, then those that only these lead to, and so on,
    which is how an executor starts nodes as they become ready. From the first narrow level on the sort is over lists,
    since numpy is slow at a few nodes.
    """
    order = np.argsort(source, kind="stable")
    following = target[order]
    starts = prefix_sums(np.bincount(source, minlength=count))
    waits = np.bincount(target, minlength=count)
    place = np.full(count, -1, dtype=np.int64)
    level, done = np.flatnonzero(waits == 0), 0
    while len(level) >= _WIDE:
        place[level] = np.arange(done, done + len(level))
        done += len(level)
        reached = following[take_ranges(starts[level], starts[level + 1] - starts[level])]
        waits -= np.bincount(reached, minlength=count)
        ready = distinct(reached)
        level = ready[waits[ready] == 0]
    waiting, after, start = waits.tolist(), following.tolist(), starts.tolist()
    queue = level.tolist()
    for node in queue:  # grows
        for each in after[start[node] : start[node + 1]]:
            waiting[each] -= 1
            if not waiting[each]:
                queue.append(each)
    place[queue] = np.arange(done, done + len(queue))
    return place


def depth_first(parent: Ints, child: Ints, *, root: int, count: int) -> tuple[Ints, Ints]:
    """Return the nodes reachable from `root`, without it, in depth-first preorder, and the parent of each.

    `parent` and `child` are an edge list over `count` nodes; the edges of a node are followed in the order given.
    """
    return (_few_depth_first if len(parent) <= FEW_IN_ORDER else _many_depth_first)(parent, child, root, count)


def _few_depth_first(parent: Ints, child: Ints, root: int, count: int) -> tuple[Ints, Ints]:
    """Search in Python, which walks each edge once."""
    order = np.argsort(parent, kind="stable")
    below = child[order].tolist()
    starts = np.searchsorted(parent[order], np.arange(count + 1)).tolist()
    following = starts[:-1]  # of each node the next edge to follow
    seen = bytearray(count)
    seen[root] = True
    nodes: list[int] = []
    parents: list[int] = []
    path = [root]
    while path:
        node = path[-1]
        edge, end = following[node], starts[node + 1]
        while edge < end and seen[below[edge]]:
            edge += 1
        following[node] = edge
        if edge == end:
            path.pop()
            continue
        new = below[edge]
        seen[new] = True
        nodes.append(new)
        parents.append(node)
        path.append(new)
    return np.array(nodes, dtype=np.int64), np.array(parents, dtype=np.int64)


def _many_depth_first(parent: Ints, child: Ints, root: int, count: int) -> tuple[Ints, Ints]:
    """Search with scipy.

    Each edge becomes a helper node that leads to its child and to the helper of the next edge, since scipy's search
    scans all neighbours of a node each time it returns to it: quadratic for a node with many children, constant with
    two neighbours per helper.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow, and few edges do without)
    from scipy.sparse.csgraph import depth_first_order  # noqa: PLC0415

    order = np.argsort(parent, kind="stable")
    parent, child = parent[order], child[order]
    edges = len(parent)
    helper = count + np.arange(edges)
    starts = np.flatnonzero(np.append(True, parent[1:] != parent[:-1]))
    continues = np.append(parent[1:] == parent[:-1], False)
    # Edges of the matrix: from a node to its first helper; from a helper first to its child, then to the next helper.
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


def _lists(source: Ints, target: Ints) -> defaultdict[int, list[int]]:
    """Return the nodes that edges lead to from each node, in the order of the edges."""
    after: defaultdict[int, list[int]] = defaultdict(list)
    for one, other in zip(source.tolist(), target.tolist(), strict=True):
        after[one].append(other)
    return after


def _top(above: dict[int, int], node: int) -> int:
    """Return the node at the top of a chain of nodes that are above one another, and shorten the chain."""
    while (next_one := above.setdefault(node, node)) != node:
        above[node] = node = above[next_one]
    return node


def _is_acyclic(source: Ints, target: Ints) -> bool:
    """Return whether no cycle leads through several nodes: all can be removed, each once none leads to it."""
    several = source != target
    after = _lists(source[several], target[several])
    waits: defaultdict[int, int] = defaultdict(int)
    for each in target[several].tolist():
        waits[each] += 1
    todo = [node for node in after if node not in waits]
    while todo:
        for each in after.pop(todo.pop(), ()):
            waits[each] -= 1
            if not waits[each]:
                todo.append(each)
    return not after


def _matrix(source: Ints, target: Ints, count: int) -> Any:
    """Return edges as a sparse matrix."""
    from scipy.sparse import csr_array  # noqa: PLC0415 (slow, and few edges do without)

    return csr_array((np.ones(len(source)), (source, target)), shape=(count, count))
