"""The tree of scopes: every part of a node's name that ends at a slash, each once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints

_DEEPEST = 64
"""Scopes are told apart down to this depth: the paths of all scopes take as many times the memory of the names."""

_LONGEST = 1000
"""And up to as many characters: a long component is part of every path below it."""

_PARENT = r"(^|/)[^/]*$"
_ABOVE = r"(?s)^.*/"
_UPPER = rf"(?s)^((?:[^/]*/){{{_DEEPEST - 1}}}[^/]*)/.*$"
_NUMBERS = r"(_[0-9]+)+$"
_NUMBER = r"_[0-9]+$"


@dataclass(frozen=True, kw_only=True)
class Scopes:
    """Distinct scopes, parents before children; the first is the root, the empty path.

    paths : the full path of each
    parent : per scope its parent, -1 for the root
    """

    paths: pa.Array
    parent: Ints

    @property
    def count(self) -> int:
        """How many scopes there are."""
        return len(self.paths)

    @cached_property
    def leaves(self) -> pa.Array:
        """The last component of each path."""
        return last_part(self.paths)

    @cached_property
    def stems(self) -> pa.Array:
        """The last component of each path without the number that makes it unique."""
        return without_number(self.leaves)

    @cached_property
    def depth(self) -> Ints:
        """How many scopes are above each."""
        return _depths(self.parent)

    @cached_property
    def levels(self) -> list[Ints]:
        """The scopes of each depth, from the root on: each level is a range, since scopes are sorted by depth."""
        return np.split(np.arange(self.count), np.flatnonzero(np.diff(self.depth)) + 1)

    def find(self, paths: pa.Array) -> Ints:
        """Return the number of each path, -1 for one that is no scope."""
        return to_ints(pc.fill_null(pc.index_in(paths.cast(self.paths.type), value_set=self.paths), -1))

    def above(self, marked: Bools) -> Bools:
        """Return which scopes hold a marked one, not counting themselves."""
        found = np.zeros(self.count, dtype=bool)
        for level in reversed(self.levels[1:]):
            inner = level[(marked | found)[level]]
            found[self.parent[inner]] = True
        return found


def last_part(paths: pa.Array) -> pa.Array:
    """Return the last component of each path."""
    return pc.replace_substring_regex(paths, _ABOVE, "")


def without_number(words: pa.Array) -> pa.Array:
    """Return words without the numbers at their end that TensorFlow and Keras add to make names unique."""
    return pc.replace_substring_regex(words, _NUMBERS, "")


def without_last_number(words: pa.Array) -> pa.Array:
    """Return words without the last of these numbers."""
    return pc.replace_substring_regex(words, _NUMBER, "")


def scope_of(names: pa.Array) -> pa.Array:
    """Return the scope of each name, empty at the top; of a very deep or long name the upper part of it."""
    parts = pc.split_pattern(names, "/", max_splits=1, reverse=True)  # three times as fast as a regex
    found = pc.if_else(pc.equal(pc.list_value_length(parts), 1), "", pc.list_element(parts, 0))
    if (pc.max(pc.binary_length(found)).as_py() or 0) < min(_LONGEST, _DEEPEST):  # as in most graphs
        return found
    is_long = pc.greater(pc.utf8_length(found), _LONGEST)
    if pc.any(is_long).as_py():
        upper = pc.replace_substring_regex(pc.utf8_slice_codeunits(found, 0, _LONGEST + 1), _PARENT, "")
        found = pc.if_else(is_long, upper, found)
    is_deep = pc.greater_equal(pc.count_substring(found, "/"), _DEEPEST)
    if not pc.any(is_deep).as_py():
        return found
    return pc.if_else(is_deep, pc.replace_substring_regex(found, _UPPER, r"\1"), found)


def build_scopes(paths: pa.Array) -> tuple[Scopes, Ints]:
    """Return the tree of these scopes, as `scope_of` gives them, with all above them; and per path its number."""
    coded = paths.dictionary_encode()
    level = coded.dictionary
    found = [pa.array([""], level.type)]
    while len(level):
        found.append(level)
        level = pc.unique(pc.replace_substring_regex(level.filter(pc.not_equal(level, "")), _PARENT, ""))
    every = pc.unique(pa.concat_arrays(found))
    depth = _depths(_parents(every))  # not by slashes: a component may be empty
    every = every.take(pa.array(np.argsort(depth, kind="stable")))
    of_code = to_ints(pc.index_in(coded.dictionary, value_set=every))
    return Scopes(paths=every, parent=_parents(every)), of_code[to_ints(coded.indices)]


def _parents(paths: pa.Array) -> Ints:
    """Return the parent of each of the paths, -1 for the root."""
    above = pc.if_else(pc.equal(paths, ""), None, pc.replace_substring_regex(paths, _PARENT, ""))
    return np.where(np.asarray(above.is_valid()), to_ints(pc.fill_null(pc.index_in(above, value_set=paths), -1)), -1)


def _depths(parent: Ints) -> Ints:
    """Return how many scopes are above each."""
    depth, at = np.zeros(len(parent), dtype=np.int64), parent
    while (at >= 0).any():
        depth += at >= 0
        at = np.where(at >= 0, parent[at], -1)
    return depth


def has_number(words: pa.Array) -> Bools:
    """Return which words end with a number that makes them unique."""
    return to_bools(pc.match_substring_regex(words, _NUMBERS))
