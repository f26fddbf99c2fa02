"""The layers that changed: alike changes are one row that opens, with sums that are those of its layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from tfprof_report.render.tables.cells import Table
from tfprof_report.render.tables.changed_layers import changed_layers_table
from tfprof_report.schema.tables import DIFF_LAYERS

Sides = tuple[int | None, int | None]


def table_of(rows: Mapping[str | None, Sides | Mapping[str, Any]], limit: int = 20) -> Table | None:
    """Return the table of layers with FLOPs of base and head; None on a side that lacks the layer."""
    return changed_layers_table(pa.Table.from_pylist([_row(*each) for each in rows.items()], DIFF_LAYERS), limit)


def _row(name: str | None, given: Sides | Mapping[str, Any]) -> dict[str, Any]:
    facts = given if isinstance(given, Mapping) else {}
    base, head = (facts["base"], facts["head"]) if isinstance(given, Mapping) else given
    status = "new" if base is None else "removed" if head is None else "unchanged" if base == head else "changed"
    same = {f"{side}_{stem}": 0 for side in ("base", "head") for stem in ("params", "unknown_float_ops")}
    return {
        "layer": name if head is not None else None,
        "base_layer": name if base is not None else None,
        "status": status,
        **same,
        "delta_params": 0,
        "base_float_ops": base,
        "head_float_ops": head,
        "delta_float_ops": None if None in (base, head) else (head or 0) - (base or 0),
        **{key: value for key, value in facts.items() if key not in ("base", "head")},
    }


def texts(table: Table | None) -> list[tuple[str, ...]]:
    """Return name, status, and FLOPs of base, head and their difference."""
    assert table is not None
    return [tuple(cell.text for cell in row[:5]) for row in table.rows]


def test_alike_changes_are_one_row_and_the_largest_change_comes_first() -> None:
    table = table_of({"fc_1": (10, 30), "fc_2": (10, 30), "conv": (100, 70), "same": (5, 5), "fc_3": (10, 31)})
    assert texts(table) == [
        ("fc_1 … fc_2 x 2", "changed", "20", "60", "+40"),
        ("conv", "changed", "100", "70", "\N{MINUS SIGN}30"),
        ("fc_3", "changed", "10", "31", "+21"),
    ]
    assert table is not None
    assert [[member[0].text for member in members] for members in table.members] == [["fc_1", "fc_2"], [], []]


def test_blocks_that_are_new_are_one_row() -> None:
    units = {f"unit_{place}/{layer}": (None, size) for place in (1, 2) for layer, size in (("conv", 40), ("bn", 2))}
    rows = {**units, **{f"other{letter}": (1, 2) for letter in "abcdefgh"}}
    table = table_of(rows)
    assert texts(table)[0] == ("unit_1 … unit_2 x 2", "new", "\N{EN DASH}", "84", "+84")
    assert table is not None
    assert [tuple(cell.text for cell in member[:5]) for member in table.members[0]] == [
        ("unit_1", "new", "\N{EN DASH}", "42", "+42"),
        ("unit_2", "new", "\N{EN DASH}", "42", "+42"),
    ]


def test_an_unknown_change_is_unknown_and_a_total_without_some_nodes_a_lower_bound() -> None:
    lacking = {"base": 10, "head": 30, "head_unknown_float_ops": 2, "delta_float_ops": None, "state_float_ops": "lost"}
    table = table_of({"fc_1": lacking, "fc_2": lacking, "z": (1, 2)})
    assert texts(table)[-1] == ("fc_1 … fc_2 x 2", "changed", "20", "at least 60", "unknown")


def test_nodes_in_no_layer_are_a_row_and_nothing_changed_has_none() -> None:
    assert texts(table_of({None: (3, 4)})) == [("in no layer", "changed", "3", "4", "+1")]
    assert texts(table_of({"same": (5, 5)})) == []
    assert table_of({}) is None


def test_rows_that_are_left_out_are_counted() -> None:
    table = table_of({"a": (1, 9), "b": (1, 5), "c": (1, 2)}, limit=2)
    assert table is not None
    assert table.left_out == "Shows 2 of 3 layers; 1 is left out (diff_layers.parquet)."
