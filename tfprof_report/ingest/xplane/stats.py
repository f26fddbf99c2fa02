"""Stats: what events, their kinds and planes say of themselves, as columns by the name of the stat."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_bools, to_ints, whole
from tfprof_report.record import record


@record
class Names:
    """Text by plane and number, as ``XPlane.stat_metadata`` has it; of equal numbers of a plane the last one counts.

    plane, number : of each row of `texts`
    """

    plane: Ints
    number: Ints
    texts: pa.Array

    def rows(self, plane: Ints, number: Ints) -> Ints:
        """Return the row of each pair of plane and number, -1 for none."""
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
        texts = self._names.texts.dictionary_encode()
        code = np.append(to_ints(texts.indices), -1)[row]
        order = np.argsort(code, kind="stable")
        bounds = np.searchsorted(code[order], np.arange(len(texts.dictionary) + 1))
        starts = zip(texts.dictionary.to_pylist(), bounds[:-1], bounds[1:], strict=True)
        return {name: order[start:end] for name, start, end in starts if end > start}

    def has(self, name: str) -> bool:
        """Return whether an owner has a stat of this name."""
        return name in self._by_name

    def ints(self, name: str) -> pa.Array:
        """Return the whole numbers of a stat, int64, NULL where an owner has none."""
        rows = self._rows(name)
        values = self._values.take(rows)
        unsigned = pc.cast(values.field("uint64_value"), pa.int64(), safe=False)  # ids use all 64 bits
        return pc.coalesce(values.field("int64_value"), unsigned)

    def texts(self, name: str) -> pa.Array:
        """Return the texts of a stat, written or referred to, NULL where an owner has none."""
        rows = self._rows(name)
        values = self._values.take(rows)
        reference = values.field("ref_value")
        is_text = to_bools(pc.is_valid(reference))
        plane = self._plane[to_ints(pc.fill_null(rows, 0))] if len(self._plane) else np.zeros(self._count, np.int64)
        number = to_ints(pc.cast(pc.fill_null(reference, 0), pa.int64(), safe=False))
        row = np.full(len(is_text), -1)
        row[is_text] = self._names.rows(plane[is_text], number[is_text])
        referred = self._names.texts.take(pa.array(row, mask=row < 0))
        return pc.coalesce(as_text(values.field("str_value")), referred)

    def blobs(self, name: str) -> pa.Array:
        """Return the bytes of a stat, NULL where an owner has none."""
        return self._values.take(self._rows(name)).field("bytes_value")

    def _rows(self, name: str) -> pa.Array:
        """Return the row of each owner's stat of this name, NULL for none."""
        row = np.full(self._count, -1, dtype=np.int64)
        mine = self._by_name.get(name, np.zeros(0, dtype=np.int64))[::-1]
        row[self._owner[mine]] = mine
        return pa.array(row, mask=row < 0)


def as_text(texts: pa.Array) -> pa.Array:
    """Return bytes as text; what is not UTF-8 is replaced by the sign for it."""
    texts = whole(texts)
    try:
        return texts.cast(pa.string())
    except pa.ArrowInvalid:
        coded = texts.dictionary_encode()
        words = [word.decode(errors="replace") for word in coded.dictionary.to_pylist()]  # distinct ones
        return pa.array(words, pa.string()).take(coded.indices)
