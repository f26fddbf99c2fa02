from __future__ import annotations

from typing import Any

from examples import examples
from hypothesis import given, settings
from messages import decoded, entry, op_log, op_logs

from tfprof_report.ingest.op_log import read_op_log
from tfprof_report.ingest.sniff import Kind


def entries_of(message: Any) -> list[tuple[Any, ...]]:
    table = read_op_log(decoded(message, Kind.OP_LOG)).entries
    return [tuple(row[name] for name in ("name", "float_ops", "types")) for row in table.to_pylist()]


def test_every_entry_is_a_row_in_file_order_repetitions_too() -> None:
    made = op_log(
        entry("b", float_ops=12, types=["x", "y", "x"]), entry("a"), entry("b", float_ops=-1), strings={1: "f"}
    )
    assert entries_of(made) == [("b", 12, ["x", "y", "x"]), ("a", 0, []), ("b", -1, [])]


def test_an_op_log_without_entries_has_no_row() -> None:
    assert entries_of(op_log()) == []
    assert entries_of(op_log(strings={1: "only strings"})) == []


def test_call_stacks_do_not_change_an_entry() -> None:
    assert entries_of(op_log(entry("a", traces=[(1, 2, 3)]), entry("b", traces=[]))) == [("a", 0, []), ("b", 0, [])]


@settings(max_examples=examples(60), deadline=None)
@given(op_logs(["a", "b/c"]))
def test_columns_hold_what_the_message_says_entry_by_entry(message: Any) -> None:
    assert entries_of(message) == [(each.name, each.float_ops, list(each.types)) for each in message.log_entries]
