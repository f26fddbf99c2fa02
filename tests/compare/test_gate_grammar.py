from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.compare.gate_grammar import UNITS, parse_gate
from tfprof_report.compare.policy import Bound, Limit, Scale
from tfprof_report.errors import OptionError

KI = 1024


@pytest.mark.parametrize(
    ("text", "metric", "bound", "scale", "limit"),
    [
        ("float_ops <= +1%", "float_ops", Bound.AT_MOST, Scale.PERCENT, 1),
        ("micros <= -5%", "micros", Bound.AT_MOST, Scale.PERCENT, -5),
        ("bytes <= +0.1%", "bytes", Bound.AT_MOST, Scale.PERCENT, Fraction(1, 10)),
        ("params <= +0", "params", Bound.AT_MOST, Scale.DIFFERENCE, 0),
        ("params == +0", "params", Bound.EXACTLY, Scale.DIFFERENCE, 0),
        ("params >= -1k", "params", Bound.AT_LEAST, Scale.DIFFERENCE, -1000),
        ("peak_bytes <= +64MiB", "peak_bytes", Bound.AT_MOST, Scale.DIFFERENCE, 64 * KI**2),
        ("device_peak_bytes <= 16GiB", "device_peak_bytes", Bound.AT_MOST, Scale.BUDGET, 16 * KI**3),
        ("params <= 25M", "params", Bound.AT_MOST, Scale.BUDGET, 25_000_000),
        ("params <= 2.5M", "params", Bound.AT_MOST, Scale.BUDGET, 2_500_000),
        ("run_count == 3", "run_count", Bound.EXACTLY, Scale.BUDGET, 3),
        ("definition_count >= 1", "definition_count", Bound.AT_LEAST, Scale.BUDGET, 1),
    ],
)
def test_a_gate_is_read_exactly(text: str, metric: str, bound: Bound, scale: Scale, limit: Fraction) -> None:
    gate = parse_gate(text)
    assert (gate.text, gate.metric, gate.limits) == (text, metric, (Limit(bound=bound, scale=scale, value=limit),))


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        *((f"params <= 2{suffix}", 2 * 1000**power) for power, suffix in enumerate(["", "k", "M", "G", "T"])),
        ("params <= 2K", 2000),
        *((f"bytes <= 2{suffix}", 2 * 1000**power) for power, suffix in enumerate(["B", "KB", "MB", "GB", "TB"])),
        *((f"bytes <= 2{suffix}iB", 2 * KI**power) for power, suffix in enumerate("KMGT", start=1)),
        ("bytes <= 2kB", 2000),
        ("bytes <= 2M", 2_000_000),
        ("micros <= 2", 2),
        ("micros <= 2us", 2),
        ("micros <= 2.5ms", 2500),
        ("cpu_micros <= 2s", 2_000_000),
        ("micros <= 2k", 2000),
    ],
)
def test_a_suffix_is_a_factor(text: str, limit: int) -> None:
    assert parse_gate(text).limits[0].value == limit


@pytest.mark.parametrize("text", ["params<=+1%", "  params  <=  +1%  ", "params <= + 1 %", "params\t<=\n+1%"])
def test_spaces_do_not_matter(text: str) -> None:
    gate = parse_gate(text)
    assert (gate.metric, gate.limits[0].scale, gate.limits[0].value) == ("params", Scale.PERCENT, Fraction(1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("float_ops <= 105%", "a percentage needs a sign, because it is relative to base; write +105%"),
        ("parms <= +1%", '"parms" is not known; did you mean params?'),
        ("flops <= +1%", '"flops" is not known'),
        (
            "params <= 5MiB",
            'the suffix "MiB" does not fit params, which is a count; use a plain number, %, or one of k,',
        ),
        ("params <= 5B", 'the suffix "B" does not fit params'),
        ("params <= 5m", 'the suffix "m" does not fit params'),
        ("params <= 5s", 'the suffix "s" does not fit params'),
        ("bytes <= 5ms", 'the suffix "ms" does not fit bytes, which is in bytes'),
        ("micros <= 5MiB", 'the suffix "MiB" does not fit micros, which is in microseconds'),
        ("params <= 5%%", 'the suffix "%%" does not fit params'),
        *(
            (text, "this is not a gate; write METRIC <= LIMIT")
            for text in (
                *("", "params", "params <=", "<= 5", "params < 5", "params > 5", "params = 5", "params != 5"),
                *("params => 5", "params <= five", "params <= 1e9", "params <= 1,000", "params <= 1_000"),
                *("params <= .5", "params <= 5.", "params <= ++5", "params <= nan", "params <= inf", "params <= ٣"),
                *("params <= 5 <= 6", "5 >= params", f"params <= {'9' * 31}", "params <= \u22125%"),
            )
        ),
    ],
)
def test_a_gate_that_is_none_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_gate(text)
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f'--gate "{text}": ')
    assert caught.value.exit_code == 2


def test_a_refusal_is_one_line_whatever_the_gate_holds() -> None:
    with pytest.raises(OptionError) as caught:
        parse_gate("params\n<= \x1b[31m")
    assert str(caught.value).isprintable()


@given(st.text())
def test_any_text_is_a_gate_or_one_clear_line(text: str) -> None:
    message = ""
    try:
        parse_gate(text)
    except OptionError as error:
        message = str(error)
    assert not message or message.isprintable()


@given(
    metric=st.sampled_from(sorted(UNITS)),
    bound=st.sampled_from(["<=", ">=", "=="]),
    sign=st.sampled_from("+-"),
    digits=st.integers(0, 10**29),
    decimals=st.integers(0, 10**6),
)
def test_every_number_is_read_without_rounding(metric: str, bound: str, sign: str, digits: int, decimals: int) -> None:
    gate = parse_gate(f"{metric} {bound} {sign}{digits}.{decimals:07d}%")
    assert gate.limits[0].value * 10**7 == (digits * 10**7 + decimals) * (1 if sign == "+" else -1)
