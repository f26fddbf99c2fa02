"""Matches nodes by structure: pairs with the same op, shapes and neighbourhood, if no other node has the same.

A node's label starts as a hash of its op and shapes and absorbs the labels of its inputs and consumers, round by round
(Weisfeiler-Leman colour refinement). Matched nodes get a label that is unique to the pair, which makes the labels of
their neighbours more specific. Hashes have 64 bits and are the same in every run.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Hashes,
    Ints,
    list_offsets,
    list_values,
    mix,
    row_of_value,
    sum_by_row,
    to_bools,
    to_ints,
)
from tfprof_report.record import record

RADIUS = 2
"""Rounds of refinement: neighbours up to this distance must be the same, too."""

MAX_LOOKS = 4_000_000
"""Bound on edge visits in total: every matched pair may allow further matches, so the number of passes is open."""

_CONTROL, _INPUT, _CONSUMER = (np.uint64(0xA5A5A5A5A5A5A5A5 >> shift) for shift in (0, 1, 2))
"""Salts that distinguish the kinds of edges in a hash."""

_NULL = np.uint64(0x6E756C6C)


def hash_lists(lists: pa.ListArray) -> Hashes:
    """Return a hash of each list of integers, or of lists of them; NULL has its own hash."""
    offsets, values = list_offsets(lists), list_values(lists)
    if pa.types.is_list(values.type):
        hashes = hash_lists(values)
    else:
        hashes = mix(to_ints(pc.fill_null(values, 0)))
        hashes[~values.is_valid().to_numpy(zero_copy_only=False)] = _NULL
    position = np.arange(len(hashes)) - offsets[:-1][row_of_value(offsets)]
    summed = sum_by_row(mix(hashes ^ mix(position)).view(np.int64), offsets).view(np.uint64)
    hashed = mix(summed + mix(np.diff(offsets)))
    hashed[~lists.is_valid().to_numpy(zero_copy_only=False)] = _NULL
    return hashed


@record
class Neighbours:
    """One side as a labelled graph.

    labels : hash of op and shapes per node
    is_free : which nodes have no partner
    edges : the edge list, as `model.graph.edges.read_edges` returns it
    """

    labels: Hashes
    is_free: Bools
    edges: pa.Table


def find_alike(base: Neighbours, head: Neighbours, head_row: Ints) -> tuple[Ints, Ints]:
    """Return rows of base and head whose structure matches one to one; `head_row` has the known partners, -1 for none.

    Nodes with an ambiguous label or without any neighbour are not matched. The result does not depend on the order of
    the nodes.
    """
    sides = [_Labelling(side) for side in (base, head)]
    known = np.flatnonzero(head_row >= 0)
    _settle(sides, known, head_row[known], first=0)
    count, looks, found = len(known), 0, []
    while looks < MAX_LOOKS and all(len(side.free) for side in sides):
        looks += RADIUS * sum(side.looks for side in sides)
        rows = _unique_pairs(*sides)
        if not len(rows[0]):
            break
        _settle(sides, *rows, first=count)
        count += len(rows[0])
        found.append(rows)
    none = np.zeros(0, dtype=np.int64)
    old, new = (np.concatenate([none, *(rows[side] for rows in found)]) for side in (0, 1))
    return old, new


class _Labelling:
    """The labels of one side during the search, and the adjacency lists of its free nodes (`_starts` to `_ends`)."""

    def __init__(self, side: Neighbours) -> None:
        self.labels = side.labels.copy()
        edges = side.edges.filter(side.edges["source"].is_valid())
        node, source = to_ints(edges["node"]), to_ints(edges["source"])
        place = to_ints(edges["position"]).astype(np.uint64) << np.uint64(32) | to_ints(edges["slot"]).astype(np.uint64)
        kind = np.where(to_bools(edges["is_control"]), _CONTROL, mix(place))  # control inputs have no order
        target = np.concatenate([node, source])
        sender = np.concatenate([source, node])
        kind = np.concatenate([mix(kind ^ _INPUT), mix(kind ^ _CONSUMER)])
        wanted = np.flatnonzero(side.is_free[target])
        order = wanted[np.argsort(target[wanted], kind="stable")]
        self._sender, self._kind = sender[order], kind[order]
        self.free, counts = np.unique(target[order], return_counts=True)
        self._ends = np.cumsum(counts)
        self._starts = self._ends - counts

    @property
    def looks(self) -> int:
        """Return the number of edges at free nodes: the cost of one round."""
        return len(self._sender)

    def around(self) -> Hashes:
        """Return the labels of free nodes, refined `RADIUS` times by those of their neighbours."""
        labels = self.labels.copy()
        for _ in range(RADIUS):
            # Sums of hashes do not depend on the order of edges; prefix sums, modulo 2^64, give the sum of each node.
            sums = np.zeros(len(self._sender) + 1, dtype=np.uint64)
            np.cumsum(mix(labels[self._sender] ^ self._kind), out=sums[1:])
            labels[self.free] = mix(labels[self.free] ^ mix(sums[self._ends] - sums[self._starts]))
        around: Hashes = labels[self.free]
        return around

    def settle(self, rows: Ints, numbers: Ints) -> None:
        """Give matched rows the label of their pair; they are no longer free."""
        self.labels[rows] = mix(mix(numbers))
        is_left = ~np.isin(self.free, rows)
        counts = self._ends - self._starts
        stays = np.repeat(is_left, counts)
        self._sender, self._kind = self._sender[stays], self._kind[stays]
        self.free = self.free[is_left]
        self._ends = np.cumsum(counts[is_left])
        self._starts = self._ends - counts[is_left]


def _settle(sides: list[_Labelling], old: Ints, new: Ints, *, first: int) -> None:
    """Give both rows of each pair the same label, which no other pair has."""
    # The numbers depend on the order of base, but only equality of labels matters.
    numbers = np.arange(first, first + len(old))
    for side, rows in zip(sides, (old, new), strict=True):
        side.settle(rows, numbers)


def _unique_pairs(base: _Labelling, head: _Labelling) -> tuple[Ints, Ints]:
    """Return the free rows whose label occurs exactly once on each side."""
    (old, at_old, times_old), (new, at_new, times_new) = (
        np.unique(side.around(), return_index=True, return_counts=True) for side in (base, head)
    )
    old, at_old, new, at_new = old[times_old == 1], at_old[times_old == 1], new[times_new == 1], at_new[times_new == 1]
    _, in_old, in_new = np.intersect1d(old, new, assume_unique=True, return_indices=True)
    return base.free[at_old[in_old]], head.free[at_new[in_new]]
