from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.compare.gates.grammar import UNITS, parse_gate
from tfprof_report.compare.gates.policy import Bound, Level, Limit, Reference, Scale, Subject
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


@pytest.mark.parametrize(
    "text", ["bytes <= +5% or +64KiB", "bytes <= +64KiB or +5%", "bytes<=+5%or+64KiB", " bytes <= + 5 %  or\t+ 64 KiB "]
)
def test_a_percentage_may_have_a_floor_in_any_order(text: str) -> None:
    limit = Limit(bound=Bound.AT_MOST, scale=Scale.PERCENT, value=Fraction(5), floor=Fraction(64 * KI))
    assert parse_gate(text).limits == (limit,)


def test_each_side_of_a_band_may_have_a_floor() -> None:
    low, high = parse_gate("-5% or -1k <= params <= +1% or +0.5").limits
    assert (low.bound, low.value, low.floor) == (Bound.AT_LEAST, -5, -1000)
    assert (high.bound, high.value, high.floor) == (Bound.AT_MOST, 1, Fraction(1, 2))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("bytes == +0 or +64KiB", '== allows one figure, so it has no floor; write a band, such as "-64KiB <= bytes'),
        ("bytes <= 25M or +5%", "a floor and its limit are relative to base; give both a sign, or write two gates"),
        ("bytes <= +5% or 64KiB", "a floor and its limit are relative to base"),
        ("bytes <= 1M or 2M", "a floor and its limit are relative to base"),
        ("bytes <= +5% or +6%", "a floor is a number beside a percentage; keep the one of the two that allows more"),
        ("bytes <= +5 or +6", "a floor is a number beside a percentage"),
        ("bytes <= +5% or -64KiB", "a limit and its floor are in the same direction; give both the same sign"),
        ("bytes <= +5% or 6%", "a percentage needs a sign"),
        ("bytes <= +5% or +6ms", 'the suffix "ms" does not fit bytes'),
        ("params <= +5% or +64KiB", 'the suffix "KiB" does not fit params'),
        ("bytes <= +5% and +64KiB", "this is not a gate; a gate holds within either of two limits joined by or"),
        ("bytes <= +5% and at least +64KiB", "joined by or"),
        ("bytes <= +5% or +6 or +7", "this is not a gate; write METRIC <= LIMIT"),
        ("bytes <= +5% or", "this is not a gate"),
        ("bytes <= or +5%", "this is not a gate"),
        ("bytes or params <= +5%", "this is not a gate"),
    ],
)
def test_a_floor_that_is_none_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_gate(text)
    assert reason in str(caught.value)


NUMBERS = st.tuples(st.integers(0, 10**12), st.sampled_from(["", "k", "M", "KiB", "MB"]))
FACTORS = {"": 1, "k": 1000, "M": 1000**2, "KiB": KI, "MB": 1000**2}


@given(
    percent=st.decimals(0, 1000, places=3),
    number=NUMBERS,
    sign=st.sampled_from("+-"),
    bound=st.sampled_from([Bound.AT_MOST, Bound.AT_LEAST]),
    gap=st.sampled_from(["", " ", "  ", "\n"]),
    is_first=st.booleans(),
)
def test_a_gate_with_a_floor_is_read_as_it_is_written(
    *, percent: Decimal, number: tuple[int, str], sign: str, bound: Bound, gap: str, is_first: bool
) -> None:
    count, suffix = number
    both = [f"{sign}{percent}%", f"{sign}{count}{suffix}"]
    gate = parse_gate(f"bytes{gap}{bound}{gap}{f' or{gap}'.join(both if is_first else both[::-1])}")
    factor = 1 if sign == "+" else -1
    floor = Fraction(factor * count * FACTORS[suffix])
    assert gate.limits == (Limit(bound=bound, scale=Scale.PERCENT, value=factor * Fraction(percent), floor=floor),)
    assert parse_gate(gate.text) == gate


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("-1% <= bytes <= +1%", (Scale.PERCENT, -1), (Scale.PERCENT, 1)),
        (" -1%<=bytes<=+64KiB ", (Scale.PERCENT, -1), (Scale.DIFFERENCE, 64 * KI)),
        ("+0 <= params <= +5k", (Scale.DIFFERENCE, 0), (Scale.DIFFERENCE, 5000)),
        ("20M <= params <= 25M", (Scale.BUDGET, 20_000_000), (Scale.BUDGET, 25_000_000)),
        ("5 <= params <= 5", (Scale.BUDGET, 5), (Scale.BUDGET, 5)),
    ],
)
def test_a_band_has_a_lower_and_an_upper_limit(text: str, low: tuple[Scale, int], high: tuple[Scale, int]) -> None:
    gate = parse_gate(text)
    assert gate.text == " ".join(text.split())
    assert gate.limits == (
        Limit(bound=Bound.AT_LEAST, scale=low[0], value=Fraction(low[1])),
        Limit(bound=Bound.AT_MOST, scale=high[0], value=Fraction(high[1])),
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5 <= params <= +1%", "one limit is relative to base and the other is not; give both a sign or neither"),
        ("-5 <= params <= 25M", "one limit is relative to base and the other is not"),
        ("+2% <= params <= +1%", "no figure is in this band; write the lower limit first"),
        ("2M <= params <= 1M", "no figure is in this band"),
        ("1% <= params <= +1%", "a percentage needs a sign"),
        ("1MiB <= params <= 2M", 'the suffix "MiB" does not fit params'),
        ("1 <= 2 <= 3", '"2" is not known'),
        ("1 >= params >= 0", "this is not a gate"),
        ("1 <= params == 2", "this is not a gate"),
        ("1 <= params", "this is not a gate"),
        ("0 <= 1 <= params <= 3", "this is not a gate"),
    ],
)
def test_a_band_that_is_none_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_gate(text)
    assert reason in str(caught.value)


