"""Programs that XLA compiled: what each instruction is, and its FLOPs, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from traces import instruction, program, read_case

from tfprof_report.ingest.xplane.programs import Programs, read_programs

PARAMETERS = [instruction("a", "parameter", 1, [8, 32]), instruction("b", "parameter", 2, [32, 10])]
DOT = {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0]}


def figures(*computations: list[dict[str, Any]]) -> dict[str, tuple[int | None, int | None]]:
    table = read_programs(["m(1)"], [program(*computations)]).instructions
    rows = table.select(["name", "float_ops", "macs"]).to_pylist()
    return {row["name"]: (row["float_ops"], row["macs"]) for row in rows}


def test_a_contraction_has_two_flops_per_multiply_add() -> None:
    dot = instruction("dot", "dot", 3, [8, 10], operand_ids=[1, 2], dot_dimension_numbers=DOT)
    assert figures([*PARAMETERS, dot])["dot"] == (2 * 8 * 10 * 32, 8 * 10 * 32)


def test_a_convolution_takes_its_kernel_without_the_features_that_it_makes() -> None:
    image, kernel = instruction("x", "parameter", 1, [2, 8, 8, 3]), instruction("w", "parameter", 2, [3, 3, 3, 16])
    numbers = {"kernel_input_feature_dimension": 2, "kernel_output_feature_dimension": 3}
    made = instruction(
        "conv", "convolution", 3, [2, 8, 8, 16], operand_ids=[1, 2], convolution_dimension_numbers=numbers
    )
    macs = 2 * 8 * 8 * 16 * 3 * 3 * 3
    assert figures([image, kernel, made])["conv"] == (2 * macs, macs)


@pytest.mark.parametrize(
    ("opcode", "flops"),
    [("add", 60), ("rsqrt", 120), ("clamp", 120), ("broadcast", 0), ("custom-call", None), ("unheard-of", None)],
)
def test_other_instructions_count_per_element(opcode: str, flops: int | None) -> None:
    macs = None if opcode == "custom-call" else 0
    assert figures([instruction("x", opcode, 1, [6, 10])])["x"] == (flops, macs)


def test_a_reduction_counts_what_it_takes_in() -> None:
    parts = [PARAMETERS[0], instruction("r", "reduce", 3, [8], operand_ids=[1], called_computation_ids=[2])]
    assert figures(parts, [instruction("s", "add", 9, [])])["r"] == (8 * 32 - 8, 0)


def test_a_fusion_does_what_is_in_it_and_a_loop_is_traced_itself() -> None:
    inner = [instruction("m", "multiply", 11, [5]), instruction("e", "exponential", 12, [5])]
    outer = [
        instruction("f", "fusion", 1, [5], called_computation_ids=[2]),
        instruction("call", "call", 2, [5], called_computation_ids=[3]),
        instruction("loop", "while", 3, [5], called_computation_ids=[2]),
    ]
    again = [instruction("g", "fusion", 21, [5], called_computation_ids=[2])]
    found = figures(outer, inner, again)
    assert [found[name] for name in ("f", "call", "loop", "g")] == [(10, 0), (10, 0), (0, 0), (10, 0)]


def loop(name: str, number: int, config: bytes, *, body: int, condition: int) -> dict[str, Any]:
    return instruction(name, "while", number, None, called_computation_ids=[body, condition], backend_config=config)


def trips(count: int) -> bytes:
    return b'{"known_init_step":{"init":"0","step":"1"},"known_trip_count":{"n":"%d"}}' % count


def repeats(*computations: list[dict[str, Any]]) -> dict[str, int | None]:
    table = read_programs(["m(1)"], [program(*computations)]).instructions
    return dict(zip(table["name"].to_pylist(), table["repeats"].to_pylist(), strict=True))


def test_what_a_loop_runs_is_executed_as_often_as_it_iterates() -> None:
    entry = [
        instruction("once", "add", 1, [2]),
        loop("outer", 2, trips(6), body=2, condition=3),
        instruction("branches", "conditional", 3, [2], called_computation_ids=[6]),
        loop("again", 4, trips(3), body=6, condition=7),
    ]
    body = [instruction("step", "add", 11, [2]), loop("inner", 12, trips(4), body=4, condition=5)]
    found = repeats(
        entry,
        body,
        [instruction("less", "compare", 21, [])],
        [instruction("innermost", "add", 31, [2])],
        [instruction("inner less", "compare", 41, [])],
        [instruction("shared", "add", 51, [2])],
        [instruction("last less", "compare", 61, [])],
    )
    assert found == {
        "once": 1,
        "outer": 1,
        "branches": 1,
        "again": 1,
        "step": 6,
        "inner": 6,
        "less": 7,
        "innermost": 24,
        "inner less": 6 * 5,
        "shared": 1 + 3,
        "last less": 4,
    }


@pytest.mark.parametrize("config", [b"", b"{}", b'{"known_trip_count":{}}', b"\xff\x00"])
def test_what_a_loop_runs_is_unknown_if_its_trip_count_is(config: bytes) -> None:
    body = [instruction("step", "add", 11, [2]), loop("inner", 12, trips(4), body=4, condition=3)]
    found = repeats(
        [instruction("once", "add", 1, [2]), loop("open", 2, config, body=2, condition=3)],
        body,
        [instruction("less", "compare", 21, [])],
        [instruction("innermost", "add", 31, [2])],
    )
    assert found == {"once": 1, "open": 1, "step": None, "inner": None, "less": None, "innermost": None}


@pytest.mark.filterwarnings("error")
def test_loops_that_never_end_or_call_themselves_are_unknown() -> None:
    levels = [[loop(f"l{each}", each, trips(10**14), body=each + 1, condition=99)] for each in range(1, 9)]
    found = repeats(*levels, [instruction("x", "add", 100, [2])])
    assert (found["l2"], found["x"]) == (10**14, None)
    assert repeats([loop("itself", 1, trips(2), body=1, condition=1)]) == {"itself": None}


def test_a_fusion_with_something_unknown_is_unknown() -> None:
    outer = [instruction("f", "fusion", 1, [5], called_computation_ids=[2])]
    assert figures(outer, [instruction("u", "unheard-of", 2, [5])])["f"] == (None, 0)
    assert figures(outer)["f"] == (None, None)


@pytest.mark.filterwarnings("error")
def test_sizes_beyond_all_numbers_are_unknown() -> None:
    sizes = [2**62] * 40
    dot = instruction("dot", "dot", 3, [2**62] * 2, operand_ids=[1, 1], dot_dimension_numbers=DOT)
    assert figures([instruction("x", "add", 1, sizes), dot]) == {"x": (None, 0), "dot": (None, None)}


def test_calls_that_go_round_end() -> None:
    outer = [instruction("f", "call", 1, [5], called_computation_ids=[1])]
    assert figures(outer)["f"] == (None, None)


def test_instructions_have_the_op_type_and_lines_that_they_are_from() -> None:
    metadata = {"op_name": "net/dot_general", "op_type": "MatMul", "source_file": "a.py", "source_line": 7}
    at_frame = instruction("y", "add", 2, None, metadata={"stack_frame_id": 2})
    made = program(
        [instruction("x", "add", 1, [2, 3], metadata=metadata), at_frame],
        stack_frame_index={
            "file_names": ["main.py", "net.py"],
            "function_names": ["main", "call"],
            "file_locations": [
                {"file_name_id": 1, "function_name_id": 1, "line": 3},
                {"file_name_id": 2, "function_name_id": 2, "line": 40},
            ],
            "stack_frames": [{"file_location_id": 1}, {"file_location_id": 2, "parent_frame_id": 1}],
        },
    )
    found = read_programs(["jit_f(5)"], [made])
    names = ["program", "name", "opcode", "op_name", "op_type", "source_file", "source_line", "frame", "dtype", "shape"]
    assert [list(row.values()) for row in found.instructions.select(names).to_pylist()] == [
        ["jit_f(5)", "x", "add", "net/dot_general", "MatMul", "a.py", 7, -1, 1, [2, 3]],
        ["jit_f(5)", "y", "add", "", "", "", 0, 1, 0, None],
    ]
    assert found.frames.to_pylist() == [
        {"file": "main.py", "line": 3, "function": "main", "parent": -1},
        {"file": "net.py", "line": 40, "function": "call", "parent": 0},
    ]


def test_numbers_that_point_nowhere_point_nowhere() -> None:
    numbers = {"operand_ids": [77, 78], "called_computation_ids": [9], "metadata": {"stack_frame_id": 5}}
    odd = instruction("x", "dot", 1, [2], **numbers)
    found = read_programs(["m(1)"], [program([odd])])
    assert found.instructions.select(["frame", "float_ops"]).to_pylist() == [{"frame": -1, "float_ops": None}]
    assert (found.calls.num_rows, found.operands.num_rows) == (0, 0)


def test_programs_that_cannot_be_read_are_named() -> None:
    found: Programs = read_programs(["good(1)", "bad(2)"], [program([instruction("x", "add", 1, [2])]), b"\x0a\xff"])
    assert found.unreadable == ("bad(2)",)
    assert found.instructions["program"].to_pylist() == ["good(1)"]


def test_the_contractions_of_a_recorded_step_have_their_shapes_and_sizes() -> None:
    """A batch of 128 through layers of 32, 64 and 10 features, and back but for the images."""
    ops = read_case("jax_train", is_graph=True).run.ops.to_pylist()
    assert {(tuple(row["shape"]), row["macs"]) for row in ops if row["macs"]} == {
        ((128, 64), 128 * 32 * 64),
        ((128, 10), 128 * 64 * 10),
        ((128, 64), 128 * 10 * 64),
        ((64, 10), 64 * 128 * 10),
        ((32, 64), 32 * 128 * 64),
    }
