"""Finds renamed scopes: sets of nodes whose names changed only in their prefix.

Two nodes whose names share a suffix vote that the prefix before it was renamed. If most nodes of the two prefixes
agree, it is a rename. If both sides have both prefixes, it is not a rename, and is retried one level deeper, down to
single nodes. Names are split at slashes first, and every prefix and suffix gets a number, so comparing them is cheap.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Hashes,
    Ints,
    list_offsets,
    list_values,
    number_distinct,
    prefix_sums,
    row_of_value,
    take_ranges,
    to_ints,
)
from tfprof_report.record import record

LEAST_NODES = 3
"""Minimum number of nodes of a rename: fewer are often just a constant and its reader."""

LEAST_SAME = 0.9
"""Minimum share of the nodes below the smaller of both prefixes that are paired with a node of the same op."""

LEAST_SAME_OF_MORE = 0.5
"""The same for the larger of both prefixes, which may have gained or lost nodes."""

LEAST_SAME_SHAPES = 0.5
"""Minimum share of the pairs with a shape of rank 2 or more that have equal shapes. Scalars and vectors are weak
evidence: a scope with nothing else needs the share `LEAST_SAME` of pairs with equal op and shapes."""

MAX_PARTS = 50
"""Parts of a name that are compared; bounds the work on very deep names."""


@record
class NameParts:
    """The parts of n names. Equal numbers mean equal text, byte for byte.

    starts, lengths : n each; the index of a name's first part in `prefix` and `suffix`, and its number of parts
    is_whole : n booleans; a name with more than `MAX_PARTS` is cut after these, so its suffixes are not valid
    prefix : per part the number of the prefix that ends with it; 0 is the empty prefix
    suffix : per part the number of the suffix that starts with it; 0 is the empty suffix
    """

    starts: Ints
    lengths: Ints
    is_whole: Bools
    prefix: Ints
    suffix: Ints

    def places(self, rows: Ints) -> Ints:
        """Return the indices of all parts of some names."""
        return take_ranges(self.starts[rows], self.lengths[rows])

    def prefix_at(self, rows: Ints, cut: Ints) -> Ints:
        """Return the number of the prefix of each name's first `cut` parts."""
        found: Ints = np.where(cut > 0, self.prefix[self.starts[rows] + np.maximum(cut, 1) - 1], 0)
        return found

    def suffix_at(self, rows: Ints, cut: Ints) -> Ints:
        """Return the number of the suffix after each name's first `cut` parts."""
        last = self.lengths[rows] - 1
        found: Ints = np.where(cut <= last, self.suffix[self.starts[rows] + np.minimum(cut, last)], 0)
        return found


def cut_names(names: pa.Array) -> NameParts:
    """Split names at their slashes and number their prefixes and suffixes."""
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
    """Return per part the number of the sequence of parts from the start to it.

    Level by level: the number of a sequence is that of the pair (number of the sequence without its last part, last
    part), as in a trie. So the time is linear in the number of parts, not in the total length of all prefixes.
    """
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


@record
class Candidates:
    """Nodes of one side without a partner: their names, and the ops and shapes that support a match.

    ops, shapes : equal numbers mean the same op, or the same shapes, across both sides; an op of -1 is unknown
    has_distinctive_shape : whether a shape has rank 2 or more
    """

    names: pa.Array
    ops: Ints
    shapes: Hashes
    has_distinctive_shape: Bools


@record
class Renamed:
    """Nodes below renamed prefixes. `base` and `head` are rows of `Candidates`; `line` numbers the renames.

    base_parts, head_parts : the number of parts of the prefix in each name
    """

    base: Ints
    head: Ints
    base_parts: Ints
    head_parts: Ints
    line: Ints


