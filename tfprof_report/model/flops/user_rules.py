"""Reads a user's own FLOPs rules from a TOML file, which has one table per op type."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tfprof_report.arrays import Bools, Numbers
from tfprof_report.errors import shown
from tfprof_report.model.flops.formula import Dimension, Formula, FormulaError, is_tensor, read_formula
from tfprof_report.model.flops.rule import OpClass, Operands, Rule, UserRules
from tfprof_report.options import hint_at
from tfprof_report.toml_file import TomlError, content_error, parse_toml, read_bytes

OPTION = "--flops-rules"
_CLASS, _FLOAT_OPS, _ON_TOP, _SHAPES = "class", "float_ops", "on_top", "shapes"
_KEYS = (_CLASS, _FLOAT_OPS, _ON_TOP, _SHAPES)
_MAX_RULES, _MAX_NAMES = 1000, 64
_OP_TYPE = re.compile(r"[A-Za-z_][\w>./-]{0,199}", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w{0,99}", re.ASCII)
_RESERVED = ("size", "rank", "min", "max", "and", "or", "not", "if", "else", "in", "is", "for", "lambda")
_ELLIPSIS = "..."


def read_user_rules(path: str) -> UserRules:
    """Return the rules of a TOML file, with the digest of its content.

    Raises
    ------
    OptionError
        The file cannot be read, is not TOML, or contains anything but rules: what, where, and what to do.
    """
    data = read_bytes(path, OPTION)
    try:
        rules = _rules(data, shown(Path(path).name))
    except (TomlError, _RuleError) as error:
        raise content_error(error, path, OPTION) from error
    return UserRules(rules=rules, digest=hashlib.sha256(data).hexdigest())


class _RuleError(Exception):
    """What is wrong with the content of the file."""


def _rules(data: bytes, source: str) -> tuple[Rule, ...]:
    tables = parse_toml(data)
    if not tables:
        raise _RuleError("contains no rule; add a table for each op type, such as [MyOp] with class and float_ops")
    if len(tables) > _MAX_RULES:
        raise _RuleError(f"contains more than {_MAX_RULES} rules")
    return tuple(_rule(op, table, source) for op, table in tables.items())


def _rule(op: str, table: Any, source: str) -> Rule:
    where = f"[{op}]"
    if not isinstance(table, dict):
        raise _RuleError(f'"{op}" is not a table; begin each rule with a line such as [MyOp]')
    if not _OP_TYPE.fullmatch(op):
        raise _RuleError(f'"{op}" is not the name of an op type')
    for key in table:
        if key not in _KEYS:
            raise _RuleError(f'{where} "{key}" is not known; {hint_at(key, _KEYS)}')
    kind = _kind(where, table)
    shapes = _shapes(where, table.get(_SHAPES, {}))
    names = _names(where, shapes)
    if kind is OpClass.NO_ARITHMETIC:
        if len(table) > 1:
            raise _RuleError(f'{where} has the class "{kind}", which means 0 FLOPs; leave out the other lines')
        return Rule(ops=(op,), formula=_nothing, needs={}, text="0", source=source, kind=kind)
    formula = _formula(where, table, _FLOAT_OPS, names)
    on_top = _formula(where, table, _ON_TOP, names) if _ON_TOP in table else None
    return Rule(
        ops=(op,),
        formula=formula,
        on_top=on_top,
        applies=_fits(shapes, formula, on_top),
        needs=_needs(shapes, *(each.needs for each in (formula, on_top) if each)),
        text=_text(table, shapes),
        source=source,
        kind=kind,
    )


def _kind(where: str, table: Mapping[str, Any]) -> OpClass:
    word = table.get(_CLASS)
    if word is None:
        raise _RuleError(f"{where} has no class; add one of {', '.join(OpClass)}")
    if word not in list(OpClass):
        raise _RuleError(f'{where} class "{word}" is not known; {hint_at(str(word), OpClass)}')
    return OpClass(word)


def _shapes(where: str, value: Any) -> dict[str, tuple[str, ...]]:
    """Return the names of sizes by tensor."""
    if not isinstance(value, dict):
        raise _RuleError(f'{where} shapes is not a table; write shapes = {{ in0 = ["batch", "k"] }}')
    for tensor, names in value.items():
        if not is_tensor(tensor):
            raise _RuleError(f'{where} shapes: "{tensor}" is not a tensor; name in0, in1 ... or out')
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise _RuleError(f'{where} shapes: {tensor} is not a list of names; write {tensor} = ["batch", "k"]')
        if len(names) > _MAX_NAMES or names.count(_ELLIPSIS) > 1:
            raise _RuleError(f'{where} shapes: {tensor} has too many names, or "..." more than once')
        for name in names:
            if name != _ELLIPSIS and (not _NAME.fullmatch(name) or name in _RESERVED or is_tensor(name)):
                raise _RuleError(f'{where} shapes: "{name}" cannot be the name of a size; use letters, digits and _')
    return {tensor: tuple(names) for tensor, names in value.items()}


def _places(names: tuple[str, ...]) -> list[tuple[str, int]]:
    """Return the names with the axis of each, counted from the end after an ellipsis."""
    dots = names.index(_ELLIPSIS) if _ELLIPSIS in names else len(names)
    return [(name, at if at < dots else at - len(names)) for at, name in enumerate(names) if at != dots]


def _names(where: str, shapes: Mapping[str, tuple[str, ...]]) -> dict[str, Dimension]:
    """Return the tensor and axis at which each name first appears."""
    found: dict[str, Dimension] = {}
    for tensor, names in shapes.items():
        for name, place in _places(names):
            found.setdefault(name, (tensor, place))
    if len(found) > _MAX_NAMES:
        raise _RuleError(f"{where} shapes: more than {_MAX_NAMES} names")
    return found


def _formula(where: str, table: Mapping[str, Any], key: str, names: Mapping[str, Dimension]) -> Formula:
    text = table.get(key)
    if text is None:
        raise _RuleError(f'{where} has no {key}; add a line such as {key} = "2 * size(out)"')
    if not isinstance(text, str):
        raise _RuleError(f'{where} {key} is not a string; write it in quotes, such as "2 * size(out)"')
    try:
        return read_formula(text, names)
    except FormulaError as error:
        raise _RuleError(f"{where} {key}: {error}") from error


def _needs(shapes: Mapping[str, tuple[str, ...]], *needs: Mapping[str, int]) -> dict[str, int]:
    """Return the tensors that must be known, with the least number of dimensions."""
    result = dict.fromkeys(shapes, 0)
    for each in needs:
        for tensor, rank in each.items():
            result[tensor] = max(result.get(tensor, 0), rank)
    return result


def _fits(
    shapes: Mapping[str, tuple[str, ...]], formula: Formula, on_top: Formula | None
) -> Callable[[Operands], Bools]:
    """Return a function that finds the nodes whose shapes match the named sizes and whose figure is not negative."""

    def applies(n: Operands) -> Bools:
        result: Bools = formula(n) + (on_top(n) if on_top else 0) >= 0
        first: dict[str, Numbers] = {}
        for tensor, names in shapes.items():
            rank, least = n.tensors[tensor].rank, len(names) - (_ELLIPSIS in names)
            result &= (rank >= least) if _ELLIPSIS in names else (rank == least)
            for name, place in _places(names):
                size = n.dim(tensor, place)
                result &= first.setdefault(name, size) == size
        return result

    return applies


def _text(table: Mapping[str, Any], shapes: Mapping[str, tuple[str, ...]]) -> str:
    """Return the formula for readers, on one line."""
    parts = [" ".join(table[key].split()) for key in (_FLOAT_OPS, _ON_TOP) if key in table]
    named = [f"{tensor} = [{', '.join(names)}]" for tensor, names in shapes.items()]
    return "; ".join([" + ".join(parts), *named])


def _nothing(n: Operands) -> Numbers:
    return np.zeros(len(n.inputs), dtype=n.dtype)
