"""The limits of drift gates over reports in order."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from indexed import DAY, commits_of, in_order

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.errors import OptionError
from tfprof_report.history.drift_limits import drift_limits

VALUES = [1000, 900, 1100, 1100, 1200, 1250, 1240, 1250, 1260, 1270]


def limits(*gates: str, values: list[Any] = VALUES, **columns: Any) -> list[tuple[Fraction, int]]:
    """Return limits with the numbers of the commits from which on they hold; commit 3 is v1."""
    rows = in_order("params", values, **columns)
    times = [DAY + timedelta(days=number) for number in range(len(values))]
    parsed = [parse_gate(gate) for gate in gates]
    found = drift_limits(parsed, rows, times, commits_of(len(values)), {"c3": ("v1",)})
    return [(limit.most, limit.since) for limit in found]


@pytest.mark.parametrize(
    ("gate", "most", "since"),
    [
        ("params <= +2% since v1", 1122, 3),
        ("params <= +2% since 7d", 1122, 2),
        ("params <= +10 since 1d", 1270, 8),
        ("params <= +1% or +100 against best", 1000, 1),
        ("params <= +50% or +100 against best", 1350, 1),
    ],
)
def test_a_limit_is_that_of_the_newest_report(gate: str, most: int, since: int) -> None:
    assert limits(gate) == [(most, since)]


def test_what_sets_no_upper_limit_of_the_store_has_none() -> None:
    assert limits("params >= -5% since v1", "params <= 2k", "params <= +1%", "params <= +1% since 30d") == []


def test_a_reference_that_is_not_known_or_counted_otherwise_has_none() -> None:
    assert limits("params <= +2% since v1", values=[1, 2, 3, None, 5]) == []
    assert limits("params <= +2% since v1", counting=list("aaaaabbbbb")) == []
    assert limits("params <= +0 against best", counting=list("aaaaabbbbb")) == [(1240, 6)]


def test_the_newest_report_is_not_its_own_reference() -> None:
    assert limits("params <= +3% against best", values=[100, 90, 80]) == [(Fraction("92.7"), 1)]
    assert limits("params <= +3% against best", values=[100]) == []
    assert limits("params <= +3% since v1", values=[100, 90, 80, 70]) == []
    assert limits("params <= +3 since 0d", values=[100, 90]) == [(103, 0)]


def test_a_tag_that_is_not_there_is_a_mistake() -> None:
    with pytest.raises(OptionError, match="v9 is no tag, no commit and no age"):
        limits("params <= +2% since v9")
