from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.formatting import (
    SCALES,
    called,
    format_delta,
    format_exact,
    format_exact_delta,
    format_number,
    format_percent,
    label_of,
    normalise,
    percent_of,
    plural,
    share,
    share_of,
    shorten,
    unit_of,
)
from tfprof_report.schema.metrics import Unit


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, Unit.COUNT, "0"),
        (999, Unit.COUNT, "999"),
        (1000, Unit.COUNT, "1.00 k"),
        (17_630_000_000, Unit.COUNT, "17.63 G"),
        (2**63 - 1, Unit.COUNT, "9.22 E"),
        (-1500, Unit.COUNT, "\N{MINUS SIGN}1.50 k"),
        (1.5, Unit.COUNT, "1.50"),
        (3.0, Unit.COUNT, "3"),
        (0, Unit.BYTES, "0 B"),
        (1023, Unit.BYTES, "1,023 B"),
        (1024, Unit.BYTES, "1.00 KiB"),
        (1_299_227_648, Unit.BYTES, "1.21 GiB"),
        (999, Unit.MICROS, "999 us"),
        (12_500, Unit.MICROS, "12.50 ms"),
        (90 * 10**6, Unit.MICROS, "1.50 min"),
        (7200 * 10**6, Unit.MICROS, "2.00 h"),
    ],
)
def test_a_figure_is_scaled_to_its_unit(value: float, unit: Unit, text: str) -> None:
    assert format_number(value, unit) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (999_994, Unit.COUNT, "999.99 k"),
        (999_995, Unit.COUNT, "1.00 M"),
        (999_999_999, Unit.COUNT, "1.00 G"),
        (999.996, Unit.COUNT, "1.00 k"),
        (1024**2 - 1, Unit.BYTES, "1.00 MiB"),
        (999_999, Unit.MICROS, "1.00 s"),
        (59_999_999, Unit.MICROS, "1.00 min"),
    ],
)
def test_rounding_moves_on_to_the_next_step_of_the_scale(value: float, unit: Unit, text: str) -> None:
    assert format_number(value, unit) == text


def test_a_small_figure_does_not_read_as_zero() -> None:
    assert format_number(0.0012, Unit.MICROS) == "0.0012 us"


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), float("-inf")])
def test_what_is_not_known_is_unknown_everywhere(value: float | None) -> None:
    for text in (format_number(value, Unit.BYTES), format_exact(value), format_delta(value, Unit.COUNT)):
        assert text == "unknown"


def test_exact_text_has_every_digit() -> None:
    assert format_exact(2**53 + 1) == "9,007,199,254,740,993"
    assert format_exact(1_299_227_648, Unit.BYTES) == "1,299,227,648 B"
    assert format_exact_delta(-1234.5, Unit.MICROS) == "\N{MINUS SIGN}1,234.5 us"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1_250_000, "+1.25 M"), (-1_250_000, "\N{MINUS SIGN}1.25 M"), (0, "0"), (0.0, "0"), (None, "unknown")],
)
def test_a_difference_has_its_sign(value: float | None, text: str) -> None:
    assert format_delta(value, Unit.COUNT) == text


@pytest.mark.parametrize(
    ("percent", "state", "text"),
    [
        (1.25, "changed", "+1.25 %"),
        (-100.0, "changed", "\N{MINUS SIGN}100.00 %"),
        (0.0, "unchanged", "0 %"),
        (1e-9, "changed", "+<0.01 %"),
        (-1e-9, "changed", "\N{MINUS SIGN}<0.01 %"),
        (123456.7, "changed", "+123,457 %"),
        (None, "new from 0", "new from 0"),
        (None, "lost", "lost"),
        (None, None, "unknown"),
    ],
)
def test_a_relative_change_is_a_percentage_or_the_reason_why_there_is_none(
    percent: float | None, state: str | None, text: str
) -> None:
    assert format_percent(percent, state) == text


def test_a_stem_outside_the_metrics_says_its_unit_in_its_name() -> None:
    assert unit_of("device_peak_bytes") is Unit.BYTES
    assert label_of("device_peak_bytes") == "Device peak memory"
    assert (unit_of("micros"), unit_of("params")) == (Unit.MICROS, Unit.COUNT)


@given(st.integers(0, 2**63 - 1), st.sampled_from(Unit))
def test_scaled_text_is_within_half_of_its_last_decimal(value: int, unit: Unit) -> None:
    number, _, suffix = format_number(value, unit).partition(" ")
    size = next(size for size, word in SCALES[unit] if word == suffix)
    assert abs(Fraction(number.replace(",", "")) - Fraction(value, size)) <= Fraction(1, 200)


@given(st.integers(0, 10**20))
def test_a_scaled_count_has_at_most_three_digits_before_the_point(value: int) -> None:
    assert float(format_number(value, Unit.COUNT).partition(" ")[0]) < 1000


@given(st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False))
def test_exact_text_gives_the_figure_back(value: float) -> None:
    text = format_exact(value).replace(",", "").replace("\N{MINUS SIGN}", "-")
    assert type(value)(text) == value


@given(st.floats(-(2.0**62), 2.0**62).filter(float.is_integer))
def test_a_whole_float_reads_as_its_integer(value: float) -> None:
    assert repr(normalise(value)) == repr(int(value))


def test_counts_have_their_noun_and_shares_their_whole() -> None:
    assert (plural(1, "node"), plural(1234, "node"), plural(0, "node")) == ("1 node", "1,234 nodes", "0 nodes")
    assert (share_of(2, 3), share(2, 3)) == ("2 of 3", "66.67 % (2 of 3)")


def test_long_names_lose_their_middle() -> None:
    assert (shorten("abcdef", 6), shorten("abcdefg", 6)) == ("abcdef", "ab\N{HORIZONTAL ELLIPSIS}efg")
    assert called("a\nb") == "a\\nb"
    assert called("a" * 101 + "b" * 101) == "a" * 100 + "\N{HORIZONTAL ELLIPSIS}" + "b" * 100


def test_a_percentage_beyond_every_float_is_none() -> None:
    assert percent_of(Fraction(5e-324), Fraction(1.7e308)) is None
