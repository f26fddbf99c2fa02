"""Matches the nodes of layers whose names moved: a node keeps its place among those of its layer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, to_ints, whole
from tfprof_report.compare.comparison import MatchedBy, Rename
from tfprof_report.compare.layers.align import align_layers
from tfprof_report.compare.layers.layer_table import has_layers, layer_codes
from tfprof_report.compare.matching.moved import Moved
from tfprof_report.compare.matching.pairs import match_names
from tfprof_report.compare.side import Side


def find_moved(base: Side, head: Side) -> Moved | None:
    """Return the nodes that moved with their layers; None if none did, or if a side has no layers.

    A node that the other side has by name, but in a layer that is not the partner of its own, has moved. In its
    layer's partner it is the node of the same phase and op type that comes at the same place.
    """
    if not has_layers(base.nodes) or not has_layers(head.nodes):
        return None
    (old, old_names), (new, new_names) = layer_codes(base.nodes), layer_codes(head.nodes)
    aligned = align_layers(base.layers, head.layers)
    aligned = np.append(aligned, np.full(len(old_names) - len(aligned), -1))
    by_name = match_names(base.nodes["name"], head.nodes["name"]).head_row
    named = by_name >= 0
    strays = named.copy()
    strays[named] = _are_strays(old[named], new[by_name[named]], aligned, len(new_names))
    if not strays.any():
        return None
    free_old = strays | ~named
    free_new = np.ones(head.nodes.num_rows, dtype=bool)
    free_new[by_name[named & ~strays]] = False
    rows, places = np.flatnonzero(free_old & (aligned[old] >= 0)), np.flatnonzero(free_new)
    at_old, at_new = _same_places(
        (base.nodes.take(pa.array(rows)), aligned[old[rows]]), (head.nodes.take(pa.array(places)), new[places])
    )
    moved, to = rows[at_old], places[at_new]
    return Moved(
        base=moved,
        head=to,
        apart=np.setdiff1d(np.flatnonzero(strays), moved),
        renames=tuple(_renames(old[moved], new[to], old_names, new_names)),
    )


def _are_strays(old: Ints, new: Ints, aligned: Ints, count: int) -> Bools:
    """Return which nodes of the same name are in layers that are not partners, though one of them has another partner.

    Nodes in no layer, the last one of each side, are none: nothing shows that they are others.
    """
    is_partner = marks(aligned[aligned >= 0], count)
    apart: Bools = (aligned[old] != new) & ((aligned[old] >= 0) | is_partner[new])
    return apart & (old < len(aligned) - 1) & (new < count - 1)


def _same_places(base: tuple[pa.Table, Ints], head: tuple[pa.Table, Ints]) -> tuple[Ints, Ints]:
    """Return the rows of nodes that come at the same place among those of their layer, phase and op type."""
    count = base[0].num_rows
    keys = [np.append(base[1], head[1])]
    for column in ("phase", "op"):
        words = whole(pa.chunked_array([*_text(base[0], column).chunks, *_text(head[0], column).chunks]))
        keys.append(to_ints(pc.fill_null(words.dictionary_encode().indices, -1)))
    group = np.unique(np.stack(keys), axis=1, return_inverse=True)[1]
    old, new = (part.astype(np.int64) * 2**31 + _places(part) for part in (group[:count], group[count:]))
    _, at_old, at_new = np.intersect1d(old, new, assume_unique=True, return_indices=True)
    order = np.argsort(at_old)
    return at_old[order], at_new[order]


def _text(nodes: pa.Table, column: str) -> pa.ChunkedArray:
    return nodes[column].cast(pa.string())


def _places(group: Ints) -> Ints:
    """Return the place of each element among the equal ones."""
    order = np.argsort(group, kind="stable")
    is_first = np.ones(len(group), dtype=bool)
    is_first[1:] = np.diff(group[order]) != 0
    starts = np.flatnonzero(is_first)
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - starts[np.cumsum(is_first) - 1]
    return place


def _renames(old: Ints, new: Ints, old_names: pa.Array, new_names: pa.Array) -> Iterator[Rename]:
    """Yield the layers with another name, by the layers of matched nodes."""
    pairs, nodes = np.unique(np.stack([old, new]), axis=1, return_counts=True)
    for base, head, count in zip(
        old_names.take(pairs[0]).to_pylist(), new_names.take(pairs[1]).to_pylist(), nodes, strict=True
    ):
        if base != head and base and head:
            yield Rename(base=f"{base}/", head=f"{head}/", nodes=int(count), matched_by=MatchedBy.LAYER)
