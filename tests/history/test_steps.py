"""Steps of exact figures are all changes; those of noisy ones are found by their levels."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexed import in_order

from tfprof_report.history.steps import Level, find_moves, is_noisy

BIG = 2**62


def level(first: int, last: int, value: int) -> Level:
    return Level(first=first, last=last, value=value)


def test_every_change_of_a_count_is_a_step() -> None:
    moves = find_moves(in_order("params", [5, 5, 7, 7, 6]), "params")
    assert moves.levels == (level(0, 1, 5), level(2, 3, 7), level(4, 4, 6))
    assert [(step.before, step.row, step.base, step.head) for step in moves.steps] == [(1, 2, 5, 7), (3, 4, 7, 6)]
    assert [step.percent for step in moves.steps] == [40.0, pytest.approx(-100 / 7)]
    assert not moves.is_noisy


def test_a_count_is_exact_beyond_what_floats_hold() -> None:
    (step,) = find_moves(in_order("float_ops", [BIG, BIG, BIG + 1]), "float_ops").steps
    assert (step.delta, step.row) == (1, 2)


def test_what_is_not_known_is_no_step_and_the_next_known_one_is_compared() -> None:
    moves = find_moves(in_order("params", [5, None, 5, None, 8, None]), "params")
    assert moves.levels == (level(0, 2, 5), level(4, 4, 8))
    assert [(step.before, step.row, step.delta) for step in moves.steps] == [(2, 4, 3)]


def test_figures_that_are_counted_otherwise_are_never_compared() -> None:
    moves = find_moves(in_order("params", [5, 5, 9, 9], counting=list("aabb")), "params")
    assert moves.levels == (level(0, 1, 5), level(2, 3, 9))
    assert moves.steps == ()


def test_a_time_moves_by_levels_and_one_bad_night_is_none() -> None:
    noise = np.random.default_rng(3).normal(1, 0.01, 40)
    times = (np.repeat([100.0, 120.0], 20) * noise).tolist()
    times[10] = 300.0
    (step,) = find_moves(in_order("wall_micros", times), "wall_micros").steps
    assert (step.before, step.row, step.is_noisy) == (19, 20, True)
    assert (round(step.base), round(step.head)) == (100, 120)


@pytest.mark.parametrize(
    ("stem", "noisy"),
    [
        ("params", False),
        ("micros", True),
        ("wall_micros", True),
        ("bytes", True),
        ("output_bytes", False),
        ("run_count", False),
        ("estimated_peak_bytes", False),
    ],
)
def test_which_figures_are_noisy(stem: str, *, noisy: bool) -> None:
    assert is_noisy(in_order(stem, [1, 2]), stem) is noisy


@pytest.mark.parametrize(
    ("low", "high", "steps", "noisy"),
    [
        ([4, 4], [4, 4], [5, 5], False),
        ([4, 4], [4, 5], [5, 5], True),
        ([4, 4], [4, 4], [1, 1], True),
        ([None, None], [None, None], [5, 5], True),
    ],
    ids=["no spread", "spread", "single steps", "not known"],
)
def test_the_peak_of_a_device_is_exact_where_steps_show_no_spread(
    low: list[int],
    high: list[int],
    steps: list[int],
    *,
    noisy: bool,
) -> None:
    columns = {"device_peak_bytes_low": low, "device_peak_bytes_high": high, "steps": steps}
    assert is_noisy(in_order("device_peak_bytes", [4, 4], **columns), "device_peak_bytes") is noisy


@pytest.mark.thorough
@given(st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=30), st.data())
def test_steps_add_up_to_the_net_and_no_change_is_lost(values: list[int | None], data: st.DataObject) -> None:
    ways = sorted(data.draw(st.lists(st.sampled_from("ab"), min_size=len(values), max_size=len(values))))
    moves = find_moves(in_order("params", values, counting=ways), "params")
    for way in "ab":
        known = [value for value, own in zip(values, ways, strict=True) if own == way and value is not None]
        steps = [step for step in moves.steps if ways[step.row] == way]
        assert len(steps) == sum(old != new for old, new in pairwise(known))
        assert sum(Fraction(step.delta) for step in steps) == (known[-1] - known[0] if known else 0)
        assert all(ways[step.before] == way for step in steps)
    for row, value in enumerate(values):
        found = moves.level_at(row)
        assert value is None or (found is not None and found.value == value)


def test_memory_that_moves_from_run_to_run_is_noisy_though_its_steps_agree() -> None:
    def peaks(*values: int) -> bool:
        same = {"device_peak_bytes_low": values, "device_peak_bytes_high": values, "steps": [5] * len(values)}
        return is_noisy(in_order("device_peak_bytes", values, **same), "device_peak_bytes")

    assert peaks(*[100, 101] * 10)
    assert not peaks(*[100, 101] * 3)  # too few to tell
    assert not peaks(*[100] * 10, *[101] * 10, *[105] * 4)
