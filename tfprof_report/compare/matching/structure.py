"""Finds nodes that are alike in all but their names: op, shapes and neighbourhood, and no other node is.

A node's label starts as a hash of its op and shapes, and takes in those of its inputs and consumers, round by round
(Weisfeiler and Leman). A node with a partner has a label of its own that both sides know, so that those beside it can
be told from others like them. Hashes have 64 bits and are the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, list_offsets, list_values, row_of_value, sum_by_row, to_bools, to_ints

Hashes = npt.NDArray[np.uint64]

RADIUS = 2
"""How far away neighbours are that must be alike, too."""

MAX_LOOKS = 4_000_000
"""How often a node may look at a neighbour, in all: nodes that were found tell those beside them apart, and so on."""

_CONTROL, _INPUT, _CONSUMER = (np.uint64(0xA5A5A5A5A5A5A5A5 >> shift) for shift in (0, 1, 2))
"""What tells kinds of edges apart in a hash."""

_NULL = np.uint64(0x6E756C6C)


def mix(values: Ints | Hashes) -> Hashes:
    """Return a hash of each number: the steps of splitmix64 (Steele, Lea and Flood, 2014), which lose nothing."""
    bits = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = bits ^ (bits >> np.uint64(31))
    return mixed


def hash_lists(lists: pa.ListArray) -> Hashes:
    """Return a hash of each list of whole numbers, or of lists of them; NULL has one too, of its own."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The edges of one side. `labels` are those of nodes by op and shapes, `is_free` says which have no partner.

    edges : rows of `model.graph.edges.read_edges`
    """

    labels: Hashes
    is_free: Bools
    edges: pa.Table


def find_alike(base: Neighbours, head: Neighbours, head_row: Ints) -> tuple[Ints, Ints]:
    """Return rows of base and head that are alike one to one; `head_row` are the partners that are known, -1 for none.

    Nodes that several others are like stay alone, and so do nodes without any neighbour. The result does not depend on
    the order of the nodes.
    """
    sides = [_Labelling(side) for side in (base, head)]
    known = np.flatnonzero(head_row >= 0)
    _settle(sides, known, head_row[known], first=0)
    count, looks, found = len(known), 0, []
    while looks < MAX_LOOKS and all(len(side.free) for side in sides):
        looks += RADIUS * sum(side.looks for side in sides)
        rows = _only_ones(*sides)
        if not len(rows[0]):
            break
        _settle(sides, *rows, first=count)
        count += len(rows[0])
        found.append(rows)
    none = np.zeros(0, dtype=np.int64)
    old, new = (np.concatenate([none, *(rows[side] for rows in found)]) for side in (0, 1))
    return old, new


class _Labelling:
    """One side while partners are found: the labels, which nodes are free, and what reaches those from neighbours."""

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
        """Return how many neighbours free nodes have, each counted for itself."""
        return len(self._sender)

    def around(self) -> Hashes:
        """Return the labels of free nodes with their neighbours, `RADIUS` steps away, in them."""
        labels = self.labels.copy()
        for _ in range(RADIUS):
            sums = np.zeros(len(self._sender) + 1, dtype=np.uint64)
            np.cumsum(mix(labels[self._sender] ^ self._kind), out=sums[1:])
            labels[self.free] = mix(labels[self.free] ^ mix(sums[self._ends] - sums[self._starts]))
        around: Hashes = labels[self.free]
        return around

    def settle(self, rows: Ints, numbers: Ints) -> None:
        """Give rows that have a partner the label of their pair; they are not free any more."""
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
    # Numbered by the order of base, which both sides share; only whether two labels are equal matters.
    numbers = np.arange(first, first + len(old))
    for side, rows in zip(sides, (old, new), strict=True):
        side.settle(rows, numbers)


def _only_ones(base: _Labelling, head: _Labelling) -> tuple[Ints, Ints]:
    """Return the free rows whose label is that of one row of either side."""
    (old, at_old, times_old), (new, at_new, times_new) = (
        np.unique(side.around(), return_index=True, return_counts=True) for side in (base, head)
    )
    old, at_old, new, at_new = old[times_old == 1], at_old[times_old == 1], new[times_new == 1], at_new[times_new == 1]
    _, in_old, in_new = np.intersect1d(old, new, assume_unique=True, return_indices=True)
    return base.free[at_old[in_old]], head.free[at_new[in_new]]
