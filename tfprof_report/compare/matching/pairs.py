"""Pairs the rows of two tables, by name or by given partners; figures play no part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, is_each_row, to_ints, whole
from tfprof_report.compare.comparison import MatchedBy
from tfprof_report.errors import InputError
from tfprof_report.record import record

WORDS = tuple(MatchedBy)
"""The values of the codes in `Partners.matched_by`, from the strongest evidence to the weakest."""


@record
class Partners:
    """For each row of base its partner row in head and why (an index into `WORDS`); -1 without a partner."""

    head_row: Ints
    matched_by: npt.NDArray[np.int8]

    @property
    def is_by_name(self) -> bool:
        """Whether every row with a partner was matched by name."""
        return not (self.matched_by > WORDS.index(MatchedBy.NAME)).any()

    def alone_in_head(self, head_count: int) -> Ints:
        """Return the rows of head without a partner."""
        return np.flatnonzero(np.bincount(self.head_row[self.head_row >= 0], minlength=head_count) == 0)


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """An outer join of the rows of both sides: rows of base in base order, then rows of head alone in head order.

    names : the name in head, or in base for rows that head lacks.
    base_names : the name in base; NULL where base lacks the row.
    matched_by : `MatchedBy` of matched rows, else NULL.
    base_rows, head_rows : int64, the row in each side's table; NULL where that side lacks it.
    base_is_matched, head_is_matched : one boolean per row of a side's table.
    """

    names: pa.ChunkedArray
    base_names: pa.ChunkedArray
    matched_by: pa.DictionaryArray
    base_rows: pa.Array
    head_rows: pa.Array
    base_is_matched: pa.Array
    head_is_matched: pa.Array

    @property
    def is_matched(self) -> pa.Array:
        """Whether both sides have the row."""
        return pc.and_(self.base_rows.is_valid(), self.head_rows.is_valid())

    def of_base(self, column: pa.Array) -> pa.Array:
        """Return a column of base in the order of pairs, NULL where base lacks the row."""
        return column if self._is_base_in_order else column.take(self.base_rows)

    def of_head(self, column: pa.Array) -> pa.Array:
        """Return a column of head in the order of pairs, NULL where head lacks the row."""
        return column if self._is_head_in_order else column.take(self.head_rows)

    @cached_property
    def _is_base_in_order(self) -> bool:
        return _is_each_row(self.base_rows, len(self.base_is_matched))

    @cached_property
    def _is_head_in_order(self) -> bool:
        return _is_each_row(self.head_rows, len(self.head_is_matched))


def _is_each_row(rows: pa.Array, count: int) -> bool:
    return not rows.null_count and is_each_row(to_ints(rows), count)


def match_rows(base_names: pa.ChunkedArray, head_names: pa.ChunkedArray) -> Pairs:
    """Pair two columns of names; names are equal if their bytes are.

    Raises
    ------
    InputError
        A name is not unique on its side: all but one of its rows would silently be left out.
    """
    return pair_rows(base_names, head_names, match_names(base_names, head_names))


def match_names(base_names: pa.ChunkedArray, head_names: pa.ChunkedArray) -> Partners:
    """Return the partners by name, as `match_rows` does."""
    base_count = len(base_names)
    names = pa.chunked_array([*base_names.cast(pa.string()).chunks, *head_names.cast(pa.string()).chunks], pa.string())
    # Hashing text dominates the time, so it is done once; from here on a name is a number.
    encoded = whole(names.dictionary_encode())
    codes = encoded.indices.to_numpy()
    _check_unique(codes[:base_count], encoded.dictionary, side="base")
    _check_unique(codes[base_count:], encoded.dictionary, side="head")
    row_of = np.full(len(encoded.dictionary), -1)
    row_of[codes[base_count:]] = np.arange(len(codes) - base_count)
    head_row = row_of[codes[:base_count]]
    by_name = WORDS.index(MatchedBy.NAME)
    return Partners(head_row=head_row, matched_by=np.where(head_row >= 0, by_name, -1).astype(np.int8))


def pair_rows(base_names: pa.ChunkedArray, head_names: pa.ChunkedArray, partners: Partners) -> Pairs:
    """Return the outer join of both sides on their partners."""
    base_names, head_names = (names.cast(pa.string()) for names in (base_names, head_names))
    head_row, count = partners.head_row, len(partners.head_row)
    new_rows = partners.alone_in_head(len(head_names))
    head_rows = np.concatenate([head_row, new_rows])
    is_new = np.ones(len(head_names), dtype=bool)
    is_new[head_row[head_row >= 0]] = False
    own = base_names
    if not partners.is_by_name:
        own = pc.coalesce(head_names.take(pa.array(head_row, mask=head_row < 0)), base_names)
    no_base = pa.nulls(len(new_rows), pa.string())
    codes = np.concatenate([partners.matched_by, np.full(len(new_rows), -1, dtype=np.int8)])
    return Pairs(
        names=pa.chunked_array([*own.chunks, *head_names.filter(pa.array(is_new)).chunks], pa.string()),
        base_names=pa.chunked_array([*base_names.chunks, no_base], pa.string()),
        matched_by=pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(WORDS, pa.string())),
        base_rows=pa.concat_arrays([pa.array(np.arange(count)), pa.nulls(len(new_rows), pa.int64())]),
        head_rows=pa.array(head_rows, mask=head_rows < 0),
        base_is_matched=pa.array(head_row >= 0),
        head_is_matched=pa.array(~is_new),
    )


def _check_unique(codes: npt.NDArray[np.int32], names: pa.Array, *, side: str) -> None:
    counts = np.bincount(codes, minlength=len(names))
    if (counts > 1).any():
        twice = names[int(counts.argmax())]
        raise InputError(f'the name "{twice}" appears more than once in {side}, so its rows cannot be compared')
