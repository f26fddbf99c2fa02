"""Numbers as people read them. A table of units and a few formatters; no other module turns a figure into text.

Counts scale by 1000 (``17.63 G``), bytes by 1024 (``1.21 GiB``), times by their own steps (``1.50 min``). Whatever is
scaled is rounded half up to two decimals in integer arithmetic, so 999,995 is ``1.00 M`` and never ``1000.00 k``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from tfprof_report.errors import one_line
from tfprof_report.schema.metrics import METRICS, Number, Unit

UNKNOWN = "unknown"
"""Text of a figure that is not known: never 0, never empty."""


MINUS = "\N{MINUS SIGN}"
"""As wide as the plus sign, never a line break, and read aloud as minus, which a hyphen is not."""


SCALES: dict[Unit, tuple[tuple[int, str], ...]] = {
    Unit.COUNT: tuple((1000**power, suffix) for power, suffix in enumerate(("", "k", "M", "G", "T", "P", "E"))),
    Unit.BYTES: tuple(
        (1024**power, suffix) for power, suffix in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))
    ),
    Unit.MICROS: ((1, "us"), (1000, "ms"), (10**6, "s"), (60 * 10**6, "min"), (3600 * 10**6, "h")),
}
"""Per unit the steps of its scale: how many of the unit, and the suffix."""


_INT64 = 2**63


_MANY_PERCENT = 1000


_OTHER_LABELS = {"device_peak_bytes": "Device peak memory"}


def unit_of(stem: str) -> Unit:
    """Return the unit of a column stem; stems outside `METRICS`, such as ``device_peak_bytes``, say it in their end."""
    if stem in METRICS:
        return METRICS[stem].unit
    endings = {"bytes": Unit.BYTES, "micros": Unit.MICROS}
    return endings.get(stem.rpartition("_")[2], Unit.COUNT)


def label_of(stem: str) -> str:
    """Return what a table header calls a stem: ``float_ops`` -> ``FLOPs``."""
    return METRICS[stem].label if stem in METRICS else _OTHER_LABELS.get(stem, stem)


def format_number(value: Number | None, unit: Unit) -> str:
    """Return `value` with at most two decimals on the scale of its unit: ``17.63 G``, ``1.21 GiB``, ``12.50 ms``.

    None, and what is no number, gives ``unknown``. Whole numbers below the first step have no decimals; a figure too
    small for two decimals keeps two significant digits, so that nothing that is not zero reads as zero.
    """
    return _format(value, unit, _scaled)


def format_exact(value: Number | None, unit: Unit = Unit.COUNT) -> str:
    """Return every digit of `value`, thousands separated, with the unit's own suffix: ``1,299,227,648 B``."""
    return _format(value, unit, _exact)


def format_delta(value: Number | None, unit: Unit) -> str:
    """Return a difference as `format_number` does, always with its sign: ``+1.25 M``. No difference is ``0``."""
    return _plus(value) + format_number(value, unit)


def format_exact_delta(value: Number | None, unit: Unit = Unit.COUNT) -> str:
    """Return a difference as `format_exact` does, always with its sign."""
    return _plus(value) + format_exact(value, unit)


def format_percent(percent: float | None, state: str | None = None) -> str:
    """Return a relative change, ``+1.25 %``, or without a percent the word of its `state`: ``new from 0``, ``lost``.

    From 1,000 % on there are no decimals. Changes below the last decimal read ``+<0.01 %``: a change never looks like
    none. Without percent and state the change is ``unknown``.
    """
    known = normalise(percent)
    if known is None:
        return state or UNKNOWN
    if known == 0:
        return "0 %"
    digits = _hundredths(abs(known), 1)
    size = (
        f"{(digits + 50) // 100:,}" if digits >= _MANY_PERCENT * 100 else _with_decimals(digits) if digits else "<0.01"
    )
    return f"{'+' if known > 0 else MINUS}{size} %"


def normalise(value: Number | None) -> Number | None:
    """Return None for what is no finite number and an int for a whole float: 2 and 2.0 are the same figure."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < _INT64 else value
    return value


def _format(value: Number | None, unit: Unit, magnitude: Callable[[Number, Unit], str]) -> str:
    known = normalise(value)
    if known is None:
        return UNKNOWN
    return (MINUS if known < 0 else "") + magnitude(abs(known), unit)


def _plus(value: Number | None) -> str:
    known = normalise(value)
    return "+" if known is not None and known > 0 else ""


def _scaled(value: Number, unit: Unit) -> str:
    steps = SCALES[unit]
    if value >= _INT64 and isinstance(value, float):  # no figure of ours: hundreds of digits help nobody
        return f"{value:.2e} {steps[0][1]}".rstrip()
    for (size, suffix), (limit, _) in pairwise(steps):
        if value >= limit:
            continue
        hundredths = _hundredths(value, size)
        if hundredths * size < limit * 100:  # judged after rounding, so that 999.995 k moves on to 1.00 M
            if size > 1:
                return f"{_with_decimals(hundredths)} {suffix}"
            return f"{_unscaled(value, hundredths)} {suffix}".rstrip()
    size, suffix = steps[-1]
    return f"{_with_decimals(_hundredths(value, size))} {suffix}"


def _unscaled(value: Number, hundredths: int) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return _with_decimals(hundredths) if hundredths else f"{value:.2g}"


def _exact(value: Number, unit: Unit) -> str:
    # repr is the shortest text that gives the same float back; its exponent form needs no separators
    digits = repr(value) if isinstance(value, float) and "e" in repr(value) else f"{value:,}"
    return f"{digits} {SCALES[unit][0][1]}".rstrip()


def _hundredths(value: Number, size: int) -> int:
    """Return value / size in hundredths, rounded half up; exact, whatever the size of the number."""
    numerator, denominator = value.as_integer_ratio()
    return (200 * numerator + denominator * size) // (2 * denominator * size)


def _with_decimals(hundredths: int) -> str:
    return f"{hundredths // 100:,}.{hundredths % 100:02}"


_DECIMALS = 3


_LONGEST_NAME = 201


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


def percent_of(base: Fraction | None, head: Fraction | None) -> float | None:
    """Return the change in percent of base: 0 from 0 to 0, None from 0 to anything else or where one is unknown.

    For a negative base it is percent of its absolute value, so that a plus sign always means more.
    """
    if base is None or head is None or (base == 0 and head != 0):
        return None
    return float(100 * (head - base) / abs(base)) if base else 0.0


def share(known: int, capable: int) -> str:
    """Return ``66.67 % (2 of 3)``; `capable` is not 0."""
    return f"{100 * known / capable:.2f} % ({share_of(known, capable)})"


def share_of(known: int, capable: int) -> str:
    """Return ``2 of 3``."""
    return f"{known:,} of {capable:,}"


def plural(count: int, word: str) -> str:
    """Return ``1 row``, ``1,234 rows``."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def called(name: str) -> str:
    """Return a name as a sentence has it: on one line, the middle of a long one left out."""
    return shorten(one_line(name), _LONGEST_NAME)


def shorten(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters; an ellipsis stands for the middle, as names differ at their ends."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    return f"{text[:head]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - (limit - 1 - head) :]}"
