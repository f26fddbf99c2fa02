"""The keys of a rules file, derived from the parameters of the command line: type, help and conversion of values."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin

from tfprof_report.cli.params.declare import Param, params_of
from tfprof_report.cli.params.report_options import ReportValues
from tfprof_report.ingest.files.file_bytes import STDIN
from tfprof_report.options import split_list
from tfprof_report.record import record

TOP = ""
"""The name of the table that holds all others."""


PERCENT = r"^[0-9]{1,3}(\.[0-9]{1,18})?\s?%$"
"""Regex of a percentage in a rules file."""


MODELS = {"models": "models.model", "base_models": "models.base_model"}
"""Tables with a key for each model, and the fields that they set."""


_TABLES = {
    TOP: ("job.gates.",),
    "inputs": ("head.", "base."),
    "options": ("job.options.", "job.counting.", "job.semantics", "job.functions.", "job.leave_out."),
    "output": ("job.", "job.hosts."),
    "baseline": ("base.source", "job.baseline."),
    "drift": ("job.drift.",),
}
"""The tables, and the prefixes of the paths of the fields that their keys set; the longest matching prefix decides."""


_WITHOUT_KEY = ("config", "gate", "explain", "no_account_displayed_op_only")
"""Parameters without a key; ``gates`` is defined in `schema`."""


@record
class Key:
    """A key and the parameter of the command line that it sets.

    path : the field that the parameter's value goes into
    kind : type of its value, or of each item of it if `is_list`
    metavar : kind of value, as on the command line: ``FILE``, ``PERCENT`` ...
    text : the help of the parameter
    may_be_empty : whether an empty text means something
    """

    path: str
    kind: type[str | int | bool | StrEnum]
    is_list: bool
    metavar: str
    text: str
    may_be_empty: bool


def spelt(key: str) -> str:
    """Return a key with underscores; a file may also spell it with dashes, as on the command line."""
    return key.replace("-", "_")


@cache
def tables() -> dict[str, dict[str, Key]]:
    """Return the keys of each table by name, spelt with underscores."""
    prefixes = [prefix for found in _TABLES.values() for prefix in found]
    keys: dict[str, list[Param]] = {prefix: [] for prefix in prefixes}
    for param in params_of(ReportValues):
        found = [prefix for prefix in prefixes if param.path.startswith(prefix)]
        if found and param.name not in _WITHOUT_KEY:
            keys[max(found, key=len)].append(param)
    return {
        table: {
            _baseline_key(param.name) if table == "baseline" else param.name: key_of(param)
            for prefix in found
            for param in keys[prefix]
        }
        for table, found in _TABLES.items()
    }


def key_of(param: Param) -> Key:
    """Return the key of a parameter, from its declaration for typer."""
    kind = next((kind for kind in get_args(param.kind) if kind is not NoneType), param.kind)
    is_list = get_origin(kind) is list
    kind = get_args(kind)[0] if is_list else kind
    return Key(
        path=param.path,
        kind=bool
        if param.words.metavar == "BOOL"
        else kind,  # text on the command line, where tfprof's option takes a value
        is_list=is_list,
        metavar=param.words.metavar or "",
        text=param.words.help,
        may_be_empty=param.declared.may_be_empty,
    )


def _baseline_key(param: str) -> str:
    """Return the key for a parameter in the table [baseline]: ``max_age`` for ``max_baseline_age``."""
    return "_".join(word for word in param.split("_") if word != "baseline") or param


_STEP = re.compile(r"(\d{1,18}=)?(.*)", re.ASCII | re.DOTALL)


_PATHS = ("FILE", "FILE|LOGDIR", "DIR", "PREFIX", "INPUTS", "BASE", "STORE")


_STEPS = ("[STEP=]FILE", "FILE,...")


_SPLIT = ("LIST", "FILE,...")
"""Metavars of paths, of paths with an optional step prefix, and of lists that the command line splits at commas."""


def values_of(document: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Return the values of a valid document, by path of the field; file paths in it are relative to `folder`."""
    keys = tables()
    values: dict[str, Any] = {}
    for name, value in ((spelt(name), value) for name, value in document.items()):
        if name in MODELS:
            values[MODELS[name]] = [f"{model}={placed(source, folder)}" for model, source in value.items()]
            continue
        entries, known = (value, keys[name]) if name in keys else ({name: value}, keys[TOP])
        for word, entry in entries.items():
            if (key := known.get(spelt(word))) is not None:  # the key gates sets no parameter
                values[key.path] = as_given(entry, key, folder)
    return values


def as_given(value: Any, key: Key, folder: str) -> Any:
    """Return a value in the form that its parameter has on the command line."""
    if key.is_list:
        return _items(value, key, folder)
    if key.metavar == "BOOL":
        return str(value).lower()
    if issubclass(key.kind, StrEnum | int):
        return key.kind(value)
    return _item(str(value), key, folder)


def _items(value: str | list[str], key: Key, folder: str) -> list[str]:
    """Return the items of a list as arguments: with escaped commas where these are split, and ``""`` for no items."""
    is_split = key.metavar in _SPLIT
    if isinstance(value, str):
        value = list(split_list([value])) if is_split else [value]
    items = [_item(item, key, folder) for item in value]
    return [item.replace(",", "\\,") for item in items] or [""] if is_split else items


def _item(text: str, key: Key, folder: str) -> str:
    if key.metavar in _STEPS:
        step, path = _STEP.fullmatch(text).groups("")  # type: ignore[union-attr]
        return step + placed(path, folder)
    return placed(text, folder) if key.metavar in _PATHS else text


def placed(path: str, folder: str) -> str:
    """Return a path of the file, joined to the folder of the file if it is relative; a URL stays."""
    return path if path in ("", STDIN) or "://" in path else os.path.join(folder, path)  # noqa: PTH118 (keeps the text as it is)
