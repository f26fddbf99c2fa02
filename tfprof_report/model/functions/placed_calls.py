"""Which nodes stand in the bodies of inlined functions, which nodes call these, and what flows through calls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof_report.arrays import Bools, Ints, marks, take_ranges
from tfprof_report.model.functions.call_results import Results
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.model.graph.reach import Flow


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedCalls:
    """The calls of inlined functions.

    body : per node the number of the body that holds it, from 1; 0 for nodes of the graph itself
    node, callee : per call its node and its body; a node may call several, and several nodes the same
    results : from the nodes that bodies return something of to the nodes that call them
    """

    body: Ints
    node: Ints
    callee: Ints
    results: Flow

    @property
    def hands_on(self) -> Bools:
        """Per node whether it calls and its inputs are those of the bodies, which is so for the first call of each."""
        is_first = marks(np.unique(self.callee, return_index=True)[1], len(self.callee))
        return marks(self.node, len(self.body)) & ~marks(self.node[~is_first], len(self.body))

    @property
    def count(self) -> int:
        """Numbers for nodes and bodies together: body i has the number of nodes + i."""
        return len(self.body) + 1 + max(int(self.body.max(initial=0)), int(self.callee.max(initial=0)))

    @property
    def members(self) -> Flow:
        """From the nodes of bodies to these, and from bodies to the nodes that call them; see `count`."""
        inner = np.flatnonzero(self.body)
        return Flow(
            source=np.concatenate([inner, len(self.body) + self.callee]),
            target=np.concatenate([len(self.body) + self.body[inner], self.node]),
        )

    def keep(self, kept: Bools) -> PlacedCalls:
        """Return the calls among the nodes that are `kept`."""
        row = np.cumsum(kept) - 1
        called = kept[self.node]
        flows = kept[self.results.source] & kept[self.results.target]
        return PlacedCalls(
            body=self.body[kept],
            node=row[self.node[called]],
            callee=self.callee[called],
            results=Flow(source=row[self.results.source[flows]], target=row[self.results.target[flows]]),
        )


def place_calls(expansion: Expansion, results: Results, count: int) -> PlacedCalls:
    """Return the calls of an expansion, whose nodes come first among `count` nodes."""
    body = np.zeros(count, dtype=np.int64)
    body[: len(expansion.body)] = expansion.body
    node, callee = expansion.calls.row, expansion.callee
    returned = np.diff(results.offsets)[callee - 1]
    source = results.source[take_ranges(results.offsets[:-1][callee - 1], returned)]
    target = np.repeat(node, returned)
    known = source >= 0
    return PlacedCalls(body=body, node=node, callee=callee, results=Flow(source=source[known], target=target[known]))
