"""The grammar of gates: ``METRIC <= LIMIT`` (or ``>=``, ``==``).

A signed limit is relative to base, an unsigned one is an absolute budget. Limits are exact.
Judging is in `gates`.
"""

from __future__ import annotations

import re
from fractions import Fraction

from tfprof_report.compare.policy import Bound, Gate, Limit, Scale
from tfprof_report.compare.totals import DEVICE_PEAK
from tfprof_report.errors import OptionError
from tfprof_report.model.schema import METRICS, Unit
from tfprof_report.options import unknown_word

OPTION = "--gate"
UNITS = {stem: metric.unit for stem, metric in METRICS.items()} | {DEVICE_PEAK: Unit.BYTES}
"""The metrics that a gate can name."""

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BYTES = {"B": 1, "KB": 10**3, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
_SUFFIXES = {
    Unit.COUNT: _DECIMAL,
    Unit.BYTES: _DECIMAL | _BYTES,
    Unit.MICROS: _DECIMAL | {"us": 1, "ms": 10**3, "s": 10**6},
}
# The number of digits is bounded, so that a hostile gate cannot make a number that takes minutes to print.
_GATE = re.compile(
    r"\s*(?P<metric>\w+)\s*(?P<bound><=|>=|==)\s*(?P<sign>[+-]?)\s*"
    r"(?P<number>[0-9]{1,30}(?:\.[0-9]{1,30})?)\s*(?P<suffix>[A-Za-z%]*)\s*"
)


def parse_gate(text: str) -> Gate:
    """Read a gate such as ``float_ops <= +1%``, ``peak_bytes <= +64MiB`` or ``params <= 25M``; spaces do not matter.

    Numbers may have decimals and a suffix: k K M G T (powers of 1000) for every metric; B, KB MB GB TB (1000) and
    KiB MiB GiB TiB (1024) for bytes; us ms s for times. A number without suffix is in the unit of the metric.

    Raises
    ------
    OptionError
        The text is no gate, names an unknown metric, has a suffix that its metric does not take, or a percentage
        without sign: ``105%`` could mean 105 % of base or 105 % more.
    """
    option = f'{OPTION} "{text}"'
    found = _GATE.fullmatch(text)
    if found is None:
        raise OptionError(
            "this is not a gate",
            option=option,
            advice='write METRIC <= LIMIT, METRIC >= LIMIT or METRIC == LIMIT, such as "float_ops <= +1%"',
        )
    metric, sign, number, suffix = (found[group] for group in ("metric", "sign", "number", "suffix"))
    if metric not in UNITS:
        raise unknown_word(metric, option=option, known=UNITS)
    gate_text, bound, value = " ".join(text.split()), Bound(found["bound"]), Fraction(sign + number)
    if suffix == "%":
        if not sign:
            raise OptionError(
                "a percentage needs a sign, because it is relative to base",
                option=option,
                advice=f"write +{number}% for at most {number} % more than base, or a budget without %",
            )
        return Gate(text=gate_text, metric=metric, limits=(Limit(bound=bound, scale=Scale.PERCENT, value=value),))
    suffixes = _SUFFIXES[UNITS[metric]]
    if suffix not in suffixes:
        raise OptionError(
            f'the suffix "{suffix}" does not fit {metric}, which is {_unit_words(UNITS[metric])}',
            option=option,
            advice=f"use a plain number, %, or one of {', '.join(word for word in suffixes if word)}",
        )
    scale = Scale.DIFFERENCE if sign else Scale.BUDGET
    limit = Limit(bound=bound, scale=scale, value=value * suffixes[suffix])
    return Gate(text=gate_text, metric=metric, limits=(limit,))


def _unit_words(unit: Unit) -> str:
    return {Unit.COUNT: "a count", Unit.BYTES: "in bytes", Unit.MICROS: "in microseconds"}[unit]
