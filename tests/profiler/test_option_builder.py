from __future__ import annotations

from typing import Any

import pytest

from tfprof_report.profiler import ProfileOptionBuilder

PLAIN: dict[str, Any] = {
    "max_depth": 100,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}
PRESET = PLAIN | {"max_depth": 10000, "account_displayed_op_only": True}


def test_the_sets_are_those_of_tensorflow() -> None:
    assert ProfileOptionBuilder().build() == PLAIN
    params = {"account_type_regexes": ["_trainable_variables"], "select": ["params"]}
    assert ProfileOptionBuilder.trainable_variables_parameter() == PRESET | params
    float_ops = {"min_float_ops": 1, "order_by": "float_ops", "select": ["float_ops"]}
    assert ProfileOptionBuilder.float_operation() == PRESET | float_ops


def test_time_and_memory_takes_seven_minimums_in_tensorflows_order() -> None:
    names = ("micros", "bytes", "accelerator_micros", "cpu_micros", "peak_bytes", "residual_bytes", "output_bytes")
    both = {"order_by": "micros", "select": ["micros", "bytes"]}
    minimums = {f"min_{name}": number for number, name in enumerate(names, start=2)}
    assert ProfileOptionBuilder.time_and_memory(*range(2, 9)) == PRESET | both | minimums
    default = {**dict.fromkeys(minimums, 0), "min_micros": 1, "min_bytes": 1}
    assert ProfileOptionBuilder.time_and_memory() == PRESET | both | default


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        ("with_max_depth", (3,), {"max_depth": 3}),
        (
            "with_min_memory",
            (1, 2, 3, 4),
            {"min_bytes": 1, "min_peak_bytes": 2, "min_residual_bytes": 3, "min_output_bytes": 4},
        ),
        (
            "with_min_memory",
            (),
            {"min_bytes": 0, "min_peak_bytes": 0, "min_residual_bytes": 0, "min_output_bytes": 0},
        ),
        ("with_min_execution_time", (1, 2, 3), {"min_micros": 1, "min_accelerator_micros": 2, "min_cpu_micros": 3}),
        ("with_min_parameters", (5,), {"min_params": 5}),
        ("with_min_occurrence", (5,), {"min_occurrence": 5}),
        ("with_min_float_operations", (5,), {"min_float_ops": 5}),
        ("with_accounted_types", (["MatMul"],), {"account_type_regexes": ["MatMul"]}),
        ("with_node_names", (["a"], None, ["b"]), {"start_name_regexes": ["a"], "hide_name_regexes": ["b"]}),
        ("account_displayed_op_only", (True,), {"account_displayed_op_only": True}),
        ("with_empty_output", (), {"output": "none"}),
        ("with_file_output", ("f",), {"output": "file:outfile=f"}),
        ("with_timeline_output", ("f",), {"output": "timeline:outfile=f"}),
        ("with_pprof_output", ("f",), {"output": "pprof:outfile=f"}),
        ("order_by", ("bytes",), {"order_by": "bytes"}),
        ("select", (["params"],), {"select": ["params"]}),
        ("with_step", (7,), {"step": 7}),
    ],
)
def test_a_method_sets_its_keys_and_returns_the_builder(
    method: str, arguments: tuple[Any, ...], expected: dict[str, Any]
) -> None:
    builder = ProfileOptionBuilder()
    assert getattr(builder, method)(*arguments) is builder
    assert builder.build() == PLAIN | expected


def test_a_given_dict_is_copied_and_so_is_what_is_built() -> None:
    given = {"select": ["bytes"], "mine": 1}
    builder = ProfileOptionBuilder(given).with_stdout_output()
    built = builder.build()
    built["select"].append("micros")
    assert given == {"select": ["bytes"], "mine": 1}
    assert builder.build() == {"select": ["bytes"], "mine": 1, "output": "stdout"}
