"""Finds the rows of nodes by name, for all inputs of a model at once: hashing the names is what costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import whole


def rows_of_names(names: pa.Array, wanted: Sequence[pa.Array | pa.ChunkedArray]) -> list[pa.Array]:
    """Return for each list of names the rows that these have in `names`, which are distinct; NULL for others.

    One table of `names` serves all lists. A list that is `names` themselves, as in an op log of the whole graph, needs
    none.
    """
    lists = [pa.chunked_array([each]) if isinstance(each, pa.Array) else each for each in wanted]
    is_same = [each.equals(pa.chunked_array([names])) for each in lists]
    searched = [chunk for each, same in zip(lists, is_same, strict=True) if not same for chunk in each.chunks]
    found = pc.index_in(pa.chunked_array(searched, names.type), value_set=names) if searched else None
    rows, first = [], 0
    for each, same in zip(lists, is_same, strict=True):
        if same or found is None:
            rows.append(pa.array(np.arange(len(each), dtype=np.int32)))
        else:
            rows.append(whole(found.slice(first, len(each))))
            first += len(each)
    return rows


def with_more_names(
    rows: pa.Array, wanted: pa.Array | pa.ChunkedArray, more: pa.Array, *, first: int
) -> pa.Array | pa.ChunkedArray:
    """Return the rows of `wanted` names, completed by those of new names: `more`, whose rows begin at `first`."""
    if not len(more) or not rows.null_count:
        return rows
    return pc.coalesce(rows, pc.add(pc.index_in(wanted, value_set=more), pa.scalar(first, pa.int32())))
