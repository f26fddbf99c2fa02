"""How events nest on their lines: which event encloses which, and the time that is an event's own."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Bools, Ints


def enclosing(line: Ints, start: Ints, duration: Ints) -> Ints:
    """Return for each event the innermost one of its line that begins no later and ends after it begins; -1 for none.

    Of events that begin together the longer one encloses the shorter, and of equal ones the first in file order.
    """
    count = len(line)
    order = np.lexsort((-duration, start, line))
    line, start, end = line[order], start[order], (start + duration)[order]
    candidate = np.arange(-1, count - 1)
    open_ = np.arange(count)
    while len(open_):
        # Events between a candidate and its event end before this begins. What an event that has ended already was a
        # candidate's candidate for is therefore the next to ask, whether or not it has been found to enclose that.
        mine = candidate[open_]
        is_over = (mine >= 0) & (line[mine] == line[open_]) & (end[mine] <= start[open_])
        candidate[open_[(mine >= 0) & (line[mine] != line[open_])]] = -1
        open_ = open_[is_over]
        candidate[open_] = candidate[candidate[open_]]
    found = np.full(count, -1)
    found[order] = np.where(candidate >= 0, order[candidate], -1)
    return found


def own_time(parent: Ints, start: Ints, duration: Ints) -> Ints:
    """Return the time of each event without the part of it that the events right within it take."""
    end = start + duration
    inner = np.flatnonzero(parent >= 0)
    outer = parent[inner]
    own = duration.copy()
    np.subtract.at(own, outer, np.minimum(end[inner], end[outer]) - start[inner])
    return np.clip(own, 0, None)


def nearest(is_wanted: Bools, followed: Ints) -> Ints:
    """Return for each event the first wanted one on its way along `followed`, itself included; -1 for none.

    `followed` is the event that each event leads to, -1 for none. A way that comes back to itself ends nowhere.
    """
    here = np.where(is_wanted, np.arange(len(followed)), followed)
    for _ in range(max(len(followed), 1).bit_length() + 1):  # each round goes twice as far
        ahead = np.where(here >= 0, here[np.maximum(here, 0)], -1)
        if np.array_equal(ahead, here):
            break
        here = ahead
    return np.where((here >= 0) & is_wanted[np.maximum(here, 0)], here, -1) if len(here) else here
