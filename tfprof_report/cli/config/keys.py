"""The keys of a rules file: each stands for a parameter of the command line and takes its words from it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin

from tfprof_report.cli.params.common import input_params, leave_out_params, option_params
from tfprof_report.cli.params.function_options import function_params
from tfprof_report.cli.params.report_options import (
    SIDE,
    baseline_param,
    baseline_params,
    gate_params,
    host_params,
    report_params,
)
from tfprof_report.ingest.paths import STDIN
from tfprof_report.options import REPORT_OPTIONS, split_list
from tfprof_report.vocabulary import FlopsRules, Functions, Preset

TOP = ""
"""The name of the table that holds all others."""


PERCENT = r"^[0-9]{1,3}(\.[0-9]{1,18})?\s?%$"
"""A share, as a value may be."""


MODELS = {"models": "model", "base_models": "base_model"}
"""Tables with a key for each model, and the parameters that they stand for."""


_ONLY_OF_A_CALL = ("config", "gate", "explain", "no_account_displayed_op_only")
"""Parameters that no key stands for; the gates of a file have a key of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key and the parameter of the command line that it stands for.

    kind : type of its value, or of each item of it if `is_list`
    metavar : what the value is, in the words of the command line: ``FILE``, ``PERCENT`` ...
    text : the help of the parameter
    """

    param: str
    kind: type[str | int | bool | StrEnum]
    is_list: bool
    metavar: str
    text: str


def spelt(key: str) -> str:
    """Return a key as tables are written here; in a file it may have dashes, as on the command line."""
    return key.replace("-", "_")


@cache
def tables() -> dict[str, dict[str, Key]]:
    """Return the keys of each table by their names, which are spelt with underscores."""
    options = {
        **option_params(REPORT_OPTIONS, semantics=Preset.CORRECTED, rules=FlopsRules.EXTENDED),
        **function_params("", Functions.ON),
        **leave_out_params(),
    }
    output = {name: spec for name, spec in report_params().items() if name not in options}
    baseline = {**baseline_param(), **baseline_params()}
    return {
        TOP: _keys(gate_params()),
        "inputs": _keys({**input_params(source="INPUTS", text=SIDE), **input_params("base-")}),
        "options": _keys(options),
        "output": _keys({**output, **host_params()}),
        "baseline": {_inside_baseline(name): key for name, key in _keys(baseline).items()},
    }


def _keys(params: Mapping[str, tuple[Any, Any]]) -> dict[str, Key]:
    return {name: _key(name, spec[0]) for name, spec in params.items() if name not in _ONLY_OF_A_CALL}


def _key(param: str, annotation: Any) -> Key:
    """Return the key of a parameter, from the annotation that typer reads."""
    given, words = get_args(annotation)
    kind = next((kind for kind in get_args(given) if kind is not NoneType), given)
    is_list = get_origin(kind) is list
    kind = get_args(kind)[0] if is_list else kind
    return Key(
        param=param,
        kind=bool if words.metavar == "BOOL" else kind,  # a word on the command line, where a value has to follow
        is_list=is_list,
        metavar=words.metavar or "",
        text=words.help,
    )


def _inside_baseline(param: str) -> str:
    """Return the name of a parameter in the table [baseline]: ``max_baseline_age`` is ``max_age``."""
    return "_".join(word for word in param.split("_") if word != "baseline") or param


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
