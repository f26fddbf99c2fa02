"""Read the file of accepted changes: TOML with a table ``[[acknowledged]]`` for each."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from tfprof_report.cli.config.gate_tables import OfModels
from tfprof_report.compare.gates.globs import check_glob
from tfprof_report.compare.gates.grammar import UNITS, parse_gate
from tfprof_report.compare.gates.policy import ANY_NAME, Acknowledgement
from tfprof_report.errors import OptionError, shown
from tfprof_report.options import hint_at, unknown_word
from tfprof_report.schema.metrics import DEVICE_PEAK, OF_NO_NODE, Unit
from tfprof_report.toml_file import content_error, read_toml

OPTION = "--acknowledged"
_TABLES = "acknowledged"
_MAX_ENTRIES = 1000  # every glob is matched with every name
_NEEDED = {
    "metric": "the name of a metric, such as float_ops",
    "value": 'the new total, such as 25 or "25.6M"',
    "reason": "why, in a sentence",
    "expires": "the last day on which it is valid, such as 2027-01-31",
}
_KEYS = ("node", *_NEEDED, "model")


def read_acknowledged(path: str) -> tuple[OfModels[Acknowledgement], ...]:
    """Return the accepted changes of a file, in order.

    Raises
    ------
    OptionError
        The file cannot be read, is not TOML, or has a wrong entry; the message says which and what to do.
    """
    entries = _entries(read_toml(path, OPTION), path)
    return tuple(
        _acknowledged(entry, f"{shown(path)}, acknowledged {number}") for number, entry in enumerate(entries, 1)
    )


def _entries(document: Mapping[str, Any], path: str) -> list[Mapping[str, Any]]:
    for key in document:
        if key != _TABLES:
            raise content_error(f"{key} is not known; begin each change with a line [[{_TABLES}]]", path, OPTION)
    entries = document.get(_TABLES, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        problem = f"{_TABLES} is not a list of tables; begin each change with a line [[{_TABLES}]]"
        raise content_error(problem, path, OPTION)
    if len(entries) > _MAX_ENTRIES:
        raise content_error(f"{_TABLES} has more than {_MAX_ENTRIES:,} items", path, OPTION)
    return entries


def _acknowledged(entry: Mapping[str, Any], where: str) -> OfModels[Acknowledgement]:
    for key in entry:
        if key not in _KEYS:
            raise content_error(f"{key} is not known; {hint_at(key, _KEYS)}", where, None)
    for key, words in _NEEDED.items():
        if key not in entry:
            raise OptionError(f"has no {key}", option=where, advice=f"add {words}")
    for key in ("node", "metric", "reason", "model"):
        if not isinstance(entry.get(key, "-"), str) or not entry.get(key, "-").strip():
            raise OptionError(f"{key} is empty, or not text", option=where, advice=f'write {key} = "..."')
    metric, node = entry["metric"], entry.get("node", ANY_NAME)
    _check_metric(metric, node, where)
    check_glob(node, option=where)
    return OfModels(
        item=Acknowledgement(
            metric=metric,
            value=_value(entry["value"], metric, where),
            reason=" ".join(entry["reason"].split()),
            expires=_day(entry["expires"], where),
            node=node,
            source=where,
        ),
        source=where,
        glob=entry.get("model", ANY_NAME),
    )


def _check_metric(metric: str, node: str, where: str) -> None:
    """Refuse unknown metrics and those for which no value can be accepted."""
    if metric not in UNITS:
        raise unknown_word(metric, option=where, known=UNITS)
    if UNITS[metric] is Unit.MICROS:
        raise OptionError(
            f"{metric} is a time, which differs from run to run",
            option=where,
            advice="give its gate a wider limit, or the level inform",
        )
    if metric in OF_NO_NODE and node != ANY_NAME:
        owner = "device" if metric == DEVICE_PEAK else "step"
        raise OptionError(f"{metric} is of a {owner}, not of nodes", option=where, advice="leave out node")


def _value(value: Any, metric: str, where: str) -> Any:
    """Return a total in the unit of its metric, from a number or from text with a suffix, as in a gate."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise OptionError("value is neither a whole number nor a text", option=where, advice=f"give {_NEEDED['value']}")
    limit = parse_gate(f"{metric} == {value}", option=where).limits[0]
    if not limit.is_budget:
        raise OptionError("value has a sign", option=where, advice="give the new total, not the difference")
    return limit.value


def _day(value: Any, where: str) -> date:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise OptionError("expires is not a date", option=where, advice="write expires = 2027-01-31, without quotes")
    return value
