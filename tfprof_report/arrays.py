"""Array types, and small conversions between Arrow's nested columns and numpy that all packages share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfprof_report.record import record

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Hashes = NDArray[np.uint64]
Numbers = NDArray[Any]
"""Numbers of any type: int64, float64, or Python objects such as Fraction and large int."""


_PIECE = 2**18
"""Bytes looked at in one go: what is computed of them stays in the processor's cache."""


def list_offsets(lists: pa.ListArray) -> Ints:
    """Return the n + 1 offsets of a list (or map) column into its `list_values`, starting at 0."""
    offsets: Ints = lists.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    first: np.int64 = offsets[0]
    return offsets - first


def list_values(lists: pa.ListArray) -> Any:
    """Return the concatenated values of a list column without NULL lists."""
    first, last = lists.offsets[0].as_py(), lists.offsets[-1].as_py()
    return lists.values.slice(first, last - first)


def text_of(texts: pa.StringArray) -> memoryview:
    """Return the UTF-8 bytes of all texts, one after the other: those that the column holds, not a copy."""
    _, ends, data = texts.buffers()
    if data is None or not len(texts):
        return memoryview(b"")
    first, last = np.frombuffer(ends, dtype=np.int32)[[texts.offset, texts.offset + len(texts)]].tolist()
    return memoryview(data)[first:last]


def contains(texts: pa.StringArray, letter: bytes) -> bool:
    """Return whether any of the texts has a letter of one byte: a search of all their bytes at once."""
    return has_byte(texts, ord(letter), ord(letter))


def has_byte(texts: pa.StringArray, first: int, last: int) -> bool:
    """Return whether any of the texts has a byte from `first` to `last`."""
    data = np.frombuffer(text_of(texts), dtype=np.uint8)
    pieces = (data[start : start + _PIECE] for start in range(0, len(data), _PIECE))
    return any(bool((piece - np.uint8(first) <= last - first).any()) for piece in pieces)  # below `first` it wraps


def match_words(words: pa.Array, pattern: str) -> Bools:
    """Return which texts the regex matches anywhere, False for NULL; it is evaluated once per distinct text.

    `words` may be dictionary-encoded already, which saves the most time where several patterns are asked for.
    """
    coded = words if pa.types.is_dictionary(words.type) else words.dictionary_encode()
    return to_bools(pc.match_substring_regex(coded.dictionary, pattern).take(coded.indices))


def row_of_value(offsets: Ints) -> Ints:
    """Return for each value the row whose list contains it."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def bytes_of_rows(table: pa.Table) -> Ints:
    """Return about how many bytes each row of a table takes where texts are spelled out."""
    total = np.zeros(table.num_rows, dtype=np.int64)
    for column in table.columns:
        total += _bytes_of(whole(column))
    return total


def _bytes_of(column: pa.Array) -> Ints:
    if pa.types.is_dictionary(column.type):
        return np.append(_bytes_of(column.dictionary), 0)[to_ints(pc.fill_null(column.indices, -1))]
    if pa.types.is_struct(column.type):
        return bytes_of_rows(pa.table(column.flatten(), names=[field.name for field in column.type]))
    if pa.types.is_list(column.type):
        return sum_by_row(_bytes_of(list_values(column)), list_offsets(column)) + 8
    if pa.types.is_string(column.type) or pa.types.is_binary(column.type):
        return to_ints(pc.fill_null(pc.binary_length(column), 0))
    return np.full(len(column), 8)


def prefix_sums(values: Numbers) -> Numbers:
    """Return the n + 1 sums of the first 0, 1 ... n values; applied to list lengths, these are the lists' offsets."""
    sums: Numbers = np.zeros(len(values) + 1, dtype=np.cumsum(values[:0]).dtype)
    np.cumsum(values, out=sums[1:])
    return sums


def sum_by_row(values: Ints, offsets: Ints) -> Ints:
    """Return the sum of each list's values, as a difference of two prefix sums; wraps around as int64 does."""
    if is_each_row(offsets, len(values) + 1):  # one value each, as most records have one allocator and one output
        return values.astype(np.int64)
    sums = prefix_sums(values)
    return sums[offsets[1:]] - sums[offsets[:-1]]


