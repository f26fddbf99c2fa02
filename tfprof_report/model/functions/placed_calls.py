"""The calls of inlined functions in a node table: which nodes are in which body, who calls it, and its results."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Bools, Ints, marks, take_ranges
from tfprof_report.model.functions.call_results import Results
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.model.graph.reach import Flow
from tfprof_report.record import record


@record
class PlacedCalls:
    """The calls of inlined functions.

    body : per node the number of the body that holds it, from 1; 0 for nodes of the graph itself
    node, callee : per call its node and its body; a node may call several bodies, and several nodes the same one
    results : edges from the nodes whose outputs bodies return to the nodes that call the bodies
    """

    body: Ints
    node: Ints
    callee: Ints
    results: Flow

    @property
    def hands_on(self) -> Bools:
        """Per node whether its inputs feed the bodies that it calls: a calling node, and the first caller of each body.

        A shared body has the inputs of its first call only.
        """
        is_first = marks(np.unique(self.callee, return_index=True)[1], len(self.callee))
        return marks(self.node, len(self.body)) & ~marks(self.node[~is_first], len(self.body))

    @property
    def count(self) -> int:
        """Size of the graph of `members`, which has a vertex per node and per body: body i is vertex ``nodes + i``."""
        return len(self.body) + 1 + max(int(self.body.max(initial=0)), int(self.callee.max(initial=0)))

    @property
    def members(self) -> Flow:
        """Edges from the nodes of bodies to their body, and from bodies to the nodes that call them; see `count`."""
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


def place_calls(expansion: Expansion, results: Results) -> PlacedCalls:
    """Return the calls of an expansion."""
    node, callee = expansion.calls.row, expansion.callee
    returned = np.diff(results.offsets)[callee - 1]
    source = results.source[take_ranges(results.offsets[:-1][callee - 1], returned)]
    target = np.repeat(node, returned)
    known = source >= 0
    flow = Flow(source=source[known], target=target[known])
    return PlacedCalls(body=expansion.body, node=node, callee=callee, results=flow)
