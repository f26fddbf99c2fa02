"""The units of the columns of tables, by their names, in the words of ``docs/tables.md``."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OF_STEMS = {
    "params": "elements",
    "float_ops": "FLOPs",
    "macs": "multiply-adds",
    "run_count": "executions",
    "definition_count": "nodes",
    "multiplicity": "executions",
    "bytes": "bytes",
    "micros": "microseconds",
    "nanos": "nanoseconds",
    "float_ops_per_second": "FLOPs per second",
    "bytes_per_second": "bytes per second",
    "float_ops_per_byte": "FLOPs per byte",
}
"""The unit of a column that ends with a stem; the longest one decides."""

_STEM = re.compile(rf"(?:.*_)?({'|'.join(sorted(_OF_STEMS, key=len, reverse=True))})")
_LACKS = re.compile(r"(?:base_|head_)?unknown_.+")
_WORDS = re.compile(r"(?:.+_)?(?:state|reason|source|assumes)(?:_.+)?|dtype_float_ops")
"""Columns whose values are words, or several, about a figure."""


def unit_of_column(name: str) -> str | None:
    """Return the unit of a column: ``microseconds`` for ``total_cpu_micros``; None for names, keys and words."""
    if _WORDS.fullmatch(name):
        return None
    if _LACKS.fullmatch(name):
        return "count"
    if name.startswith("percent_"):
        return "percent"
    found = _STEM.fullmatch(name)
    return _OF_STEMS[found[1]] if found else None


def units_of(columns: Iterable[str]) -> dict[str, str]:
    """Return the units of those columns that have one."""
    return {name: unit for name in columns if (unit := unit_of_column(name)) is not None}
