"""Sizes of tensors as the profiler writes them: ``float[32,64]``, ``[32,64]``, and ``[]`` for a scalar."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import list_offsets, list_values, make_lists, row_of_value, to_bools

_SIZES = r"^(?:[a-z]\w*)?\[(?P<sizes>(?:\d{1,18}(?:, ?\d{1,18})*)?)\]$"


def parse_sizes(texts: pa.Array) -> pa.ListArray:
    """Return the sizes in each text, NULL where it has none."""
    sizes = pc.struct_field(pc.extract_regex(texts, _SIZES), "sizes")
    is_known = to_bools(pc.is_valid(sizes))
    lists = pc.split_pattern(pc.replace_substring(pc.fill_null(sizes, ""), " ", ""), ",")
    values = list_values(lists)
    is_size = to_bools(pc.not_equal(values, ""))
    row = row_of_value(list_offsets(lists))[is_size]
    numbers = values.filter(pa.array(is_size)).cast(pa.int64())
    return make_lists(numbers, np.bincount(row, minlength=len(texts)).astype(np.int64), is_null=~is_known)
