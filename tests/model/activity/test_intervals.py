"""Unions of intervals by hand, and against a slow reference that marks each moment."""

from __future__ import annotations

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof_report.arrays import Ints
from tfprof_report.model.activity.intervals import Intervals, unite

Triple = tuple[int, int, int]
"""Group, start and end."""


def union(*intervals: Triple) -> Intervals:
    columns = np.array(intervals, dtype=np.int64).reshape(-1, 3).T
    return unite(columns[0], columns[1], columns[2])


def triples(found: Intervals) -> list[Triple]:
    return list(zip(found.group.tolist(), found.start.tolist(), found.end.tolist(), strict=True))


@pytest.mark.parametrize(
    ("intervals", "united"),
    [
        ([], []),
        ([(0, 3, 5)], [(0, 3, 5)]),
        ([(0, 3, 5), (0, 4, 9)], [(0, 3, 9)]),  # they overlap
        ([(0, 3, 9), (0, 4, 5), (0, 6, 7)], [(0, 3, 9)]),  # nested
        ([(0, 3, 5), (0, 5, 9)], [(0, 3, 9)]),  # they touch
        ([(0, 6, 9), (0, 3, 5)], [(0, 3, 5), (0, 6, 9)]),
        ([(0, 3, 3)], [(0, 3, 3)]),  # no length
        ([(0, 3, 5), (0, 4, 4), (0, 7, 7)], [(0, 3, 5), (0, 7, 7)]),
        ([(1, 3, 5), (0, 4, 9)], [(0, 4, 9), (1, 3, 5)]),  # of other groups
        ([(0, 0, 10**18), (1, 5, 6), (9, 2, 4)], [(0, 0, 10**18), (1, 5, 6), (9, 2, 4)]),
    ],
)
def test_intervals_are_joined_within_their_group(intervals: list[Triple], united: list[Triple]) -> None:
    assert triples(union(*intervals)) == united


def test_an_interval_knows_with_which_input_it_begins() -> None:
    assert union((0, 5, 6), (0, 3, 4), (0, 3, 9)).first.tolist() == [2]  # the longest of equal starts


def test_lengths_are_of_groups_also_of_those_without_intervals() -> None:
    found = union((0, 1, 4), (0, 2, 6), (2, 10, 11))
    assert found.lengths(4).tolist() == [5, 0, 1, 0]


def test_what_lies_before_a_moment_is_counted_from_the_first_group_on() -> None:
    found = union((0, 1, 4), (0, 6, 8), (2, 10, 20))
    queries = [(0, 0), (0, 3), (0, 5), (0, 7), (0, 99), (1, 0), (2, 9), (2, 15), (2, 99), (3, 0)]
    groups, times = np.array(queries).T
    assert found.before(groups, times).tolist() == [0, 2, 3, 4, 5, 5, 5, 10, 15, 15]


@pytest.mark.parametrize("scale", [1, 2**57])  # sums of group and time do not fit into int64 with the second
@settings(max_examples=examples(300))
@given(data=st.data())
def test_the_union_has_the_moments_of_all(data: st.DataObject, scale: int) -> None:
    triple = st.tuples(st.integers(0, 3), st.integers(0, 20), st.integers(0, 8))
    drawn = [(group, start, start + length) for group, start, length in data.draw(st.lists(triple, max_size=12))]
    found = union(*((group, start * scale, end * scale) for group, start, end in drawn))
    for group in range(4):
        moments = {moment for mine, start, end in drawn if mine == group for moment in range(start, end)}
        assert found.lengths(4)[group] == len(moments) * scale
        for time in range(0, 30, 3):
            inside = [np.array([group, group]), np.array([0, time * scale])]
            before: Ints = found.before(*inside)
            assert before[1] - before[0] == len([moment for moment in moments if moment < time]) * scale
