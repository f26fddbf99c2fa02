from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from messages import entry, graph, node, op_log, ran, run_meta
from queries import CPU, GPU, STREAM, table_of

from tfprof_report.model.node_table import NodeTable
from tfprof_report.render.tfprof.advise_text import advise_text
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics
from tfprof_report.views.advice.checkers import advise
from tfprof_report.views.advice.findings import Checker, CheckerOptions

NODES = graph(
    node("s/a", "Slow"),
    node("s/b", "Slower"),
    node("bn/BatchNorm", "Mul"),
    node("c", "Conv2D", data_format="NHWC"),
)
STRINGS = {1: "dir/main.py", 2: "main", 3: "layer"}
MODEL = table_of(
    NODES,
    run_meta(
        {
            CPU: [
                ran("s/a", start=100, micros=3000),
                ran("s/b", start=100, micros=8000),
                ran("bn/BatchNorm", start=100, micros=900),
            ],
            GPU: [ran("c", start=100, micros=20)],
            STREAM: [ran("c", start=200, micros=300)],
        }
    ),
    op_log=op_log(
        entry("s/a", traces=[(1, 1, 2), (4, 1, 2), (5, 1, 3)]),
        entry("s/b", traces=[(1, 1, 2), (4, 1, 2), (6, 1, 3)]),
        entry("bn/BatchNorm", traces=[(1, 1, 2), (4, 1, 2), (7, 1, 3)]),
        strings=STRINGS,
    ),
)
TWO_STEPS = table_of(
    graph(node("a", "A"), node("b", "B")),
    run_meta({GPU: [ran("a", start=100, micros=10)], STREAM: [ran("a", start=100, micros=10)]}),
    run_meta({GPU: [ran("b", start=90_000, micros=10)], STREAM: [ran("b", start=90_000, micros=10)]}),
)


def lines(
    table: NodeTable, checker: Checker, semantics: Semantics = CORRECTED, options: CheckerOptions | None = None
) -> list[str]:
    return "".join(advise_text(advise(table, [checker], semantics, options=options))).split("\n")[2:-1]


def fused(op: str, semantics: Semantics) -> list[str]:
    return lines(table_of(graph(node("BatchNorm", op))), Checker.OPERATION, semantics)


BATCH_NORM = "Maybe use faster FusedBatchNorm instead of BatchNorm"

SWITCHES: dict[str, tuple[Callable[[Semantics], list[str]], list[str], list[str]]] = {
    "advise_own_time_of_scopes": (
        lambda semantics: [line for line in lines(MODEL, Checker.EXPENSIVE, semantics) if "graph node: s," in line],
        ["top 1 graph node: s, cpu: 11.00ms, accelerator: 0us, total: 11.00ms"],
        ["top 1 graph node: s, cpu: 0us, accelerator: 0us, total: 0us"],
    ),
    "one_fused_batch_norm": (lambda semantics: fused("FusedBatchNormV3", semantics), [], [BATCH_NORM]),
    "ignore_checker_options": (
        lambda semantics: lines(MODEL, Checker.EXPENSIVE, semantics, CheckerOptions(top=0)),
        [""],
        lines(MODEL, Checker.EXPENSIVE, dataclasses.replace(TFPROF, ignore_checker_options=True)),
    ),
    "utilization_mixes_steps": (
        lambda semantics: lines(TWO_STEPS, Checker.UTILIZATION, semantics),
        ["device: /device:gpu:0 step: 0 utilization: 1.00", "device: /device:gpu:0 step: 1 utilization: 1.00"],
        ["device: /device:gpu:0 low utilization: 0.00"],
    ),
}


@pytest.mark.parametrize("switch", SWITCHES)
def test_each_switch_has_two_sides_and_flips_alone(switch: str) -> None:
    observe, corrected, native = SWITCHES[switch]
    assert observe(CORRECTED) == corrected
    assert observe(TFPROF) == native
    assert observe(dataclasses.replace(CORRECTED, **{switch: True})) != corrected
    assert observe(dataclasses.replace(TFPROF, **{switch: False})) != native


