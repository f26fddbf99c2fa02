"""FLOPs of HLO instructions, worked out by hand or as the extended rules count the same op of TensorFlow."""

from __future__ import annotations

from typing import Any

import pytest
from counted import figures

from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.xplane.instruction_flops import AS_TENSORFLOW
from tfprof_report.ingest.xplane.programs import read_programs

F32, PRED = 11, 1


def instruction(number: int, opcode: str, shape: list[int], *operands: int, **fields: Any) -> Any:
    made = message_class("columns.HloInstruction")(name=f"i{number}", opcode=opcode, id=number, operand_ids=operands)
    made.shape.element_type = F32
    made.shape.dimensions.extend(shape)
    for name, value in fields.items():
        if isinstance(value, dict):
            for inner, numbers in value.items():
                field = getattr(getattr(made, name), inner)
                if isinstance(numbers, list):
                    field.extend(numbers)
                else:
                    setattr(getattr(made, name), inner, numbers)
        else:
            getattr(made, name).extend(value)
    return made


def counted(*computations: list[Any]) -> list[tuple[int | None, int | None]]:
    """Return FLOPs and multiply-adds of the instructions of all computations, which have the ids 0, 1, 2 ..."""
    proto = message_class("columns.HloProto")()
    for number, instructions in enumerate(computations):
        proto.hlo_module.computations.add(name=f"c{number}", id=number, instructions=instructions)
    rows = read_programs(["main(1)"], [proto.SerializeToString()]).instructions.to_pylist()
    return [(row["float_ops"], row["macs"]) for row in rows]


@pytest.mark.parametrize("opcode", AS_TENSORFLOW)
def test_ops_on_each_element_count_as_in_tensorflow(opcode: str) -> None:
    found = counted([instruction(0, opcode, [3, 5])])
    assert found[0] == (figures(AS_TENSORFLOW[opcode], [3, 5], [3, 5], [3, 5], out=[3, 5])[0], 0)


@pytest.mark.parametrize("opcode", ["parameter", "broadcast", "transpose", "copy", "select", "gather", "while"])
def test_what_moves_data_has_none(opcode: str) -> None:
    assert counted([instruction(0, opcode, [3, 5])]) == [(0, 0)]


@pytest.mark.parametrize("opcode", ["sort", "rng", "fft", "scatter", "something-new"])
def test_others_are_unknown(opcode: str) -> None:
    assert counted([instruction(0, opcode, [3, 5])]) == [(None, 0)]


def test_a_custom_call_may_contract() -> None:
    assert counted([instruction(0, "custom-call", [3, 5])]) == [(None, None)]


def test_a_dot_contracts_dimensions_of_its_first_operand() -> None:
    numbers = {"lhs_contracting_dimensions": [2], "rhs_contracting_dimensions": [1]}
    parameters = [instruction(0, "parameter", [7, 3, 4]), instruction(1, "parameter", [7, 4, 5])]
    dot = instruction(2, "dot", [7, 3, 5], 0, 1, dot_dimension_numbers=numbers)
    assert counted([*parameters, dot])[2] == (2 * 7 * 3 * 5 * 4, 7 * 3 * 5 * 4)
    two = instruction(2, "dot", [5], 0, 1, dot_dimension_numbers={"lhs_contracting_dimensions": [0, 1, 2]})
    assert counted([*parameters, two])[2] == (2 * 5 * 84, 5 * 84)


def test_a_dot_without_known_operands_is_unknown() -> None:
    numbers = {"lhs_contracting_dimensions": [3]}
    gone = instruction(2, "dot", [3, 5], 8, 9, dot_dimension_numbers={"lhs_contracting_dimensions": [0]})
    beyond = instruction(2, "dot", [3, 5], 0, 0, dot_dimension_numbers=numbers)
    assert counted([gone]) == [(None, None)]
    assert counted([instruction(0, "parameter", [7, 3]), beyond])[1] == (None, None)


def test_a_convolution_counts_its_kernel_per_output_feature() -> None:
    numbers = {"kernel_input_feature_dimension": 2, "kernel_output_feature_dimension": 3}
    parameters = [instruction(0, "parameter", [8, 12, 12, 4]), instruction(1, "parameter", [3, 3, 2, 6])]
    made = instruction(2, "convolution", [8, 10, 10, 6], 0, 1, convolution_dimension_numbers=numbers)
    macs = 8 * 10 * 10 * 6 * 3 * 3 * 2  # two groups: a kernel takes half of the input's features
    assert counted([*parameters, made])[2] == (2 * macs, macs)


def test_reductions_take_in_all_but_what_they_give() -> None:
    parameter = instruction(0, "parameter", [6, 8])
    assert counted([parameter, instruction(1, "reduce", [6], 0)])[1] == (42, 0)
    window = instruction(1, "reduce-window", [3, 4], 0)
    for _ in range(2):
        window.window.dimensions.add(size=2)
    assert counted([parameter, window])[1] == (48, 0)


def test_a_fusion_has_the_figures_of_what_it_fuses() -> None:
    numbers = {"lhs_contracting_dimensions": [1]}
    inner = [
        instruction(0, "parameter", [3, 4]),
        instruction(1, "dot", [3, 5], 0, 0, dot_dimension_numbers=numbers),
        instruction(2, "add", [3, 5], 1, 1),
    ]
    nested = [instruction(3, "fusion", [3, 5], called_computation_ids=[0]), instruction(4, "tanh", [3, 5], 3)]
    top = [instruction(5, "fusion", [3, 5], called_computation_ids=[1])]
    found = counted(inner, nested, top)
    assert found[3] == (2 * 60 + 15, 60)
    assert found[5] == (2 * 60 + 15 + 15, 60)


def test_one_unknown_part_makes_a_fusion_unknown() -> None:
    inner = [instruction(0, "sort", [3]), instruction(1, "add", [3], 0, 0)]
    assert counted(inner, [instruction(2, "fusion", [3], called_computation_ids=[0])])[2] == (None, 0)
    assert counted([instruction(2, "fusion", [3], called_computation_ids=[7])]) == [(None, None)]


def test_what_is_called_for_each_element_is_not_counted_once_more() -> None:
    reduces = [instruction(1, "parameter", [9]), instruction(2, "reduce", [], 1, called_computation_ids=[0])]
    assert counted([instruction(0, "add", [])], reduces)[2] == (8, 0)


def test_a_program_that_cannot_be_decoded_is_named() -> None:
    found = read_programs(["bad(1)", "good(2)"], [b"\x0a\xff", message_class("columns.HloProto")().SerializeToString()])
    assert found.unreadable == ("bad(1)",)
    assert found.instructions.num_rows == 0
