"""The JSON Schema of a rules file, for editors and for validation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from tfprof_report.cli.config.device_tables import DEVICES, devices_schema
from tfprof_report.cli.config.gate_tables import GLOBS
from tfprof_report.cli.config.keys import MODELS, PERCENT, TOP, Key, spelt, tables
from tfprof_report.cli.config.mismatch import first_mismatch, twice_spelt
from tfprof_report.cli.params.model_options import BATCH
from tfprof_report.compare.gates.policy import AGAINST, SINCE, Level
from tfprof_report.limits import INT64_LIMIT

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
    properties: dict[str, Any] = {name: value_schema(key) for name, key in keys[TOP].items()}
    properties["gates"] = {"description": _TEXTS["gates"], "type": "array", "maxItems": _MAX_GATES, "items": _gate()}
    properties["owner"] = {"description": _TEXTS["owner"], **_OWNER}
    for name, table in keys.items():
        if name != TOP:
            properties[name] = table_schema(
                _TEXTS[name], {word: value_schema(key) for word, key in table.items()}, f"/properties/{name}"
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
        **table_schema("tfprof-report.toml, or [tool.tfprof_report] of pyproject.toml.", properties, ""),
    }


def schema_text() -> str:
    """Return the schema as the text that is printed and committed."""
    return json.dumps(schema(), indent=2) + "\n"


def table_schema(text: str, properties: dict[str, Any], where: str) -> dict[str, Any]:
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


def value_schema(key: Key) -> dict[str, Any]:
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


def problem(document: Mapping[str, Any], prefix: str) -> str | None:
    """Return what is wrong with a rules file and where, None if it is valid. `prefix` is put before each key."""
    known = schema()
    if words := first_mismatch(known, document, prefix, {**tables(), TOP: known["properties"]}):
        return words
    places: list[tuple[str, Mapping[str, Any]]] = [(prefix, document)]
    places += [(f"{prefix}{name}.", document[name]) for name in document if spelt(name) in tables()]
    return next((words for where, table in places if (words := twice_spelt(table, where))), None)
