"""The structure of a view before any query: a forest, its names, and which nodes stand in which row."""

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
    row_of_node : m row numbers, -1 for a node that the view leaves out; scope and graph have one node in a row
    frame, is_gradient : code view only: row of `Traces.frames` of each row (-1 for none), and whether it is mirrored
    lost_gradients : code view only: forward names of gradient nodes that have no row themselves
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
        """The node of each row of a view with one node in a row, -1 for a row that is no node."""
        node = np.full(len(self), -1, dtype=np.int64)
        present = np.flatnonzero(self.row_of_node >= 0)
        node[self.row_of_node[present]] = present
        return node


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
