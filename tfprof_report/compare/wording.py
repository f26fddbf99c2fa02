"""Exact figures in a sentence: thousands separators, units, changes. Nothing here decides anything."""

from __future__ import annotations

from fractions import Fraction

from tfprof_report.compare.delta import percent_of
from tfprof_report.errors import one_line
from tfprof_report.model.schema import Unit

_DECIMALS = 3
_LONGEST_NAME = 200


def amount(value: Fraction, unit: Unit = Unit.COUNT) -> str:
    """Return ``1,234``, ``1,234.5 bytes``: whole numbers exact, others to three decimals."""
    whole, rest = divmod(round(abs(value) * 10**_DECIMALS), 10**_DECIMALS)
    sign = "-" if value < 0 and (whole or rest) else ""
    text = f"{sign}{whole:,}.{rest:0{_DECIMALS}d}".rstrip("0").rstrip(".")
    return text if unit is Unit.COUNT else f"{text} {unit.value}"


def change(base: Fraction, head: Fraction) -> str:
    """Return ``1,234 -> 1,300 (+66, +5.35 %)``, without a percentage where base is 0 and head is not."""
    percent = percent_of(base, head)
    delta = f"{'-' if head < base else '+'}{amount(abs(head - base))}"
    relative = "new from 0" if percent is None else f"{percent:+,.2f} %"
    return f"{amount(base)} -> {amount(head)} ({delta}, {relative})"


def share(known: int, capable: int) -> str:
    """Return ``66.67 % (2 of 3)``; `capable` is not 0."""
    return f"{100 * known / capable:.2f} % ({known:,} of {capable:,})"


def plural(count: int, word: str) -> str:
    """Return ``1 row``, ``1,234 rows``."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def called(name: str) -> str:
    """Return a name as a sentence has it: on one line, the middle of a long one left out."""
    name = one_line(name)
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]}\N{HORIZONTAL ELLIPSIS}{name[-half:]}"
