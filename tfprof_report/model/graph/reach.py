"""Reachability: which nodes of a directed graph lead to others or are reached from them."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Bools, Ints, marks
from tfprof_report.graph_search import reachable
from tfprof_report.record import record


@record
class Flow:
    """An edge list between nodes numbered from 0; cycles and repeated edges are allowed."""

    source: Ints
    target: Ints

    def after(self, start: Bools) -> Bools:
        """Return which nodes are reachable from `start` (a mask over nodes), including `start` itself."""
        return reachable(start, self.source, self.target)

    def before(self, end: Bools) -> Bools:
        """Return from which nodes `end` is reachable, including `end` itself."""
        return reachable(end, self.target, self.source)

    def without(self, nodes: Bools) -> Flow:
        """Return the edges that neither start nor end at `nodes`."""
        return self._filter(~(nodes[self.source] | nodes[self.target]))

    def into(self, nodes: Bools) -> Flow:
        """Return the edges that end at `nodes`."""
        return self._filter(nodes[self.target])

    def joined(self, other: Flow) -> Flow:
        """Return the edges of both."""
        return Flow(
            source=np.concatenate([self.source, other.source]), target=np.concatenate([self.target, other.target])
        )

    def only_feeding(self, core: Bools, *, sinks: Bools, eligible: Bools) -> Bools:
        """Return `core`, and the eligible nodes that feed nothing else: every path from them ends in `core` or `sinks`.

        Parameters
        ----------
        core : nodes that are fed
        sinks : nodes whose use of a value does not matter; they are not returned
        eligible : nodes that may be returned in addition to `core`; a node that feeds an ineligible one is not returned
        """
        if not core.any():
            return core
        # `wanted` nodes are needed for their own sake: ineligible ones, and results that no edge uses. So are nodes
        # from which one of them is reachable without passing through `core` or `sinks`.
        ends = core | sinks
        wanted = ~ends & (~eligible | ~marks(self.source, len(core)))
        return core | (self.before(core) & ~sinks & eligible & ~self.without(ends).before(wanted))

    def _filter(self, mask: Bools) -> Flow:
        return Flow(source=self.source[mask], target=self.target[mask])
