from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from messages import entry, graph, inputs_of, node, op_log, ran, run_meta, used
from queries import CPU, GPU, STREAM, rows_of, table_of, text_of

from tfprof_report.errors import OptionError
from tfprof_report.model.build_table import build_node_table
from tfprof_report.options import Options
from tfprof_report.semantics import CORRECTED, PRESETS, TFPROF, Semantics, preset_name
from tfprof_report.views.query import check_options, missing_step, missing_traces

Observe = Callable[[Semantics], Any]

TWO_STEPS = table_of(
    graph(node("a", "A"), node("b", "B")),
    run_meta({CPU: [ran("a", micros=3, memory=[used("cpu", live=-10)])]}),
    run_meta({CPU: [ran("a", micros=4), ran("b", micros=5)]}),
)
NANOSECONDS = table_of(
    graph(node("a", "A"), node("b", "B")), run_meta({CPU: [ran("a", micros=2, nanos=1500), ran("b", nanos=300)]})
)
SHARED_INPUTS = graph(
    node("a", "Split", output_shapes=[[4, 6], [2]]), node("b", "Add", "a:1", "^a", output_shapes=[[4, 6]])
)
LOGGED = table_of(
    graph(node("s", "Scope"), node("s/w", "Mul")), op_log=op_log(entry("s", float_ops=7), entry("s/w", float_ops=5))
)
MEMORY = table_of(
    graph(node("x", "A"), node("y", "B")),
    run_meta({CPU: [ran("x", memory=[used("cpu", total=-100)]), ran("y", memory=[used("cpu", total=100)])]}),
)
MANY_SIZES = table_of(
    graph(node("a", "A"), node("b", "B"), node("c", "C")),
    run_meta(
        {
            CPU: [
                *(ran("a", memory=[used("cpu", total=total, peak=peak)]) for total, peak in ((2, 3), (3, 4))),
                ran("b"),
                ran("c", memory=[used("cpu", total=-8, peak=-4)]),
            ]
        }
    ),
)
IDLE_ROW = table_of(graph(node("x", "A"), node("y", "B")), run_meta({CPU: [ran("y", memory=[used("cpu", total=7)])]}))
SHAPES = table_of(
    graph(
        node("p", "Placeholder", shape=[2, 3]),
        node("v", "VariableV2", shape=[4, 5]),
        node("w", "VariableV2", shape=[-1, 5]),
    )
)
KERNELS = table_of(
    graph(node("k", "Mul")), run_meta({STREAM: [ran("k", micros=9)]}), op_log=op_log(entry("k", float_ops=8))
)
TWO_DEVICES = table_of(graph(node("a", "A")), run_meta({CPU: [ran("a", micros=2)], GPU: [ran("a", micros=5)]}))
THREE_RUNS = table_of(
    graph(node("a", "Mul"), node("b", "Mul")),
    run_meta({CPU: [ran("a"), ran("a"), ran("a")]}),
    op_log=op_log(entry("a", float_ops=10)),
)
NEGATIVE = table_of(graph(node("a", "L2Loss"), node("b", "Mul")), op_log=op_log(entry("a", float_ops=-1)))


def of_columns(table: Any, view: str, **options: Any) -> Observe:
    return lambda semantics: rows_of(table, view, semantics, **options)


def as_recorded(observe: Observe) -> Observe:
    """Return what to look at with negative bytes added, which are unknown otherwise."""
    return lambda semantics: observe(dataclasses.replace(semantics, memory_is_a_plain_sum=True))


def refusal(question: Callable[[Semantics], object]) -> Observe:
    def observe(semantics: Semantics) -> object:
        try:
            return question(semantics)
        except OptionError as error:
            return f"exit {error.exit_code:d}: {error}"

    return observe


def times_doc(semantics: Semantics) -> int:
    return text_of(TWO_STEPS, "op", semantics, select=("cpu_micros", "micros")).count("\ncpu execution time: ")


