"""What a chart shows: the pieces of its line, and its range."""

from __future__ import annotations

from typing import Any

import pytest
from indexed import index_row
from made_histories import made_history

from tfprof_report.render.history.plotted import Plotted, breaks, failures, plotted


def plot(values: dict[int, Any], *gates: str, count: int = 10, **columns: dict[int, Any]) -> Plotted:
    """Return what is shown of parameters that commits have, by number."""
    rows = [
        index_row(
            f"c{number}", params=value, **{name: those[number] for name, those in columns.items() if number in those}
        )
        for number, value in values.items()
    ]
    (model,) = made_history({"m": rows}, count=count, gates=gates).models
    return next(plotted(model, line) for line in model.lines if line.stem == "params")


@pytest.mark.parametrize(
    ("values", "pieces"),
    [
        (dict.fromkeys(range(5), 7), [0, 0, 0, 0, 0]),
        ({0: 7, 1: 7, 3: 7, 4: 7}, [0, 0, 1, 1]),  # every commit has a report, but for one
        ({0: 7, 2: 7, 4: 7, 6: 7}, [0, 0, 0, 0]),  # every second one has
        ({0: 7, 2: 7, 4: 7, 6: 7, 9: 7}, [0, 0, 0, 0, 0]),
        ({0: 7, 1: None, 2: 7}, [0, 1]),
        ({0: 7}, [0]),
    ],
)
def test_a_line_ends_where_reports_are_missing_or_do_not_know_the_figure(
    values: dict[int, Any], pieces: list[int]
) -> None:
    assert plot(values).piece.tolist() == pieces


def test_a_line_ends_where_counting_changes() -> None:
    found = plot(dict.fromkeys(range(4), 7), counting={0: "a", 1: "a", 2: "b", 3: "b"})
    assert found.piece.tolist() == [0, 0, 1, 1]
    assert breaks(found.model) == [2]


def test_a_figure_that_no_report_knows_has_no_line() -> None:
    found = plot({0: None, 1: None}, params_at_least={0: 5, 1: 6})
    assert (found.rows.tolist(), found.piece.tolist(), found.low, found.high) == ([], [], 0, 1)


@pytest.mark.parametrize(
    ("gate", "low", "high", "is_near"),
    [("params <= 150", 80, 150, True), ("params <= 151", 80, 100, False), ("params <= 60", 60, 100, True)],
)
def test_budgets_that_are_near_are_in_the_range(gate: str, low: float, high: float, *, is_near: bool) -> None:
    found = plot({0: 100, 1: 80}, gate)
    assert (found.low, found.high, bool(found.near)) == (low, high, is_near)


def test_a_failed_gate_is_told_from_other_outcomes() -> None:
    found = plot(dict.fromkeys(range(3), 7), outcome={1: "failed", 2: "inconclusive"})
    assert failures(found.model).tolist() == [False, True, False]
