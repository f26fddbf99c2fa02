"""Pages of keys from JSON Schemas: of the files that commands write, and of those that users write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from reference_pages.markdown import code, page, plain, table
from tfprof_report.cli.config.manifest import manifest_schema
from tfprof_report.cli.config.schema import schema as rules_schema

_DOCS = Path(__file__).parents[2] / "docs"
_TOP = "Keys"
WRITTEN = ("summary", "verdict", "history", "compare", "batch")
"""The JSON files that commands write."""

_TYPES = {"null": "null", "object": "table", "array": "list"}


_EXACT = "Integers beyond 2^53 are strings, as most readers would round them."
_EXPLAINED = {
    "summary": f"[The verdict](../verdict.md#highlights-in-summaryjson) explains `highlights`. {_EXACT}",
    "verdict": f"[The verdict](../verdict.md) explains them. {_EXACT}",
    "history": "[History](../history.md) explains them.",
    "compare": f"[Many reports](../compare.md) explains them. {_EXACT}",
    "batch": "[Many reports at once](../batch.md#what-is-written) explains them.",
}
_FILE = (
    "[{name}.schema.json](../{name}.schema.json) is the JSON Schema that this page shows. Keys may be added without a "
    "new version, so ignore those that you do not know."
)


def written_keys(name: str) -> str:
    """Return the page of a JSON file that commands write, such as ``summary``."""
    schema = json.loads((_DOCS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return page(f"Keys of `{name}.json`", f"{_EXPLAINED[name]} {_FILE.format(name=name)}", *_sections(schema))


def rules_file_keys() -> str:
    """Return the page of rules files."""
    return page(
        "Keys of the rules file",
        "[The rules file](../rules-file.md) explains them; [rules-file.schema.json](../rules-file.schema.json) is the "
        "JSON Schema that this page shows. A key may be spelt with dashes, too: `max-depth`.",
        *_sections(rules_schema()),
    )


def manifest_keys() -> str:
    """Return the page of manifests of `batch`."""
    schema = deepcopy(manifest_schema())
    entry = schema["properties"]["entry"]["items"]["properties"]  # shares its options with the defaults
    options = entry["options"].pop("properties")
    return page(
        "Keys of a manifest",
        "[Many reports at once](../batch.md) explains them.",
        *_sections(schema),
        "## Options of an entry",
        "[report](commands/report.md) says what they mean; the others belong to the batch itself.",
        ", ".join(map(code, options)) + ".",
    )


def _sections(schema: Mapping[str, Any]) -> list[str]:
    """Return a heading and a table for each object of a schema: the whole, then its parts and its definitions."""
    parts = []
    for name, each in _objects(schema, schema):
        rows = [(code(key), *_words(value, schema)) for key, value in each["properties"].items()]
        heading = f"## {code(name) if name != _TOP else name}"
        parts += [heading, plain(each.get("description", "")), table(("key", "type", "meaning"), rows)]
    return [part for part in parts if part]


def _objects(schema: Mapping[str, Any], whole: Mapping[str, Any], name: str = _TOP) -> Iterator[tuple[str, Any]]:
    """Yield the objects with keys of a schema by name, those within one after it; of the whole its definitions too."""
    if schema.get("properties"):
        yield name, schema
    for key, value in schema.get("properties", {}).items():
        for inner in (value, value.get("items"), value.get("additionalProperties")):
            if isinstance(inner, dict):
                suffix = "[]" if inner is value.get("items") else ".NAME" if inner is not value else ""
                yield from _objects(inner, whole, (key if name == _TOP else f"{name}.{key}") + suffix)
    if schema is whole:
        if "then" in schema:
            yield from _objects(schema["then"], whole, "several models")
        for key, value in schema.get("$defs", {}).items():
            parts = value.get("allOf", [value])
            for part in parts:
                yield from _objects(part, whole, key)


def _words(value: Mapping[str, Any], whole: Mapping[str, Any]) -> tuple[str, str]:
    """Return the type of a value in words, and what it means: its own description, else that of its definition."""
    text = value.get("description")
    if text is None:
        names = [name for name in _references(value) if name in whole.get("$defs", {})]
        text = whole["$defs"][names[0]].get("description", "") if names else ""
    return _type(value, whole), plain(text)


def _references(value: Mapping[str, Any]) -> list[str]:
    inner = [value, *value.get("anyOf", []), *([value["items"]] if isinstance(value.get("items"), dict) else [])]
    return [each["$ref"].rpartition("/")[2] for each in inner if "$ref" in each]


def _type(value: Any, whole: Mapping[str, Any]) -> str:
    """Return the type of a value in words."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        target = whole.get("$defs", {}).get(name, {})
        return f"[{name}](#{name})" if "properties" in target or "allOf" in target else _type(target, whole)
    if "const" in value:
        return code(json.dumps(value["const"]).strip('"'))
    if "enum" in value:
        return ", ".join(code("null" if word is None else str(word)) for word in value["enum"])
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_type(each, whole) for each in value["anyOf"]))
    kinds = value.get("type", "any")
    words = [_TYPES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    items, others = value.get("items"), value.get("additionalProperties")
    if isinstance(items, dict):
        words = [f"list of {_type(items, whole)}" if word == "list" else word for word in words]
    if isinstance(others, dict):
        words = [f"table of {_type(others, whole)}" if word == "table" else word for word in words]
    return " or ".join(words)
