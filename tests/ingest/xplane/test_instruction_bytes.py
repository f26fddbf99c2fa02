"""Bytes of HLO instructions, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.xplane.programs import read_programs

PRED, S4, BF16, F32, C128, TUPLE, TOKEN, OPAQUE = 1, 21, 16, 11, 18, 13, 17, 14


def instruction(
    number: int, opcode: str, kind: int, shape: list[int], *operands: int, calls: tuple[int, ...] = ()
) -> Any:
    made = message_class("columns.HloInstruction")(
        name=f"i{number}", opcode=opcode, id=number, operand_ids=operands, called_computation_ids=calls
    )
    made.shape.element_type = kind
    made.shape.dimensions.extend(shape)
    return made


def moved(*computations: list[Any]) -> list[int | None]:
    proto = message_class("columns.HloProto")()
    for number, instructions in enumerate(computations):
        proto.hlo_module.computations.add(name=f"c{number}", id=number, instructions=instructions)
    return read_programs(["main(1)"], [proto.SerializeToString()]).instructions["moved_bytes"].to_pylist()


@pytest.mark.parametrize(
    ("kind", "size"), [(PRED, 15), (S4, 8), (BF16, 30), (F32, 60), (C128, 240), (TOKEN, 0), (OPAQUE, None), (99, None)]
)
def test_results_are_as_large_as_their_elements(kind: int, size: int | None) -> None:
    assert moved([instruction(0, "iota", kind, [3, 5])]) == [size]


def test_operands_count_once_each_and_with_the_result() -> None:
    parameters = [instruction(0, "parameter", F32, [3, 5]), instruction(1, "parameter", BF16, [3, 5])]
    assert moved([*parameters, instruction(2, "add", F32, [3, 5], 0, 1)]) == [0, 0, 60 + 30 + 60]
    assert moved([*parameters, instruction(2, "multiply", F32, [3, 5], 0, 0)])[2] == 120


def test_tuples_add_up() -> None:
    made = instruction(1, "sort", TUPLE, [], 0)
    for kind in (F32, PRED):
        made.shape.tuple_shapes.add(element_type=kind, dimensions=[15])
    assert moved([instruction(0, "parameter", F32, [15]), made])[1] == 60 + 60 + 15
    made.shape.tuple_shapes.add(element_type=OPAQUE)
    assert moved([instruction(0, "parameter", F32, [15]), made])[1] is None


@pytest.mark.parametrize("opcode", ["parameter", "constant", "bitcast", "tuple", "get-tuple-element", "while"])
def test_what_hands_on_a_buffer_moves_nothing(opcode: str) -> None:
    assert moved([instruction(0, opcode, OPAQUE, [3])]) == [0]


@pytest.mark.parametrize("opcode", ["dynamic-slice", "gather", "dynamic-update-slice", "custom-call", "all-reduce"])
def test_what_moves_a_part_or_for_others_is_unknown(opcode: str) -> None:
    assert moved([instruction(0, opcode, F32, [3])]) == [None]


def test_an_operand_that_is_not_there_is_unknown() -> None:
    assert moved([instruction(0, "negate", F32, [3], 7)]) == [None]


def test_a_fusion_moves_what_it_takes_and_gives() -> None:
    inner = [instruction(0, "parameter", F32, [8]), instruction(1, "tanh", F32, [8], 0)]
    parameter = instruction(2, "parameter", F32, [8])
    assert moved(inner, [parameter, instruction(3, "fusion", F32, [8], 2, calls=(0,))])[3] == 64
    part = [instruction(0, "parameter", F32, [8]), instruction(1, "dynamic-slice", F32, [2], 0)]
    assert moved(part, [parameter, instruction(3, "fusion", F32, [2], 2, calls=(0,))])[3] is None
