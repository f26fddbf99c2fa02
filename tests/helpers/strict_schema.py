"""The JSON Schemas of docs/, read so that a key which they do not describe is an error."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from repository import ROOT


def schema_of(name: str) -> Any:
    """Return the schema of a file such as ``summary`` (.json)."""
    return json.loads((ROOT / "docs" / f"{name}.schema.json").read_text())


def closed(schema: Any) -> Any:
    """Return a schema in which objects allow no additional keys."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {**inner, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else inner


@cache
def strict(name: str) -> Draft202012Validator:
    """Return the validator of a file whose schema has no key but those that it describes."""
    return Draft202012Validator(closed(schema_of(name)))


def checked(name: str, content: Any) -> Any:
    """Return the content of a file, which the strict schema allows."""
    strict(name).validate(content)
    return content
