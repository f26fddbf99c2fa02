"""Pages of keys from JSON Schemas: of the files that commands write, and of those that users write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from reference_pages.markdown import code, page, plain, table
from tfprof_report.cli.config.manifest import manifest_schema
from tfprof_report.cli.config.schema import schema as rules_schema

_DOCS = Path(__file__).parents[2] / "docs"
_TITLES = {"": "Keys", "one": "One model", "several": "Several models"}
"""The titles of the objects that are whole files."""

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
    objects = list(_objects(schema, schema))
    anchors = {id(each): re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title, each in objects}
    parts = []
    for title, each in objects:
        rows = [
            (code(key), _type(value, schema, anchors), _meaning(value, schema))
            for key, value in each["properties"].items()
        ]
        heading = f"## {title if title in _TITLES.values() else code(title)}"
        parts += [heading, plain(each.get("description", "")), table(("key", "type", "meaning"), rows)]
    return [part for part in parts if part]


def _objects(schema: Mapping[str, Any], whole: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the objects with keys of a schema by title, those within one after it; of the whole its definitions too."""
    if schema.get("properties"):
        yield _TITLES.get(name, name), schema
    for key, value in schema.get("properties", {}).items():
        for inner in (value, value.get("items"), value.get("additionalProperties")):
            if isinstance(inner, dict):
                suffix = "[]" if inner is value.get("items") else ".NAME" if inner is not value else ""
                yield from _objects(inner, whole, (key if name in _TITLES else f"{name}.{key}") + suffix)
    if schema is whole:
        if "properties" in schema.get("then", {}):
            yield from _objects(schema["then"], whole, "several")
        for key, value in schema.get("$defs", {}).items():
            for part in value.get("allOf", [value]):
                yield from _objects(part, whole, key)


def _meaning(value: Mapping[str, Any], whole: Mapping[str, Any]) -> str:
    """Return what a value means: its own description, else that of its definition."""
    inner = [value, *value.get("anyOf", []), *([value["items"]] if isinstance(value.get("items"), dict) else [])]
    found = [value, *(_definition(each["$ref"], whole) for each in inner if "$ref" in each)]
    return plain(next((each["description"] for each in found if "description" in each), ""))


def _definition(reference: str, whole: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the definition that a reference names; an empty one for a reference to anything else."""
    found: Mapping[str, Any] = whole.get("$defs", {}).get(reference.rpartition("/")[2], {})
    return found


def _type(value: Any, whole: Mapping[str, Any], anchors: Mapping[int, str]) -> str:
    """Return the type of a value in words; objects with keys link to their section, which `anchors` has by identity."""
    if "$ref" in value:
        name, target = value["$ref"].rpartition("/")[2], _definition(value["$ref"], whole)
        is_object = "properties" in target or "allOf" in target
        return f"[{name}](#{name})" if is_object else _type(target, whole, anchors)
    if "const" in value:
        return code(json.dumps(value["const"]).strip('"'))
    if "enum" in value:
        return ", ".join(code("null" if word is None else str(word)) for word in value["enum"])
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_type(each, whole, anchors) for each in value["anyOf"]))
    kinds = value.get("type", "any")
    of_all = {"array": value.get("items"), "object": value.get("additionalProperties")}
    words = []
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        word = _TYPES.get(kind, kind)
        if isinstance(of_all.get(kind), dict):
            word = f"{word} of {_type(of_all[kind], whole, anchors)}"
        elif kind == "object" and id(value) in anchors:
            word = f"[{word}](#{anchors[id(value)]})"
        words.append(word)
    return " or ".join(words)
