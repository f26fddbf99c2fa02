"""The entries of an acknowledged file that accept what a report's gates found, from its verdict.json."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Context, Decimal
from typing import Any

from tfprof_report.compare.gates.globs import literal
from tfprof_report.compare.gates.grammar import UNITS, parse_gate
from tfprof_report.compare.gates.policy import Level, Subject
from tfprof_report.compare.gates.verdict import WORST_ROWS, GateStatus
from tfprof_report.formatting import called, plural
from tfprof_report.schema.metrics import Unit
from tfprof_report.toml_file import toml_string

Own = Callable[[str, str], tuple[Decimal, Decimal] | None]
"""Of a metric and a name: what the node of that name has itself on both sides, 0 without one; None if unknown."""

_Change = tuple[str, str | None, Decimal]
"""Metric, glob (None for all nodes) and new total."""

_SIDES = ("base", "head")
_EXACT = Context(prec=100)
_WRITABLE = re.compile(r"[0-9]{1,30}(\.[0-9]{1,30})?")
"""The numbers that an acknowledged file takes."""
_SAFE_DIGITS = 15
"""Significant digits up to which a float is the decimal that it looks like; a third of a step has more."""
_EXACT_INTEGERS = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedEntry:
    """One accepted change; `node` is a glob, None for all nodes, and `value` as TOML has it."""

    metric: str
    value: str
    node: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptable:
    """What can be accepted of one model, and why the rest cannot, in sentences. `failed` counts the gates."""

    entries: tuple[AcceptedEntry, ...]
    notes: tuple[str, ...]
    failed: int


def acceptable(verdict: Mapping[str, Any], own: Own) -> Acceptable:
    """Return the entries that make the failed gates of one model hold.

    An entry for all nodes of a metric covers every other gate on it. One on an op type is accepted so too: no glob
    chooses nodes by their op.

    Parameters
    ----------
    verdict : what verdict.json says of a model
    own : what a node has itself, which a scope has beside what is below it

    Raises
    ------
    LookupError, TypeError, ValueError, OptionError
        It is not what this version writes.
    """
    failed = [gate for gate in verdict["gates"] if _has_failed(gate) and gate["level"] == Level.FAIL]
    reasons = [_why_not(gate) for gate in failed]
    notes = [f"{_called(gate)} cannot be accepted: {why}" for gate, why in zip(failed, reasons, strict=True) if why]
    relative = [gate for gate, why in zip(failed, reasons, strict=True) if not why]
    whole = [gate["metric"] for gate in relative if gate["subject"] in (Subject.MODEL, Subject.OP)]
    heads = {total["metric"]: total["head"] for total in verdict["totals"]}
    found: list[_Change] = [(metric, None, _exact(heads[metric])) for metric in dict.fromkeys(whole)]
    for gate in relative:
        if gate["metric"] not in whole:
            found += _of_rows(gate, own, notes)
    entries = []
    for metric, node, value in found:
        if text := _value(value, UNITS[metric]):
            entries.append(AcceptedEntry(metric=metric, value=text, node=node))
        else:
            about = f" of {called(node)}" if node else ""
            notes.append(f"{metric}{about} cannot be accepted: no decimal number is exactly {value}; widen its gate")
    return Acceptable(entries=tuple(dict.fromkeys(entries)), notes=tuple(dict.fromkeys(notes)), failed=len(failed))


def accepted_toml(entries: Iterable[AcceptedEntry], *, reason: str, expires: date, model: str | None = None) -> str:
    """Return entries as text to append to a file, whether or not that ends with a line end; `model` is a name."""
    return "".join(_table(entry, reason, expires, model) for entry in entries)


def _table(entry: AcceptedEntry, reason: str, expires: date, model: str | None) -> str:
    lines = {
        "model": model and toml_string(literal(model)),
        "node": entry.node and toml_string(entry.node),
        "metric": toml_string(entry.metric),
        "value": entry.value,
        "reason": toml_string(reason),
        "expires": expires.isoformat(),
    }
    return "\n[[acknowledged]]\n" + "".join(f"{key} = {value}\n" for key, value in lines.items() if value)


def _has_failed(judged: Mapping[str, Any]) -> bool:
    return bool(judged["status"] == GateStatus.FAILED)


def _why_not(gate: Mapping[str, Any]) -> str | None:
    """Return why a gate has no change to accept, None if it has."""
    if gate["metric"] is None:
        return "it is about what is unknown"
    if parse_gate(gate["gate"]).is_budget:
        return "base has no say in a budget; change the gate"
    if UNITS[gate["metric"]] is Unit.MICROS:
        return "no two runs take the same time; give the gate a wider limit, or the level inform"
    return None


def _called(gate: Mapping[str, Any]) -> str:
    rows = "" if gate["subject"] == Subject.MODEL else f' on {gate["subject"]} "{called(gate["glob"])}"'
    return f'gate "{gate["gate"]}"{rows}'


def _of_rows(gate: Mapping[str, Any], own: Own, notes: list[str]) -> list[_Change]:
    """Return metric, glob and value for the rows of a gate that failed; what is left out is added to `notes`."""
    rows = [row for row in gate["rows"] if _has_failed(row)]
    if unnamed := gate["failed"] - len(rows):
        rest = f"{plural(unnamed, 'more row')} failed, and verdict.json names the worst {WORST_ROWS} only"
        notes.append(f"{_called(gate)}: {rest}; accept these, compare again and accept the rest")
    found: list[_Change] = []
    for row in rows:
        name, metric = row["name"], gate["metric"]
        if not name:
            notes.append(f"{_called(gate)}: no glob matches a row without a name, which cannot be accepted")
        elif gate["subject"] == Subject.NODE:
            found.append((metric, literal(name), _exact(row["head"])))
        elif (itself := own(metric, name)) is None:
            notes.append(
                f"{_called(gate)}: {called(name)} cannot be accepted, since diff_nodes.parquet does not say what of it "
                "is below the node of that name"
            )
        else:
            base, head = (_EXACT.subtract(_exact(row[side]), part) for side, part in zip(_SIDES, itself, strict=True))
            parts = ((literal(name), *itself), (f"{literal(name)}/**", base, head))
            found += [(metric, glob, new) for glob, old, new in parts if old != new]
    return found


def _exact(figure: Any) -> Decimal:
    """Return a figure of verdict.json; integers beyond 2^53 are strings there, and a float is never a whole number.

    One that looks whole was rounded, and keeps a decimal that says so.
    """
    if not isinstance(figure, float):
        return Decimal(int(figure))
    value = Decimal(repr(figure))
    return value if int(value.as_tuple().exponent) < 0 else _EXACT.quantize(value, Decimal("0.1"))


def _value(value: Decimal, unit: Unit) -> str | None:
    """Return a figure as TOML has it, None where it cannot be written or is not known to the last digit."""
    text, (_, digits, exponent) = f"{value:f}", value.as_tuple()
    is_exact = exponent == 0 or len(digits) <= _SAFE_DIGITS  # whole figures have no decimals, not even .0
    if not _WRITABLE.fullmatch(text) or not (is_exact or unit is Unit.BYTES):
        return None
    if value != value.to_integral_value():
        return toml_string(text)
    whole = int(value)
    return str(whole) if whole <= _EXACT_INTEGERS else toml_string(str(whole))
