from __future__ import annotations

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from messages import entry, graph, node, op_log, ran, run_meta, used
from queries import CPU, GPU, rows_of, table_of, text_of

from tfprof_report.model.values import Measure
from tfprof_report.options import SELECT, Options
from tfprof_report.render.tfprof.text import format_each, frame, option_block
from tfprof_report.semantics import CORRECTED, TFPROF


def measure(*values: int | None, divisor: int = 1) -> Measure:
    known = np.array([value is not None for value in values], dtype=bool)
    return Measure.of_nodes(np.array([value or 0 for value in values], dtype=np.int64), known, divisor=divisor)


@pytest.mark.parametrize(
    ("value", "count", "time", "memory"),
    [
        (0, "0", "0us", "0B"),
        (999, "999", "999us", "999B"),
        (1000, "1.00k", "1.00ms", "1.00KB"),
        (1005, "1.00k", "1.00ms", "1.00KB"),
        (999_995, "1000.00k", "1000.00ms", "1000.00KB"),
        (1_000_000, "1.00m", "1.00sec", "1.00MB"),
        (10**9, "1.00b", "1000.00sec", "1000.00MB"),
        (-5, "-5", "-5us", "-5B"),
        (-(2**63), "-9223372036854775808", "-9223372036854775808us", "-9223372036854775808B"),
        (2**63 - 1, "9223372036.85b", "9223372036854.78sec", "9223372036854.78MB"),
    ],
)
def test_numbers_are_scaled_in_the_native_tools_steps(value: int, count: str, time: str, memory: str) -> None:
    texts = [format_each(measure(value), kind).to_pylist() for kind in ("count", "time", "memory")]
    assert texts == [[count], [time], [memory]]


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.sampled_from(["count", "time", "memory"]))
def test_whole_numbers_are_scaled_as_the_reference_does(values: list[int], kind: str) -> None:
    assert format_each(measure(*values), kind).to_pylist() == [reference.scaled(value, kind) for value in values]


def test_a_fraction_has_two_decimals_and_an_unknown_number_is_a_question_mark() -> None:
    assert format_each(measure(7, 8, None, 4001, divisor=4), "time").to_pylist() == ["1.75us", "2us", "?", "1.00ms"]
    assert format_each(measure(7, 8, None, 4_000_000, divisor=4), "plain").to_pylist() == ["1.75", "2", "?", "1000000"]


def test_the_frame_is_the_native_one_with_all_options() -> None:
    options = Options(
        select=("params", "bytes", "params"), hide_name_regexes=("a", "b"), account_displayed_op_only=True
    )
    assert "".join(frame(options, ["body\n"])).split("\n") == [
        "",
        "=========================Options=============================",
        "-max_depth                  10",
        "-min_bytes                  0",
        "-min_peak_bytes             0",
        "-min_residual_bytes         0",
        "-min_output_bytes           0",
        "-min_micros                 0",
        "-min_accelerator_micros     0",
        "-min_cpu_micros             0",
        "-min_params                 0",
        "-min_float_ops              0",
        "-min_occurrence             0",
        "-step                       -1",
        "-order_by                   name",
        "-account_type_regexes       .*",
        "-start_name_regexes         .*",
        "-trim_name_regexes          ",
        "-show_name_regexes          .*",
        "-hide_name_regexes          a,b",
        "-account_displayed_op_only  true",
        "-select                     bytes,params",
        "-output                     stdout:",
        "",
        "==================Model Analysis Report======================",
        "body",
        "",
        "======================End of Report==========================",
        "",
    ]
    assert option_block(Options(), "file:outfile=x").endswith("-output                     file:outfile=x\n")


def test_documentation_lines_are_in_the_order_of_the_words_and_unknown_words_are_named() -> None:
    text = text_of(table_of(graph()), "scope", TFPROF, select=("zzz", "device", "bytes"))
    assert text == (
        "\nDoc:\n"
        "scope: The nodes in the model graph are organized by their names, which is hierarchical like filesystem.\n"
        "requested bytes: The memory requested by the operation, accumulatively.\n"
        "device: which device is placed on.\n"
        "Unknown select: zzz\n"
        "\nProfile:\n"
        "node name | requested bytes | assigned devices\n"
        "_TFProfRoot (--/0B)\n"
    )
    assert text_of(table_of(graph()), "op", CORRECTED, select=()).endswith("together.\n\n\nProfile:\nnode name | \n")


def test_a_missing_stream_is_reported_before_all_else() -> None:
    text = text_of(table_of(graph(), run_meta({GPU: []})), "op", TFPROF)
    assert text.startswith("\n\nFound accelerator operation but misses accelerator stream stats!\n\nIt's likely a gpu ")


def test_cells_of_op_view_are_padded_in_bytes_and_longer_ones_are_not_cut() -> None:
    table = table_of(
        graph(node("a", "Opéé"), node("b", "O" * 30)),
        run_meta({CPU: [ran("a", micros=3, memory=[used("cpu", total=7)]), ran("b", micros=1)]}),
    )
    lines = text_of(table, "op", TFPROF, select=("bytes", "occurrence")).split("\n")[-3:]
    assert lines == [
        "O" * 30 + f"{'0B (0.00%, 0.00%)':>30},        1|1",
        "Opéé" + " " * 19 + f"{'7B (100.00%, 100.00%)':>30},        1|1",
        "",
    ]


def test_every_column_of_a_scope_row_is_in_the_order_of_the_header() -> None:
    table = table_of(
        graph(node("x", "Const", output_shapes=[[2, -1], []]), node("v", "VariableV2", "x", "x:1", "y", shape=[3, 4])),
        run_meta({CPU: [ran("v", micros=1500, memory=[used("cpu", total=10, peak=8, live=6)], outputs=[(2, 4)])]}),
        op_log=op_log(entry("v", float_ops=21, types=["mine"])),
    )
    assert rows_of(table, "scope", TFPROF, select=SELECT)[1] == (
        "  v (3x4, 12/12 params, 21/21 flops, 0/0 macs, 10B/10B, 8B/8B, 6B/6B, 4B/4B, 1.50ms/1.50ms, "
        "0us/0us, 1.50ms/1.50ms, /device:cpu:0, /device:cpu:0|VariableV2|mine, 1/1|1/1, 0:2x-1|1:2x-1|2:unknown)"
    )
    assert rows_of(table, "scope", CORRECTED, select=("input_shapes", "device"))[1] == (
        "  v (/device:cpu:0, 0:2x-1|1:1|2:unknown)"
    )


def test_signatures_of_an_op_are_below_it_the_most_frequent_first() -> None:
    table = table_of(
        graph(
            node("x", "Const", output_shapes=[[2]]),
            node("a", "Mul", "x"),
            node("b", "Mul", "x", "x"),
            node("c", "Mul", "x", "x"),
            node("d", "Mul", "nothing"),
        ),
        run_meta({CPU: [ran("a", micros=2), ran("b", micros=3), ran("c", micros=4)]}),
    )
    assert text_of(table, "op", TFPROF, select=("input_shapes",)).partition("input shapes\n")[2] == (
        "Const                    \n\ninput_type: \t(run*0|defined*1)\texec_time: 0us\n\n"
        "Mul                      \n"
        "\ninput_type: 0:2,\t1:2\t(run*2|defined*2)\texec_time: 7us"
        "\ninput_type: 0:2\t(run*1|defined*1)\texec_time: 2us"
        "\ninput_type: 0:unknown\t(run*0|defined*1)\texec_time: 0us\n\n"
    )
