"""Why a layer changed, from what is known of both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tfprof_report.compare.causes.cause_kinds import (
    CauseKind,
    Facts,
    Reason,
    Scales,
    has_other_facts,
    reasons_of,
    scales_of,
    sizes,
)
from tfprof_report.schema.tables import DIFF_LAYERS


def facts(**changes: Any) -> Facts:
    """Return a convolution of 8 to 16 channels on images of 8 by 8, in batches of 4."""
    found: dict[str, Any] = {
        "weights": ((3, 3, 8, 16), (16,)),
        "ops": frozenset({"Conv2D", "BiasAdd"}),
        "output": (4, 8, 8, 16),
        "inputs": ((4, 8, 8, 8), (3, 3, 8, 16)),
        "op": "Conv2D",
        "dtype": "float32",
        "params": 1168,
        "param_bytes": 4672,
        "forward": 100,
        "backward": 200,
        "optimizer": 10,
        "unknown": 0,
    }
    return Facts(**found | changes)


DENSE: dict[str, Any] = {
    "weights": ((16, 32), (32,)),
    "op": "MatMul",
    "output": (4, 32),
    "inputs": ((4, 16), (16, 32)),
    "ops": frozenset({"MatMul"}),
}


@pytest.mark.parametrize(
    ("base", "head", "reason"),
    [
        ({}, {"weights": ((3, 3, 8, 24), (24,)), "output": (4, 8, 8, 24)}, ("wider", "16", "24")),
        ({}, {"weights": ((3, 3, 8, 12), (12,)), "output": (4, 8, 8, 12)}, ("narrower", "16", "12")),
        ({}, {"weights": ((3, 3, 9, 16), (16,)), "inputs": ((4, 8, 8, 9),)}, ("other input", "8", "9")),
        ({}, {"weights": ((5, 5, 8, 16), (16,))}, ("kernel", "3x3", "5x5")),
        ({}, {"output": (4, 4, 4, 16)}, ("stride", "8x8", "4x4")),
        ({}, {"output": (4, 6, 6, 16)}, ("output size", "8x8", "6x6")),
        ({}, {"output": (4, 4, 4, 16), "inputs": ((4, 4, 4, 8), (3, 3, 8, 16))}, ("input size", "8x8", "4x4")),
        ({}, {"dtype": "float16"}, ("dtype", "float32", "float16")),
        ({}, {"ops": frozenset({"_FusedConv2D"}), "op": "_FusedConv2D"}, ("fused", "BiasAdd, Conv2D", "_FusedConv2D")),
        ({"ops": frozenset({"_FusedConv2D"})}, {}, ("unfused", "_FusedConv2D", "BiasAdd, Conv2D")),
        ({}, {"ops": frozenset({"Conv2D"})}, ("other ops", "BiasAdd", "")),
        ({"ops": frozenset({"Relu"})}, {"ops": frozenset({"Erf"})}, ("replaced", "Relu", "Erf")),
        ({}, {"weights": ((8, 64), (64,), (2, 64)), "ops": frozenset({"Tanh"}), "op": "MatMul"}, ("replaced", "", "")),
        ({}, {"weights": ()}, ("weights shared", "", "")),
        ({"weights": ()}, {}, ("weights no longer shared", "", "")),
        ({}, {"unknown": 1}, ("now unknown", "", "")),
        ({}, {"optimizer": 30, "params": 3504}, ("optimizer", "", "")),
        ({}, {"backward": 300}, ("unknown", "", "")),
        (DENSE, DENSE | {"weights": ((20, 32), (32,))}, ("other input", "16", "20")),
        (
            {"weights": ((60, 8),), "op": "ResourceGather", "output": (4, 5, 8)},
            {"weights": ((90, 8),), "op": "ResourceGather", "output": (4, 5, 8)},
            ("wider", "60", "90"),
        ),
    ],
)
def test_the_first_reason(base: dict[str, Any], head: dict[str, Any], reason: tuple[str, str, str]) -> None:
    old, new = facts(**base), facts(**(head if base is DENSE else {**base, **head} if "op" in base else head))
    found = reasons_of(old, new, scales_of([(old, new)]))[0]
    assert (found.kind, found.base, found.head) == reason


def test_what_is_no_layer_but_an_optimizer() -> None:
    rate = {"weights": (), "ops": frozenset[str](), "output": None, "forward": 0, "backward": 0}
    assert reasons_of(facts(**rate), facts(**rate, optimizer=30), Scales())[0].kind is CauseKind.OPTIMIZER

    table = rate | {"weights": ((60, 8),), "op": "VariableV2"}
    wider = reasons_of(facts(**table), facts(**table | {"weights": ((60, 16),)}), Scales())
    assert wider == (Reason(kind=CauseKind.WIDER, base="8", head="16"),)


def test_a_layer_without_variables_follows_sizes_that_others_have() -> None:
    was = facts(weights=(), ops=frozenset({"Relu"}), op="Relu", inputs=((4, 8, 8, 16),))
    now = facts(weights=(), ops=frozenset({"Relu"}), op="Relu", inputs=((4, 8, 8, 24),), output=(4, 8, 8, 24))
    assert reasons_of(was, now, Scales(widths=frozenset({(16, 24)}))) == (
        Reason(kind=CauseKind.WIDER, base="16", head="24"),
    )
    assert reasons_of(was, now, Scales()) != reasons_of(was, now, Scales(widths=frozenset({(16, 24)})))


def test_a_batch_is_one_where_outputs_of_three_dimensions_say_so() -> None:
    was, now = facts(), facts(output=(8, 8, 8, 16), inputs=((8, 8, 8, 8), (3, 3, 8, 16)))
    scales = scales_of([(was, now)])
    assert scales.batches == {(4, 8)}
    assert reasons_of(was, now, scales)[0] == Reason(kind=CauseKind.BATCH, base="4", head="8")


def test_longer_sequences() -> None:
    norm: dict[str, Any] = {"weights": ((32,), (32,)), "op": "Mul", "ops": frozenset({"Mul"})}
    was = facts(**norm, output=(4, 16, 32), inputs=((4, 16, 32), (32,)))
    now = facts(**norm, output=(4, 48, 32), inputs=((4, 48, 32), (32,)))
    scales = scales_of([(was, now)])
    reason = Reason(kind=CauseKind.SEQUENCE, base="16", head="48")
    assert reasons_of(was, now, scales)[0] == reason
    scores = [facts(weights=(), op="Softmax", output=(4, 2, size, size), inputs=()) for size in (16, 48)]
    assert reasons_of(scores[0], scores[1], scales)[0] == reason


def test_a_cause_may_have_several_reasons() -> None:
    was = facts()
    now = facts(weights=((5, 5, 8, 16), (16,)), output=(8, 8, 8, 16), inputs=((8, 8, 8, 8),))
    found = [reason.kind for reason in reasons_of(was, now, scales_of([(was, now)]))]
    assert found == [CauseKind.KERNEL, CauseKind.BATCH]


def test_sizes_that_are_not_known_tell_nothing() -> None:
    was, now = facts(weights=(None,), output=(-1, 8, 8, 16)), facts(weights=((3,),), output=(4, 8, 8, 16), backward=201)
    assert reasons_of(was, now, scales_of([(was, now)])) == (Reason(kind=CauseKind.UNKNOWN),)


def test_attributes_alone_are_told_and_unknown_ones_are_not() -> None:
    assert has_other_facts(facts(attrs=1), facts(attrs=2))
    assert not has_other_facts(facts(attrs=1), facts(attrs=None))
    assert reasons_of(facts(attrs=1), facts(attrs=2), Scales())[0].kind is CauseKind.ATTRIBUTES


@pytest.mark.parametrize("known", [facts(), facts(**DENSE), facts(weights=((-1, 8),), op="ResourceGather")])
def test_a_size_that_one_side_does_not_know_is_no_reason(known: Facts) -> None:
    """Each size of the first variable in turn is open, as one of a placeholder's shape may be."""
    for place in range(len(known.weights[0] or ())):
        sizes_of = list(known.weights[0] or ())
        sizes_of[place] = -1
        open_one = replace(known, weights=(tuple(sizes_of), *known.weights[1:]))
        for old, new in ((known, open_one), (open_one, known)):
            assert [each.kind for each in reasons_of(old, new, scales_of([(old, new)]))] == [CauseKind.UNKNOWN]


def test_sizes_of_a_table_may_be_null() -> None:
    """As in a report that another program wrote."""
    columns = dict.fromkeys(column for column in DIFF_LAYERS.names if column.startswith("head_"))
    row = {**columns, "head_weights": [[None, 3], None], "head_output_shape": [None], "head_op_input_shapes": [[None]]}
    found = Facts.of(row, "head")
    assert (found.weights, found.output, found.inputs) == (((-1, 3), None), (-1,), ((-1,),))
    assert sizes([None, -1, 3]) == "?x?x3"
