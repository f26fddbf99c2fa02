from __future__ import annotations

from typing import Any

import pytest
from messages import entry, graph, inputs_of, node, op_log, ran, run_meta
from queries import CPU, GPU, table_of

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.fused_executions import REPLACED
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import node_measures
from tfprof_report.semantics import CORRECTED, TFPROF

MODEL = graph(
    node("x", "Placeholder"),
    node("w", "VariableV2"),
    node("b", "VariableV2"),
    node("conv", "Conv2D", "x", "w"),
    node("bias", "BiasAdd", "conv", "b"),
    node("relu", "Relu", "bias"),
    node("out", "Mul", "relu", "relu"),
)
LOG = op_log(entry("conv", float_ops=100), entry("bias", float_ops=10), entry("relu", float_ops=5))
VARIABLES = (ran("w", label="w = VariableV2()"), ran("b", label="b = VariableV2()"))
FUSED = "relu = _FusedConv2D(_arg_x_0_0, w, b)"
OUT = ran("out", label="out = Mul(relu, relu)")


def built(*records: Any, model: Any = MODEL) -> NodeTable:
    return table_of(model, run_meta({CPU: [*VARIABLES, *records]}), op_log=LOG)


def runs(table: NodeTable) -> dict[str, tuple[Any, ...]]:
    columns = (table.column(name).to_pylist() for name in ("name", "run_count", "run_float_ops", "ran_in"))
    return {name: rest for name, *rest in map(list, zip(*columns, strict=True)) if name in ("conv", "bias", "relu")}


@pytest.mark.parametrize(
    "label",
    [
        FUSED,
        "[mklcpu 2.0MB 2.0MB] relu = _MklNativeFusedConv2D(_arg_x_0_0, w, b)",
        "relu = _FusedConv2D(x, w, b, ^out_of_turn)",
        "relu = _FusedConv2D(x, w:0, b:0)",
    ],
    ids=["plain", "oneDNN", "a control input", "slots"],
)
def test_a_node_inside_a_fused_kernel_runs_as_often_as_the_kernel(label: str) -> None:
    table = built(ran("relu", label=label), ran("relu", label=label), OUT)
    assert runs(table) == {"conv": [2, 200, "relu"], "bias": [2, 20, "relu"], "relu": [2, 10, None]}
    fused = [row for row in table.steps.to_pylist() if row["is_fused"]]
    assert [(row["node"], row["device"], row["run_count"], row["micros"], row["bytes"]) for row in fused] == [
        (3, CPU.lower(), 2, 0, 0),
        (4, CPU.lower(), 2, 0, 0),
    ]
    (note,) = (each for each in table.diagnostics if each.code == "fused_nodes")
    assert (note.count, note.examples) == (2, ("conv", "bias"))
    native = node_measures(table, step=-1, semantics=TFPROF)
    assert [native[stem].values.tolist()[3:6] for stem in ("run_count", "float_ops")] == [[0, 0, 2], [100, 10, 10]]


def test_a_kernel_may_have_any_of_the_names() -> None:
    table = built(ran("bias", label="bias = _FusedConv2D(x, w, b)"), ran("relu", label="relu = Relu(bias)"), OUT)
    assert runs(table) == {"conv": [1, 100, "bias"], "bias": [1, 10, None], "relu": [1, 5, None]}


def test_each_step_and_device_has_its_own_kernels() -> None:
    steps = (
        (1, run_meta({CPU: [*VARIABLES, ran("relu", label=FUSED), OUT]})),
        (2, run_meta({GPU: [*VARIABLES, *(ran(name) for name in ("conv", "bias", "relu", "relu"))]})),
        (3, run_meta({CPU: VARIABLES})),
    )
    table = table_of(MODEL, *steps, op_log=LOG)
    count, float_ops, kernel = runs(table)["conv"]
    assert (count, float_ops) == pytest.approx((2 / 3, 200 / 3))
    assert kernel == "relu"
    rows = [(row["step"], row["device"], row["run_count"]) for row in table.steps.to_pylist() if row["node"] == 3]
    assert rows == [(1, CPU.lower(), 1), (2, GPU.lower(), 1)]


UNKNOWN = {
    "without a label": [ran("relu")],
    "with a label in another form": [ran("relu", label="relu")],
    "a kernel of the same op on an unknown input": [ran("relu", label="relu = Relu(cluster_0)"), ran("cluster_0")],
    "a kernel on other inputs": [ran("relu", label="relu = _FusedConv2D(y, v, c)"), ran("y"), ran("v"), ran("c")],
    "an input without a record": [ran("relu", label="relu = Relu(bias)")],
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_without_a_label_that_names_the_kernel_executions_are_unknown(case: str) -> None:
    table = built(*UNKNOWN[case], OUT)
    assert runs(table) == {"conv": [None, None, None], "bias": [None, None, None], "relu": [1, 5, None]}
    reasons = dict(zip(table.column("name").to_pylist(), table.column("run_count_reason").to_pylist(), strict=True))
    assert {name for name, reason in reasons.items() if reason == REPLACED} == {"conv", "bias"}
    (note,) = (each for each in table.diagnostics if each.code == "replaced_nodes")
    assert (note.count, note.examples) == (2, ("conv", "bias"))
    total = node_measures(table, step=-1, semantics=CORRECTED)["run_float_ops"]
    assert total.unknown.tolist()[3:6] == [1, 1, 0]


NOT_RUN = {
    "a constant": [ran("relu", label="relu = Const()"), OUT],
    "a constant under another name": [
        ran("relu", label="relu = Relu(folded)"),
        ran("folded", label="folded = Const()"),
    ],
    "an equal node": [ran("relu", label="relu = Relu(w)"), OUT],
    "nothing": [],
}


@pytest.mark.parametrize("case", NOT_RUN)
def test_a_node_whose_result_was_folded_or_not_used_did_not_run(case: str) -> None:
    found = runs(built(*NOT_RUN[case]))
    assert (found["conv"], found["bias"]) == ([0, 0, None], [0, 0, None])


def test_a_branch_that_was_not_taken_did_not_run() -> None:
    model = graph(node("w", "VariableV2"), node("relu", "Relu", "w"), node("conv", "Mul", "w"), *MERGED)
    assert runs(built(ran("relu"), ran("m"), ran("end"), model=model))["conv"] == [0, 0, None]


MERGED = (node("m", "Merge", "relu", "conv"), node("end", "Identity", "m"))


def test_a_node_that_feeds_two_kernels_ran_an_unknown_number_of_times() -> None:
    model = graph(*MODEL.node, node("other", "Relu", "conv"))
    records = ran("relu", label=FUSED), ran("other", label="other = _FusedConv2D(x, w)")
    assert runs(built(*records, model=model))["conv"] == [None, None, None]


def test_without_rules_or_an_op_log_nothing_is_looked_for() -> None:
    table = build_node_table(inputs_of(MODEL, ((0, run_meta({CPU: [ran("relu"), OUT]})),)))
    assert table.column("run_float_ops").null_count == table.count