def test_a_gate_on_rows_keeps_what_it_is_about() -> None:
    gate = parse_gate(
        "params <= +0", subject=Subject.SCOPE, glob="a/**", level=Level.INFORM, is_optional=True, source="rules, gate 3"
    )
    assert (gate.subject, gate.glob, gate.level, gate.is_optional, gate.source) == (
        Subject.SCOPE,
        "a/**",
        Level.INFORM,
        True,
        "rules, gate 3",
    )


@pytest.mark.parametrize(
    ("metric", "glob", "reason"),
    [
        ("params", "", "the glob is empty; ** matches every name"),
        ("params", "[", 'a "[" of the glob "[" has no "]"'),
        (
            "device_peak_bytes",
            "**",
            "device_peak_bytes belongs to a device, not to a node; leave out the glob",
        ),
    ],
)
def test_a_gate_on_rows_that_cannot_be_is_refused_where_it_was_written(metric: str, glob: str, reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_gate(f"{metric} <= +0", option="rules.toml, gate 3", subject=Subject.NODE, glob=glob)
    assert str(caught.value).startswith(f'rules.toml, gate 3 "{metric} <= +0": {reason}')


@pytest.mark.parametrize(
    ("text", "keys", "shown", "reference"),
    [
        ("params  <= +2%   since\tv1.2 ", {}, "params <= +2% since v1.2", Reference(word="since", text="v1.2")),
        ("params <= +2%", {"since": "v1.2"}, "params <= +2% since v1.2", Reference(word="since", text="v1.2")),
        ("params >= -2% against best", {}, "params >= -2% against best", Reference(word="against", text="best")),
        ("params <= +2%", {"against": "best"}, "params <= +2% against best", Reference(word="against", text="best")),
        (
            "params <= +2% against a  b/since c",
            {},
            "params <= +2% against a  b/since c",
            Reference(word="against", text="a  b/since c", folder="a  b/since c"),
        ),
        (
            "-1% <= params <= +5% or +20",
            {"against": "./best", "folder": "rules"},
            "-1% <= params <= +5% or +20 against ./best",
            Reference(word="against", text="./best", folder="rules/./best"),
        ),
    ],
)
def test_a_drift_gate_says_what_it_is_relative_to(
    text: str, keys: dict[str, Any], shown: str, reference: Reference
) -> None:
    gate = parse_gate(text, **keys)
    assert (gate.text, gate.reference) == (shown, reference)
    assert parse_gate(gate.text, folder=keys.get("folder", "")) == gate
    assert gate.limits == parse_gate(shown.partition(f" {reference.word} ")[0]).limits


@pytest.mark.parametrize(
    ("text", "keys", "reason"),
    [
        ("params <= 25M since v1.2", {}, "a limit without a sign is a budget, which is measured from no report"),
        ("params == +0 against best", {}, "the best figure is the lowest for <= and the highest for >="),
        ("-1% <= params <= +1% against best", {}, "the best figure is the lowest for <= and the highest for >="),
        (
            "float_ops <= +1% against best",
            {"unknown_ok": ["CTCLoss"]},
            "the best figure is that of the whole model, wholly known; leave out unknown_ok",
        ),
        (
            "params <= +1% against best",
            {"subject": Subject.NODE, "glob": "**"},
            "the best figure is that of the whole model, wholly known; leave out the key node, or give since",
        ),
        ("params <= +1% since v1 v2", {}, '"v1 v2" is no tag, no commit and no age; write since v1.2 or since 30d'),
        ("params <= +1% since v1", {"against": "best"}, "a gate is measured from one report; keep one of against best"),
        (
            "params <= +1%",
            {"since": "v1", "against": "best"},
            "a gate is measured from one report; keep one of since v1",
        ),
        ("params <= +1% since", {}, "this is not a gate"),
        ("params since v1", {}, "this is not a gate"),
    ],
)
def test_a_drift_gate_that_cannot_be_is_refused_with_the_reason(text: str, keys: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_gate(text, **keys)
    assert reason in str(caught.value)
