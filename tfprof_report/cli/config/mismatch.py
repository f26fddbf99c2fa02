"""Says in words where a document that a user wrote, a rules file or a manifest, does not match its JSON Schema."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tfprof_report.cli.config.device_tables import AMOUNT, DEVICES
from tfprof_report.cli.config.gate_tables import GLOBS
from tfprof_report.cli.config.keys import PERCENT, TOP, spelt
from tfprof_report.compare.gates.policy import AGAINST, SINCE
from tfprof_report.old_names import Place
from tfprof_report.options import hint_at

_LONGEST = 60
"""Maximum characters of a value in an error."""


_KINDS = {
    "string": "text in quotes",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}


def first_mismatch(
    schema: Mapping[str, Any], document: Mapping[str, Any], prefix: str, places: Mapping[str, Collection[str]]
) -> str | None:
    """Return where a document does not match a schema, and what to write; None if it matches.

    `prefix` is put before each key; `places` are the keys of each table, for a key that belongs into another one.
    """
    error = next(Draft202012Validator(schema).iter_errors(document), None)
    return None if error is None else _describe(error, prefix, places)


def twice_spelt(table: Mapping[str, Any], where: str) -> str | None:
    """Return which key of a table is given with dashes and with underscores, None if none is."""
    for key in table:
        if key != spelt(key) and spelt(key) in table:
            return f"{where}{key} is given twice, also as {spelt(key)}"
    return None


def _describe(error: ValidationError, prefix: str, places: Mapping[str, Collection[str]]) -> str:
    path, value = list(error.absolute_path), error.instance
    wanted: Any = error.validator_value
    where = prefix + _place(path)
    match error.validator:
        case "additionalProperties":
            words = _unknown_key(error, path, where, places)
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            words = f"{where} is {_shown(value)}, not {' or '.join(_KINDS[kind] for kind in kinds)}"
        case "enum":
            words = f"{where}: {_shown(value)} is not known; {hint_at(str(value), wanted)}"
        case "required":
            words = f'{where} has no gate; write gate = "params <= +0"'
        case "pattern":
            words = _unlike(where, _shown(value), wanted)
        case "exclusiveMinimum":
            words = f"{where} is {_shown(value)}, not above 0; leave out what is not known"
        case "minimum" | "maximum":
            words = f"{where}: {_shown(value)} is outside the 64-bit range"
        case "maxItems" | "maxProperties":
            words = f"{where} has more than {wanted:,} items"
        case "minLength":
            words = f"{where} is empty"
        case _:  # false schema of dependentSchemas: two keys exclude each other
            what, keys = (
                ("is measured twice", (SINCE, AGAINST)) if path[-1] == AGAINST else ("chooses rows twice", GLOBS)
            )
            words = f"{prefix}{_place(path[:2])} {what}; give one of {', '.join(keys)}"
    return words


def _unlike(where: str, value: str, pattern: str) -> str:
    """Return what a text is not."""
    if pattern == PERCENT:
        return f'{where} is {value}, not a percentage such as "50%"'
    if pattern == AMOUNT:
        return f'{where} is {value}, not an amount such as "900G"'
    return f"{where}: {value} cannot be the name of a model"


def _unknown_key(
    error: ValidationError, path: list[str | int], where: str, places: Mapping[str, Collection[str]]
) -> str:
    """Return which key is unknown, with the likely one or the table that it belongs to."""
    allowed: Any = error.schema["properties"] if isinstance(error.schema, Mapping) else {}
    table: Any = error.instance
    key = next(key for key in table if spelt(key) not in allowed)
    name = f"{where}.{key}" if path else f"{where}{key}"
    if not path or path[0] not in ("gates", DEVICES):
        for other, keys in places.items():
            if spelt(key) in keys:
                place = f"below [{other}]" if other != TOP else "above all tables"
                return f"{name} is not known here; write it {place}"
    return f"{name} is not known; {hint_at(spelt(key), allowed, Place.OPTION)}"


def _place(path: Iterable[str | int]) -> str:
    """Return a path as text: ``options.max_depth``, ``gate 3.level``, ``inputs.graph item 2``, ``entry 1.model``."""
    words = "".join(f" item {part + 1}" if isinstance(part, int) else f".{part}" for part in path)
    return re.sub(r"^(gate|entry)s? item ", r"\1 ", words.removeprefix("."))


def _shown(value: Any) -> str:
    """Return a value as an error shows it."""
    match value:
        case bool():
            return str(value).lower()
        case Mapping():
            return "a table"
        case list():
            return "a list"
        case str():
            return f'"{value}"' if len(value) <= _LONGEST else f'"{value[:_LONGEST]}..."'
        case _:
            return str(value)[:_LONGEST]
