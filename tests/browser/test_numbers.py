"""Numbers of live views against `units`, which writes all others, and searches that would never end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from browsing import LiveView, Opened
from playwright.sync_api import expect

from tfprof_report.formatting import (
    SCALES,
    format_delta,
    format_exact,
    format_exact_delta,
    format_number,
    format_percent,
)
from tfprof_report.model.totals import Number
from tfprof_report.schema.metrics import Unit

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

EDGES: tuple[Number, ...] = (
    *(0, 1, -1, 999, 1000, 999_994, 999_995, 1_048_575, 59_999_999, 60_000_000, 2**53 + 1, 2**63 - 1, -(2**63)),
    *(0.5, 0.005, 0.0049, 0.001, 0.00012, 1e-5, 1.23e-7, -2.5, 99.995, 1234.5),
    *(1023.996 * 1024, 1e15 + 0.5, 1e19, -1e300),
)

FORMAT = """([cases, scales]) => cases.map(([text, isWhole, unit]) => {
    const value = isWhole ? BigInt(text) : Number(text);
    const forms = [formatNumber, formatExact, formatDelta, formatExactDelta].map((form) => form(value, scales[unit]));
    return [...forms, formatPercent(Number(value))];
})"""


def test_numbers_read_as_everywhere_else_in_a_report(open_page: Open, small: Path) -> None:
    random = Random(5)
    signed = [random.choice((1, -1)) * 10 ** random.uniform(-9, 20) for _ in range(1000)]
    values = [*EDGES, *signed, *map(round, signed), *(random.randrange(10**7) / 2 for _ in range(500))]
    cases = [(value, random.choice(list(Unit))) for value in values if abs(value) < 2**63 or isinstance(value, float)]
    page = open_page(small).page
    read = page.evaluate(FORMAT, [[(repr(value), isinstance(value, int), unit) for value, unit in cases], SCALES])
    for (value, unit), forms in zip(cases, read, strict=True):
        whole = (format_number, format_exact, format_delta, format_exact_delta)
        assert forms == [*(form(value, unit) for form in whole), format_percent(float(value))], (value, unit)


def test_what_is_unknown_reads_as_unknown(open_page: Open, small: Path) -> None:
    page = open_page(small).page
    forms = page.evaluate("[formatNumber(null, [[1, '']]), formatExactDelta(NaN, [[1, '']]), formatPercent(null)]")
    assert forms == [format_number(None, Unit.COUNT), format_exact_delta(None), format_percent(None)]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "a*a*a*a*b", r"(a)\1", "("])
def test_an_expression_that_could_take_forever_is_refused(open_page: Open, small: Path, pattern: str) -> None:
    view = LiveView(open_page(small, "#view-scope"), "scope")
    listed = view.count()
    view.search.fill(f"/{pattern}/")
    expect(view.search).to_have_attribute("aria-invalid", "true")
    expect(view.status).to_contain_text("expression")
    assert view.count() == listed
