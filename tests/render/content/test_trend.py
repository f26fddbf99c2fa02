"""How a figure moved over earlier reports, in words and as values for a sparkline."""

from __future__ import annotations

from report_builders import make_report

from tfprof_report.model.totals import Total
from tfprof_report.render.content.trend import Trend, trend_of
from tfprof_report.schema.metrics import Number


def trend(*earlier: Number | None, now: int | None = 1500, unknown: int = 0) -> Trend | None:
    total = Total(stem="params", value=now, known=2 - unknown, capable=2)
    return trend_of(make_report(totals=(total,), trends={"params": earlier}), "params")


def test_earlier_figures_are_followed_by_that_of_this_report() -> None:
    found = trend(1200, None, 1000)
    assert found is not None
    assert found.values == (1200, None, 1000, 1500)
    assert found.text == "Parameters in 3 earlier reports: 1.00 k to 1.20 k; now 1.50 k"


def test_a_figure_that_never_moved_says_so() -> None:
    found = trend(1200, now=1200)
    assert found is not None
    assert found.text == "Parameters in 1 earlier report: always 1.20 k; now 1.20 k"


def test_a_lower_bound_is_no_point_of_the_line() -> None:
    found = trend(1200, unknown=1)
    assert found is not None
    assert found.values == (1200, None)
    assert found.text.endswith("; now unknown")


def test_without_earlier_reports_that_know_it_there_is_none() -> None:
    assert trend() is None
    assert trend(None, None) is None
    assert trend_of(make_report(), "params") is None