BAD_WORD = '--order-by: "sise" is not known; choose from '
BAD_REGEX = '"(" is not a valid regex: missing ); use RE2 syntax, which has no look-around and no back references'
WORDS = (
    "accelerator_micros, bytes, cpu_micros, float_ops, macs, micros, name, occurrence, output_bytes, params, "
    "peak_bytes, residual_bytes"
)

A_FUNCTION = graph(
    node("a", "Placeholder", _user_specified_name="a"), node("dead", "Neg", "a"), node("Identity", "Identity", "a")
)

NO_TRACES = (
    "code view needs call stacks, and the op log has none; write the op log with traces (write_op_log, "
    "add_trace=True) and give it as --op-log"
)

CASES: dict[str, tuple[Observe, Any, Any]] = {
    "whole_micros": (
        of_columns(NANOSECONDS, "scope", select=("cpu_micros",)),
        ["_TFProfRoot (--/1.80us)", "  a (1.50us/1.50us)", "  b (0.30us/0.30us)"],
        ["_TFProfRoot (--/3us)", "  a (2us/2us)", "  b (1us/1us)"],
    ),
    "ignore_output_index": (
        of_columns(table_of(graph(SHARED_INPUTS.node[0], node("b", "Add", "a:1"))), "scope", select=("input_shapes",)),
        ["_TFProfRoot ()", "  a ()", "  b (0:2)"],
        ["_TFProfRoot ()", "  a ()", "  b (0:4x6)"],
    ),
    "show_control_inputs": (
        of_columns(
            table_of(graph(SHARED_INPUTS.node[0], node("b", "A", "a", "^a"))), "scope", select=("input_shapes",)
        ),
        ["_TFProfRoot ()", "  a ()", "  b (0:4x6)"],
        ["_TFProfRoot ()", "  a ()", "  b (0:4x6|1:4x6)"],
    ),
    "count_unaccounted_scopes": (
        of_columns(LOGGED, "scope", select=("float_ops",), account_type_regexes=("Mul",)),
        ["_TFProfRoot (--/5 flops)", "  s (--/5 flops)", "    s/w (5/5 flops)"],
        ["_TFProfRoot (--/12 flops)", "  s (--/12 flops)", "    s/w (5/5 flops)"],
    ),
    "count_node_per_pattern": (
        of_columns(LOGGED, "op", select=("float_ops", "occurrence"), account_type_regexes=("Mul", "M.*")),
        ["Mul 5 float_ops (100.00%, 100.00%), ?|1"],
        ["Mul 10 float_ops (100.00%, 100.00%), 0|1"],
    ),
    "op_minimum_is_cumulative": (
        of_columns(LOGGED, "op", select=("float_ops",), min_float_ops=6),
        ["Scope 7 float_ops (58.33%, 58.33%)"],
        ["Mul 5 float_ops (100.00%, 41.67%)", "Scope 7 float_ops (58.33%, 58.33%)"],
    ),
    "count_scopes_as_definitions": (
        of_columns(table_of(graph(node("s/w", "A"))), "scope", select=("occurrence",), account_displayed_op_only=True),
        ["_TFProfRoot (--/?|--/1)", "  s (0/?|0/1)", "    s/w (?/?|1/1)"],
        ["_TFProfRoot (--/0|--/3)", "  s (0/0|1/2)", "    s/w (0/0|1/1)"],
    ),
    "any_shape_is_params": (
        of_columns(SHAPES, "scope", select=("params",)),
        [
            "_TFProfRoot (--/at least 20 params)",
            "  p (2x3, 0/0 params)",
            "  v (4x5, 20/20 params)",
            "  w (-1x5, ?/? params)",
        ],
        ["_TFProfRoot (--/26 params)", "  p (2x3, 6/6 params)", "  v (4x5, 20/20 params)", "  w (-1x5, 0/0 params)"],
    ),
    "average_over_own_steps": (
        of_columns(TWO_STEPS, "scope", select=("cpu_micros",)),
        ["_TFProfRoot (--/6us)", "  a (3.50us/3.50us)", "  b (2.50us/2.50us)"],
        ["_TFProfRoot (--/8us)", "  a (3us/3us)", "  b (5us/5us)"],
    ),
    "memory_is_a_plain_sum": (
        of_columns(MANY_SIZES, "scope", select=("bytes", "peak_bytes")),
        ["_TFProfRoot (--/at least 5B, --/at least 4B)", "  a (5B/5B, 4B/4B)", "  b (?/?, ?/?)", "  c (?/?, ?/?)"],
        ["_TFProfRoot (--/-3B, --/3B)", "  a (5B/5B, 7B/7B)", "  b (0B/0B, 0B/0B)"],
    ),
    "wrap_negative_average": (
        as_recorded(of_columns(TWO_STEPS, "scope", select=("residual_bytes",))),
        ["_TFProfRoot (--/-5B)", "  a (-5B/-5B)", "  b (0B/0B)"],
        ["_TFProfRoot (--/9223372036854.78MB)", "  a (9223372036854.78MB/9223372036854.78MB)", "  b (0B/0B)"],
    ),
    "hide_negative_values": (
        of_columns(NEGATIVE, "scope", select=("float_ops",)),
        ["_TFProfRoot (--/at least -1 flops)", "  a (-1/-1 flops)", "  b (?/? flops)"],
        ["_TFProfRoot (--/-1 flops)", "  b (0/0 flops)"],
    ),
    "stream_only_has_no_float_ops": (
        of_columns(KERNELS, "scope", select=("float_ops", "accelerator_micros", "occurrence")),
        ["_TFProfRoot (--/8 flops, --/9us, --/1|--/1)", "  k (8/8 flops, 9us/9us, 1/1|1/1)"],
        ["_TFProfRoot (--/0 flops, --/9us, --/0|--/1)", "  k (0/0 flops, 9us/9us, 0/0|1/1)"],
    ),
    "first_device_wins": (
        of_columns(TWO_DEVICES, "scope", select=("cpu_micros", "device")),
        ["_TFProfRoot (--/7us)", "  a (7us/7us, /device:cpu:0|/device:gpu:0)"],
        ["_TFProfRoot (--/2us)", "  a (2us/2us, /device:cpu:0)"],
    ),
    "repeat_time_doc_lines": (times_doc, 1, 2),
    "root_row_for_empty_op_view": (
        lambda semantics: text_of(table_of(graph()), "op", semantics, select=("occurrence",)).splitlines()[6:],
        ["node name | op occurrence (run|defined)"],
        ["_TFProfRoot                     0|0"],
    ),
    "nan_percentages": (
        as_recorded(of_columns(MEMORY, "op", select=("bytes",))),
        ["A -100B (0.00%, 0.00%)", "B 100B (0.00%, 0.00%)"],
        ["A -100B (0.00%, 0.00%)", "B 100B (inf%, inf%)"],
    ),
    "bad_regex_matches_nothing": (
        refusal(lambda semantics: check_options(Options(show_name_regexes=("(",)), semantics)),
        f"exit 2: --show-name-regexes: {BAD_REGEX}",
        (f"--show-name-regexes: {BAD_REGEX}; it matches nothing",),
    ),
    "missing_lists_match_nothing": (
        lambda semantics: Options.from_mapping({}, semantics).show_name_regexes,
        (".*",),
        (),
    ),
    "accept_unknown_attributes": (
        refusal(lambda semantics: check_options(Options(order_by="sise"), semantics)),
        f"exit 2: {BAD_WORD}{WORDS}",
        (f"{BAD_WORD}{WORDS}",),
    ),
    "zero_memory_has_zero_share": (
        of_columns(IDLE_ROW, "op", select=("bytes",)),
        ["A 0B (100.00%, 0.00%)", "B 7B (100.00%, 100.00%)"],
        ["A 0B (0.00%, 0.00%)", "B 7B (100.00%, 100.00%)"],
    ),
    "float_ops_times_runs": (
        of_columns(THREE_RUNS, "scope", select=("float_ops",)),
        ["_TFProfRoot (--/at least 10 flops)", "  a (10/10 flops)", "  b (?/? flops)"],
        ["_TFProfRoot (--/30 flops)", "  a (30/30 flops)", "  b (0/0 flops)"],
    ),
    "missing_step_is_empty": (
        refusal(lambda semantics: missing_step(Options(step=3), (0, 7), semantics)),
        "exit 2: --step: there is no step 3; available: 0, 7",
        "Options -step=3 not found.\nAvailable steps: 0 7 ",
    ),
    "missing_traces_are_empty": (
        refusal(lambda semantics: missing_traces("code", NEGATIVE, semantics)),
        f"exit 2: {NO_TRACES}",
        "No code trace information",
    ),
    "count_what_never_runs": (
        lambda semantics: (
            build_node_table(inputs_of(A_FUNCTION), semantics=semantics).column("multiplicity").to_pylist()
        ),
        [1, 0, 1],
        [1, 1, 1],
    ),
    "unknown_is_zero": (
        of_columns(table_of(graph(node("a", "Mul"))), "op", select=("float_ops", "bytes", "occurrence")),
        ["Mul ? (?%, ?%), ? float_ops (?%, ?%), ?|1"],
        ["Mul 0B (0.00%, 0.00%), 0 float_ops (0.00%, 0.00%), 0|1"],
    ),
}
"""Per switch what to look at, and what it says under `CORRECTED` and under `TFPROF`, both worked out by hand."""

