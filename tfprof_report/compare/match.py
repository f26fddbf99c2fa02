"""Pairs the rows of two tables by name. Knows nothing of figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.errors import InputError

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The rows of either side, in base order, then those that only head has, in head order.

    names : the name of each row.
    base_rows, head_rows : int64, the row of each side's table; NULL where that side does not have the name.
    base_is_matched, head_is_matched : one truth value per row of a side's table.
    """

    names: pa.ChunkedArray
    base_rows: pa.Array
    head_rows: pa.Array
    base_is_matched: pa.Array
    head_is_matched: pa.Array

    @property
    def is_matched(self) -> pa.Array:
        """Whether both sides have the row."""
        return pc.and_(self.base_rows.is_valid(), self.head_rows.is_valid())


def match_rows(base_names: pa.ChunkedArray, head_names: pa.ChunkedArray) -> Pairs:
    """Pair two columns of names; equal means equal to the byte.

    Raises
    ------
    InputError
        A name stands twice on one side. One of its rows would silently take part in no comparison.
    """
    base_count = len(base_names)
    names = pa.chunked_array([*base_names.cast(pa.string()).chunks, *head_names.cast(pa.string()).chunks], pa.string())
    # Hashing text is what takes the time, so it is done once; from here on a name is a number.
    encoded = names.dictionary_encode().combine_chunks()
    codes = encoded.indices.to_numpy()
    base_codes, head_codes = codes[:base_count], codes[base_count:]
    base_row_of = _rows_by_code(base_codes, encoded.dictionary, side="base")
    head_row_of = _rows_by_code(head_codes, encoded.dictionary, side="head")
    in_head = head_row_of[base_codes]
    is_new = base_row_of[head_codes] < 0
    new_rows = np.flatnonzero(is_new)
    head_rows = np.concatenate([in_head, new_rows])
    return Pairs(
        names=pa.chunked_array([*names[:base_count].chunks, *names[base_count:].filter(is_new).chunks], pa.string()),
        base_rows=pa.concat_arrays([pa.array(np.arange(base_count)), pa.nulls(len(new_rows), pa.int64())]),
        head_rows=pa.array(head_rows, mask=head_rows < 0),
        base_is_matched=pa.array(in_head >= 0),
        head_is_matched=pa.array(~is_new),
    )


def _rows_by_code(codes: Codes, names: pa.Array, *, side: str) -> Codes:
    """Return the row of each name, -1 for a name that the side does not have."""
    counts = np.bincount(codes, minlength=len(names))
    if (counts > 1).any():
        twice = names[int(counts.argmax())]
        raise InputError(f'the name "{twice}" stands more than once on {side}, so its rows cannot be compared')
    rows = np.full(len(names), -1)
    rows[codes] = np.arange(len(codes))
    return rows
