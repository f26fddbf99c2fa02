"""Stats: what events, their kinds and planes say of themselves, as columns by the name of the stat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, encode_codes, to_bools, to_ints, whole
from tfprof_report.record import record

_LARGEST = 2**20
"""Most entries of a table with a place for every number; numbers that are far apart are hashed."""

_PART = 2**20
"""Stats whose names are looked up at a time, so that what is in between takes little memory."""


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


@record
class _Column:
    """A stat: per owner that has it a number, text or bytes, each NULL where the stat is none; None where none is.

    owner : ascending
    """

    owner: Ints
    numbers: pa.Array | None
    texts: pa.DictionaryArray | None
    blobs: pa.Array | None


class Stats:
    """The stats of `count` owners: events, kinds of events, or planes. Of equal names of an owner the first one counts.

    They are copied out of the message, whose columns have a place for every kind of value, nearly all of them empty.
    """

    def __init__(self, owner: Ints, plane: Ints, values: pa.StructArray, names: Names, count: int) -> None:
        """Read `values`, messages ``XStat``, with the owner of each; `plane` is that of each owner."""
        self._count = count
        fields = {
            name: column
            for name in ("int64_value", "uint64_value", "ref_value", "str_value", "bytes_value")
            if (column := values.field(name)).null_count < len(column)
        }
        named = _by_name(owner, plane, to_ints(values.field("metadata_id")), names)
        self._columns = {name: _read(rows, owner, plane, fields, names) for name, rows in named}

    def has(self, name: str) -> bool:
        """Return whether an owner has a stat of this name."""
        return name in self._columns

    def ints(self, name: str) -> pa.Array:
        """Return the whole numbers of a stat, int64, NULL where an owner has none."""
        column = self._columns.get(name)
        if column is None or column.numbers is None:
            return pa.nulls(self._count, pa.int64())
        values, lacks = np.zeros(self._count, dtype=np.int64), np.ones(self._count, dtype=bool)
        values[column.owner] = to_ints(pc.fill_null(column.numbers, 0))
        lacks[column.owner] = to_bools(pc.is_null(column.numbers))
        return pa.array(values, mask=lacks)

    def codes(self, name: str) -> pa.DictionaryArray:
        """Return the texts of a stat, written or referred to, NULL where an owner has none."""
        column = self._columns.get(name)
        if column is None or column.texts is None:
            return pa.nulls(self._count, pa.string()).dictionary_encode()
        code = np.full(self._count, -1, dtype=np.int32)
        code[column.owner] = to_ints(pc.fill_null(column.texts.indices, -1))
        return pa.DictionaryArray.from_arrays(pa.array(code, mask=code < 0), column.texts.dictionary)

    def blobs(self, name: str) -> pa.Array:
        """Return the bytes of a stat, NULL where an owner has none."""
        column = self._columns.get(name)
        if column is None or column.blobs is None:
            return pa.nulls(self._count, pa.binary())
        place = np.full(self._count, -1, dtype=np.int64)
        place[column.owner] = np.arange(len(column.owner))
        return column.blobs.take(pa.array(place, mask=place < 0))


def _by_name(owner: Ints, plane: Ints, number: Ints, names: Names) -> Iterator[tuple[str, Ints]]:
    """Yield each name with the stats that have it, in file order; `number` is that of the name of each stat."""
    texts = names.texts
    is_few = len(texts.dictionary) < np.iinfo(np.int16).max  # a radix sort
    of_name = np.append(to_ints(texts.indices), -1).astype(np.int16 if is_few else np.int64)
    code = np.empty(len(owner), dtype=of_name.dtype)
    for start in range(0, len(owner), _PART):
        part = slice(start, start + _PART)
        code[part] = of_name[names.rows(plane[owner[part]], number[part])]
    order = np.argsort(code, kind="stable")
    bounds = np.searchsorted(code[order], np.arange(len(texts.dictionary) + 1))
    for name, start, end in zip(texts.dictionary.to_pylist(), bounds[:-1], bounds[1:], strict=True):
        if end > start:
            yield name, order[start:end]


def _read(rows: Ints, owner: Ints, plane: Ints, fields: Mapping[str, pa.Array], names: Names) -> _Column:
    """Return a stat from its rows; arguments as those of `Stats`, `fields` those of the values that are not empty."""
    mine = owner[rows]
    is_first = np.ones(len(rows), dtype=bool)
    is_first[1:] = mine[1:] != mine[:-1]
    rows, mine = rows[is_first], mine[is_first]
    stats = pa.array(rows)
    found = {name: column.take(stats) for name, column in fields.items()}
    found = {name: column for name, column in found.items() if column.null_count < len(column)}
    numbers = found.get("int64_value")
    if (unsigned := found.get("uint64_value")) is not None:
        unsigned = pc.cast(unsigned, pa.int64(), safe=False)  # ids use all 64 bits
        numbers = unsigned if numbers is None else pc.coalesce(numbers, unsigned)
    return _Column(
        owner=mine.astype(np.int32 if len(owner) < np.iinfo(np.int32).max else np.int64),
        numbers=numbers,
        texts=_texts(found.get("str_value"), found.get("ref_value"), plane[mine], names),
        blobs=found.get("bytes_value"),
    )


def _texts(
    written: pa.Array | None, reference: pa.Array | None, plane: Ints, names: Names
) -> pa.DictionaryArray | None:
    """Return the texts of a stat that are written or refer to a name of the plane."""
    own = None if written is None else as_text(written).dictionary_encode()
    if reference is None:
        return own
    is_text = to_bools(pc.is_valid(reference))
    row = np.full(len(plane), -1, dtype=np.int64)
    row[is_text] = names.rows(plane[is_text], to_ints(pc.cast(reference.drop_null(), pa.int64(), safe=False)))
    code = np.append(to_ints(names.texts.indices), -1)[row]
    if own is None:
        return pa.DictionaryArray.from_arrays(pa.array(code, pa.int32(), mask=code < 0), names.texts.dictionary)
    mine = to_ints(pc.fill_null(own.indices, -1))
    code = np.where(mine >= 0, mine, np.where(code >= 0, code + len(own.dictionary), -1))
    return encode_codes(code, pa.concat_arrays([own.dictionary, names.texts.dictionary]))


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
