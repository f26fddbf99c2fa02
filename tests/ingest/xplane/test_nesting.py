"""Nesting of events, against a stack that takes one event after the other."""

from __future__ import annotations

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof_report.ingest.xplane import nesting
from tfprof_report.ingest.xplane.nesting import enclosing, nearest, own_time

EVENTS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 30)), max_size=25)
Event = tuple[int, int, int]


def columns(events: list[Event]) -> list[np.ndarray]:
    return [np.array(column, dtype=np.int64) for column in (zip(*events, strict=True) if events else ([], [], []))]


def by_stack(events: list[Event]) -> list[int]:
    found, stack, line = [-1] * len(events), [], None
    for row in sorted(range(len(events)), key=lambda each: (events[each][0], events[each][1], -events[each][2])):
        if events[row][0] != line:
            line, stack = events[row][0], []
        while stack and events[stack[-1]][1] + events[stack[-1]][2] <= events[row][1]:
            stack.pop()
        found[row] = stack[-1] if stack else -1
        stack.append(row)
    return found


def busy(events: list[Event]) -> int:
    """Return the time in which the lines are busy: every nanosecond of each, counted once."""
    return len({(line, moment) for line, start, duration in events for moment in range(start, start + duration)})


@pytest.mark.parametrize("rounds", [64, 1, 0])
@settings(max_examples=examples(200))
@given(events=EVENTS)
def test_the_enclosing_event_is_that_of_a_stack_and_own_times_add_up(rounds: int, events: list[Event]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nesting, "_ROUNDS", rounds)
        parent = enclosing(*columns(events))
        own = own_time(*columns(events), parent)
    assert parent.tolist() == by_stack(events)
    assert int(own.sum()) == busy(events)
    assert (own >= 0).all()


def test_own_time_is_without_what_is_right_within() -> None:
    events = [(0, 0, 100), (0, 10, 30), (0, 20, 5), (0, 50, 50), (1, 0, 7)]
    parent = enclosing(*columns(events))
    assert parent.tolist() == [-1, 0, 1, 0, -1]
    assert own_time(*columns(events), parent).tolist() == [20, 25, 5, 50, 7]


def test_of_events_that_overlap_the_later_one_has_the_time() -> None:
    events = [(0, 0, 20), (0, 2, 3), (0, 3, 7)]  # the third begins in the second, and ends after it
    parent = enclosing(*columns(events))
    assert parent.tolist() == [-1, 0, 1]
    assert own_time(*columns(events), parent).tolist() == [12, 1, 7]


def test_equal_events_enclose_each_other_in_file_order_and_an_end_encloses_nothing() -> None:
    assert enclosing(*columns([(0, 5, 5), (0, 5, 5), (0, 10, 2)])).tolist() == [-1, 0, -1]
    assert enclosing(*columns([(0, 5, 0), (0, 5, 5)])).tolist() == [1, -1]


def test_what_is_deep_and_what_overlaps_in_a_row_takes_no_time() -> None:
    count = 20_000
    deep = [(0, row, 2 * (count - row)) for row in range(count)]
    assert enclosing(*columns(deep)).tolist() == list(range(-1, count - 1))
    beside = [*deep, (0, 3 * count, 1)]
    assert enclosing(*columns(beside))[-1] == -1
    stairs = columns([(0, row, count) for row in range(count)])
    parent = enclosing(*stairs)
    assert parent[1:].tolist() == list(range(count - 1))
    assert int(own_time(*stairs, parent).sum()) == 2 * count - 1


def test_the_nearest_wanted_event_is_the_first_on_the_way_up() -> None:
    followed = np.array([-1, 0, 1, 2, 5, 4])
    wanted = np.array([True, False, True, False, False, False])
    assert nearest(wanted, followed).tolist() == [0, 0, 2, 2, -1, -1]


WAYS = st.integers(0, 12).flatmap(
    lambda count: st.lists(st.tuples(st.booleans(), st.integers(-1, count - 1)), min_size=count, max_size=count)
)


@settings(max_examples=examples(300))
@given(ways=WAYS)
def test_the_nearest_wanted_event_is_that_of_a_walk(ways: list[tuple[bool, int]]) -> None:
    def walk(row: int) -> int:
        seen: set[int] = set()
        while row >= 0 and not ways[row][0]:
            if row in seen:
                return -1
            seen.add(row)
            row = ways[row][1]
        return row

    wanted = np.array([mark for mark, _ in ways], dtype=bool)
    followed = np.array([event for _, event in ways], dtype=np.int64)
    assert nearest(wanted, followed).tolist() == [walk(row) for row in range(len(ways))]
