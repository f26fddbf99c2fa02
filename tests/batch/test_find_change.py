"""The commit that changed a figure is found with few reports, also where some fail."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.batch.find_change import Change, Figures, UnknownEndError, find_change


class Asked:
    """Figures by position, and which were asked for."""

    def __init__(self, figures: Sequence[int | None]) -> None:
        self.figures, self.waves = figures, list[list[int]]()

    def __call__(self, positions: Sequence[int]) -> Figures:
        self.waves.append(list(positions))
        return {at: self.figures[at] for at in positions}


def test_one_at_a_time_halves_what_is_left() -> None:
    asked = Asked([12] * 6 + [15] * 10)
    assert find_change(16, asked, 1) == Change(last=5, first=6, before=12, after=15)
    assert asked.waves == [[0, 15], [8], [4], [6], [5]]


def test_several_at_a_time_take_fewer_waves() -> None:
    asked = Asked([12] * 70 + [15] * 30)
    assert find_change(100, asked, 3) == Change(last=69, first=70, before=12, after=15)
    assert len(asked.waves) <= 5


def test_equal_ends_have_no_change_to_find() -> None:
    asked = Asked([12, 15, 12])
    assert find_change(3, asked, 1) is None
    assert asked.waves == [[0, 2]]


@pytest.mark.parametrize(("figures", "position"), [([None, 1, 2], 0), ([1, 1, None], 2), ([None, None], 0)])
def test_an_end_without_a_figure_is_said(figures: list[int | None], position: int) -> None:
    with pytest.raises(UnknownEndError) as problem:
        find_change(len(figures), Asked(figures), 1)
    assert problem.value.position == position


def test_positions_without_a_figure_stay_between() -> None:
    assert find_change(6, Asked([1, None, 1, None, None, 2]), 1) == Change(last=2, first=5, before=1, after=2)
    assert find_change(4, Asked([1, None, 3, 2]), 2) == Change(last=0, first=2, before=1, after=3)


@given(st.lists(st.sampled_from([1, 2, 3, None]), min_size=2, max_size=40), st.integers(1, 5))
def test_a_change_is_one(figures: list[int | None], at_once: int) -> None:
    figures[0], figures[-1] = 0, 9
    asked = Asked(figures)
    found = find_change(len(figures), asked, at_once)
    assert found is not None
    assert figures[found.last] == found.before != found.after == figures[found.first]
    assert set(figures[found.last + 1 : found.first]) <= {None}
    flat = [at for wave in asked.waves for at in wave]
    assert len(flat) == len(set(flat))
    assert all(len(wave) <= max(at_once, 2) for wave in asked.waves)
