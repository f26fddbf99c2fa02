"""Matches the nodes of base and head: by the user's map, by name, by renamed scope, then by graph structure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Hashes,
    Ints,
    list_offsets,
    list_values,
    marks,
    mix,
    sum_by_row,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.compare.comparison import MatchedBy, Matching, Rename
from tfprof_report.compare.matching.moved import Moved
from tfprof_report.compare.matching.name_map import Mapped, NameMap, apply_name_map
from tfprof_report.compare.matching.pairs import WORDS, Partners, match_names
from tfprof_report.compare.matching.renames import Candidates, Renamed, find_renames
from tfprof_report.compare.matching.structure import Neighbours, find_alike, hash_lists
from tfprof_report.model.graph.edges import read_edges

_SHAPES = ("shape", "output_shapes")
"""Columns with the shapes of a node."""

_PASSES = 3
"""How often to search for renamed scopes: nodes matched in one pass make the names of the rest less ambiguous."""

_DISTINCTIVE_RANK = 2
"""Minimum rank of a shape that counts as evidence: too many nodes share the same scalar and vector shapes."""


def match_nodes(
    base: pa.Table, head: pa.Table, name_map: NameMap | None = None, moved: Moved | None = None
) -> tuple[Partners, Matching]:
    """Return the partners of the nodes of base, one to one, and how they were found.

    The map comes first; then nodes that moved with their layers; then nodes of the same name; then renamed scopes
    (`renames`); then nodes that are unique by structure (`structure`), which are only suggested. All others stay
    without a partner.

    Raises
    ------
    InputError
        A name is not unique on its side.
    OptionError
        The map gives two nodes of base the same node of head.
    """
    partners = match_names(base["name"], head["name"])
    if (
        name_map is None
        and moved is None
        and ((partners.head_row >= 0).all() or len(partners.alone_in_head(head.num_rows)) == 0)
    ):
        return partners, _matching(partners, head.num_rows)
    names = [_text(side["name"]) for side in (base, head)]
    pairing = _Pairing(partners, head.num_rows)
    if moved:
        pairing.override(moved.base, moved.head, moved.apart, MatchedBy.LAYER)
    mapped = apply_name_map(name_map, *names) if name_map else None
    if mapped:
        pairing.override(mapped.base, mapped.head, mapped.apart, MatchedBy.MAP)
    lines: list[Rename] = [*(moved.renames if moved else ())]
    for _ in range(_PASSES):
        found = _add_renames(pairing, base, head, names)
        lines += found
        if not found:
            break
    _add_alike(pairing, base, head)
    partners = pairing.partners
    return partners, _matching(partners, head.num_rows, tuple(lines), mapped)


class _Pairing:
    """The partners found so far."""

    def __init__(self, by_name: Partners, head_count: int) -> None:
        self.head_row, self._matched_by = by_name.head_row.copy(), by_name.matched_by.copy()
        self._head_count = head_count
        self._apart = np.zeros(len(self.head_row), dtype=bool)

    @property
    def partners(self) -> Partners:
        return Partners(head_row=self.head_row, matched_by=self._matched_by)

    @property
    def free(self) -> tuple[Ints, Ints]:
        """Return the rows of base and head without a partner."""
        return np.flatnonzero((self.head_row < 0) & ~self._apart), self.partners.alone_in_head(self._head_count)

    def add(self, base: Ints, head: Ints, why: MatchedBy) -> None:
        self.head_row[base] = head
        self._matched_by[base] = WORDS.index(why)

    def override(self, base: Ints, head: Ints, apart: Ints, why: MatchedBy) -> None:
        """Pair nodes, and leave those `apart` without a partner, instead of matches that contradict it."""
        self._apart[apart] = True
        lost = np.concatenate([apart, np.flatnonzero(np.isin(self.head_row, head))])
        self.head_row[lost] = -1
        self._matched_by[lost] = -1
        self.add(base, head, why)


def _add_renames(pairing: _Pairing, base: pa.Table, head: pa.Table, names: list[pa.Array]) -> list[Rename]:
    """Pair nodes below renamed scopes; return these scopes."""
    free = pairing.free
    if not all(map(len, free)):
        return []
    ops = _op_numbers(base, head, *free)
    candidates = [
        Candidates(
            names=name.take(pa.array(rows)),
            ops=op,
            shapes=_shape_hashes(side, rows),
            has_distinctive_shape=_has_distinctive_shape(side, rows),
        )
        for side, name, op, rows in zip((base, head), names, ops, free, strict=True)
    ]
    # Names that are taken, each once: those of base, and those of head that differ from base's.
    paired = np.flatnonzero(pairing.head_row >= 0)
    elsewhere = pairing.head_row[paired[pairing.partners.matched_by[paired] != WORDS.index(MatchedBy.NAME)]]
    taken = [names[0].take(pa.array(paired)), names[1].take(pa.array(elsewhere))]
    renamed = find_renames(candidates[0], candidates[1], pa.concat_arrays(taken))
    pairing.add(free[0][renamed.base], free[1][renamed.head], MatchedBy.PREFIX)
    return list(_lines(renamed, candidates[0].names, candidates[1].names))


def _lines(renamed: Renamed, base: pa.Array, head: pa.Array) -> Iterable[Rename]:
    """Yield each renamed prefix with the number of its nodes."""
    _, first, nodes = np.unique(renamed.line, return_index=True, return_counts=True)
    for at, count in zip(first, nodes, strict=True):
        yield Rename(
            base=_prefix(base[int(renamed.base[at])].as_py(), int(renamed.base_parts[at])),
            head=_prefix(head[int(renamed.head[at])].as_py(), int(renamed.head_parts[at])),
            nodes=int(count),
            matched_by=MatchedBy.PREFIX,
        )


def _prefix(name: str, parts: int) -> str:
    return "".join(f"{part}/" for part in name.split("/")[:parts])


def _add_alike(pairing: _Pairing, base: pa.Table, head: pa.Table) -> None:
    """Pair nodes that are unique by op, shapes and neighbours."""
    free = pairing.free
    if not all(map(len, free)) or not all(_has_lists(side, "inputs") for side in (base, head)):
        return
    ops = _op_numbers(base, head, *free)
    labels = [mix(mix(op) ^ _shape_hashes(side, rows)) for side, op, rows in zip((base, head), ops, free, strict=True)]
    if not np.isin(labels[0], labels[1]).any():
        return
    here, there = (_neighbours(*each) for each in zip((base, head), free, labels, strict=True))
    pairing.add(*find_alike(here, there, pairing.head_row), MatchedBy.SUGGESTED)


def _neighbours(side: pa.Table, free: Ints, labels: Hashes) -> Neighbours:
    every = np.zeros(side.num_rows, dtype=np.uint64)
    every[free] = labels
    is_free = marks(free, side.num_rows)
    edges = read_edges(whole(side["inputs"]), _text(side["name"]))
    return Neighbours(labels=every, is_free=is_free, edges=edges)


def _op_numbers(base: pa.Table, head: pa.Table, old: Ints, new: Ints) -> tuple[Ints, Ints]:
    """Return the op of some nodes of each side as numbers, -1 for none."""
    ops = pa.concat_arrays([_text(base["op"].take(pa.array(old))), _text(head["op"].take(pa.array(new)))])
    codes = to_ints(ops.dictionary_encode().indices.fill_null(-1))
    return codes[: len(old)], codes[len(old) :]


def _shape_hashes(side: pa.Table, rows: Ints) -> Hashes:
    """Return a number for the shapes of some nodes; sides without these columns know no shapes."""
    hashes = np.zeros(len(rows), dtype=np.uint64)
    for name in _SHAPES:
        if _has_lists(side, name):
            hashes = mix(hashes ^ hash_lists(whole(side[name].take(pa.array(rows)))))
    return hashes


def _has_distinctive_shape(side: pa.Table, rows: Ints) -> Bools:
    """Return which nodes have an output of rank `_DISTINCTIVE_RANK` or more."""
    if not _has_lists(side, "output_shapes"):
        return np.zeros(len(rows), dtype=bool)
    outputs = whole(side["output_shapes"].take(pa.array(rows)))
    is_wide = to_bools(pc.greater_equal(pc.list_value_length(list_values(outputs)), _DISTINCTIVE_RANK))
    found: Bools = sum_by_row(is_wide.astype(np.int64), list_offsets(outputs)) > 0
    return found


def _has_lists(side: pa.Table, name: str) -> bool:
    """Return whether a side has this list column: a baseline of an older version may lack it."""
    return name in side.column_names and pa.types.is_list(side[name].type)


def _text(column: pa.ChunkedArray) -> pa.Array:
    return whole(column.cast(pa.string()))


def _matching(
    partners: Partners, head_count: int, lines: tuple[Rename, ...] = (), mapped: Mapped | None = None
) -> Matching:
    counts = np.bincount(partners.matched_by[partners.matched_by >= 0], minlength=len(WORDS))
    nodes_of: Counter[tuple[str, str, MatchedBy]] = Counter()  # a later pass may find more nodes of a scope
    for line in (*(mapped.renames if mapped else ()), *lines):
        nodes_of[line.base, line.head, line.matched_by] += line.nodes
    renames = (Rename(base=old, head=new, nodes=nodes, matched_by=why) for (old, new, why), nodes in nodes_of.items())
    return Matching(
        counts={word: int(count) for word, count in zip(WORDS, counts, strict=True)},
        nodes=len(partners.head_row) + head_count,
        renames=tuple(sorted(renames, key=lambda line: (-line.nodes, line.base, line.head))),
        unused=mapped.unused if mapped else (),
    )
