"""Gates with their outcomes and worst rows, and acknowledged changes, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof_report.compare.gates.context import named
from tfprof_report.compare.gates.grammar import OPTION
from tfprof_report.compare.gates.policy import Level
from tfprof_report.compare.gates.verdict import AcknowledgedChange, AcknowledgedStatus, GateResult, GateStatus
from tfprof_report.formatting import label_of, unit_of
from tfprof_report.render.tables.cells import ABSENT, Cell, Column, Row, Table, name_cell, number_cell, text_cell

_FIRST = (
    GateStatus.FAILED,
    GateStatus.INCONCLUSIVE,
    GateStatus.ACKNOWLEDGED,
    GateStatus.NO_REFERENCE,
    GateStatus.SKIPPED,
    GateStatus.PASSED,
)


def gates_table(gates: Sequence[GateResult], limit: int) -> Table:
    """Return the gates with their outcomes and, below each, its worst rows; failed gates come first.

    There is no column for the source if all gates come from the command line.
    """
    has_sources = any(gate.source != OPTION for gate in gates)

    def row_of(name: Cell, outcome: Cell, why: str, source: Cell) -> Row:
        return (name, outcome, text_cell(why), *([source] if has_sources else []))

    def rows(gate: GateResult) -> Iterator[Row]:
        yield row_of(name_cell(named(gate)), _outcome(gate.status, gate.level), gate.text, name_cell(gate.source))
        for row in gate.rows:
            if row.name is not None:
                reason = "" if row.reason is None else f"; acknowledged: {row.reason}"
                outcome = _outcome(row.status, gate.level)
                yield row_of(name_cell(row.name, depth=1), outcome, f"{row.text}{reason}", text_cell(""))

    ordered = sorted(gates, key=_place)
    found = [row for gate in ordered[:limit] for row in rows(gate)]
    more = sum(sum(row.name is not None for row in gate.rows) + 1 for gate in ordered[limit:])
    return Table(
        caption="Gates and their outcomes",
        columns=(Column("Gate"), Column("Outcome"), Column("Why"), *([Column("Source")] if has_sources else [])),
        rows=tuple(found),
        total=len(found) + more,
        noun="gates" if len(found) + more == len(gates) else "gates and rows",
    )


def acknowledged_table(changes: Sequence[AcknowledgedChange], limit: int) -> Table:
    """Return the acknowledged changes; those that do not apply, such as expired ones, come first."""
    ordered = sorted(changes, key=lambda change: change.status is AcknowledgedStatus.HOLDS)
    return Table(
        caption="Acknowledged changes",
        columns=(
            Column("Nodes"),
            Column("Figure"),
            Column("New value", is_number=True),
            Column("Base", is_number=True),
            Column("Head", is_number=True),
            Column("Status"),
            Column("Reason"),
            Column("Expires"),
            Column("Source"),
        ),
        rows=tuple(
            (
                name_cell(change.node),
                text_cell(label_of(change.metric)),
                *(number_cell(value, unit_of(change.metric)) for value in (change.value, change.base, change.head)),
                _status(change.status),
                text_cell(change.reason),
                text_cell(change.expires),
                name_cell(change.source) if change.source else ABSENT,
            )
            for change in ordered[:limit]
        ),
        total=len(changes),
        noun="acknowledged changes",
    )


def fails_verdict(gate: GateResult) -> bool:
    """Return whether a gate of level fail failed or is inconclusive, and so changes the exit code."""
    return gate.level is Level.FAIL and gate.status in (GateStatus.FAILED, GateStatus.INCONCLUSIVE)


def _place(gate: GateResult) -> tuple[int, bool]:
    return _FIRST.index(gate.status), gate.level is Level.INFORM


def _outcome(status: GateStatus, level: Level) -> Cell:
    """Return the outcome in a word. A gate of level inform says so, and never has the colour of failure."""
    tones = {
        GateStatus.FAILED: "failed" if level is Level.FAIL else "inconclusive",
        GateStatus.INCONCLUSIVE: "inconclusive",
        GateStatus.ACKNOWLEDGED: "passed",
        GateStatus.PASSED: "passed",
    }
    return text_cell(status if level is Level.FAIL else f"{status}, informs", tones.get(status, "unknown"))


def _status(status: AcknowledgedStatus) -> Cell:
    tones = {
        AcknowledgedStatus.HOLDS: "passed",
        AcknowledgedStatus.EXPIRED: "failed",
        AcknowledgedStatus.OTHER_VALUE: "failed",
    }
    return text_cell(status, tones.get(status, "inconclusive"))
