from __future__ import annotations

import numpy as np
import pytest
from change_points import recorded, score
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_nights import SCORING, Kind

from tfprof_report.history.change_points import MIN_POINTS, change_points

COUNT = 40
SEEDS = st.integers(0, 2**32 - 1)


def levels(*runs: tuple[float, int]) -> np.ndarray:
    return np.concatenate([np.full(count, level) for level, count in runs])


def noisy(seed: int, *runs: tuple[float, int]) -> np.ndarray:
    values = levels(*runs)
    return values + np.random.default_rng(seed).normal(size=len(values))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([], ()),
        ([5.0], ()),
        (levels((5, 300)), ()),
        (levels((0, 300)), ()),
        (levels((5, 4), (6, 3)), ()),
        (levels((5, 4), (6, 4)), (4,)),
        (levels((5, 100), (5.001, 100)), (100,)),
        (levels((1e12, 50), (1e12 + 100, 50)), (50,)),
        (levels((-3, 20), (4, 20)), (20,)),
        (levels((5, 20), (6, 20), (7, 4), (6, 20)), (20,)),
        (levels((5, 20), (6, 20), (7, 20), (6, 20)), (20, 40, 60)),
        (levels((5, 20), (9, 3), (7, 20)), (23,)),
    ],
    ids=[
        "nothing",
        "one value",
        "all equal",
        "all zero",
        "too few after",
        "just enough",
        "tiny step",
        "large values",
        "through zero",
        "short excursion",
        "there and back",
        "short level between two",
    ],
)
def test_exact_series(values: np.ndarray, found: tuple[int, ...]) -> None:
    assert change_points(np.asarray(values, dtype=np.float64)) == found


def test_rounding_is_no_change() -> None:
    assert change_points(levels((0.1 + 0.2, 30), (0.3, 30))) == ()


@pytest.mark.parametrize("tail", [1, 2, 3])
def test_a_change_waits_for_its_fourth_night(tail: int) -> None:
    assert change_points(noisy(1, (100, 50), (120, tail))) == ()


@pytest.mark.parametrize("tail", [4, 5, 6, 7, 8, 20])
def test_a_change_is_reported_once_from_then_on(tail: int) -> None:
    assert change_points(noisy(1, (100, 50), (120, tail))) == (50,)


@pytest.mark.parametrize("place", [0, 1, 30, 58, 59])
@pytest.mark.parametrize("height", [-1000, -10, 10, 1000])
def test_one_bad_night_is_no_change(place: int, height: float) -> None:
    values = noisy(2, (100, 60))
    values[place] += height
    assert change_points(values) == ()


def test_bad_nights_next_to_a_step_leave_it_where_it_is() -> None:
    values = noisy(3, (100, 40), (110, 40))
    values[[38, 43]] = 300
    assert change_points(values) == (40,)


def test_steady_drift_is_no_stairs() -> None:
    assert change_points(noisy(4, (0, 300)) + np.linspace(100, 130, 300)) == ()


def test_exact_drift_is_no_stairs() -> None:
    assert change_points(np.arange(300, dtype=np.float64)) == ()


def test_a_step_within_drift_is_found() -> None:
    assert change_points(noisy(5, (100, 150), (110, 150)) + np.linspace(0, 3, 300)) == (150,)


def test_a_long_series_has_its_changes_found() -> None:
    assert change_points(noisy(6, *[(10 * (run % 7), 100) for run in range(100)])) == tuple(range(100, 10_000, 100))


@settings(max_examples=examples(100))
@given(st.lists(st.tuples(st.integers(-1000, 1000), st.integers(MIN_POINTS + 2, 20)), min_size=1, max_size=8))
def test_all_exact_steps_are_found(runs: list[tuple[int, int]]) -> None:
    runs = [run for place, run in enumerate(runs) if not place or run[0] != runs[place - 1][0]]
    begins = np.cumsum([count for _, count in runs])[:-1]
    assert change_points(levels(*runs)) == tuple(begins.tolist())


@settings(max_examples=examples(100))
@given(SEEDS, st.sampled_from([-2.0, -1.0, 0.25, 1024.0]), st.sampled_from([-4096.0, 0.0, 64.0]))
def test_unit_offset_and_direction_do_not_matter(seed: int, unit: float, offset: float) -> None:
    values = np.round(noisy(seed, (100, 40), (104, 40), (101, 40)) * 1024) / 1024  # so that no sum is rounded
    assert change_points(unit * values + offset) == change_points(values)


@settings(max_examples=examples(100))
@given(SEEDS)
def test_backwards_the_same_changes_are_found(seed: int) -> None:
    values = noisy(seed, (100, 40), (110, 40), (103, 40))
    assert change_points(values[::-1]) == tuple(len(values) - place for place in reversed(change_points(values)))


@settings(max_examples=examples(100))
@given(SEEDS, st.integers(8, 60))
def test_levels_are_long_enough(seed: int, count: int) -> None:
    values = np.random.default_rng(seed).standard_cauchy(size=count).cumsum()
    bounds = [0, *change_points(values), count]
    assert min(np.diff(bounds)) >= MIN_POINTS


@pytest.mark.parametrize(
    ("kind", "exact", "close"),
    [
        (Kind(steps=(2,)), 0.5, 0.75),
        (Kind(steps=(3,)), 0.75, 0.9),
        (Kind(steps=(5,)), 0.95, 1),
        (Kind(steps=(10,)), 1, 1),
        (Kind(steps=(5,), noise="heavy tails"), 0.9, 0.95),
        (Kind(steps=(5,), noise="bad nights"), 0.85, 0.95),
        (Kind(steps=(5,), noise="persists 0.6"), 0.85, 0.85),
    ],
    ids=str,
)
def test_steps_are_found(kind: Kind, exact: float, close: float) -> None:
    found = score(change_points, kind.series(SCORING, COUNT))
    assert found.off[0] >= exact * COUNT
    assert sum(found.off) >= close * COUNT


@pytest.mark.parametrize(
    ("noise", "most"),
    [
        ("normal", 0.1),
        ("heavy tails", 0.1),
        ("bad nights", 0.1),
        ("skewed", 0.1),
        ("persists 0.3", 0.3),
        ("persists 0.6", 0.6),
    ],
)
def test_noise_gives_few_false_alarms(noise: str, most: float) -> None:
    found = score(change_points, Kind(noise=noise).series(SCORING, COUNT))
    assert 300 * found.false / found.nights <= most


@pytest.mark.parametrize(
    ("work", "found"),
    [
        ("matmul", [(), (60,), (70,), (53,), (86,), (), (30, 69, 101)]),
        ("sort", [(), (60,), (70,), (49,), (80,), (62,), (30, 71, 100)]),
        ("add", [(), (60,), (70,), (52,), (), (), (30,)]),
    ],
)
def test_recorded_processor_times(work: str, found: list[tuple[int, ...]]) -> None:
    """Truth: none; 20 % at 60; 10 % at 70; 5 % at 50; 3 % at 80; 2 % at 60; 10, -5 and 5 % at 30, 70 and 100."""
    assert [change_points(each.values) for each in recorded()[f"`{work}`, processor"]] == found


def test_noise_as_large_as_the_figure_hides_all_changes() -> None:
    series = [each for kind, each in recorded().items() if kind.endswith("wall")]
    assert sum(score(change_points, each).false for each in series) == 0
