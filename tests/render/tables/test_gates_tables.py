from __future__ import annotations

from tfprof_report.compare.gates.policy import Level, Subject
from tfprof_report.compare.gates.verdict import (
    AcknowledgedChange,
    AcknowledgedStatus,
    GateResult,
    GateStatus,
    JudgedRow,
)
from tfprof_report.render.tables.cells import Table
from tfprof_report.render.tables.gates_tables import acknowledged_table, gates_table


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def test_gates_of_a_command_line_need_no_columns_of_their_own() -> None:
    gates = [
        GateResult(gate="params <= +0", status=GateStatus.PASSED, text="5 -> 5"),
        GateResult(gate="bytes <= +1%", status=GateStatus.FAILED, text="5 -> 9"),
    ]
    table = gates_table(gates, 9)
    assert [column.label for column in table.columns] == ["Gate", "Outcome", "Why"]
    assert texts(table) == [["bytes <= +1%", "failed", "5 -> 9"], ["params <= +0", "passed", "5 -> 5"]]


def test_rows_of_a_gate_are_below_it_with_its_level_and_source() -> None:
    rows = (
        JudgedRow(name="a/b", status=GateStatus.FAILED, text="1 -> 3"),
        JudgedRow(name="a/c", status=GateStatus.ACKNOWLEDGED, text="1 -> 2", reason="wider head"),
    )
    gate = GateResult(
        gate="params <= +0",
        status=GateStatus.FAILED,
        text="1 of 7 rows failed",
        subject=Subject.NODE,
        glob="a/**",
        level=Level.INFORM,
        source="pyproject.toml, gate 2",
        judged=7,
        failed=1,
        rows=rows,
    )
    table = gates_table([gate], 9)
    assert [column.label for column in table.columns] == ["Gate", "Outcome", "Why", "Source"]
    assert texts(table) == [
        ["params <= +0 (node a/**)", "failed, informs", "1 of 7 rows failed", "pyproject.toml, gate 2"],
        ["a/b", "failed, informs", "1 -> 3", ""],
        ["a/c", "acknowledged, informs", "1 -> 2; acknowledged: wider head", ""],
    ]
    assert [row[0].depth for row in table.rows] == [0, 1, 1]
    assert table.rows[0][1].tone == "inconclusive"  # nothing failed: it only informs


def test_what_is_cut_counts_gates_and_rows() -> None:
    gates = [
        GateResult(
            gate=f"params <= {i}", status=GateStatus.PASSED, text="", rows=(JudgedRow(name="a", status="passed"),)
        )
        for i in range(3)
    ]
    assert gates_table(gates, 2).left_out == "Shows 4 of 6 gates and rows; 2 are left out (summary.json)."
    assert gates_table([], 2).left_out == ""


def test_accepted_changes_that_do_not_count_come_first() -> None:
    changes = [
        AcknowledgedChange(
            metric="params",
            node="a/**",
            value=5,
            base=3,
            head=head,
            reason="wider",
            expires="2026-10-01",
            status=status,
            text="why",
        )
        for head, status in ((5, AcknowledgedStatus.HOLDS), (6, AcknowledgedStatus.OTHER_VALUE))
    ]
    none = "\N{EN DASH}"
    assert texts(acknowledged_table(changes, 9)) == [
        ["a/**", "Parameters", "5", "3", "6", "other value", "wider", "2026-10-01", none],
        ["a/**", "Parameters", "5", "3", "5", "holds", "wider", "2026-10-01", none],
    ]
