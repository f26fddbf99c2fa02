"""What is wrong with a rules file, in one line: the first thing that its schema does not allow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tfprof_report.cli.rules_keys import TOP, spelt, tables
from tfprof_report.cli.rules_schema import GLOBS, PERCENT, schema
from tfprof_report.options import hint_at

_LONGEST = 60
"""Characters of a value in an error."""

_KINDS = {
    "string": "text in quotes",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}


def problem(document: Mapping[str, Any], prefix: str) -> str | None:
    """Return what is wrong with a rules file and where, None if nothing is. `prefix` comes before each key."""
    error = next(Draft202012Validator(schema()).iter_errors(document), None)
    if error is not None:
        return _in_words(error, prefix)
    places: list[tuple[str, Mapping[str, Any]]] = [(prefix, document)]
    places += [(f"{prefix}{name}.", document[name]) for name in document if spelt(name) in tables()]
    return next((words for where, table in places if (words := _twice(table, where))), None)


def _twice(table: Mapping[str, Any], where: str) -> str | None:
    """Return which key stands twice, in both spellings."""
    for key in table:
        if key != spelt(key) and spelt(key) in table:
            return f"{where}{key} stands twice, also as {spelt(key)}"
    return None


def _in_words(error: ValidationError, prefix: str) -> str:
    path, value = list(error.absolute_path), error.instance
    wanted: Any = error.validator_value
    where = prefix + _place(path)
    match error.validator:
        case "additionalProperties":
            words = _unknown_key(error, path, where)
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else wanted
            words = f"{where} is {_shown(value)}, not {' or '.join(_KINDS[kind] for kind in kinds)}"
        case "enum":
            words = f"{where}: {_shown(value)} is not known; {hint_at(str(value), wanted)}"
        case "required":
            words = f'{where} has no gate; write gate = "params <= +0"'
        case "pattern" if wanted == PERCENT:
            words = f'{where} is {_shown(value)}, not a percentage such as "50%"'
        case "pattern":
            words = f"{where}: {_shown(value)} is no name of a model"
        case "minimum" | "maximum":
            words = f"{where}: {_shown(value)} is outside the 64-bit range"
        case "maxItems":
            words = f"{where} has more than {wanted:,} items"
        case "minLength":
            words = f"{where} is empty"
        case _:  # a key that another one excludes
            words = f"{prefix}{_place(path[:2])} chooses rows twice; give one of {', '.join(GLOBS)}"
    return words


def _unknown_key(error: ValidationError, path: list[str | int], where: str) -> str:
    """Return which key is not known here, and which one is meant or where it belongs."""
    allowed: Any = error.schema["properties"] if isinstance(error.schema, Mapping) else {}
    table: Any = error.instance
    key = next(key for key in table if spelt(key) not in allowed)
    name = f"{where}.{key}" if path else f"{where}{key}"
    if not path or path[0] != "gates":
        for other, keys in {**tables(), TOP: schema()["properties"]}.items():
            if spelt(key) in keys:
                place = f"below [{other}]" if other != TOP else "above all tables"
                return f"{name} is not known here; write it {place}"
    return f"{name} is not known; {hint_at(spelt(key), allowed)}"


def _place(path: Iterable[str | int]) -> str:
    """Return where something is: ``options.max_depth``, ``gate 3.level``, ``inputs.graph item 2``."""
    words = "".join(f" item {part + 1}" if isinstance(part, int) else f".{part}" for part in path)
    return re.sub(r"^gates item ", "gate ", words.removeprefix("."))


def _shown(value: Any) -> str:
    """Return a value as a person would name it."""
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
