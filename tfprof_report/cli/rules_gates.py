"""The gates of a rules file; without any, those that count by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof_report.cli.of_models import OfModels
from tfprof_report.cli.rules_schema import GLOBS
from tfprof_report.compare.default_gates import DEFAULT_GATES
from tfprof_report.compare.gate_grammar import parse_gate
from tfprof_report.compare.policy import ANY_NAME, Gate, Level, Subject


def gates_of(entries: Sequence[str | Mapping[str, Any]] | None, path: str) -> tuple[OfModels[Gate], ...]:
    """Return the gates of a file in its order; None is a file that names none, which has the default ones.

    Raises
    ------
    OptionError
        An entry is no gate; it is named by its number.
    """
    if entries is None:
        return tuple(OfModels(item=gate, source=gate.source) for gate in DEFAULT_GATES)
    return tuple(_gate(entry, f"{path}, gate {number}") for number, entry in enumerate(entries, 1))


def _gate(entry: str | Mapping[str, Any], source: str) -> OfModels[Gate]:
    table: Mapping[str, Any] = {"gate": entry} if isinstance(entry, str) else entry
    subject = next((name for name in GLOBS if name in table), Subject.MODEL)
    gate = parse_gate(
        table["gate"],
        option=source,
        subject=Subject(subject),
        glob=table.get(subject, ""),
        level=Level(table.get("level", Level.FAIL)),
        is_optional=table.get("optional", False),
        source=source,
    )
    return OfModels(item=gate, source=source, glob=table.get("model", ANY_NAME))
