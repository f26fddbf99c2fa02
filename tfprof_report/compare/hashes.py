"""64-bit hashes of whole columns, the same in every run: what is alike has the same one, whatever it is called."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, list_offsets, list_values, row_of_value, sum_by_row, to_ints

Hashes = npt.NDArray[np.uint64]

_NULL = np.uint64(0x6E756C6C)


def mix(values: Ints | Hashes) -> Hashes:
    """Return a hash of each number: the steps of splitmix64 (Steele, Lea and Flood, 2014), which lose nothing."""
    bits = values.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = bits ^ (bits >> np.uint64(31))
    return mixed


def hash_lists(lists: pa.ListArray) -> Hashes:
    """Return a hash of each list of whole numbers, or of lists of them; NULL has one too, of its own."""
    offsets, values = list_offsets(lists), list_values(lists)
    if pa.types.is_list(values.type):
        hashes = hash_lists(values)
    else:
        hashes = mix(to_ints(pc.fill_null(values, 0)))
        hashes[~values.is_valid().to_numpy(zero_copy_only=False)] = _NULL
    position = np.arange(len(hashes)) - offsets[:-1][row_of_value(offsets)]
    summed = sum_by_row(mix(hashes ^ mix(position)).view(np.int64), offsets).view(np.uint64)
    hashed = mix(summed + mix(np.diff(offsets)))
    hashed[~lists.is_valid().to_numpy(zero_copy_only=False)] = _NULL
    return hashed
