"""What a gate allows is worded in the unit of its metric."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.wording import allowed_words


@pytest.mark.parametrize(
    ("gate", "base", "words"),
    [
        ("bytes <= +1%", 1024, "at most 1,034.24 bytes"),
        ("params >= -5", 10, "at least 5"),
        ("params == 1k", None, "exactly 1,000"),
        ("-1% <= bytes <= +64MiB", 100, "from 99 to 67,108,964 bytes"),
        ("micros <= +0", -5, "at most -5 microseconds"),
        ("params >= -50%", -10, "at least -15"),
        ("bytes <= +5% or +64KiB", 1000, "at most 66,536 bytes (+5 % or +65,536 bytes)"),
        ("bytes <= +64KiB or +5%", 2_000_000, "at most 2,100,000 bytes (+5 % or +65,536 bytes)"),
        ("params >= -5% or -0.5", 100, "at least 95 (-5 % or -0.5)"),
        ("-1% or -2 <= bytes <= +3% or +4", 100, "from 98 to 104 bytes (-1 % or -2 bytes, +3 % or +4 bytes)"),
        ("-1 <= bytes <= +3% or +4", 100, "from 99 to 104 bytes (+3 % or +4 bytes)"),
    ],
)
def test_what_is_allowed_is_said_in_the_unit_of_the_metric(gate: str, base: int | None, words: str) -> None:
    assert allowed_words(parse_gate(gate), None if base is None else Fraction(base)) == words