def product_by_row(values: Floats, offsets: Ints) -> Floats:
    """Return the product of each list's values, 1 for an empty list."""
    product: Floats = np.ones(len(offsets) - 1)
    np.multiply.at(product, row_of_value(offsets), values)
    return product


def exact_sum(values: pa.ChunkedArray) -> int:
    """Return the sum of the known values of an int64 column, which may be beyond int64, where sums wrap silently."""
    halves = pc.shift_right(values, 32), pc.bit_wise_and(values, 2**32 - 1)
    upper, lower = (pc.sum(half, min_count=0).as_py() for half in halves)
    return int(upper << 32) + int(lower)


def mix(values: Ints | Hashes) -> Hashes:
    """Return a hash of each number: the steps of splitmix64 (Steele, Lea and Flood, 2014), a bijection."""
    bits = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = bits ^ (bits >> np.uint64(31))
    return mixed


def whole(column: Any) -> Any:
    """Return a column as one array; it is copied only if it has several chunks (``combine_chunks`` always copies)."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def to_ints(column: Any) -> Ints:
    """Return an Arrow integer column as int64.

    Raises
    ------
    ValueError
        It has NULLs, for which no integer can stand: fill them first (``pc.fill_null``) with one that the caller means.
    """
    array = whole(column)
    if array.null_count:
        raise ValueError(f"{array.null_count} of {len(array)} integers are NULL")
    values: Ints = array.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return values


def to_bools(column: Any) -> Bools:
    """Return an Arrow boolean column as numpy; NULL is False."""
    array = whole(pc.fill_null(column, False))  # noqa: FBT003 (a value, not a flag)
    values: Bools = array.to_numpy(zero_copy_only=False)
    return values


def number_distinct(values: Ints) -> tuple[Ints, Ints]:
    """Return a code for each value, and the distinct values that the codes index, in order of first appearance."""
    found = pa.array(values).dictionary_encode()
    return to_ints(found.indices), to_ints(found.dictionary)


def encode_codes(codes: Ints, words: pa.Array) -> pa.DictionaryArray:
    """Return ``words.take(codes)`` dictionary-encoded, NULL for a negative code, looking at each of `words` once.

    The result is that of ``dictionary_encode``: each word once, in order of first appearance.
    """
    distinct_words = words.dictionary_encode()
    places = np.append(to_ints(pc.fill_null(distinct_words.indices, -1)), -1)[np.maximum(codes, -1)]
    found = pa.array(places, mask=places < 0).dictionary_encode()
    return pa.DictionaryArray.from_arrays(found.indices, distinct_words.dictionary.take(found.dictionary))


def rows_of_words(words: pa.Array, names: pa.Array) -> Ints:
    """Return for each word the first row of `names` that is the same, -1 for none: for words that are few.

    ``index_in`` makes a table of all names, which takes three times as long as to look all of them up in a small one.
    """
    coded = words.dictionary_encode()
    rows = np.full(len(coded.dictionary) + 1, -1, dtype=np.int64)  # the last one is that of NULL
    if len(coded.dictionary):
        place = pc.index_in(names, value_set=coded.dictionary)
        held = np.flatnonzero(to_bools(pc.is_valid(place)))[::-1]
        rows[to_ints(pc.fill_null(place, -1))[held]] = held
    return rows[to_ints(pc.fill_null(coded.indices, -1))]


def number_rows(columns: list[Ints]) -> Ints:
    """Return a code for each row of equally long columns, in order of first appearance; equal rows have the same.

    Columns are hashed one after another.
    """
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        ranks, values = number_distinct(column)
        code, _ = number_distinct(code * max(len(values), 1) + ranks)
    return code


def sort_distinct(columns: list[Ints]) -> tuple[list[Ints], Ints]:
    """Return the distinct rows of equally long columns as columns, sorted by the first, then the second and so on.

    Also return for each row of `columns` the number of its distinct row. Sorting is only for what is distinct.
    """
    code = number_rows(columns)
    first = first_places(code)
    rows = [column[first] for column in columns]
    order = np.lexsort(rows[::-1])
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [row[order] for row in rows], place[code]


def first_places(codes: Ints) -> Ints:
    """Return where each of the codes 0, 1, 2 ... stands first; each of them has to occur."""
    first = np.empty(int(codes.max(initial=-1)) + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # numpy keeps the last of equal places
    return first


def distinct(values: Ints) -> Ints:
    """Return the distinct values, ascending: a stable sort, which sorted runs make fast, where `np.unique` hashes."""
    ordered = np.sort(values, axis=None, kind="stable")
    is_new = np.ones(len(ordered), dtype=bool)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]


def make_lists(values: pa.Array, counts: Ints, *, is_null: Bools | None = None) -> pa.ListArray:
    """Return a list column with `counts[i]` of the `values` in row i, NULL where `is_null` (their count must be 0)."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int32)
    np.cumsum(counts, out=offsets[1:])
    mask = None if is_null is None or not is_null.any() else pa.array(is_null)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=mask)


