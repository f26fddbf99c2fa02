"""How events nest on their lines: which event encloses which, and the time that is an event's own."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Bools, Ints

_ROUNDS = 64
"""Steps from an event to what may enclose it; what is still open then, in odd files, is looked up in a tree."""


def enclosing(line: Ints, start: Ints, duration: Ints) -> Ints:
    """Return for each event the innermost one of its line that begins no later and ends after it begins; -1 for none.

    Of events that begin together the longer one encloses the shorter, and of equal ones the first in file order.
    """
    end = start + duration
    if (order := _in_order(line, start, duration)) is None:
        return _last_above(line, end, start)
    return _unordered(_last_above(line[order], end[order], start[order]), order)


def own_time(line: Ints, start: Ints, duration: Ints, parent: Ints) -> Ints:
    """Return the time of each event in which it is the last of its line that began and has not ended.

    These times add up to the time in which a line is busy, also where events overlap without one enclosing the other,
    as clocks of threads make them. `parent` is by `enclosing`.
    """
    end = start + duration
    own = duration.copy()
    inner = np.flatnonzero((parent >= 0) & (duration > 0))
    outer, at = parent[inner], start[inner]
    beyond, rounds = parent, 0
    while len(inner):
        until = np.maximum(np.minimum(end[inner], end[outer]), at)
        np.subtract.at(own, outer, until - at)
        over = end[inner] > end[outer]
        if over.any() and (rounds := rounds + 1) == _ROUNDS:  # from here on, only to what ends later
            order = _in_order(line, start, duration)
            order = np.arange(len(line)) if order is None else order
            beyond = _unordered(_last_above(line[order], end[order], end[order]), order)
        inner, at, outer = inner[over], until[over], beyond[outer[over]]
        inner, at, outer = inner[outer >= 0], at[outer >= 0], outer[outer >= 0]
    return own


def nearest(is_wanted: Bools, followed: Ints) -> Ints:
    """Return for each event the first wanted one on its way along `followed`, itself included; -1 for none.

    `followed` is the event that each event leads to, -1 for none. A way that comes back to itself ends nowhere.
    """
    here = np.where(is_wanted, np.arange(len(followed)), followed)
    open_ = np.flatnonzero((here >= 0) & ~is_wanted)
    for _ in range(max(len(followed), 1).bit_length() + 1):  # each round goes twice as far
        mine = here[open_]
        ahead = here[mine]
        here[open_] = ahead
        open_ = open_[(ahead >= 0) & (ahead != mine)]
        if not len(open_):
            break
    return np.where((here >= 0) & is_wanted[np.maximum(here, 0)], here, -1) if len(here) else here


def _in_order(line: Ints, start: Ints, duration: Ints) -> Ints | None:
    """Return the events by line, start and falling duration; None if they are so already, as profilers write them."""
    before, after = slice(None, -1), slice(1, None)
    is_sorted = (start[before] < start[after]) | (
        (start[before] == start[after]) & (duration[before] >= duration[after])
    )
    if ((line[before] < line[after]) | ((line[before] == line[after]) & is_sorted)).all():
        return None
    return np.lexsort((-duration, start, line))


def _unordered(found: Ints, order: Ints) -> Ints:
    """Return rows of events in `order`, for each of them, as rows of all events."""
    result = np.full(len(order), -1)
    result[order] = np.where(found >= 0, order[found], -1) if len(order) else found
    return result


def _last_above(line: Ints, end: Ints, moment: Ints) -> Ints:
    """Return for each event the last one before it, on its line, that ends after its `moment`; -1 for none.

    Events are in order, and the `moment` of what one finds is not after its own.
    """
    count = len(line)
    candidate = np.arange(-1, count - 1)
    open_ = np.arange(count)
    for _ in range(_ROUNDS):
        # Events between a candidate and its event end before the moment. What an event that has ended already was a
        # candidate's candidate for is therefore the next to ask, whether or not it has been found to enclose that.
        mine = candidate[open_]
        candidate[open_[(mine >= 0) & (line[mine] != line[open_])]] = -1
        open_ = open_[(mine >= 0) & (line[mine] == line[open_]) & (end[mine] <= moment[open_])]
        if not len(open_):
            return candidate
        candidate[open_] = candidate[candidate[open_]]
    candidate[open_] = _search(end, open_, moment[open_])
    is_other = (candidate[open_] >= 0) & (line[candidate[open_]] != line[open_])
    candidate[open_[is_other]] = -1
    return candidate


def _search(end: Ints, before: Ints, moment: Ints) -> Ints:
    """Return the last event before each of some that ends after a moment, on whatever line; -1 for none."""
    levels = [end]
    while len(levels[-1]) > 1:
        last = levels[-1]
        padded = np.append(last, np.iinfo(np.int64).min) if len(last) % 2 else last
        levels.append(np.maximum(padded[::2], padded[1::2]))
    at, level = before.copy(), np.zeros(len(before), dtype=np.int64)
    found, going_up = np.full(len(before), -1), np.arange(len(before))
    for height, largest in enumerate(levels):  # the first block to the left that has one
        here = at[going_up]
        hits = (here % 2 == 1) & (largest[np.maximum(here - 1, 0)] > moment[going_up])
        found[going_up[hits]], level[going_up[hits]] = here[hits] - 1, height
        at[going_up] = here // 2
        going_up = going_up[~hits]
    for height in range(len(levels) - 1, 0, -1):  # down again, to the right where there is one
        below = np.flatnonzero((found >= 0) & (level >= height))
        right = np.minimum(found[below] * 2 + 1, len(levels[height - 1]) - 1)
        is_right = (right == found[below] * 2 + 1) & (levels[height - 1][right] > moment[below])
        found[below] = found[below] * 2 + is_right
    return found
