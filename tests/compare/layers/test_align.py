"""Which layer of base is which of head, where names are numbers that count."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from tfprof_report.compare.layers.align import align_layers
from tfprof_report.schema.tables import LAYERS

SHAPE = list[int]


def layers(*rows: tuple[str, str, SHAPE, SHAPE]) -> pa.Table:
    """Return a table of layers: name, op, shape of the variable and of the output."""
    found: list[dict[str, Any]] = [
        {"layer": name, "op": op, "ops": [op], "weights": [weight] if weight else [], "output_shape": output}
        for name, op, weight, output in rows
    ]
    return pa.Table.from_pylist([{**dict.fromkeys(LAYERS.names), **row} for row in found], schema=LAYERS)


def pairs(base: pa.Table, head: pa.Table) -> dict[str, str | None]:
    names = head["layer"].to_pylist()
    found = align_layers(base, head).tolist()
    return {
        name: names[place] if place >= 0 else None for name, place in zip(base["layer"].to_pylist(), found, strict=True)
    }


def test_names_decide_where_no_number_differs() -> None:
    base = layers(("a_1", "MatMul", [4, 8], [1, 8]), ("b", "Relu", [], [1, 8]), ("gone", "Relu", [], [1, 8]))
    head = layers(("b", "Relu", [], [1, 8]), ("a_1", "Conv2D", [3, 8], [1, 9]))
    assert pairs(base, head) == {"a_1": "a_1", "b": "b", "gone": None}


def test_later_layers_move_up_when_the_first_is_removed() -> None:
    base = layers(
        ("conv", "Conv2D", [3, 16], [1, 16]),
        ("bn", "Mean", [16], [1, 16]),
        ("conv_1", "Conv2D", [16, 32], [1, 32]),
        ("bn_1", "Mean", [32], [1, 32]),
    )
    head = layers(
        ("conv", "Conv2D", [3, 16], [1, 16]), ("conv_1", "Conv2D", [16, 32], [1, 32]), ("bn", "Mean", [32], [1, 32])
    )
    assert pairs(base, head) == {"conv": "conv", "bn": None, "conv_1": "conv_1", "bn_1": "bn"}


def test_order_tells_equal_layers_apart() -> None:
    """All norms are of one shape: which is gone is known from the convolutions around."""
    conv = ("Conv2D", [8, 8], [1, 8])
    norm = ("Mean", [8], [1, 8])
    base = layers(
        ("conv", *conv), ("bn", *norm), ("conv_1", *conv), ("bn_1", *norm), ("conv_2", *conv), ("bn_2", *norm)
    )
    head = layers(("conv", *conv), ("conv_1", *conv), ("bn", *norm), ("conv_2", *conv), ("bn_1", *norm))
    assert pairs(base, head)["bn"] is None
    assert (pairs(base, head)["bn_1"], pairs(base, head)["bn_2"]) == ("bn", "bn_1")


def test_a_layer_in_the_middle_gives_the_last_a_new_number() -> None:
    base = layers(("dense", "MatMul", [8, 16], [1, 16]), ("dense_1", "MatMul", [16, 4], [1, 4]))
    head = layers(
        ("dense", "MatMul", [8, 16], [1, 16]),
        ("dense_1", "MatMul", [16, 20], [1, 20]),
        ("dense_2", "MatMul", [20, 4], [1, 4]),
    )
    assert pairs(base, head) == {"dense": "dense", "dense_1": "dense_2"}


def test_a_wider_stage_with_one_more_unit_keeps_its_units() -> None:
    base = layers(*((f"unit_{number}", "Conv2D", [64, 64], [1, 64]) for number in range(3)))
    head = layers(*((f"unit_{number}", "Conv2D", [80, 80], [1, 80]) for number in range(4)))
    assert pairs(base, head) == {"unit_0": "unit_0", "unit_1": "unit_1", "unit_2": "unit_2"}


def test_layers_that_traded_their_numbers_are_matched_by_form() -> None:
    base = layers(("conv", "Conv2D", [3, 4], [1, 4]), ("conv_1", "Conv2D", [3, 9], [1, 9]))
    head = layers(("conv", "Conv2D", [3, 9], [1, 9]), ("conv_1", "Conv2D", [3, 4], [1, 4]))
    assert pairs(base, head) == {"conv": "conv_1", "conv_1": "conv"}


def test_a_layer_that_changed_alone_is_no_trade() -> None:
    base = layers(("conv", "Conv2D", [3, 4], [1, 4]), ("conv_1", "Conv2D", [3, 9], [1, 9]))
    head = layers(("conv", "Conv2D", [3, 9], [1, 9]), ("conv_1", "Conv2D", [3, 12], [1, 12]))
    assert pairs(base, head) == {"conv": "conv", "conv_1": "conv_1"}
