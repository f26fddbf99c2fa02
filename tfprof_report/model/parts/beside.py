"""Tells which of many alike scopes are independent of the first of them, and so copies and not parts of one model.

There may be thousands of scopes. So questions are asked for all of them at once, each with one search of the graph
that starts from the nodes of interest and sees which scopes it comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tfprof_report.arrays import Bools, Ints, marks
from tfprof_report.model.graph.reach import Flow
from tfprof_report.record import record


def beside_first(scopes: Sequence[Ints], data: Flow, works: Bools) -> Bools:
    """Return which scopes are independent of the first: neither feeds the other, nor are both parts of one model.

    They are parts of one model if a node depends on the results of both, and both depend on the same sources outside
    themselves. Nodes without inputs, such as variables that both scopes use, are not results.

    Parameters
    ----------
    scopes : the rows of each scope; no row is in two of them
    data : the edges of data between all nodes
    works : marks the nodes of the model
    """
    graph = _Scopes.of(scopes, data, len(works))
    is_result = works & graph.has_inputs
    first = graph.scope == 0
    after_first = data.after(first & is_result)
    is_linked = graph.touched(after_first) | graph.touched(data.before(first) & is_result)
    is_joined = graph.touched(data.before(after_first & works) & is_result)
    return ~is_linked & ~(is_joined & graph.same_beginnings(is_joined & ~is_linked))


@record
class _Scopes:
    """Scopes of a graph: the number of each node's scope, -1 for none, and whether a node has inputs."""

    scope: Ints
    count: int
    data: Flow
    has_inputs: Bools

    @classmethod
    def of(cls, scopes: Sequence[Ints], data: Flow, count: int) -> _Scopes:
        scope = np.full(count, -1, dtype=np.int64)
        scope[np.concatenate(scopes)] = np.repeat(np.arange(len(scopes)), [len(rows) for rows in scopes])
        return cls(scope=scope, count=len(scopes), data=data, has_inputs=marks(data.target, count))

    def touched(self, nodes: Bools) -> Bools:
        """Return which scopes have one of `nodes`."""
        return marks(self.scope[nodes & (self.scope >= 0)], self.count)

    def same_beginnings(self, among: Bools) -> Bools:
        """Return which scopes `among` all depend on the same sources outside themselves as the first scope does."""
        if not among.any():
            return among
        first = self.scope == 0
        wanted = self.data.before(first) & ~self.has_inputs & ~first
        inside = among[self.scope] & (self.scope >= 0)
        has_others = self.touched(self.data.after(~self.has_inputs & ~wanted & ~inside))
        open_ = among & ~has_others & ~self.touched(wanted)  # a source inside a scope is not one outside it
        # From here on a scope may lack wanted sources, or depend on sources inside another scope.
        entries = self.data.source[first[self.data.target] & ~first[self.data.source]]
        same = np.zeros(self.count, dtype=bool)
        if len(entries := np.unique(entries)) <= open_.sum():
            leaving = inside[self.data.source] & (self.scope[self.data.source] != self.scope[self.data.target])
            is_fed = self.touched(self.data.after(marks(self.data.target[leaving], len(self.scope))))
            same = open_ & ~is_fed
            for entry in entries:  # what all entries of the first scope lead to has all their sources
                same &= self.touched(self.data.after(marks(entry, len(self.scope))))
        for scopes, entries in self._by_entries(open_ & ~same):
            found = self.data.before(marks(entries, len(self.scope))) & ~self.has_inputs
            others = self.scope[found & ~wanted]
            is_whole = not (wanted & ~found).any()
            same[scopes] = [is_whole and bool((others == scope).all()) for scope in scopes]
        return same

    def _by_entries(self, among: Bools) -> Iterator[tuple[list[int], Ints]]:
        """Yield scopes with the nodes outside them that feed them directly, those fed by the same ones together."""
        into, out_of = self.scope[self.data.target], self.scope[self.data.source]
        edges = np.flatnonzero((into >= 0) & among[into] & (into != out_of))
        edges = edges[np.lexsort((self.data.source[edges], into[edges]))]
        bounds = np.searchsorted(into[edges], np.arange(self.count + 1))
        groups: dict[bytes, list[int]] = {}
        for scope in np.flatnonzero(among).tolist():
            entries = np.unique(self.data.source[edges[bounds[scope] : bounds[scope + 1]]])
            groups.setdefault(entries.tobytes(), []).append(scope)
        for key, scopes in groups.items():
            yield scopes, np.frombuffer(key, dtype=np.int64)
