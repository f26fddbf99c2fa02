from __future__ import annotations

from tfprof_report.compare.step_times import compare_step_times
from tfprof_report.render.tables.time_table import time_table


def texts(base: list[int], head: list[int]) -> list[list[str]]:
    return [[cell.text for cell in row] for row in time_table([compare_step_times("micros", base, head)]).rows]


def test_a_clear_change_has_medians_spreads_and_a_probability() -> None:
    assert texts([10, 10, 12, 12], [20, 22, 24, 26]) == [
        ["Op time", "slower", "0.029", "4", "11 us", "2 us", "4", "23 us", "3 us", "+109.09 %"]
    ]


def test_too_few_steps_are_no_finding() -> None:
    (row,) = texts([10, 10, 12], [2000])
    assert row == ["Op time", "not enough steps", "", "3", "10 us", "1 us", "1", "2.00 ms", "\N{EN DASH}", "+19,900 %"]


def test_small_probabilities_do_not_read_as_0() -> None:
    assert texts(list(range(10)), list(range(50, 60)))[0][2] == "<0.001"


def test_a_time_that_is_0_on_both_sides_says_nothing() -> None:
    assert texts([0] * 4, [0] * 4) == []