def find_renames(base: Candidates, head: Candidates, paired: pa.Array) -> Renamed:
    """Return the nodes of base and head that match once a prefix is renamed.

    A prefix may be empty. A rename from one prefix to another requires that the old one is gone from head or that the
    new one did not exist in base. `paired` are the names of nodes that already have a partner. The result does not
    depend on the order of the nodes. Names with more than `MAX_PARTS` parts are not matched.
    """
    here, there = len(base.names), len(head.names)
    # One numbering for both sides, so that numbers can be compared.
    parts = cut_names(pa.concat_arrays([base.names, head.names, paired]))
    sides = _Sides(
        parts=parts,
        base=np.flatnonzero(parts.is_whole[:here]),
        head=np.flatnonzero(parts.is_whole[here : here + there]) + here,
        paired=np.arange(here + there, len(parts.starts)),
    )
    pairs = _pair_by_suffix(sides)
    pairs = _concat([pairs, _pair_by_prefix(pairs, sides)])
    found = _concat(list(_select_renames(pairs, _evidence(base, pairs.base, head, pairs.head - here), sides)))
    return Renamed(
        base=found.base,
        head=found.head - here,
        base_parts=found.base_cut,
        head_parts=found.head_cut,
        line=number_distinct(sides.key(found))[0],
    )


@record
class _Sides:
    """The names of both sides, split into parts; `base`, `head` and `paired` are the rows of each kind."""

    parts: NameParts
    base: Ints
    head: Ints
    paired: Ints

    @property
    def numbers(self) -> int:
        """Exclusive upper bound of the numbers of prefixes and suffixes."""
        return len(self.parts.prefix) + 1

    def key(self, pairs: _Pairs) -> Ints:
        """Return one number for the old and new prefix of each pair: the rename that it votes for."""
        return self.base_prefix(pairs) * self.numbers + self.head_prefix(pairs)

    def base_prefix(self, pairs: _Pairs) -> Ints:
        return self.parts.prefix_at(pairs.base, pairs.base_cut)

    def head_prefix(self, pairs: _Pairs) -> Ints:
        return self.parts.prefix_at(pairs.head, pairs.head_cut)

    def count_below(self, rows: Ints) -> Ints:
        """Return for each prefix how many of the names start with it."""
        counts: Ints = np.bincount(self.parts.prefix[self.parts.places(rows)], minlength=self.numbers)
        counts[0] = len(rows)
        return counts


@record
class _Pairs:
    """Candidate pairs of rows, and the number of parts of each name's prefix that may have been renamed."""

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
        """Return the pairs with prefixes that are one part longer."""
        return _Pairs(base=self.base, head=self.head, base_cut=self.base_cut + 1, head_cut=self.head_cut + 1)


def _concat(parts: list[_Pairs]) -> _Pairs:
    none = np.zeros(0, dtype=np.int64)
    return _Pairs(
        base=np.concatenate([none, *(part.base for part in parts)]),
        head=np.concatenate([none, *(part.head for part in parts)]),
        base_cut=np.concatenate([none, *(part.base_cut for part in parts)]),
        head_cut=np.concatenate([none, *(part.head_cut for part in parts)]),
    )


def _pair_by_suffix(sides: _Sides) -> _Pairs:
    """Pair names whose longest suffix in common with the other side is unique on both sides."""
    parts = sides.parts
    base_places, head_places = parts.places(sides.base), parts.places(sides.head)
    base_ends, head_ends = parts.suffix[base_places], parts.suffix[head_places]
    in_base, in_head = (np.bincount(ends, minlength=sides.numbers) for ends in (base_ends, head_ends))
    row_of = np.full(sides.numbers, -1)
    row_of[head_ends] = np.repeat(sides.head, parts.lengths[sides.head])
    offsets = prefix_sums(parts.lengths[sides.base])
    # If a suffix occurs in head, so do all shorter ones: counting them gives the length of the longest.
    common = np.bincount(row_of_value(offsets)[in_head[base_ends] > 0], minlength=len(sides.base))
    cut = parts.lengths[sides.base] - common
    end = parts.suffix_at(sides.base, cut)
    is_one = (common > 0) & (in_base[end] == 1) & (in_head[end] == 1)
    rows, found = sides.base[is_one], row_of[end[is_one]]
    return _Pairs(base=rows, head=found, base_cut=cut[is_one], head_cut=parts.lengths[found] - common[is_one])


