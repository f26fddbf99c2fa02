from __future__ import annotations

from typing import Any

import pyarrow.compute as pc
import pytest
from messages import graph, node, ran, run_meta, used
from queries import CPU, GPU, STREAM, table_of, view_of

from tfprof_report.model.flops.evaluate import capable_nodes, known_nodes
from tfprof_report.model.join.memory import MEMORY_STEMS
from tfprof_report.model.node_table import NodeTable

MODEL = graph(node("x", "Placeholder"), node("a", "MatMul"), node("b", "MatMul"), node("n", "NoOp"))
FIVE = [used("cpu", total=5, peak=4, live=3)]


def memory_of(*steps: Any) -> dict[str, list[Any]]:
    return columns_of(table_of(MODEL, *steps))


def columns_of(table: NodeTable) -> dict[str, list[Any]]:
    names = ("name", *MEMORY_STEMS, "memory_reason")
    return {name: list(rest) for name, *rest in zip(*(table.column(each).to_pylist() for each in names), strict=True)}


def test_no_record_is_not_zero_and_a_node_that_did_not_run_has_none() -> None:
    step = run_meta({CPU: [ran("a", memory=FIVE), ran("b")]})
    assert memory_of(step) == {
        "x": [0, 0, 0, 0, None],
        "a": [5, 4, 3, 0, None],
        "b": [None, None, None, None, "no memory record"],
        "n": [0, 0, 0, 0, None],
    }


def test_a_total_is_unknown_if_no_node_that_ran_has_a_record_and_a_lower_bound_if_some_have() -> None:
    nothing = table_of(MODEL, run_meta({CPU: [ran("a"), ran("b")]}))
    assert columns_of(nothing)["a"] == [None] * 4 + ["no memory record"]
    assert columns_of(nothing)["x"] == [0, 0, 0, 0, None]  # it did not run
    outputs_only = table_of(MODEL, run_meta({CPU: [ran("a", outputs=[(16, 0)])]}))
    assert columns_of(outputs_only)["a"] == [None, None, None, 16, "no memory record"]
    some = table_of(MODEL, run_meta({CPU: [ran("a", memory=FIVE), ran("b")]}))
    assert [view_of(table, "scope").total["bytes"] for table in (nothing, outputs_only, some)] == [None, None, 5]
    assert [int(pc.sum(capable_nodes(table.columns, "bytes")).as_py()) for table in (nothing, some)] == [2, 2]
    assert [known_nodes(table.columns, "bytes") for table in (nothing, some)] == [0, 1]


def test_the_executor_runs_no_kernel_for_a_no_op() -> None:
    assert memory_of(run_meta({CPU: [ran("a", memory=FIVE), ran("n")]}))["n"] == [0, 0, 0, 0, None]
    labelled = memory_of(run_meta({CPU: [ran("a", memory=FIVE), ran("q", label="q = NoOp(^a)"), ran("r", label="r")]}))
    assert labelled["q"] == [0, 0, 0, 0, None]
    assert labelled["r"] == [None, None, None, None, "no memory record"]


def test_memory_that_one_device_or_one_step_has_says_nothing_of_another() -> None:
    devices = memory_of(run_meta({CPU: [ran("a", memory=FIVE)], GPU: [ran("a"), ran("b", memory=FIVE)], STREAM: []}))
    assert devices["a"] == [None, None, None, None, "no memory record"]
    assert devices["b"] == [5, 4, 3, 0, None]
    both = (1, run_meta({CPU: [ran("a", memory=FIVE), ran("b", memory=FIVE)]})), (2, run_meta({CPU: [ran("a")]}))
    steps = memory_of(*both)
    assert steps["a"] == [None, None, None, None, "no memory record"]
    assert steps["b"] == [2.5, 2, 1.5, 0, None]
    table = table_of(MODEL, *both)
    assert table.steps.select(["step", "bytes", "memory_reason"]).to_pylist() == [
        {"step": 1, "bytes": 5, "memory_reason": None},
        {"step": 2, "bytes": None, "memory_reason": "no memory record"},
        {"step": 1, "bytes": 5, "memory_reason": None},
    ]


def test_kernels_on_streams_have_no_memory_of_their_own() -> None:
    rows = memory_of(run_meta({GPU: [ran("a", memory=FIVE)], STREAM: [ran("a:k"), ran("b:k")]}))
    assert rows["a"] == [5, 4, 3, 0, None]
    assert rows["b"] == [None, None, None, None, "no memory record"]


NEGATIVE = {
    "total": (ran("b", memory=[used("cpu", total=-100, peak=4, live=3)]), [None, 4, 9, 0]),
    "peak": (ran("b", memory=[used("cpu", total=5, peak=-4, live=3)]), [15, None, 9, 0]),
    "live": (ran("b", memory=[used("cpu", total=5, peak=4, live=-3)]), [15, 4, None, 0]),
    "of one allocator": (ran("b", memory=[*FIVE, used("x", total=-1)]), [None, 4, 9, 0]),
    "temporary": (ran("b", memory=FIVE, temp=-1), [None, None, 9, 0]),
    "persistent": (ran("b", memory=FIVE, persistent=-1), [None, None, None, 0]),
    "output": (ran("b", memory=FIVE, outputs=[(-8, 0), (9, 0)]), [15, 4, 9, None]),
}


@pytest.mark.parametrize("size", NEGATIVE)
def test_a_negative_size_makes_unknown_what_it_is_part_of_and_is_diagnosed_once(size: str) -> None:
    record, expected = NEGATIVE[size]
    table = table_of(MODEL, run_meta({CPU: [ran("a", memory=FIVE), ran("b", memory=FIVE), record, record]}))
    assert columns_of(table)["b"][:4] == expected
    assert columns_of(table)["b"][4] == "negative bytes"
    assert columns_of(table)["a"] == [5, 4, 3, 0, None]
    (found,) = (each for each in table.diagnostics if each.code == "negative_bytes")
    assert (found.severity, found.count, found.examples) == ("warning", 2, ("b",))


def test_a_negative_number_in_use_is_diagnosed_and_touches_no_other_figure() -> None:
    table = table_of(MODEL, run_meta({CPU: [ran("a", memory=[used("cpu", total=5, in_use=-9)])]}))
    assert columns_of(table)["a"] == [5, 0, 0, 0, None]
    assert [each.code for each in table.diagnostics] == ["negative_bytes"]
    assert [peak.device_peak_bytes for peak in table.devices] == [None]


def test_the_peak_of_many_runs_is_the_largest_and_other_memory_is_their_sum() -> None:
    runs = [ran("a", memory=[used("cpu", total=100, peak=peak, live=4)], outputs=[(16, 0)]) for peak in (80, 82, 81)]
    assert memory_of(run_meta({CPU: runs}))["a"] == [300, 82, 12, 48, None]
    later = run_meta({CPU: [ran("a", memory=[used("cpu", total=100, peak=40)])]})
    assert memory_of((1, run_meta({CPU: runs})), (2, later))["a"][:2] == [200, 61]  # means of 300, 100 and 82, 40
    devices = run_meta({CPU: runs, GPU: [ran("a", memory=[used("GPU_0_bfc", peak=7)])], STREAM: []})
    assert memory_of(devices)["a"][1] == 89  # both may be held at a time
