"""The JSON Schemas of the files that programs read say what every key means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from strict_schema import schema_of


def keys_of(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every key that a schema describes, with its schema."""
    if isinstance(schema, list):
        for at, each in enumerate(schema):
            yield from keys_of(each, f"{path}/{at}")
    if not isinstance(schema, dict):
        return
    for name, each in schema.items():
        for key, value in each.items() if name == "properties" else ():
            yield f"{path}.{key}", value
        yield from keys_of(each, f"{path}/{name}")


@pytest.mark.parametrize(
    ("name", "least"), [("summary", 250), ("verdict", 130), ("compare", 50), ("history", 60), ("batch", 20)]
)
def test_every_key_has_a_meaning(name: str, least: int) -> None:
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    found = dict(keys_of(schema))
    assert len(found) > least
    silent = [key for key, value in found.items() if not value.get("description")]
    assert [key for key in silent if "$ref" not in found[key]] == []
