"""Small moves between Arrow's nested columns and numpy that all readers share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def list_offsets(lists: pa.ListArray) -> Ints:
    """Return the n + 1 offsets of a list (or map) column into its `list_values`, starting at 0."""
    offsets: Ints = lists.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    first: np.int64 = offsets[0]
    return offsets - first


def list_values(lists: pa.ListArray) -> Any:
    """Return the concatenated values of a list column without NULL lists."""
    first, last = lists.offsets[0].as_py(), lists.offsets[-1].as_py()
    return lists.values.slice(first, last - first)


def row_of_value(offsets: Ints) -> Ints:
    """Return for each value the row of the list that holds it."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))


def sum_by_row(values: Ints, offsets: Ints) -> Ints:
    """Return the sum of each list's values, as a difference of two prefix sums; wraps like int64 does."""
    sums = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=sums[1:])
    return sums[offsets[1:]] - sums[offsets[:-1]]


def to_ints(column: Any) -> Ints:
    """Return an Arrow integer column without NULLs as int64."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    values: Ints = array.to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return values


def to_bools(column: Any) -> NDArray[np.bool_]:
    """Return an Arrow boolean column as numpy; NULL is False."""
    filled = pc.fill_null(column, False)  # noqa: FBT003 (a value, not a flag)
    array = filled.combine_chunks() if isinstance(filled, pa.ChunkedArray) else filled
    values: NDArray[np.bool_] = array.to_numpy(zero_copy_only=False)
    return values


def make_lists(values: pa.Array, counts: Ints, *, is_null: NDArray[np.bool_] | None = None) -> pa.ListArray:
    """Return a list column of `values`, `counts[i]` of them in row i; rows where `is_null` are NULL (with count 0)."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int32)
    np.cumsum(counts, out=offsets[1:])
    mask = None if is_null is None or not is_null.any() else pa.array(is_null)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, mask=mask)


def take_ranges(starts: Ints, counts: Ints) -> Ints:
    """Return the indices starts[i], starts[i] + 1, ... (`counts[i]` of them) for every i, one after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    indices: Ints = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - counts), counts)
    return indices


class Struct:
    """The fields of a struct column by name; each is flattened once."""

    def __init__(self, column: pa.StructArray) -> None:
        self._fields = dict(zip([field.name for field in column.type], column.flatten(), strict=True))

    def __getitem__(self, name: str) -> pa.Array:
        return self._fields[name]
