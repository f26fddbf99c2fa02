"""The structure of a view, on which queries run: a forest, the names of its rows, and the row of each node."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, make_lists, take_ranges, to_ints
from tfprof_report.errors import InputError
from tfprof_report.views.forest import Forest, sum_ancestors


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One view of n rows over m nodes.

    view : scope, graph, op or code
    forest : the rows in preorder
    names, leaves : full name and last part of each row
    row_of_node : m row numbers, -1 for a node that the view leaves out; in scope and graph view a row has at most one
        node
    frame : code view only: each row's frame in `Traces.frames`, -1 for none
    is_gradient : code view only: 1 for a row that repeats a frame for gradient nodes
    lost_gradients : code view only: number of forward nodes that gradient nodes refer to but that have no call stack
    """

    view: str
    forest: Forest
    names: pa.Array
    leaves: pa.Array
    row_of_node: Ints
    frame: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    is_gradient: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    lost_gradients: int = 0

    def __len__(self) -> int:
        return len(self.forest)

    @property
    def node(self) -> Ints:
        """The node of each row in scope and graph view, -1 for a row without a node."""
        node = np.full(len(self), -1, dtype=np.int64)
        present = np.flatnonzero(self.row_of_node >= 0)
        node[self.row_of_node[present]] = present
        return node


SEPARATOR = " > "


MAX_PATH_BYTES = 2**27
"""Most bytes of all paths together; they grow with the square of a stack's depth."""

MAX_PATH_PARTS = 2**23
"""Most names in all paths together: joining them takes memory for each, however short it is."""


def paths_of(forest: Forest, names: pa.Array) -> pa.Array:
    """Return for each row the names from the top row down to itself, joined by `SEPARATOR`.

    Raises
    ------
    InputError
        The paths have more than `MAX_PATH_BYTES` or `MAX_PATH_PARTS`.
    """
    lengths = to_ints(pc.binary_length(names)) + len(SEPARATOR)
    total = int((lengths + sum_ancestors(forest, lengths)).sum())
    parts = int(forest.depth.sum())
    for found, most, unit in ((total, MAX_PATH_BYTES, "bytes"), (parts, MAX_PATH_PARTS, "names")):
        if found > most:
            raise InputError(
                f"call stacks whose paths take {found:,} {unit}, more than {most:,}",
                advice="check the op log's call stacks: some are too deep",
            )
    return pc.binary_join(make_lists(names.take(pa.array(_rows_from_top(forest))), forest.depth), SEPARATOR)


def _rows_from_top(forest: Forest) -> Ints:
    """Return for each row its ancestors from the top, then itself: at each level the last row up to this one."""
    count = len(forest)
    keys = np.sort(forest.depth * count + np.arange(count))
    row = np.repeat(np.arange(count), forest.depth)
    level = take_ranges(np.ones(count, dtype=np.int64), forest.depth)
    return keys[np.searchsorted(keys, level * count + row, side="right") - 1] % max(count, 1)
