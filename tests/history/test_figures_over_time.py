"""The table of figures: now, earlier, best, and the distance to the budget."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any

from indexed import DAY, in_order

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.history.budgets import Budget, budgets_of
from tfprof_report.history.figures_over_time import Figure, FigureOverTime, figure_over_time, row_at
from tfprof_report.history.steps import find_moves

LIMIT = Budget(stem="params", most=Fraction(150), text="params <= 150")


def line(
    values: list[Any], *budgets: Budget, release: int | None = None, dated: bool = True, **columns: Any
) -> FigureOverTime:
    rows = in_order("params", values, **columns)
    times = [DAY + timedelta(days=number) if dated else None for number in range(len(values))]
    moves = find_moves(rows, "params")
    return figure_over_time(rows, times, "params", moves, release=release, budgets=budgets)


def test_figures_are_those_of_the_days_before_the_newest_commit() -> None:
    found = line(list(range(100, 140)), LIMIT, release=5)
    assert found.now == Figure(row=39, value=139)
    assert found.week == Figure(row=32, value=132)
    assert found.month == Figure(row=9, value=109)
    assert found.release == Figure(row=5, value=105)
    assert found.best == Figure(row=0, value=100)
    assert (found.budget, found.distance) == (LIMIT, 11)
    assert found.percent(found.week) == 100 * 7 / 132


def test_of_two_budgets_the_tighter_one_counts_and_beyond_it_the_distance_is_negative() -> None:
    wide = Budget(stem="params", most=Fraction(1000), text="params <= 1k")
    found = line([160], wide, LIMIT)
    assert (found.budget, found.distance) == (LIMIT, -10)


def test_a_history_that_is_not_that_old_says_so() -> None:
    found = line([1, 2])
    assert found.week == Figure(reason="no report is that old")
    assert found.release == Figure(reason="no report of a release")
    assert line([1, 2], dated=False).week == Figure(reason="commits have no date")


def test_what_is_not_known_is_a_lower_bound_and_has_no_distance() -> None:
    found = line([3, None], LIMIT, params_at_least=[None, 2])
    assert found.now == Figure(row=1, at_least=2, reason="not known")
    assert (found.best, found.distance) == (Figure(row=0, value=3), None)
    assert found.percent(found.best) is None


def test_figures_counted_otherwise_are_not_compared_and_no_best_is_taken_from_them() -> None:
    found = line([1, *range(50, 60)], counting=["a", *"b" * 10], release=0)
    assert found.release == Figure(row=0, reason="counted in another way")
    assert found.best == Figure(row=1, value=50)


def test_the_last_row_not_after_a_moment_is_taken() -> None:
    times = [DAY, None, DAY + timedelta(days=2)]
    assert row_at(times, DAY + timedelta(days=1)) == 0
    assert row_at(times, DAY + timedelta(days=2)) == 2
    assert row_at(times, DAY - timedelta(days=1)) is None


def test_budgets_are_the_upper_limits_of_gates_on_the_model_and_the_last_one_counts() -> None:
    texts = ("params <= 2M", "params <= +1%", "bytes >= 5", "float_ops == 7", "params <= 1M")
    gates = [parse_gate(text) for text in texts]
    assert budgets_of(gates) == (
        Budget(stem="params", most=Fraction(1_000_000), text="params <= 1M"),
        Budget(stem="float_ops", most=Fraction(7), text="float_ops == 7"),
    )


def test_a_lower_limit_takes_no_budget_away() -> None:
    gates = [parse_gate(text) for text in ("params <= 900", "params >= 5", "2 <= macs <= 7", "macs >= 1")]
    assert [(budget.stem, budget.most) for budget in budgets_of(gates)] == [("params", 900), ("macs", 7)]
