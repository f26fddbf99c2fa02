"""Full names of a forest's rows: the names from the top down to each row, joined."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.errors import InputError
from tfprof_report.ingest.arrays import Ints, make_lists, take_ranges, to_ints
from tfprof_report.views.forest import Forest, sum_ancestors

SEPARATOR = " > "

MAX_PATH_BYTES = 2**27
"""Most bytes that all paths may take together: those of a stack of n frames take n times its length."""


def paths_of(forest: Forest, names: pa.Array) -> pa.Array:
    """Return for each row the names of its ancestors and its own, the top first, joined by `SEPARATOR`.

    Raises
    ------
    InputError
        The paths take more than `MAX_PATH_BYTES`.
    """
    lengths = to_ints(pc.binary_length(names)) + len(SEPARATOR)
    total = int((lengths + sum_ancestors(forest, lengths)).sum())
    if total > MAX_PATH_BYTES:
        raise InputError(
            f"call stacks whose paths take {total:,} bytes, more than {MAX_PATH_BYTES:,}",
            advice="check the op log's call stacks: some are too deep",
        )
    return pc.binary_join(make_lists(names.take(pa.array(_lines(forest))), forest.depth), SEPARATOR)


def _lines(forest: Forest) -> Ints:
    """Return for each row its ancestors from the top, then itself: at each level the last row so far."""
    count = len(forest)
    keys = np.sort(forest.depth * count + np.arange(count))
    row = np.repeat(np.arange(count), forest.depth)
    level = take_ranges(np.ones(count, dtype=np.int64), forest.depth)
    return keys[np.searchsorted(keys, level * count + row, side="right") - 1] % max(count, 1)
