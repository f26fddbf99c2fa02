"""The structure of a view before any query: a forest, its names, and which nodes stand in which row."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from tfprof_report.ingest.arrays import Ints
from tfprof_report.views.forest import Forest


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
