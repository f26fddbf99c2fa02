"""Gates with their outcomes and worst rows, and the changes that were accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof_report.compare.case import named
from tfprof_report.compare.policy import Level, Subject
from tfprof_report.compare.result import (
    AcknowledgedChange,
    AcknowledgedStatus,
    GateResult,
    GateStatus,
    JudgedRow,
)
from tfprof_report.render.cells import ABSENT, Cell, Column, Row, Table, name_cell, number_cell, text_cell
from tfprof_report.units import label_of, unit_of

COMMAND_LINE = "--gate"
"""The source of a gate that needs no column of its own."""

_FIRST = (GateStatus.FAILED, GateStatus.INCONCLUSIVE, GateStatus.ACKNOWLEDGED, GateStatus.SKIPPED, GateStatus.PASSED)
_LEVELS = {Level.FAIL: "fails", Level.INFORM: "informs"}
_NONE = text_cell("")


def gates_table(gates: Sequence[GateResult], limit: int) -> Table:
    """Return the gates with their outcomes and, below each, its worst rows; those that count and failed come first.

    Columns that say the same of every gate, as one types it on the command line, are left out.
    """
    has_levels = any(gate.level is not Level.FAIL for gate in gates)
    has_rows = any(gate.subject is not Subject.MODEL for gate in gates)
    has_sources = any(gate.source != COMMAND_LINE for gate in gates)
    columns = (
        Column("Gate"),
        Column("Outcome"),
        *([Column("If not met")] if has_levels else []),
        *([Column("Rows not met")] if has_rows else []),
        Column("Why"),
        *([Column("Source")] if has_sources else []),
    )

    def gate_row(gate: GateResult) -> Row:
        return (
            name_cell(named(gate)),
            _outcome(gate.status, gate.level),
            *([text_cell(_LEVELS[gate.level])] if has_levels else []),
            *([text_cell("" if gate.subject is Subject.MODEL else _of(gate))] if has_rows else []),
            text_cell(gate.text),
            *([name_cell(gate.source)] if has_sources else []),
        )

    def judged_row(gate: GateResult, row: JudgedRow) -> Row:
        return (
            name_cell(row.name, depth=1),
            _outcome(row.status, gate.level),
            *([_NONE] if has_levels else []),
            *([_NONE] if has_rows else []),
            text_cell(row.text if row.reason is None else f"{row.text}; accepted: {row.reason}"),
            *([_NONE] if has_sources else []),
        )

    def rows(gate: GateResult) -> Iterator[Row]:
        yield gate_row(gate)
        yield from (judged_row(gate, row) for row in gate.rows if row.name is not None)

    ordered = sorted(gates, key=_place)
    found = [row for gate in ordered[:limit] for row in rows(gate)]
    more = sum(sum(row.name is not None for row in gate.rows) + 1 for gate in ordered[limit:])
    return Table(
        caption="Gates and their outcomes",
        columns=columns,
        rows=tuple(found),
        total=len(found) + more,
        noun="gates" if len(found) + more == len(gates) else "gates and rows",
    )


def acknowledged_table(changes: Sequence[AcknowledgedChange], limit: int) -> Table:
    """Return the changes that were accepted, those that do not count first."""
    ordered = sorted(changes, key=lambda change: change.status is AcknowledgedStatus.HOLDS)
    return Table(
        caption="Accepted changes",
        columns=(
            Column("Nodes"),
            Column("Figure"),
            Column("Accepted", is_number=True),
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
        noun="accepted changes",
    )


def speaks(gate: GateResult) -> bool:
    """Return whether a gate has a say in the exit code and did not hold."""
    return gate.level is Level.FAIL and gate.status in (GateStatus.FAILED, GateStatus.INCONCLUSIVE)


def _place(gate: GateResult) -> tuple[int, bool]:
    return _FIRST.index(gate.status), gate.level is Level.INFORM


def _outcome(status: GateStatus, level: Level) -> Cell:
    """Return the outcome in a word, in the colour of failure only where it is one."""
    tones = {
        GateStatus.FAILED: "failed" if level is Level.FAIL else "inconclusive",
        GateStatus.INCONCLUSIVE: "inconclusive",
        GateStatus.ACKNOWLEDGED: "passed",
        GateStatus.PASSED: "passed",
    }
    return text_cell(status, tones.get(status, "unknown"))


def _of(gate: GateResult) -> str:
    return f"{gate.failed:,} of {gate.judged:,}"


def _status(status: AcknowledgedStatus) -> Cell:
    tones = {
        AcknowledgedStatus.HOLDS: "passed",
        AcknowledgedStatus.EXPIRED: "failed",
        AcknowledgedStatus.OTHER_VALUE: "failed",
    }
    return text_cell(status, tones.get(status, "inconclusive"))