def test_expensive_things_are_listed_by_type_by_node_and_by_line() -> None:
    assert lines(MODEL, Checker.EXPENSIVE, TFPROF) == [
        "top 1 operation type: Slower, cpu: 8.00ms, accelerator: 0us, total: 8.00ms (65.47%)",
        "top 2 operation type: Slow, cpu: 3.00ms, accelerator: 0us, total: 3.00ms (24.55%)",
        "top 3 operation type: Mul, cpu: 900us, accelerator: 0us, total: 900us (7.36%)",
        "top 1 graph node: s, cpu: 0us, accelerator: 0us, total: 0us",
        "top 2 graph node: bn, cpu: 0us, accelerator: 0us, total: 0us",
        "top 3 graph node: c, cpu: 20us, accelerator: 300us, total: 320us",
        "main.py:6:layer, cpu: 8.00ms, accelerator: 0us, total: 8.00ms",
        "main.py:5:layer, cpu: 3.00ms, accelerator: 0us, total: 3.00ms",
    ]


def test_options_of_checkers_count_where_a_user_means_them() -> None:
    options = CheckerOptions(top=1, min_line_micros=9000, low_utilization=0.9)
    assert [line.partition(",")[0] for line in lines(MODEL, Checker.EXPENSIVE, options=options)] == [
        "top 1 operation type: Slower",
        "top 1 graph node: s",
        "main.py:1:main",
    ]
    assert lines(MODEL, Checker.UTILIZATION, options=options) == ["device: /device:gpu:0 step: 0 low utilization: 0.75"]


def test_hints_name_slow_batch_norm_and_slow_layouts() -> None:
    assert lines(MODEL, Checker.OPERATION) == [
        BATCH_NORM,
        "Found operation using NHWC data_format on GPU. Maybe NCHW is faster.",
    ]
    assert fused("FusedBatchNorm", TFPROF) == []
    assert fused("FusedBatchNormGrad", CORRECTED) == [BATCH_NORM]


def test_what_cannot_be_checked_is_said() -> None:
    found = advise(table_of(NODES), Checker, TFPROF)
    assert [advice.checker for advice in found] == list(Checker)
    assert found[0].reports == ()
    assert found[0].notes == (
        "Missing RunMetadata info. Skip ExpensiveOperationChecker",
        "Missing run_meta for ExpensiveOperationChecker",
        "Missing op_log (code traces) for ExpensiveOperationChecker",
    )


def test_an_empty_model_has_no_findings() -> None:
    assert all(not advice.reports for advice in advise(table_of(graph()), Checker, CORRECTED))


def test_the_utilization_of_a_gpu_leaves_out_stray_times_and_is_unknown_without_its_kernels() -> None:
    now = 1_700_000_000_000_000
    nodes = graph(*(node(name, "MatMul") for name in ("a", "b", "c", "d")))
    records = [ran(name, start=now + 100 * place, micros=100) for place, name in enumerate("abc")]
    kernels = [ran(name, start=500 + 100 * place, micros=50) for place, name in enumerate("abc")]
    stray = ran("d", start=now + 3_600_000_000, micros=1)
    table = table_of(nodes, run_meta({GPU: [*records, stray], STREAM: kernels}))
    assert lines(table, Checker.UTILIZATION) == ["device: /device:gpu:0 step: 0 utilization: 0.50"]
    assert lines(table, Checker.UTILIZATION, TFPROF) == ["device: /device:gpu:0 low utilization: 0.00"]
    dark = table_of(nodes, run_meta({GPU: records}))
    assert lines(dark, Checker.UTILIZATION) == []
    assert lines(dark, Checker.UTILIZATION, TFPROF) == ["device: /device:gpu:0 low utilization: 0.00"]
