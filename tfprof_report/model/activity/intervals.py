"""Unions of intervals of time in groups, by one sort and a running maximum. Intervals that only touch are one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tfprof_report.arrays import Ints, prefix_sums
from tfprof_report.record import record

_MOST = 2**62


@record
class Intervals:
    """Disjoint intervals, sorted by `group` and then by `start`; `first` is the input that each begins with."""

    group: Ints
    start: Ints
    end: Ints
    first: Ints

    def lengths(self, groups: int) -> Ints:
        """Return the length of the union of each of `groups` groups, 0 for one without intervals."""
        sums = prefix_sums(self.end - self.start)
        bounds = np.searchsorted(self.group, np.arange(groups + 1))
        lengths: Ints = np.diff(sums[bounds])
        return lengths

    def of_rows(self, rows: Ints) -> Intervals:
        """Return the same with the inputs numbered as the `rows` that they were taken from."""
        return replace(self, first=rows[self.first])

    def before(self, group: Ints, time: Ints) -> Ints:
        """Return how much of the union lies before a `time` of a `group`, and in groups before it."""
        count = len(self.group)
        is_query = np.arange(count + len(group)) >= count
        order = np.lexsort((is_query, np.concatenate([self.start, time]), np.concatenate([self.group, group])))
        begun = np.empty(len(order), dtype=np.int64)
        begun[order] = np.cumsum(~is_query[order])
        begun = begun[count:]
        covered: Ints = prefix_sums(self.end - self.start)[begun]
        last = np.maximum(begun - 1, 0)
        mine = np.flatnonzero(begun > 0)
        mine = mine[self.group[last[mine]] == group[mine]]
        covered[mine] -= np.maximum(self.end[last[mine]] - time[mine], 0)
        return covered


def unite(group: Ints, start: Ints, end: Ints) -> Intervals:
    """Return the union of the intervals of each group; no interval may end before it starts.

    Of intervals with the same start the longest is the first, then the earlier row.
    """
    order = np.lexsort((-end, start, group))
    group, start = group[order], start[order]
    latest = _running_maximum(group, end[order])
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (group[1:] != group[:-1]) | (start[1:] > latest[:-1])
    first = np.flatnonzero(is_new)
    last = np.append(first, len(order))[1:] - 1
    return Intervals(group=group[first], start=start[first], end=latest[last], first=order[first])


def _running_maximum(group: Ints, values: Ints) -> Ints:
    """Return the largest of the values so far in each group; groups are sorted."""
    if not len(values):
        return values
    lowest, groups = int(values.min()), int(group[-1]) + 1
    width = int(values.max()) - lowest + 1
    if groups * width < _MOST:
        shift = group * width - lowest
        latest: Ints = np.maximum.accumulate(values + shift) - shift
        return latest
    distinct, rank = np.unique(values, return_inverse=True)  # so far apart that sums do not fit into an integer
    dense = np.cumsum(np.append(0, np.diff(group) != 0)) * len(distinct)
    ranked: Ints = distinct[np.maximum.accumulate(rank + dense) - dense]
    return ranked
