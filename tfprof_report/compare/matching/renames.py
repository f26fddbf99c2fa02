"""Finds scopes that were renamed: nodes whose names differ in their beginnings alone, and are the same otherwise.

Two nodes of the same end vote for the change of what stands before it. A change that most of the nodes concerned agree
on is a rename; one that they do not is tried again for each scope inside, down to scopes of a single node.
Names are cut at their slashes first; every beginning and every end becomes a number, so that comparing them is cheap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    list_offsets,
    list_values,
    number_distinct,
    prefix_sums,
    row_of_value,
    take_ranges,
    to_ints,
)
from tfprof_report.compare.matching.structure import Hashes

LEAST_NODES = 3
"""Nodes that make a rename of a scope: fewer are often a constant and what reads it."""

LEAST_SAME = 0.9
"""Share of the nodes below the one prefix or the other, whichever has fewer, that are below both with the same op."""

LEAST_SAME_OF_MORE = 0.5
"""The same for the prefix that has more, which may have gained or lost a part."""

LEAST_SAME_SHAPES = 0.5
"""Share of the pairs with shapes of two dimensions or more that have the same ones. Scalars and vectors tell little: a
scope without anything else needs `LEAST_SAME` of them."""

MAX_PARTS = 50
"""Parts of a name that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameParts:
    """The parts of n names. Equal numbers mean equal texts, to the byte.

    starts, lengths : n each; the place of a name's first part in `prefix` and `suffix`, and how many parts it has
    is_whole : n truth values; a name with more than `MAX_PARTS` has the first of them alone, so no true suffix
    prefix : per part the number of the name from its first part to this one; 0 stands for the empty prefix
    suffix : per part the number of the name from this one to its last; 0 stands for the empty suffix
    """

    starts: Ints
    lengths: Ints
    is_whole: Bools
    prefix: Ints
    suffix: Ints

    def places(self, rows: Ints) -> Ints:
        """Return the places of all parts of some names."""
        return take_ranges(self.starts[rows], self.lengths[rows])

    def prefix_at(self, rows: Ints, cut: Ints) -> Ints:
        """Return the prefix of each name's first `cut` parts."""
        found: Ints = np.where(cut > 0, self.prefix[self.starts[rows] + np.maximum(cut, 1) - 1], 0)
        return found

    def suffix_at(self, rows: Ints, cut: Ints) -> Ints:
        """Return what each name has behind its first `cut` parts."""
        last = self.lengths[rows] - 1
        found: Ints = np.where(cut <= last, self.suffix[self.starts[rows] + np.minimum(cut, last)], 0)
        return found


def cut_names(names: pa.Array) -> NameParts:
    """Return the parts of names."""
    lists = pc.split_pattern(names, "/")
    offsets, values = list_offsets(lists), list_values(lists)
    starts, counts = offsets[:-1], np.diff(offsets)
    lengths = np.minimum(counts, MAX_PARTS)
    codes = to_ints(values.dictionary_encode().indices)
    return NameParts(
        starts=starts,
        lengths=lengths,
        is_whole=counts <= MAX_PARTS,
        prefix=_number(codes, starts, lengths, step=1),
        suffix=_number(codes, starts + lengths - 1, lengths, step=-1),
    )