ELSEWHERE = {
    *("merge_frames_by_name", "drop_nodes_without_trace"),  # code view
    *("graph_doc_talks_of_scopes", "drop_cycles"),  # graph view
    *("advise_own_time_of_scopes", "one_fused_batch_norm", "ignore_checker_options", "utilization_mixes_steps"),
    "trust_clocks",  # timeline and advise
    *("drop_simultaneous_executions", "omit_inner_frames", "refused_output_is_empty"),  # timeline, pprof, outputs
    *("batch_matmul_ignores_adj_x", "add_n_counts_control_inputs", "refuse_channels_first"),  # FLOPs
    "gradients_divide_by_strides",  # FLOPs
    *("l2_loss_of_nothing_is_negative", "absent_run_shape_is_scalar", "run_metadata_silences_skipped"),
    "fused_nodes_have_no_runs",  # executions of nodes inside kernels
    *("late_definitions_are_lost", "profile_forgets_missing_stream", "few_tensor_types"),  # other inputs
    "count_nameless",  # the join
    *("added_step_replaces_op_log", "added_step_keeps_shapes", "views_are_built_once"),  # profile()
}
"""Switches of other stages than scope and op view: the tests of those stages flip them."""


def with_one(semantics: Semantics, switch: str, *, native: bool) -> Semantics:
    return dataclasses.replace(semantics, **{switch: native})


def test_every_switch_has_a_case_here_or_elsewhere() -> None:
    assert {field.name for field in dataclasses.fields(Semantics)} == set(CASES) | ELSEWHERE
    assert not ELSEWHERE & set(CASES)


@pytest.mark.parametrize("switch", CASES)
def test_corrected_shows_what_a_user_means_and_tfprof_what_the_native_tool_does(switch: str) -> None:
    observe, corrected, native = CASES[switch]
    assert observe(CORRECTED) == corrected
    assert observe(TFPROF) == native


@pytest.mark.parametrize("switch", CASES)
def test_no_switch_can_flip_unseen(switch: str) -> None:
    observe, corrected, native = CASES[switch]
    assert observe(with_one(CORRECTED, switch, native=True)) != corrected
    assert observe(with_one(TFPROF, switch, native=False)) != native


def test_a_preset_has_a_name_and_any_other_mix_is_custom() -> None:
    assert PRESETS == {"tfprof": TFPROF, "corrected": CORRECTED}
    assert [preset_name(each) for each in (TFPROF, CORRECTED)] == ["tfprof", "corrected"]
    assert preset_name(with_one(TFPROF, "nan_percentages", native=False)) == "custom"
