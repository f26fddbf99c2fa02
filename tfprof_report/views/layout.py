"""The structure of a view, on which queries run: a forest, the names of its rows, and the row of each node."""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_ints
from tfprof_report.errors import ViewLimitError
from tfprof_report.record import record
from tfprof_report.views.forest import Forest, sum_ancestors


@record
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


def paths_of(forest: Forest, names: pa.Array, most: int) -> pa.Array:
    """Return for each row the names from the top row down to itself, joined by `SEPARATOR`.

    They are made level by level, each from the path of the row above.

    Raises
    ------
    ViewLimitError
        All paths together have more than `most` bytes; they grow with the square of a stack's depth.
    """
    lengths = to_ints(pc.binary_length(names)) + len(SEPARATOR)
    total = int((lengths + sum_ancestors(forest, lengths)).sum())
    if total > most:
        raise ViewLimitError(
            f"call stacks whose paths take {total:,} bytes, more than {most:,}",
            advice="check the op log's call stacks: some are too deep",
        )
    by_level = np.argsort(forest.depth, kind="stable")
    place = np.empty(len(forest), dtype=np.int64)
    place[by_level] = np.arange(len(forest))
    starts = np.searchsorted(forest.depth[by_level], np.arange(1, int(forest.depth.max(initial=0)) + 2))
    levels: list[pa.Array] = []
    for level, (start, stop) in enumerate(pairwise(starts.tolist())):
        rows = by_level[start:stop]
        leaves = names.take(pa.array(rows))
        if levels:
            above = levels[-1].take(pa.array(place[forest.parent[rows]] - starts[level - 1]))
            leaves = pc.binary_join_element_wise(above, leaves, SEPARATOR)
        levels.append(leaves)
    return pa.concat_arrays(levels).take(pa.array(place)) if levels else names