def _number(codes: Ints, starts: Ints, lengths: Ints, *, step: int) -> Ints:
    """Return per part the number of all parts from the start to it: that of the parts before it, and its own."""
    numbers = np.zeros(len(codes), dtype=np.int64)
    different = int(codes.max(initial=0)) + 1
    rows, before, count = np.arange(len(starts)), np.zeros(len(starts), dtype=np.int64), 1
    for level in range(int(lengths.max(initial=0))):
        longer = lengths[rows] > level
        rows, before = rows[longer], before[longer]
        places = starts[rows] + step * level
        found, distinct = number_distinct(before * different + codes[places])
        before = found + count
        numbers[places] = before
        count += len(distinct)
    return numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Nodes of one side that have no partner yet: what they are called, and what is compared beside the names.

    ops, shapes : equal numbers mean the same op, or the same shapes, on either side; an op of -1 is unknown
    is_telling : whether a shape has two dimensions or more
    """

    names: pa.Array
    ops: Ints
    shapes: Hashes
    is_telling: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """Nodes below prefixes that changed. `base`, `head` are rows of `Candidates`; `line` tells the prefixes apart.

    base_parts, head_parts : how many parts of the names are the prefix
    """

    base: Ints
    head: Ints
    base_parts: Ints
    head_parts: Ints
    line: Ints


def find_renames(base: Candidates, head: Candidates, paired: pa.Array) -> Renamed:
    """Return the nodes of base and head that are the same below another prefix.

    A prefix may be empty. No prefix changes to one that both sides have where both sides have it, too: either it is
    gone from head, or what it became is new there. `paired` are the names of nodes that have their partner already.
    The result does not depend on the order of the nodes. Names of very many parts stay without a partner.
    """
    here, there = len(base.names), len(head.names)
    # One numbering for all, so that a number means the same on either side.
    parts = cut_names(pa.concat_arrays([base.names, head.names, paired]))
    sides = _Sides(
        parts=parts,
        base=np.flatnonzero(parts.is_whole[:here]),
        head=np.flatnonzero(parts.is_whole[here : here + there]) + here,
        paired=np.arange(here + there, len(parts.starts)),
    )
    pairs = _same_ends(sides)
    pairs = _concat([pairs, _beside(pairs, sides)])
    found = _concat(list(_judge(pairs, _evidence(base, pairs.base, head, pairs.head - here), sides)))
    return Renamed(
        base=found.base,
        head=found.head - here,
        base_parts=found.base_cut,
        head_parts=found.head_cut,
        line=number_distinct(sides.key(found))[0],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """The names of both sides as parts; `base`, `head` and `paired` are the rows of each kind."""

    parts: NameParts
    base: Ints
    head: Ints
    paired: Ints

    @property
    def numbers(self) -> int:
        """One more than the largest number of a prefix."""
        return len(self.parts.prefix) + 1

    def key(self, pairs: _Pairs) -> Ints:
        """Return one number for the two prefixes of each pair."""
        return self.base_prefix(pairs) * self.numbers + self.head_prefix(pairs)

    def base_prefix(self, pairs: _Pairs) -> Ints:
        return self.parts.prefix_at(pairs.base, pairs.base_cut)

    def head_prefix(self, pairs: _Pairs) -> Ints:
        return self.parts.prefix_at(pairs.head, pairs.head_cut)

    def count_below(self, rows: Ints) -> Ints:
        """Return for each prefix how many of the names begin with it."""
        counts: Ints = np.bincount(self.parts.prefix[self.parts.places(rows)], minlength=self.numbers)
        counts[0] = len(rows)
        return counts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    """Rows that may belong together, and how many parts of each name are the prefix in question."""

    base: Ints
    head: Ints
    base_cut: Ints
    head_cut: Ints

    def __getitem__(self, chosen: Bools) -> _Pairs:
        return _Pairs(
            base=self.base[chosen],
            head=self.head[chosen],
            base_cut=self.base_cut[chosen],
            head_cut=self.head_cut[chosen],
        )

    def deeper(self) -> _Pairs:
        """Return the pairs with the prefixes of the next scope inside."""
        return _Pairs(base=self.base, head=self.head, base_cut=self.base_cut + 1, head_cut=self.head_cut + 1)


def _concat(parts: list[_Pairs]) -> _Pairs:
    none = np.zeros(0, dtype=np.int64)
    return _Pairs(
        base=np.concatenate([none, *(part.base for part in parts)]),
        head=np.concatenate([none, *(part.head for part in parts)]),
        base_cut=np.concatenate([none, *(part.base_cut for part in parts)]),
        head_cut=np.concatenate([none, *(part.head_cut for part in parts)]),
    )


def _same_ends(sides: _Sides) -> _Pairs:
    """Pair the names whose longest common end is that of no other name."""
    parts = sides.parts
    base_places, head_places = parts.places(sides.base), parts.places(sides.head)
    base_ends, head_ends = parts.suffix[base_places], parts.suffix[head_places]
    in_base, in_head = (np.bincount(ends, minlength=sides.numbers) for ends in (base_ends, head_ends))
    row_of = np.full(sides.numbers, -1)
    row_of[head_ends] = np.repeat(sides.head, parts.lengths[sides.head])
    offsets = prefix_sums(parts.lengths[sides.base])
    # Every end of a common end is common, so they are the last ones.
    common = np.bincount(row_of_value(offsets)[in_head[base_ends] > 0], minlength=len(sides.base))
    cut = parts.lengths[sides.base] - common
    end = parts.suffix_at(sides.base, cut)
    is_one = (common > 0) & (in_base[end] == 1) & (in_head[end] == 1)
    rows, found = sides.base[is_one], row_of[end[is_one]]
    return _Pairs(base=rows, head=found, base_cut=cut[is_one], head_cut=parts.lengths[found] - common[is_one])


def _beside(pairs: _Pairs, sides: _Sides) -> _Pairs:
    """Pair names without a pair by the prefixes that most pairs beside them changed, where both sides agree on it."""
    key, votes = np.unique(sides.key(pairs), return_counts=True)
    old, new = key // sides.numbers, key % sides.numbers
    wins = _is_most(old, votes, sides.numbers) & _is_most(new, votes, sides.numbers)
    rest, at, tail = [], [], []
    for rows, taken, prefix in ((sides.base, pairs.base, old), (sides.head, pairs.head, new)):
        line_of = np.full(sides.numbers, -1)
        line_of[prefix[wins]] = np.flatnonzero(wins)
        free = np.setdiff1d(rows, taken, assume_unique=True)
        cut, line = _deepest(free, line_of, sides.parts)
        end = sides.parts.suffix_at(free, cut)
        rest.append(free[line >= 0])
        at.append(cut[line >= 0])
        tail.append((line * sides.numbers + end)[line >= 0])
    _, base, head = np.intersect1d(tail[0], tail[1], assume_unique=True, return_indices=True)
    return _Pairs(base=rest[0][base], head=rest[1][head], base_cut=at[0][base], head_cut=at[1][head])


def _is_most(keys: Ints, votes: Ints, count: int) -> Bools:
    """Return which entries have more votes than all others of their key."""
    most = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, keys, votes)
    is_most = votes == most[keys]
    alone: Bools = is_most & (np.bincount(keys[is_most], minlength=count)[keys] == 1)
    return alone


def _deepest(rows: Ints, line_of: Ints, parts: NameParts) -> tuple[Ints, Ints]:
    """Return for each name the parts of its longest prefix that has a line, and that line; -1 without one."""
    lengths = parts.lengths[rows]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    level = np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
    has_line = line_of[parts.prefix[parts.places(rows)]] >= 0
    cut = np.maximum.reduceat(np.where(has_line, level + 1, 0), starts) if len(rows) else starts
    return cut, line_of[parts.prefix_at(rows, cut)]


def _evidence(base: Candidates, base_rows: Ints, head: Candidates, head_rows: Ints) -> Bools:
    """Return five lines of truth values: the op is known, and the same; shapes are telling, and the same; both same."""
    old, new = base.ops[base_rows], head.ops[head_rows]
    is_known = (old >= 0) & (new >= 0)
    is_same_op = is_known & (old == new)
    is_same_shape = base.shapes[base_rows] == head.shapes[head_rows]
    is_telling = base.is_telling[base_rows] | head.is_telling[head_rows]
    return np.stack([is_known, is_same_op, is_telling, is_telling & is_same_shape, is_same_op & is_same_shape])


def _judge(pairs: _Pairs, evidence: Bools, sides: _Sides) -> Iterator[_Pairs]:
    """Yield the pairs whose change of prefix is a rename, the outermost scopes first."""
    alone_in_base = sides.count_below(np.setdiff1d(sides.base, pairs.base, assume_unique=True))
    alone_in_head = sides.count_below(np.setdiff1d(sides.head, pairs.head, assume_unique=True))
    both = sides.count_below(sides.paired)
    lives_in_base, lives_in_head = ((both + sides.count_below(rows)) > 0 for rows in (sides.base, sides.head))
    while len(pairs.base):
        line, first = number_distinct(sides.key(pairs))
        old, new = first // sides.numbers, first % sides.numbers
        nodes, same, telling, same_telling, same_all = (np.bincount(line, weights=each) for each in evidence)
        of_base, of_head = (nodes + alone for alone in (alone_in_base[old], alone_in_head[new]))
        stays = lives_in_head[old] & lives_in_base[new]
        has_same_shapes = np.where(
            telling > 0, same_telling >= LEAST_SAME_SHAPES * telling, same_all >= LEAST_SAME * nodes
        )
        is_rename = (
            (nodes >= LEAST_NODES)
            & (same >= LEAST_SAME * np.minimum(of_base, of_head))
            & (same >= LEAST_SAME_OF_MORE * np.maximum(of_base, of_head))
            & has_same_shapes
            & ~stays
        )
        yield pairs[is_rename[line]]
        is_left = stays[line] & (pairs.base_cut < sides.parts.lengths[pairs.base])
        pairs, evidence = pairs[is_left].deeper(), evidence[:, is_left]
