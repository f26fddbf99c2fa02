"""The JSON Schema of a rules file, for editors and for validation, and readable messages for what it rejects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tfprof_report.cli.config.device_tables import AMOUNT, DEVICES, devices_schema
from tfprof_report.cli.config.gate_tables import GLOBS
from tfprof_report.cli.config.keys import MODELS, PERCENT, TOP, Key, spelt, tables
from tfprof_report.cli.params.model_options import BATCH
from tfprof_report.compare.gates.policy import AGAINST, SINCE, Level
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.options import hint_at

_MAX_GATES = 1000  # every glob is matched with every name


_TEXTS = {
    "inputs": "The inputs of head, and with base_ those of base, as on the command line. Paths are relative to this "
    "file.",
    "options": "What is counted, and which rows and columns are shown.",
    "output": "Where results are written, and what they are called.",
    "baseline": "What head is compared with.",
    "drift": "Where drift gates find the reports that they are relative to.",
    "models": "Several models by name, in place of [inputs].",
    "base_models": "What each model is compared with, by name.",
    "gates": "What must hold. If several gates match a row, the last one applies. Without this key the default gates "
    "apply; an empty list means no gates.",
    "gate": 'The condition, such as "float_ops <= +1%", "params == +0", "-1% <= bytes <= +1%", "params <= 25M" or, '
    'with a floor, "bytes <= +5% or +64KiB".',
    "node": "For each node whose name matches: * matches within a part of the name, ** across parts.",
    "scope": "For each row of scope view whose name matches.",
    "op": "For each op type that matches.",
    "since": "The gate is relative to the report of an earlier commit: a tag, a commit, or an age such as 30d.",
    "against": 'The gate is relative to "best", the report with the best figure of all, or to the report in a folder.',
    "level": "inform: the gate is judged and shown, without effect on the exit code.",
    "optional": "Whether the gate is skipped, instead of inconclusive, if its metric is unknown on both sides.",
    "unknown_ok": "Op types that compute but can have no FLOPs rule: the gate is judged without their unknown nodes.",
    "owner": "Who to ask if the gate does not hold, such as a team; above all tables, for gates that name nobody else.",
    "model": "Only for models whose name matches; the name of a single model is its label.",
}


_OWNER = {"type": "string", "minLength": 1}


def schema() -> dict[str, Any]:
    """Return the schema: it allows every key of every table in both spellings, and no others."""
    keys = tables()
    properties: dict[str, Any] = {name: _key(key) for name, key in keys[TOP].items()}
    properties["gates"] = {"description": _TEXTS["gates"], "type": "array", "maxItems": _MAX_GATES, "items": _gate()}
    properties["owner"] = {"description": _TEXTS["owner"], **_OWNER}
    for name, table in keys.items():
        if name != TOP:
            properties[name] = _object(
                _TEXTS[name], {word: _key(key) for word, key in table.items()}, f"/properties/{name}"
            )
    for name in MODELS:
        properties[name] = {
            "description": _TEXTS[name],
            "type": "object",
            "propertyNames": {"pattern": "^[^=]+$"},  # as on the command line, NAME=INPUTS
            "additionalProperties": {"type": "string"},
        }
    properties[DEVICES] = devices_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules file of tfprof-report",
        **_object("tfprof-report.toml, or [tool.tfprof_report] of pyproject.toml.", properties, ""),
    }


def schema_text() -> str:
    """Return the schema as the text that is printed and committed."""
    return json.dumps(schema(), indent=2) + "\n"


def _object(text: str, properties: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the schema of the table at `where`; spellings with dashes are patterns, which editors do not suggest."""
    spelt = {
        f"^{name.replace('_', '-')}$": {"$ref": f"#{where}/properties/{name}"} for name in properties if "_" in name
    }
    return {
        "description": text,
        "type": "object",
        "properties": properties,
        **({"patternProperties": spelt} if spelt else {}),
        "additionalProperties": False,
    }


