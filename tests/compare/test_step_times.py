from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import Run, side_of
from scipy.stats import mannwhitneyu

from tfprof_report.arrays import Ints
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import TimeFinding
from tfprof_report.compare.side import Side
from tfprof_report.compare.step_times import (
    MIN_STEPS,
    SIGNIFICANT,
    compare_step_times,
    figures_of_nodes,
    rank_test,
    times_of_steps,
)

FAST, SLOW = [10, 11, 12, 13], [20, 21, 22, 23]
few_steps = st.lists(st.integers(0, 5), min_size=4, max_size=6)


def model(runs: list[Run], steps: list[int]) -> Side:
    return side_of({"a": {}, "b": {}}, runs=runs, steps=steps)


def timed(times: list[int]) -> Side:
    runs = [("a", step, {"cpu_micros": time}) for step, time in enumerate(times)]
    return side_of({"a": {}}, runs=runs, steps=range(len(times)))


def deals(times: list[int]) -> tuple[Ints, Ints]:
    """Return every split of these eight times into two sides of four."""
    chosen = list(combinations(range(8), 4))
    others = [[i for i in range(8) if i not in deal] for deal in chosen]
    dealt = np.array(times)
    return dealt[np.array(chosen)], dealt[np.array(others)]


def test_medians_and_spreads_are_exact_quantiles() -> None:
    change = compare_step_times("micros", [4, 1, 2, 9], [10, 20, 30, 40, 50])
    assert (change.base.median, change.base.spread, change.base.exact_median) == (3, 3.5, Fraction(3))
    assert (change.head.median, change.head.spread, change.head.steps) == (30, 20, 5)
    assert change.percent == 900.0


def test_a_median_between_two_steps_is_exact_beyond_doubles() -> None:
    assert compare_step_times("micros", [2**60, 2**60 + 1], [1]).base.exact_median == 2**60 + Fraction(1, 2)


@pytest.mark.parametrize(
    ("base", "head", "finding"),
    [
        (FAST, SLOW, TimeFinding.SLOWER),
        (SLOW, FAST, TimeFinding.FASTER),
        (FAST, FAST, TimeFinding.NO_CLEAR_CHANGE),
        ([10, 11, 12, 22], [13, 20, 21, 23], TimeFinding.NO_CLEAR_CHANGE),
        ([0] * 9, [0] * 9, TimeFinding.NO_CLEAR_CHANGE),
    ],
)
def test_only_times_that_are_clearly_apart_are_slower_or_faster(
    base: list[int], head: list[int], finding: TimeFinding
) -> None:
    assert compare_step_times("micros", base, head).finding is finding


def test_four_steps_that_are_all_slower_are_just_enough() -> None:
    assert compare_step_times("micros", FAST, SLOW).p_value == pytest.approx(2 / 70)


@pytest.mark.parametrize(("base", "head"), [([1, 1, 1], [9] * 50), ([1] * 50, [9, 9, 9]), ([1], [9]), ([], FAST)])
def test_with_fewer_than_four_steps_on_a_side_there_is_no_finding_however_slow(
    base: list[int], head: list[int]
) -> None:
    change = compare_step_times("micros", base, head)
    assert (change.finding, change.p_value) == (TimeFinding.NOT_ENOUGH_STEPS, None)


def test_three_steps_could_never_be_significant() -> None:
    assert float(rank_test(np.array([[1, 2, 3]]), np.array([[7, 8, 9]]))[0]) == pytest.approx(2 / 20)
    assert SIGNIFICANT < 2 / 20
    assert MIN_STEPS == 4


@given(st.lists(st.integers(0, 5), min_size=8, max_size=8))
def test_with_ties_too_chance_alone_is_significant_no_more_often_than_the_level_says(times: list[int]) -> None:
    likely = np.sort(rank_test(*deals(times)))
    assert all(np.count_nonzero(likely <= level) <= level * len(likely) + 1e-9 for level in likely)


def test_without_ties_the_test_is_the_two_sided_one_of_scipy() -> None:
    base, head = deals([5, 1, 8, 3, 13, 2, 21, 34])
    assert rank_test(base, head).tolist() == pytest.approx(mannwhitneyu(base, head, axis=-1).pvalue.tolist())


@given(few_steps, few_steps)
def test_the_sides_are_equal_before_the_test(base: list[int], head: list[int]) -> None:
    there, back = compare_step_times("micros", base, head), compare_step_times("micros", head, base)
    swapped = {TimeFinding.SLOWER: TimeFinding.FASTER, TimeFinding.FASTER: TimeFinding.SLOWER}
    assert there.p_value == back.p_value
    assert back.finding is swapped.get(there.finding, there.finding)


def test_many_rows_are_tested_at_once() -> None:
    rows = rank_test(np.array([FAST, FAST, [1, 1, 1, 1]]), np.array([SLOW, FAST, [2, 2, 2, 2]]))
    assert rows.tolist() == pytest.approx([2 / 70, 1.0, 2 / 70])


def test_many_steps_are_tested_without_counting_every_order() -> None:
    base = list(range(200))
    assert compare_step_times("micros", base, base).finding is TimeFinding.NO_CLEAR_CHANGE
    assert compare_step_times("micros", base, [time + 60 for time in base]).finding is TimeFinding.SLOWER


def test_times_beyond_64_bits_are_compared() -> None:
    assert compare_step_times("micros", [2**70 + i for i in range(4)], [2**70 + i for i in range(4, 8)]).p_value == (
        pytest.approx(2 / 70)
    )


def test_a_step_has_the_times_of_all_its_records_and_one_in_which_nothing_ran_0() -> None:
    side = model([("a", 3, {"micros": 2**53}), ("a", 3, {"micros": 2**53}), ("b", 5, {"micros": 7})], [3, 4, 5])
    assert times_of_steps(side, "micros") == (2**54, 0, 7)  # 2**54 microseconds are more nanoseconds than int64 holds
    assert times_of_steps(side, "cpu_micros") == ()


def test_the_nanoseconds_of_nodes_have_a_row_per_node_and_a_column_per_step() -> None:
    side = model([("b", 5, {"micros": 7}), ("b", 3, {"micros": 1}), ("b", 3, {"micros": 2})], [3, 5])
    assert figures_of_nodes(side, "micros").tolist() == [[0, 0], [3000, 7000]]


def test_a_time_that_is_unknown_in_one_record_is_unknown_over_steps() -> None:
    side = model([("a", 3, {"micros": 1}), ("b", 3, {"micros": None}), ("a", 5, {"micros": 7})], [3, 5])
    assert times_of_steps(side, "micros") == ()


def test_wall_times_of_steps_are_exact_and_unknown_if_one_is() -> None:
    assert times_of_steps(side_of({"a": {}}, walls=[1500, 2000]), "wall_micros") == (Fraction(3, 2), 2)
    assert times_of_steps(side_of({"a": {}}, walls=[1500, None]), "wall_micros") == ()


def test_a_comparison_has_every_time_that_both_sides_know() -> None:
    found = compare(timed(FAST), timed(SLOW)).times
    assert [(change.stem, change.finding) for change in found] == [("cpu_micros", TimeFinding.SLOWER)]
    assert compare(timed(FAST), side_of({"a": {}})).times == ()