def marks(rows: Ints, count: int) -> Bools:
    """Return a mask of `count` rows that is True at `rows`."""
    mask = np.zeros(count, dtype=bool)
    mask[rows] = True
    return mask


def is_each_row(rows: Ints, count: int) -> bool:
    """Return whether `rows` are all of `count` rows in their own order, so that taking them changes nothing."""
    return len(rows) == count and np.array_equal(rows, np.arange(count))


def places_of(kept: Bools) -> Ints:
    """Return each row's number among the kept rows, -1 for rows that are not kept."""
    return np.where(kept, np.cumsum(kept) - 1, -1)


def take_ranges(starts: Ints, counts: Ints) -> Ints:
    """Return the concatenated ranges ``starts[i], starts[i] + 1, ...``, with `counts[i]` indices for each i."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    shift = starts - (ends - counts)
    if total and (shift == shift[0]).all():  # one range after the other
        return np.arange(shift[0], shift[0] + total, dtype=np.int64)
    indices: Ints = np.arange(total, dtype=np.int64) + np.repeat(shift, counts)
    return indices


class Struct:
    """The fields of a struct column by name; each is flattened once."""

    def __init__(self, column: pa.StructArray) -> None:
        self._fields = dict(zip([field.name for field in column.type], column.flatten(), strict=True))

    def __getitem__(self, name: str) -> pa.Array:
        return self._fields[name]


@record
class Lists:
    """One list of integers for each of n nodes: ``sizes[offsets[i]:offsets[i + 1]]``.

    `known` is False where a node has no list and, for a shape, where a dimension is unknown.
    """

    offsets: Ints
    sizes: Ints
    known: Bools

    @classmethod
    def of(cls, lists: Any) -> Lists:
        """Return the lists of an Arrow column; a negative number in one makes it unknown."""
        offsets, sizes = list_offsets(lists), to_ints(list_values(lists))
        negative = prefix_sums(sizes < 0)
        known = to_bools(lists.is_valid()) & (negative[offsets[1:]] == negative[offsets[:-1]])
        return cls(offsets=offsets, sizes=sizes, known=known)

    def part(self, rows: slice) -> Lists:
        """Return the lists of a contiguous range of nodes."""
        offsets = self.offsets[rows.start : rows.stop + 1]
        sizes = self.sizes[offsets[0] : offsets[-1]]
        return Lists(offsets=offsets - offsets[0], sizes=sizes, known=self.known[rows])

    @property
    def rank(self) -> Ints:
        """The length of each list."""
        return np.diff(self.offsets)

    def dim(self, index: int) -> Ints:
        """Return the element at `index` (from the end if negative) of each list, 1 where a list is too short."""
        at = self.offsets[:-1] + index if index >= 0 else self.offsets[1:] + index
        inside = (at >= self.offsets[:-1]) & (at < self.offsets[1:])
        result = np.ones(len(at), dtype=np.int64)
        result[inside] = self.sizes[at[inside]]
        return result

    def product(self, dtype: type) -> Numbers:
        """Return the product of each list, 1 for an empty one."""
        result: Numbers = np.ones(len(self.known), dtype=dtype)
        filled = np.flatnonzero(self.rank > 0)
        if len(filled):
            result[filled] = np.multiply.reduceat(self.sizes.astype(dtype), self.offsets[filled])
        return result
