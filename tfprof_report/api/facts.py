"""The totals, gates and verdict of a report as tables, from the content of its verdict.json."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tfprof_report.formatting import label_of, unit_of
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.report.read_back.restored_verdict import number
from tfprof_report.schema.metrics import Number
from tfprof_report.schema.units import unit_of_column

TOTALS = pa.schema(
    [
        ("metric", pa.string()),
        ("label", pa.string()),
        ("unit", pa.string()),
        ("value", pa.float64()),
        ("exact", pa.int64()),
        ("at_least", pa.float64()),
        ("unknown", pa.int64()),
        ("base_value", pa.float64()),
        ("base_exact", pa.int64()),
        ("base_at_least", pa.float64()),
        ("base_unknown", pa.int64()),
        ("delta", pa.float64()),
        ("delta_exact", pa.int64()),
        ("percent", pa.float64()),
        ("state", pa.string()),
    ]
)
"""Columns of the totals, a row for each figure. Those of base and of the change are NULL without a base.

A float64 is exact up to 2^53; ``exact`` has the same figure as int64 where it is a whole number.
"""

GATES = pa.schema(
    [
        ("gate", pa.string()),
        ("status", pa.string()),
        ("metric", pa.string()),
        ("unit", pa.string()),
        ("subject", pa.string()),
        ("glob", pa.string()),
        ("level", pa.string()),
        ("owner", pa.string()),
        ("name", pa.string()),
        ("base", pa.float64()),
        ("head", pa.float64()),
        ("delta", pa.float64()),
        ("percent", pa.float64()),
        ("allowed", pa.string()),
        ("judged", pa.int64()),
        ("failed", pa.int64()),
        ("text", pa.string()),
    ]
)
"""Columns of the gates, a row for each, in the order in which they were given; name to allowed are its worst row."""

VERDICT = pa.schema(
    [
        ("outcome", pa.string()),
        ("exit_code", pa.int64()),
        ("gates", pa.int64()),
        ("failed", pa.int64()),
        ("text", pa.string()),
    ]
)
"""Columns of the verdict, which is one row: how many gates there are, how many of them fail, and the whole sentence."""

FACTS = {"totals": TOTALS, "gates": GATES, "verdict": VERDICT}
"""The tables that are made of verdict.json."""


def fact_table(name: str, verdict: Mapping[str, Any]) -> pa.Table:
    """Return one of `FACTS` from the content of verdict.json; malformed content raises LookupError or ValueError."""
    rows = {"totals": _totals, "gates": _gates, "verdict": _verdict}[name]
    return pa.Table.from_pylist(list(rows(verdict)), schema=FACTS[name])


def _totals(verdict: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    for total in verdict["totals"]:
        metric = str(total["metric"])
        delta = number(total["delta"])
        yield {
            "metric": metric,
            "label": label_of(metric),
            "unit": unit_of_column(metric) or unit_of(metric),
            **_side(total, "head", ""),
            **_side(total, "base", "base_"),
            "delta": _float(delta),
            "delta_exact": _exact(delta),
            "percent": total["percent"],
            "state": total["state"],
        }


def _side(total: Mapping[str, Any], side: str, prefix: str) -> dict[str, Any]:
    """Return the columns of a side of a total; the side has it if anything of it is known, or known to be unknown."""
    value = number(total[side])
    is_there = total[f"{side}_capable"] is not None
    return {
        f"{prefix}value": _float(value),
        f"{prefix}exact": _exact(value),
        f"{prefix}at_least": _float(number(total[f"{side}_at_least"])),
        f"{prefix}unknown": total[f"{side}_unknown_nodes"] if is_there else None,
    }


def _gates(verdict: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    for gate in verdict["gates"]:
        worst: Mapping[str, Any] = next(iter(gate["rows"]), {})
        figures = {name: _float(number(worst.get(name))) for name in ("base", "head", "delta", "percent")}
        words = {name: gate[name] for name in ("gate", "status", "metric", "subject", "level", "text")}
        metric = gate["metric"]
        yield {
            **words,
            **figures,
            "unit": None if metric is None else unit_of_column(metric) or unit_of(metric),
            "glob": gate["glob"] or None,
            "owner": gate["owner"] or None,
            "name": worst.get("name"),
            "allowed": worst.get("allowed") or None,
            "judged": gate["judged"],
            "failed": gate["failed"],
        }


def _verdict(verdict: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    gates = [gate for gate in verdict["gates"] if gate["level"] == "fail"]
    yield {
        "outcome": verdict["status"],
        "exit_code": verdict["exit_code"],
        "gates": len(verdict["gates"]),
        "failed": sum(gate["status"] == "failed" for gate in gates),
        "text": verdict["text"],
    }


def _float(value: Number | None) -> float | None:
    return None if value is None else float(value)


def _exact(value: Number | None) -> int | None:
    return value if isinstance(value, int) and -INT64_LIMIT <= value < INT64_LIMIT else None


def plain(table: pa.Table) -> pa.Table:
    """Return a table without dictionary-coded columns, with which pandas can neither group nor join."""
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