def _pair_by_prefix(pairs: _Pairs, sides: _Sides) -> _Pairs:
    """Pair the names left over by the renames that the found pairs vote for.

    A suffix such as ``layer/kernel`` that occurs in several scopes pairs nothing by itself. Once other nodes
    show that ``a`` became ``b``, ``a/layer/kernel`` can be paired with ``b/layer/kernel``.
    """
    # A rename wins if it has the most votes both among those of its old prefix and among those of its new one. So each
    # prefix is in one winner at most, and what is found is one to one.
    key, votes = np.unique(sides.key(pairs), return_counts=True)
    old, new = key // sides.numbers, key % sides.numbers
    wins = _is_most(old, votes, sides.numbers) & _is_most(new, votes, sides.numbers)
    # On each side take the longest prefix of a free name that a winner renames. Names with the same winner and the same
    # suffix after that prefix are pairs; (winner, suffix) is unique on each side because names are.
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
    """Return which entries have strictly more votes than all others with their key."""
    most = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, keys, votes)
    is_most = votes == most[keys]
    alone: Bools = is_most & (np.bincount(keys[is_most], minlength=count)[keys] == 1)
    return alone


def _deepest(rows: Ints, line_of: Ints, parts: NameParts) -> tuple[Ints, Ints]:
    """Return for each name the length of its longest prefix that has a line, and that line; -1 without one."""
    lengths = parts.lengths[rows]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    level = np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
    has_line = line_of[parts.prefix[parts.places(rows)]] >= 0
    cut = np.maximum.reduceat(np.where(has_line, level + 1, 0), starts) if len(rows) else starts
    return cut, line_of[parts.prefix_at(rows, cut)]


def _evidence(base: Candidates, base_rows: Ints, head: Candidates, head_rows: Ints) -> Bools:
    """Return five rows of booleans: op known, op equal; shape distinctive, and also equal; op and shape equal."""
    old, new = base.ops[base_rows], head.ops[head_rows]
    is_known = (old >= 0) & (new >= 0)
    is_same_op = is_known & (old == new)
    is_same_shape = base.shapes[base_rows] == head.shapes[head_rows]
    is_distinctive = base.has_distinctive_shape[base_rows] | head.has_distinctive_shape[head_rows]
    return np.stack([is_known, is_same_op, is_distinctive, is_distinctive & is_same_shape, is_same_op & is_same_shape])


def _select_renames(pairs: _Pairs, evidence: Bools, sides: _Sides) -> Iterator[_Pairs]:
    """Yield the pairs whose change of prefix is a rename, the outermost scopes first."""
    alone_in_base = sides.count_below(np.setdiff1d(sides.base, pairs.base, assume_unique=True))
    alone_in_head = sides.count_below(np.setdiff1d(sides.head, pairs.head, assume_unique=True))
    both = sides.count_below(sides.paired)
    is_in_base, is_in_head = ((both + sides.count_below(rows)) > 0 for rows in (sides.base, sides.head))
    while len(pairs.base):
        line, first = number_distinct(sides.key(pairs))
        old, new = first // sides.numbers, first % sides.numbers
        nodes, same, distinctive, same_distinctive, same_all = (np.bincount(line, weights=each) for each in evidence)
        of_base, of_head = (nodes + alone for alone in (alone_in_base[old], alone_in_head[new]))
        stays = is_in_head[old] & is_in_base[new]
        has_same_shapes = np.where(
            distinctive > 0, same_distinctive >= LEAST_SAME_SHAPES * distinctive, same_all >= LEAST_SAME * nodes
        )
        is_rename = (
            (nodes >= LEAST_NODES)
            & (same >= LEAST_SAME * np.minimum(of_base, of_head))
            & (same >= LEAST_SAME_OF_MORE * np.maximum(of_base, of_head))
            & has_same_shapes
            & ~stays
        )
        yield pairs[is_rename[line]]
        # Where both sides have both prefixes, scopes inside may still have been renamed; all other pairs are decided.
        is_left = stays[line] & (pairs.base_cut < sides.parts.lengths[pairs.base])
        pairs, evidence = pairs[is_left].deeper(), evidence[:, is_left]
