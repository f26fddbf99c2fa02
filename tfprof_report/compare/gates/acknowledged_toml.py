"""Writes the entries of an acknowledged file that accept the failed gates of a report, from its verdict.json."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Context, Decimal
from typing import Any

from tfprof_report.compare.gates.globs import literal
from tfprof_report.compare.gates.grammar import UNITS, parse_gate
from tfprof_report.compare.gates.policy import Level, Subject
from tfprof_report.compare.gates.verdict import WORST_ROWS, GateStatus
from tfprof_report.formatting import called, plural
from tfprof_report.limits import EXACT_IN_FLOAT64
from tfprof_report.record import record
from tfprof_report.schema.metrics import Unit
from tfprof_report.toml_file import toml_string

Own = Callable[[str, str, bool], tuple[Decimal, Decimal] | None]
"""Maps a metric and a node name to the node's self figure in base and head: 0 without a node, None if unknown.

Of a drift gate, where the last argument is true, the figure in base is not known, and 0.
"""

_Change = tuple[str, str | None, Decimal]
"""Metric, glob (None for all nodes) and new total."""

_SIDES = ("base", "head")
_EXACT = Context(prec=100)
_WRITABLE = re.compile(r"[0-9]{1,30}(\.[0-9]{1,30})?")
"""The numbers that an acknowledged file accepts."""
_SAFE_DIGITS = 15
"""A float with at most this many significant digits is taken as an exact decimal; a mean such as 1/3 has more."""


@record
class AcceptedEntry:
    """One accepted change; `node` is a glob, None for all nodes, and `value` is TOML source text."""

    metric: str
    value: str
    node: str | None = None


@record
class Acceptable:
    """What can be accepted for one model; `notes` explain the rest, `failed` is the number of failed gates."""

    entries: tuple[AcceptedEntry, ...]
    notes: tuple[str, ...]
    failed: int


def acceptable(verdict: Mapping[str, Any], own: Own) -> Acceptable:
    """Return the entries that make the failed gates of one model hold.

    An entry for all nodes of a metric covers every other gate on it. A gate on an op type is accepted this way too,
    since no glob selects nodes by op type.

    Parameters
    ----------
    verdict : the content of verdict.json for a model
    own : the self figures of nodes; a gate on a scope needs them, because ``scope/**`` does not match the node itself

    Raises
    ------
    LookupError, TypeError, ValueError, OptionError
        The content is not in the form that this version writes.
    """
    failed = [gate for gate in verdict["gates"] if _has_failed(gate) and gate["level"] == Level.FAIL]
    reasons = [_why_not(gate) for gate in failed]
    notes = [f"{_gate_words(gate)} cannot be accepted: {why}" for gate, why in zip(failed, reasons, strict=True) if why]
    relative = [gate for gate, why in zip(failed, reasons, strict=True) if not why]
    whole = [gate["metric"] for gate in relative if gate["subject"] in (Subject.MODEL, Subject.OP)]
    totals = {total["metric"]: total for total in verdict["totals"]}
    found: list[_Change] = [(metric, None, _figure(totals[metric], "head")) for metric in dict.fromkeys(whole)]
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
    """Return entries as TOML to append to a file, with or without a final newline; `model` is a name, not a glob."""
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
    """Return why the failure of a gate cannot be accepted, None if it can."""
    if gate["metric"] is None:
        return "it is about unknown figures"
    if parse_gate(gate["gate"]).is_budget:
        return "a budget does not depend on base; change the gate"
    if UNITS[gate["metric"]] is Unit.MICROS:
        return "no two runs take the same time; give the gate a wider limit, or the level inform"
    return None


def _gate_words(gate: Mapping[str, Any]) -> str:
    rows = "" if gate["subject"] == Subject.MODEL else f' on {gate["subject"]} "{called(gate["glob"])}"'
    return f'gate "{gate["gate"]}"{rows}'


def _of_rows(gate: Mapping[str, Any], own: Own, notes: list[str]) -> list[_Change]:
    """Return metric, glob and value for the failed rows of a gate; rows left out are added to `notes`."""
    rows, is_drift = [row for row in gate["rows"] if _has_failed(row)], gate.get("reference") is not None
    if unnamed := gate["failed"] - len(rows):
        rest = f"{plural(unnamed, 'more row')} failed, and verdict.json lists only the worst {WORST_ROWS}"
        notes.append(f"{_gate_words(gate)}: {rest}; accept these, compare again and accept the rest")
    found: list[_Change] = []
    for row in rows:
        name, metric = row["name"], gate["metric"]
        if not name:
            notes.append(f"{_gate_words(gate)}: no glob matches a row without a name, which cannot be accepted")
        elif gate["subject"] == Subject.NODE:
            found.append((metric, literal(name), _figure(row, "head")))
        elif (itself := own(metric, name, is_drift)) is None:
            table = "nodes.parquet" if is_drift else "diff_nodes.parquet"
            notes.append(
                f"{_gate_words(gate)}: {called(name)} cannot be accepted, since {table} does not show how much of it "
                "lies below the node of that name"
            )
        else:
            base, head = (_EXACT.subtract(_figure(row, side), part) for side, part in zip(_SIDES, itself, strict=True))
            parts = ((literal(name), *itself), (f"{literal(name)}/**", base, head))
            found += [(metric, glob, new) for glob, old, new in parts if old != new]
    return found


def _figure(row: Mapping[str, Any], side: str) -> Decimal:
    """Return the sum of the known figures of a row or total, which gates and acknowledgements compare."""
    figure = row[side]
    return _exact(row[f"{side}_at_least"] if figure is None else figure)


def _exact(figure: Any) -> Decimal:
    """Return a figure of verdict.json; integers beyond 2^53 are strings there.

    A float was never a whole number: one that looks whole was rounded. It keeps one decimal to show this.
    """
    if not isinstance(figure, float):
        return Decimal(int(figure))
    value = Decimal(repr(figure))
    return value if int(value.as_tuple().exponent) < 0 else _EXACT.quantize(value, Decimal("0.1"))


def _value(value: Decimal, unit: Unit) -> str | None:
    """Return a figure as TOML source, None if it cannot be written or is not exact."""
    text, (_, digits, exponent) = f"{value:f}", value.as_tuple()
    is_exact = exponent == 0 or len(digits) <= _SAFE_DIGITS  # integers have no decimals, not even .0
    if not _WRITABLE.fullmatch(text) or not (is_exact or unit is Unit.BYTES):
        return None
    if value != value.to_integral_value():
        return toml_string(text)
    whole = int(value)
    return str(whole) if whole <= EXACT_IN_FLOAT64 else toml_string(str(whole))
