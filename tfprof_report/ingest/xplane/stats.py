"""Stats: what events, their kinds and planes say of themselves, as columns by the name of the stat."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_bools, to_ints, whole
from tfprof_report.record import record

_LARGEST = 2**20
"""Most entries of a table with a place for every number; numbers that are far apart are hashed."""


@record
class Names:
    """Text by plane and number, as ``XPlane.stat_metadata`` has it; of equal numbers of a plane the last one counts.

    plane, number : of each row of `texts`
    """

    plane: Ints
    number: Ints
    texts: pa.DictionaryArray

    def rows(self, plane: Ints, number: Ints) -> Ints:
        """Return the row of each pair of plane and number, -1 for none."""
        size, planes = int(self.number.max(initial=-1)) + 1, int(self.plane.max(initial=-1)) + 1
        if self.number.min(initial=0) >= 0 and size * planes <= _LARGEST + len(number):
            table = np.full(size * planes + 1, -1)
            table[self.plane * size + self.number] = np.arange(len(self.number))  # the last one stays
            is_within = (number >= 0) & (number < size) & (plane < planes)
            return table[np.where(is_within, plane * size + number, -1)]
        numbers = pa.array(np.concatenate([self.number, number])).dictionary_encode()
        codes = to_ints(numbers.indices)
        size = max(len(numbers.dictionary), 1)
        known = self.plane * size + codes[: len(self.number)]
        wanted = plane * size + codes[len(self.number) :]
        found = pc.index_in(pa.array(wanted), value_set=pa.array(known[::-1]))  # the first one is found
        return np.where(to_bools(pc.is_valid(found)), len(known) - 1 - to_ints(pc.fill_null(found, 0)), -1)


class Stats:
    """The stats of n owners: events, kinds of events, or planes. Of equal names of an owner the first one counts."""

    def __init__(self, owner: Ints, plane: Ints, values: pa.StructArray, names: Names, count: int) -> None:
        """Keep `values`, messages ``XStat``, with the owner and plane of each; `count` is n."""
        self._owner, self._plane, self._values, self._names, self._count = owner, plane, values, names, count

    @cached_property
    def _by_name(self) -> dict[str, Ints]:
        """Return the rows of each name, in file order."""
        row = self._names.rows(self._plane, to_ints(self._values.field("metadata_id")))
        texts = self._names.texts
        is_few = len(texts.dictionary) < np.iinfo(np.int16).max  # a radix sort
        code = np.append(to_ints(texts.indices), -1).astype(np.int16 if is_few else np.int64)[row]
        order = np.argsort(code, kind="stable")
        bounds = np.searchsorted(code[order], np.arange(len(texts.dictionary) + 1))
        starts = zip(texts.dictionary.to_pylist(), bounds[:-1], bounds[1:], strict=True)
        return {name: order[start:end] for name, start, end in starts if end > start}

    def has(self, name: str) -> bool:
        """Return whether an owner has a stat of this name."""
        return name in self._by_name

    def ints(self, name: str) -> pa.Array:
        """Return the whole numbers of a stat, int64, NULL where an owner has none."""
        if not self.has(name):
            return pa.nulls(self._count, pa.int64())
        rows = self._rows(name)
        values = self._values.field("int64_value").take(rows)
        if values.null_count == rows.null_count:
            return values
        unsigned = pc.cast(self._values.field("uint64_value").take(rows), pa.int64(), safe=False)  # ids use all 64 bits
        return pc.coalesce(values, unsigned)

    def texts(self, name: str) -> pa.Array:
        """Return the texts of a stat, written or referred to, NULL where an owner has none."""
        return self.codes(name).cast(pa.string())

    def codes(self, name: str) -> pa.DictionaryArray:
        """Return the same as a dictionary."""
        if not self.has(name):
            return pa.nulls(self._count, pa.string()).dictionary_encode()
        mine = self._mine(name)
        stats = pa.array(mine)
        reference = self._values.field("ref_value").take(stats)
        is_text = to_bools(pc.is_valid(reference))
        number = to_ints(pc.cast(reference.filter(pa.array(is_text)), pa.int64(), safe=False))
        row = np.full(self._count, -1, dtype=np.int64)
        row[self._owner[mine[is_text]]] = self._names.rows(self._plane[mine[is_text]], number)
        codes = self._names.texts
        referred = pa.DictionaryArray.from_arrays(codes.indices.take(pa.array(row, mask=row < 0)), codes.dictionary)
        written = self._values.field("str_value").take(stats)
        if written.null_count == len(written):
            return referred
        place = np.full(self._count, -1, dtype=np.int64)
        place[self._owner[mine]] = np.arange(len(mine))
        own = as_text(written).take(pa.array(place, mask=place < 0))
        return pc.coalesce(own, referred.cast(pa.string())).dictionary_encode()

    def blobs(self, name: str) -> pa.Array:
        """Return the bytes of a stat, NULL where an owner has none."""
        return self._values.field("bytes_value").take(self._rows(name))

    def _rows(self, name: str) -> pa.Array:
        """Return the row of each owner's stat of this name, NULL for none."""
        row = np.full(self._count, -1, dtype=np.int64)
        mine = self._mine(name)
        row[self._owner[mine]] = mine
        return pa.array(row, mask=row < 0)

    def _mine(self, name: str) -> Ints:
        """Return the rows of a name, one per owner that has it."""
        rows = self._by_name.get(name, np.zeros(0, dtype=np.int64))
        owner = self._owner[rows]  # ascending
        is_first = np.ones(len(rows), dtype=bool)
        is_first[1:] = owner[1:] != owner[:-1]
        first: Ints = rows[is_first]
        return first


def matches(texts: pa.DictionaryArray, pattern: str) -> pa.Array:
    """Return which texts match a regular expression; NULL does not."""
    found = pc.match_substring_regex(texts.dictionary, pattern)
    return pc.fill_null(found.take(texts.indices), fill_value=False)


def as_text(texts: pa.Array) -> pa.Array:
    """Return bytes as text; what is not UTF-8 is replaced by the sign for it."""
    texts = whole(texts)
    try:
        return texts.cast(pa.string())
    except pa.ArrowInvalid:
        coded = texts.dictionary_encode()
        words = [word.decode(errors="replace") for word in coded.dictionary.to_pylist()]  # distinct ones
        return pa.array(words, pa.string()).take(coded.indices)
