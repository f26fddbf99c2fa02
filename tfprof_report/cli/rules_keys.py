"""The keys of a rules file: each stands for a parameter of the command line and takes its words from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin

from tfprof_report.cli.function_params import Functions, function_params
from tfprof_report.cli.params import Preset, Rules, input_params, leave_out_params, option_params
from tfprof_report.cli.report_params import (
    SIDE,
    baseline_param,
    baseline_params,
    gate_params,
    host_params,
    report_params,
)
from tfprof_report.options import REPORT_OPTIONS

TOP = ""
"""The name of the table that holds all others."""

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
        **option_params(REPORT_OPTIONS, semantics=Preset.CORRECTED, rules=Rules.EXTENDED),
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
