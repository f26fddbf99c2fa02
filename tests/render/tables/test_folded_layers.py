"""Folds of layers: blocks that repeat and alike layers are one row, and nothing is lost or told apart wrongly."""

from __future__ import annotations

from typing import Any

import pytest
from layer_rows import layers_of

from tfprof_report.render.tables.cells import Table
from tfprof_report.render.tables.folded_layers import fold_layers
from tfprof_report.render.tables.layers_tables import layers_table

CONV: dict[str, Any] = {"op": "Conv2D", "float_ops": 100, "trainable_params": 9, "params": 9}
NORM: dict[str, Any] = {"op": "Mul", "float_ops": 10, "trainable_params": 2, "params": 2}
WIDE: dict[str, Any] = {**CONV, "float_ops": 400, "trainable_params": 36, "params": 36}


def names_of(rows: dict[str | None, dict[str, Any]], stem: str = "") -> list[str]:
    return [row[0].text for row in table_of(rows, stem).rows]


def table_of(rows: dict[str | None, dict[str, Any]], stem: str = "", limit: int = 20) -> Table:
    return layers_table(fold_layers(layers_of(rows)), limit, stem)


def unit(name: str, *, first: dict[str, Any] = CONV) -> dict[str | None, dict[str, Any]]:
    return {f"{name}/conv1": first, f"{name}/bn": NORM, f"{name}/conv2": CONV}


def test_blocks_that_repeat_as_a_whole_are_one_row_and_their_odd_sibling_is_a_row() -> None:
    rows = {"stem": WIDE, **unit("unit_1_0", first=WIDE), **unit("unit_1_1"), **unit("unit_1_2"), **unit("unit_1_3")}
    table = table_of(rows)
    assert [(row[0].text, row[1].text, row[3].text) for row in table.rows] == [
        ("unit_1_1 … unit_1_3 x 3", "630", "40.91 %"),
        ("unit_1_0", "510", "33.12 %"),
        ("stem", "400", "25.97 %"),
    ]
    assert table.rows[0][0].exact == "unit_1_1, unit_1_2, unit_1_3"


def opened(table: Table) -> dict[str, list[str]]:
    """Return the name and the first figure of what each row opens to."""
    return {
        row[0].text: [f"{member[0].text} {member[1].text}".strip() for member in members]
        for row, members in zip(table.rows, table.members, strict=True)
    }


def test_a_row_opens_to_alike_blocks_by_number_and_to_the_layers_of_one_block_by_size() -> None:
    rows = {"stem": WIDE, **unit("unit_1_0", first=WIDE), **unit("unit_1_2"), **unit("unit_1_1"), **unit("unit_1_3")}
    assert opened(table_of(rows)) == {
        "unit_1_1 … unit_1_3 x 3": ["unit_1_1 210", "unit_1_2 210", "unit_1_3 210"],
        "unit_1_0": ["unit_1_0/conv1 400", "unit_1_0/conv2 100", "unit_1_0/bn 10"],
        "stem": [],
    }


def test_a_row_opens_to_fifty_at_most_and_says_how_many_there_are() -> None:
    (members,) = opened(table_of({f"fc_{place}": CONV for place in range(60)})).values()
    assert [members[0], *members[49:]] == ["fc_0 100", "fc_49 100", "10 more in layers.parquet"]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (("unit_1", "unit_2", "unit_3"), "unit_1 … unit_3 x 3"),
        (("unit_1", "unit_3", "unit_4"), "unit_1 and 2 alike"),
        (("block", "block_1", "block_2"), "block … block_2 x 3"),
        (("stage2_unit1", "stage2_unit2"), "stage2_unit1 … stage2_unit2 x 2"),
        (("enc/layer_0", "enc/layer_1"), "enc/layer_0 … enc/layer_1 x 2"),
    ],
)
def test_blocks_are_named_by_the_first_and_the_last_where_they_count_on(names: tuple[str, ...], text: str) -> None:
    rows: dict[str | None, dict[str, Any]] = {"stem": WIDE, "head": WIDE, "pool": CONV, "loss": NORM}
    for name in names:
        rows |= unit(name)
    assert text in names_of(rows)


def test_names_count_on_whatever_the_order_of_the_file() -> None:
    assert names_of({"fc_10": CONV, "fc_9": CONV, "fc_11": CONV}) == ["fc_9 … fc_11 x 3"]


