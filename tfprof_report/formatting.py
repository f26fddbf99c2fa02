"""Numbers, counts and names as text for people: the table of units, and the formatters that reports and texts share.

Counts scale by 1000 (``17.63 G``), bytes by 1024 (``1.21 GiB``), times by ms, s, min and h (``1.50 min``). Scaled
numbers are rounded half up to two decimals in integer arithmetic, so 999,995 is ``1.00 M`` and never ``1000.00 k``.
Text in tfprof's own formats has its own formatters in ``render/tfprof``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from tfprof_report.errors import one_line
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.schema.metrics import METRICS, Number, Unit

UNKNOWN = "unknown"
"""Text for an unknown figure, which is never shown as 0 or as an empty cell."""


MINUS = "\N{MINUS SIGN}"
"""Used instead of a hyphen: as wide as the plus sign, never a line break, and screen readers say "minus"."""


COMMIT_DIGITS = 12
"""Digits of a commit, and of a digest of inputs, that are shown."""


ARROW = " \N{RIGHTWARDS ARROW} "
"""Between a value in base and that in head."""


SCALES: dict[Unit, tuple[tuple[int, str], ...]] = {
    Unit.COUNT: tuple((1000**power, suffix) for power, suffix in enumerate(("", "k", "M", "G", "T", "P", "E"))),
    Unit.BYTES: tuple(
        (1024**power, suffix) for power, suffix in enumerate(("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))
    ),
    Unit.MICROS: ((1, "us"), (1000, "ms"), (10**6, "s"), (60 * 10**6, "min"), (3600 * 10**6, "h")),
}
"""The steps of each unit's scale, as (size in the unit, suffix)."""


_MANY_PERCENT = 1000


_OTHER_LABELS = {
    "device_peak_bytes": "Device peak memory",
    "estimated_peak_bytes": "Estimated peak memory",
    "wall_micros": "Wall time",
    "idle_micros": "Idle time",
    "transfer_bytes": "Moved between devices",
}


def unit_of(stem: str) -> Unit:
    """Return the unit of a column stem; outside `METRICS` it is the suffix, as in ``device_peak_bytes``."""
    if stem in METRICS:
        return METRICS[stem].unit
    endings = {"bytes": Unit.BYTES, "micros": Unit.MICROS}
    return endings.get(stem.rpartition("_")[2], Unit.COUNT)


def label_of(stem: str) -> str:
    """Return the table header for a column stem: ``float_ops`` -> ``FLOPs``."""
    return METRICS[stem].label if stem in METRICS else _OTHER_LABELS.get(stem, stem)


def in_a_sentence(label: str) -> str:
    """Return a label for use within a sentence: ``Device peak memory`` -> ``device peak memory``; ``FLOPs`` stays."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def format_number(value: Number | None, unit: Unit) -> str:
    """Return `value` with at most two decimals on the scale of its unit: ``17.63 G``, ``1.21 GiB``, ``12.50 ms``.

    None, NaN and infinity give ``unknown``. Whole numbers below the first step have no decimals; a figure too small for
    two decimals keeps two significant digits, so that a nonzero figure never reads as zero.
    """
    return _format(value, unit, _scaled)


def format_exact(value: Number | None, unit: Unit = Unit.COUNT) -> str:
    """Return all digits of `value` with thousands separators and the unscaled unit: ``1,299,227,648 B``."""
    return _format(value, unit, _exact)


def format_total(value: Number | None, unit: Unit, *, unknown: int) -> str:
    """Return a total as `format_number` does; with `unknown` nodes it is a lower bound: ``at least 17.63 G``."""
    text = format_number(value, unit)
    return f"at least {text}" if unknown and text != UNKNOWN else text


def format_delta(value: Number | None, unit: Unit) -> str:
    """Return a difference as `format_number` does, always with its sign: ``+1.25 M``; no difference gives ``0``."""
    return _plus(value) + format_number(value, unit)


def format_exact_delta(value: Number | None, unit: Unit = Unit.COUNT) -> str:
    """Return a difference as `format_exact` does, always with its sign."""
    return _plus(value) + format_exact(value, unit)


def format_percent(percent: float | None, state: str | None = None) -> str:
    """Return a relative change, ``+1.25 %``, or its `state` where there is no percentage: ``new from 0``, ``lost``.

    From 1,000 % on there are no decimals. A change too small for two decimals reads ``+<0.01 %``, so that it never
    looks like no change. Without percentage and state the result is ``unknown``.
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
    """Return None for NaN and infinity, and an int for a whole float: 2 and 2.0 are the same figure."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < INT64_LIMIT else value
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
    if value >= INT64_LIMIT and isinstance(value, float):  # not a real figure: avoid hundreds of digits
        return f"{value:.2e} {steps[0][1]}".rstrip()
    for (size, suffix), (limit, _) in pairwise(steps):
        if value >= limit:
            continue
        hundredths = _hundredths(value, size)
        if hundredths * size < limit * 100:  # compared after rounding, so that 999.995 k becomes 1.00 M
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
    # repr is the shortest text that parses to the same float; its exponent form needs no separators
    digits = repr(value) if isinstance(value, float) and "e" in repr(value) else f"{value:,}"
    return f"{digits} {SCALES[unit][0][1]}".rstrip()


def _hundredths(value: Number, size: int) -> int:
    """Return value / size in hundredths, rounded half up, in exact integer arithmetic."""
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

    None, too, where it is larger than any float.

    A negative base counts with its absolute value, so that a plus sign always means an increase.
    """
    if base is None or head is None or (base == 0 and head != 0):
        return None
    try:
        return float(100 * (head - base) / abs(base)) if base else 0.0
    except OverflowError:
        return None


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
    """Return a name for use in a sentence: on one line, with the middle of a long name left out."""
    return shorten(one_line(name), _LONGEST_NAME)


def shorten(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, with an ellipsis for the middle: names differ at their ends."""
    if len(text) <= limit:
        return text
    head = (limit - 1) // 2
    return f"{text[:head]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - (limit - 1 - head) :]}"
