"""What flows where: which nodes come before and after others, over all edges at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from tfprof_report.arrays import Bools, Ints, marks


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Edges between nodes that are numbered from 0; cycles and repeated edges are welcome."""

    source: Ints
    target: Ints

    def after(self, start: Bools) -> Bools:
        """Return which nodes an edge or several lead to from `start`, and those of `start`; it has one per node."""
        return _reach(start, self.source, self.target)

    def before(self, end: Bools) -> Bools:
        """Return which nodes lead to `end`, and those of `end`."""
        return _reach(end, self.target, self.source)

    def without(self, nodes: Bools) -> Flow:
        """Return the edges that neither begin nor end at `nodes`."""
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
        """Return `core`, and the nodes whose results are used for it alone: every way from them ends in it.

        Parameters
        ----------
        core : what is fed
        sinks : ends of a way that do not matter; they are not returned
        eligible : nodes that may be returned beside `core`; what feeds another one is not returned
        """
        if not core.any():
            return core
        ends = core | sinks
        wanted = ~ends & (~eligible | ~marks(self.source, len(core)))
        return core | (self.before(core) & ~sinks & eligible & ~self.without(ends).before(wanted))

    def _filter(self, mask: Bools) -> Flow:
        return Flow(source=self.source[mask], target=self.target[mask])


def _reach(start: Bools, source: Ints, target: Ints) -> Bools:
    """Return what can be reached: one breadth-first search from an extra node before all of `start`."""
    extra, first = len(start), np.flatnonzero(start)
    if not len(first):
        return start.copy()
    rows = np.concatenate([source, np.full(len(first), extra)])
    columns = np.concatenate([target, first])
    links = csr_array((np.ones(len(rows)), (rows, columns)), shape=(extra + 1, extra + 1))
    reached = breadth_first_order(links, extra, directed=True, return_predecessors=False)
    return marks(reached.astype(np.int64), extra + 1)[:extra]