def test_a_name_of_any_length_is_folded_in_linear_time() -> None:
    long = "a1" * 500_000
    assert len(names_of({f"{long}/b": CONV, f"{long}/c": CONV, "/": NORM})) == len(("b", "c", "/"))
    digits = "1" * 100_000
    assert len(names_of({f"{digits}x": CONV, f"x{digits}": CONV, f"y_{digits}": CONV})) == len("xy")


def test_layers_of_a_block_may_be_numbered_over_the_whole_model() -> None:
    rows = {
        "stem": WIDE,
        "tower/dense": {**CONV, "op": "MatMul"},
        "block/dense_1": CONV,
        "block/dense_2": NORM,
        "block_1/dense_3": CONV,
        "block_1/dense_4": NORM,
    }
    assert "block … block_1 x 2" in names_of(rows)


def test_blocks_that_are_nearly_the_whole_model_are_not_folded() -> None:
    rows = {**unit("layer_0"), **unit("layer_1"), **unit("layer_2")}
    assert names_of(rows) == ["layer_0/conv1 and 5 alike", "layer_0/bn and 2 alike"]


@pytest.mark.parametrize("column", ["op", "params", "float_ops", "weights", "op_input_shapes", "output_shape"])
def test_layers_that_differ_in_anything_are_not_alike(column: str) -> None:
    others = {"op": "MatMul", "params": 8, "float_ops": 99, "output_shape": [1]}
    other = {**CONV, column: others.get(column, [[3, 3]])}
    assert sorted(names_of({"a_1": CONV, "a_2": other})) == ["a_1", "a_2"]
    assert names_of({"a_1": other, "a_2": other}) == ["a_1 … a_2 x 2"]


def test_a_group_with_an_unknown_part_is_a_lower_bound_and_never_zero() -> None:
    rows = {
        "a_1": {**CONV, "unknown_float_ops": 1},
        "a_2": {**CONV, "unknown_float_ops": 1},
        "b": {**NORM, "float_ops": None, "unknown_float_ops": 3},
        "c": {**NORM, "float_ops": 0, "op": "Sub"},
    }
    table = table_of(rows, "float_ops")
    assert [(row[0].text, row[1].text, row[2].text) for row in table.rows] == [
        ("a_1 … a_2 x 2", "at least 200", "100.00 %"),
        ("b", "unknown", "unknown"),
    ]


def test_the_ranked_figure_comes_first_with_its_share_and_ranks() -> None:
    rows = {"conv": CONV, "fc": {**NORM, "trainable_params": 27}, "pool": {**NORM, "trainable_params": 0}}
    table = table_of(rows, "trainable_params")
    assert [column.label for column in table.columns] == [
        "Layer",
        "Trainable parameters",
        "Share of trainable parameters",
        "FLOPs",
        "Most of it",
    ]
    assert [[cell.text for cell in row[:4]] for row in table.rows] == [
        ["fc", "27", "75.00 %", "10"],
        ["conv", "9", "25.00 %", "100"],
    ]


def test_rows_that_are_cut_are_counted() -> None:
    table = table_of({"a": CONV, "b": NORM, "c": {**NORM, "op": "Sub"}}, "float_ops", limit=1)
    assert table.left_out == "Shows 1 of 3 kinds of layers; 2 are left out (layers.parquet)."


def test_of_many_layers_the_largest_are_shown_and_those_without_a_figure_come_last() -> None:
    rows: dict[str | None, dict[str, Any]] = {
        f"c{at:05}x": {"float_ops": None if at % 2 else 0, "bytes": 1} for at in range(3_000)
    }
    rows |= {f"a{'b' * at}": {"float_ops": at + 1, "bytes": None} for at in range(30)}
    found = fold_layers(layers_of(rows))
    assert found.left_out > 0
    shown = {row["layer"] for group in found.groups for row in group.rows}
    assert {f"a{'b' * at}" for at in range(30)} <= shown


def test_nodes_in_no_layer_are_a_row_of_their_own() -> None:
    assert names_of({"a_1": CONV, "a_2": CONV, None: {**CONV, "float_ops": 50}}) == ["a_1 … a_2 x 2", "in no layer"]


@pytest.mark.parametrize("size", [2**53 + 1, 2**63 - 1])
def test_sums_are_exact(size: int) -> None:
    large = {**CONV, "float_ops": size}
    found = fold_layers(layers_of({"a_1": large, "a_2": large}))
    assert found.totals["float_ops"] == 2 * size
    assert found.groups[0].total("float_ops") == 2 * size
    assert layers_table(found, 1, "float_ops").rows[0][2].text == "100.00 %"
