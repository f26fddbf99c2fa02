"""The gates of a rules file that names none: what the unit of each metric asks for."""

from __future__ import annotations

from tfprof_report.compare.gate_grammar import UNITS, parse_gate
from tfprof_report.compare.policy import Gate, Level
from tfprof_report.model.schema import Unit

SOURCE = "default"
"""Where a default gate was written."""

_RULES = {
    # A count that falls is as much news as one that grows: a layer may be lost.
    Unit.COUNT: ("== +0", Level.FAIL),
    Unit.BYTES: ("<= +1%", Level.FAIL),
    # Times differ from machine to machine, so they are said and fail nothing.
    Unit.MICROS: ("<= +0%", Level.INFORM),
}


def _gate(metric: str, unit: Unit) -> Gate:
    condition, level = _RULES[unit]
    return parse_gate(f"{metric} {condition}", level=level, is_optional=True, source=SOURCE)


DEFAULT_GATES = tuple(_gate(metric, unit) for metric, unit in UNITS.items())
"""One gate per metric on the whole model: counts exact, bytes within 1 %, times inform; skipped where neither side
knows the metric.
"""
