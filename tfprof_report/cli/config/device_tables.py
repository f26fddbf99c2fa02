"""The tables ``[devices."GLOB"]`` of a rules file: what devices can do at most."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tfprof_report.compare.bounds.speeds import DEFAULT, DeviceSpeed
from tfprof_report.compare.gates.globs import check_glob
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.errors import OptionError
from tfprof_report.model.graph.data_types import NUMBER_TYPES

DEVICES = "devices"
"""The key of the tables."""

FLOAT_OPS, BYTES, LAUNCH = "float_ops_per_second", "bytes_per_second", "launch_micros"

_MAX_DEVICES = 100
_UNITS = {FLOAT_OPS: "float_ops", BYTES: "bytes", LAUNCH: "micros"}
"""Metrics of gates, whose units the values are in."""

AMOUNT = r"^[0-9]{1,30}(\.[0-9]{1,30})? ?[A-Za-z]{0,3}$"
"""Regex of a value, a number with a suffix as in gates."""

_TEXTS = {
    DEVICES: 'What devices can do at most, by their name or a glob, such as "gpu:0"; of several that match a device, '
    "the last one applies.",
    FLOAT_OPS: 'The most FLOPs in a second, such as "19.5T", or a table of them by type, such as float16, with '
    "default for all others.",
    BYTES: 'The most bytes that its memory moves in a second, such as "900G".',
    LAUNCH: "An execution that takes less than this, in microseconds, is bound by its launch.",
}


def devices_schema() -> dict[str, Any]:
    """Return the JSON Schema of the tables."""
    amount = {"type": ["string", "number"], "pattern": AMOUNT, "exclusiveMinimum": 0}
    peaks = dict.fromkeys((DEFAULT, *NUMBER_TYPES), amount)
    of_types = {**amount, "type": ["string", "number", "object"], "properties": peaks, "additionalProperties": False}
    keys = {FLOAT_OPS: of_types, BYTES: amount, LAUNCH: amount}
    return {
        "description": _TEXTS[DEVICES],
        "type": "object",
        "maxProperties": _MAX_DEVICES,
        "additionalProperties": {
            "type": "object",
            "properties": {name: {"description": _TEXTS[name], **key} for name, key in keys.items()},
            "additionalProperties": False,
        },
    }


def speeds_of(document: Mapping[str, Any], path: str) -> tuple[DeviceSpeed, ...]:
    """Return the devices of a valid document, in the order of the file.

    Raises
    ------
    OptionError
        A glob or a number cannot be read.
    """
    return tuple(_speed(glob, table, f"{path}, {DEVICES}.{glob}") for glob, table in document.get(DEVICES, {}).items())


def _speed(glob: str, table: Mapping[str, Any], source: str) -> DeviceSpeed:
    check_glob(glob, option=source)
    peaks = table.get(FLOAT_OPS, {})
    by_type = peaks if isinstance(peaks, Mapping) else {DEFAULT: peaks}
    return DeviceSpeed(
        device=glob,
        float_ops_per_second={name: _amount(value, FLOAT_OPS, source) for name, value in by_type.items()},
        bytes_per_second=_amount(table[BYTES], BYTES, source) if BYTES in table else None,
        launch_micros=_amount(table[LAUNCH], LAUNCH, source) if LAUNCH in table else None,
    )


def _amount(value: str | float, key: str, source: str) -> float:
    """Return a number above 0; as text it is written as the limit of a gate."""
    examples = {FLOAT_OPS: "19.5T", BYTES: "900G", LAUNCH: "5us"}
    try:
        found = float(parse_gate(f"{_UNITS[key]} <= {value}").limits[0].value) if isinstance(value, str) else value
    except OptionError as error:
        problem = f'{key}: "{value}" is not an amount such as "{examples[key]}"'
        raise OptionError(problem, option=source) from error
    if not 0 < found < math.inf:
        raise OptionError(f"{key}: {value} is not above 0", option=source, advice="leave out what is not known")
    return float(found)
