"""The tables of parameters by kind and of FLOPs by class."""

from __future__ import annotations

from tfprof_report.render.tables.counting_tables import classes_table, params_table
from tfprof_report.report.breakdowns import ClassTotal, ParamTotal


def total(kind: str, params: int | None, *, nodes: int = 2, guesses: int = 0, known: int = 2) -> ParamTotal:
    size = None if params is None else 4 * params
    return ParamTotal(kind=kind, nodes=nodes, guesses=guesses, known=known, params=params, param_bytes=size)


def of_class(name: str, float_ops: int | None) -> ClassTotal:
    return ClassTotal(op_class=name, nodes=2, known=2, float_ops=float_ops, macs=0)


def test_a_row_has_number_size_and_definition_of_a_kind() -> None:
    table = params_table([total("not_trainable", 256, guesses=1), total("all", 256, guesses=1)], None)
    first, last = ([cell.text for cell in row] for row in table.rows)
    assert first == ["not trainable", "256", "1.00 KiB", "2", "1"]
    assert last == ["all", "256", "1.00 KiB", "2", "1"]
    (told,) = table.notes
    assert told.startswith("Not trainable: by the op log, MetaGraphDef or SavedModel; otherwise a guess:")


def test_a_kind_that_one_side_lacks_is_absent_there() -> None:
    table = params_table([total("trainable", 3), total("all", 3)], [])
    assert [column.label for column in table.columns][:3] == ["Kind", "Base", "Head"]
    assert [cell.text for cell in table.rows[0]][:3] == ["trainable", "\N{EN DASH}", "3"]


def test_unknown_sizes_are_unknown_and_counted_in_a_note() -> None:
    side = [total("unknown", None, known=0), total("all", None, known=0)]
    table = params_table(side, side)
    assert table.rows[0][1].text == "unknown"
    assert table.notes[:2] == (
        "The sums leave out 2 nodes in base with an unknown number of parameters.",
        "The sums leave out 2 nodes in head with an unknown number of parameters.",
    )


def test_unused_parameters_come_after_the_total_which_does_not_have_them() -> None:
    table = params_table([total("trainable", 3), total("unused", 6), total("all", 3)], None)
    assert [(row[0].text, row[1].text) for row in table.rows] == [
        ("trainable", "3"), ("all but unused", "3"), ("unused", "6"),
    ]  # fmt: skip


def test_in_a_comparison_the_kind_that_changed_most_comes_first_the_total_last() -> None:
    base = [total("trainable", 3), total("not_trainable", 9), total("unused", 1), total("all", 12)]
    head = [total("trainable", 4), total("not_trainable", 2), total("unused", 100), total("all", 6)]
    kinds = [row[0].text for row in params_table(head, base).rows]
    assert kinds == ["not trainable", "trainable", "all but unused", "unused"]


def test_in_a_comparison_the_class_that_changed_most_comes_first() -> None:
    base = [of_class("contraction", 100), of_class("reduction", 9), of_class("sorting", None)]
    head = [of_class("contraction", 101), of_class("reduction", 2), of_class("sorting", 5)]
    assert [row[0].text for row in classes_table(head, base).rows] == ["reduction", "contraction", "sorting"]
    assert [row[0].text for row in classes_table(head, ()).rows] == ["contraction", "reduction", "sorting"]
