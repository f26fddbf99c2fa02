"""Restores the verdict of an earlier report from its summary; malformed content raises what readers catch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfprof_report.compare.gates.policy import Level, Subject
from tfprof_report.compare.gates.verdict import (
    AcknowledgedChange,
    AcknowledgedStatus,
    GateResult,
    GateStatus,
    JudgedRow,
    MeasuredFrom,
    Outcome,
    Verdict,
)
from tfprof_report.schema.compatible import known_fields
from tfprof_report.schema.metrics import Number

_FIGURES = ("base", "head", "delta", "least", "most", "value")


def restore_verdict(found: Mapping[str, Any]) -> Verdict:
    """Return the verdict in ``verdict`` of a summary."""
    return Verdict(
        text=str(found["text"]),
        outcome=Outcome(found["outcome"]),
        gates=tuple(_gate(gate) for gate in found["gates"]),
        acknowledged=tuple(
            AcknowledgedChange(**_known(AcknowledgedChange, change) | {"status": AcknowledgedStatus(change["status"])})
            for change in found["acknowledged"]
        ),
    )


def _gate(found: Mapping[str, Any]) -> GateResult:
    reference = found.get("reference")
    return GateResult(
        **_known(GateResult, found)
        | {
            "status": GateStatus(found["status"]),
            "subject": Subject(found["subject"]),
            "level": Level(found["level"]),
            "rows": tuple(
                JudgedRow(**_known(JudgedRow, row) | {"status": GateStatus(row["status"])}) for row in found["rows"]
            ),
            "reference": None if reference is None else MeasuredFrom(**known_fields(MeasuredFrom, reference)),
        }
    )


def _known(kind: type, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record, with figures as numbers: beyond 2^53 JSON has them as text."""
    return {name: number(value) if name in _FIGURES else value for name, value in known_fields(kind, found).items()}


def number(value: Number | str | None) -> Number | None:
    """Return a figure from its JSON, in which large integers are strings."""
    return int(value) if isinstance(value, str) else value