def _key(key: Key) -> dict[str, Any]:
    """Return the schema of a value; a list may also be one string, as on the command line."""
    found: dict[str, Any] = {"description": key.text}
    least = {} if key.may_be_empty else {"minLength": 1}
    if key.is_list:
        return found | {"type": ["string", "array"], "items": {"type": "string"} | least} | least
    if issubclass(key.kind, StrEnum):
        return found | {"enum": [word.value for word in key.kind]}
    if key.kind is bool:
        return found | {"type": "boolean"}
    if key.kind is int:
        return found | {"type": "integer", "minimum": -INT64_LIMIT, "maximum": INT64_LIMIT - 1}
    if key.metavar == BATCH:
        return found | {"type": ["integer", "string"]} | least
    return found | {"type": "string"} | least | ({"pattern": PERCENT} if key.metavar == "PERCENT" else {})


def _gate() -> dict[str, Any]:
    """Return the schema of a gate: the condition alone, or a table with it."""
    words: dict[str, Any] = {
        "gate": {"type": "string"},
        **{name: {"type": "string", "minLength": 1} for name in GLOBS},
        SINCE: {"type": "string", "minLength": 1},
        AGAINST: {"type": "string", "minLength": 1},
        "level": {"enum": [level.value for level in Level]},
        "optional": {"type": "boolean"},
        "unknown_ok": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
        "owner": _OWNER,
        "model": {"type": "string", "minLength": 1},
    }
    others = {name: dict.fromkeys(GLOBS[at + 1 :], False) for at, name in enumerate(GLOBS[:-1])}
    others[SINCE] = {AGAINST: False}
    return {
        "type": ["string", "object"],
        "properties": {name: {"description": _TEXTS[name], **word} for name, word in words.items()},
        "required": ["gate"],
        "dependentSchemas": {name: {"properties": wrong} for name, wrong in others.items()},
        "additionalProperties": False,
    }


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


def problem(document: Mapping[str, Any], prefix: str) -> str | None:
    """Return what is wrong with a rules file and where, None if it is valid. `prefix` is put before each key."""
    error = next(Draft202012Validator(schema()).iter_errors(document), None)
    if error is not None:
        return _describe(error, prefix)
    places: list[tuple[str, Mapping[str, Any]]] = [(prefix, document)]
    places += [(f"{prefix}{name}.", document[name]) for name in document if spelt(name) in tables()]
    return next((words for where, table in places if (words := _duplicate_key(table, where))), None)


def _duplicate_key(table: Mapping[str, Any], where: str) -> str | None:
    """Return which key is given in both spellings, None if none is."""
    for key in table:
        if key != spelt(key) and spelt(key) in table:
            return f"{where}{key} is given twice, also as {spelt(key)}"
    return None


def _describe(error: ValidationError, prefix: str) -> str:
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


def _unknown_key(error: ValidationError, path: list[str | int], where: str) -> str:
    """Return which key is unknown, with the likely one or the table that it belongs to."""
    allowed: Any = error.schema["properties"] if isinstance(error.schema, Mapping) else {}
    table: Any = error.instance
    key = next(key for key in table if spelt(key) not in allowed)
    name = f"{where}.{key}" if path else f"{where}{key}"
    if not path or path[0] not in ("gates", DEVICES):
        for other, keys in {**tables(), TOP: schema()["properties"]}.items():
            if spelt(key) in keys:
                place = f"below [{other}]" if other != TOP else "above all tables"
                return f"{name} is not known here; write it {place}"
    return f"{name} is not known; {hint_at(spelt(key), allowed)}"


def _place(path: Iterable[str | int]) -> str:
    """Return a path as text: ``options.max_depth``, ``gate 3.level``, ``inputs.graph item 2``."""
    words = "".join(f" item {part + 1}" if isinstance(part, int) else f".{part}" for part in path)
    return re.sub(r"^gates item ", "gate ", words.removeprefix("."))


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
