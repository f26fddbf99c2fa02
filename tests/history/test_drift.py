from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_nights import NOISES, SCORING, Kind

from tfprof_report.arrays import Floats
from tfprof_report.history.change_points import change_points
from tfprof_report.history.drift import MIN_DRIFT_POINTS, Drift, drift

NIGHTS = np.arange(200, dtype=np.float64)


def noise(seed: int, count: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=count)


def drifts(values: Floats) -> tuple[Drift, ...]:
    """Return the drift of each stretch between change points that has one."""
    bounds = [0, *change_points(values), len(values)]
    return tuple(found for first, stop in pairwise(bounds) if (found := drift(values[first:stop])))


def test_a_steady_rise_has_its_size_from_end_to_end() -> None:
    found = drift(100 + 0.5 * NIGHTS)
    assert found is not None
    assert found.total == pytest.approx(0.5 * 199)
    assert found.level == pytest.approx(100)
    assert found.p_value < 1e-60


def test_ten_small_steps_of_which_none_is_seen_are_drift() -> None:
    values = 100 + 0.9 * (NIGHTS // 20) + noise(1, 200)
    (found,) = drifts(values)
    assert found.total == pytest.approx(9, abs=1.5)


@pytest.mark.parametrize("count", [0, 1, MIN_DRIFT_POINTS - 1])
def test_few_values_do_not_drift(count: int) -> None:
    assert drift(NIGHTS[:count]) is None


def test_just_enough_values_drift() -> None:
    assert drift(NIGHTS[:MIN_DRIFT_POINTS]) is not None


def test_equal_values_do_not_drift() -> None:
    assert drift(np.full(300, 7.0)) is None


def test_a_step_is_no_drift() -> None:
    assert drifts(np.repeat([100.0, 120.0], 100) + noise(2, 200)) == ()


def test_each_stretch_has_its_own_drift() -> None:
    values = np.concatenate([100 + noise(3, 100), 130 + 0.1 * NIGHTS[:150] + noise(4, 150)])
    (found,) = drifts(values)
    assert found.level == pytest.approx(130, abs=1)
    assert found.total == pytest.approx(15, abs=2)


def test_bad_nights_do_not_move_it() -> None:
    values = 100 + 0.1 * NIGHTS + noise(5, 200)
    values[190:198:3] += 500
    found = drift(values)
    assert found is not None
    assert found.total == pytest.approx(20, abs=1.5)


def test_a_long_stretch_has_the_same_slope() -> None:
    found = drift(np.arange(10_007) * 0.01 + noise(6, 10_007))
    assert found is not None
    assert found.total == pytest.approx(100, rel=0.01)
    assert found.level == pytest.approx(0, abs=0.2)


@settings(max_examples=examples(60))
@given(st.integers(0, 2**32 - 1), st.sampled_from([-2.0, -1.0, 0.25, 1024.0]))
def test_unit_and_direction_scale_the_size_only(seed: int, unit: float) -> None:
    values = 0.05 * NIGHTS + noise(seed, 200)
    old, new = drift(values), drift(unit * values)
    assert old is not None
    assert new is not None
    assert new.total == pytest.approx(unit * old.total)
    assert new.p_value == pytest.approx(old.p_value)


@pytest.mark.parametrize("kind", NOISES)
def test_noise_seldom_drifts(kind: str) -> None:
    assert sum(bool(drifts(each.values)) for each in Kind(noise=kind).series(SCORING, 40)) <= 1


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "bad nights"])
def test_drift_of_five_deviations_is_mostly_found(kind: str) -> None:
    assert sum(bool(drifts(each.values)) for each in Kind(noise=kind, drift=5).series(SCORING, 40)) >= 30
