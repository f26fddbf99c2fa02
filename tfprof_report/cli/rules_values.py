"""What a rules file gives for the parameters of the command line, in the form that they have there."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from tfprof_report.cli.rules_keys import MODELS, TOP, Key, spelt, tables
from tfprof_report.ingest.files import STDIN
from tfprof_report.options import split_list

_STEP = re.compile(r"(\d{1,18}=)?(.*)", re.ASCII | re.DOTALL)
_PATHS = ("FILE", "DIR", "PREFIX", "INPUTS", "BASE")
_STEPS = ("[STEP=]FILE", "FILE,...")
_SPLIT = ("LIST", "FILE,...")
"""Metavars of paths, of paths that a step may stand before, and of lists that the command line splits at commas."""


def values_of(document: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Return the values of a document that the schema allows, by parameter; its paths start at `folder`."""
    keys = tables()
    values: dict[str, Any] = {}
    for name, value in ((spelt(name), value) for name, value in document.items()):
        if name in MODELS:
            values[MODELS[name]] = [f"{model}={_placed(source, folder)}" for model, source in value.items()]
            continue
        entries, known = (value, keys[name]) if name in keys else ({name: value}, keys[TOP])
        for word, entry in entries.items():
            if (key := known.get(spelt(word))) is not None:  # gates are no parameter
                values[key.param] = _as_given(entry, key, folder)
    return values


def _as_given(value: Any, key: Key, folder: str) -> Any:
    """Return a value as its parameter takes it."""
    if key.is_list:
        return _items(value, key, folder)
    if key.metavar == "BOOL":
        return str(value).lower()
    if issubclass(key.kind, StrEnum | int):
        return key.kind(value)
    return _item(value, key, folder)


def _items(value: str | list[str], key: Key, folder: str) -> list[str]:
    """Return the items of a list. Those of one that is split at commas are whole, and none is an empty text."""
    is_split = key.metavar in _SPLIT
    if isinstance(value, str):
        value = list(split_list([value])) if is_split else [value]
    items = [_item(item, key, folder) for item in value]
    return [item.replace(",", "\\,") for item in items] or [""] if is_split else items


def _item(text: str, key: Key, folder: str) -> str:
    if key.metavar in _STEPS:
        step, path = _STEP.fullmatch(text).groups("")  # type: ignore[union-attr]
        return step + _placed(path, folder)
    return _placed(text, folder) if key.metavar in _PATHS else text


def _placed(path: str, folder: str) -> str:
    """Return a path that starts at the folder of the rules file, if it is relative."""
    return path if path in ("", STDIN) else os.path.join(folder, path)  # noqa: PTH118 (keeps the text as it is)
