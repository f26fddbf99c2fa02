"""Single records of run metadata, which views sum up, and which timelines, profiles and advice use one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from examples import examples
from hypothesis import given, settings
from messages import graph, inputs_of, models, node, ran, run_meta, used

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.join.executions import MEMORY_STEMS
from tfprof_report.model.node_table import NodeTable

GPU, CPU, KERNELS = "/device:gpu:0", "/device:cpu:0", "/device:gpu:0/stream:all"


def table_of(*devices: tuple[str, list[object]], step: int = 0) -> NodeTable:
    made = graph(node("a", "MatMul"), node("b", "Add"))
    return build_node_table(inputs_of(made, [(step, run_meta(devices))]))


def test_each_record_is_a_row_in_file_order_and_helpers_are_left_out() -> None:
    table = table_of(
        ("/device:GPU:0/stream:all", [ran("b:Add", start=7, micros=0), ran("MEMCPYHtoD", start=1)]),
        ("/device:GPU:0", [ran("a", start=3, micros=2), ran("RecvTensor", start=1), ran("b", start=0, micros=9)]),
        ("/device:CPU:0", [ran("a", start=4, micros=1)]),
        step=5,
    )
    assert table.records.select(
        ["node", "step", "device", "start_micros", "micros", "is_canonical", "is_stream", "is_timed", "first_device"]
    ).to_pylist() == [
        dict(zip(("node", "step", "device", "start_micros", "micros", *FLAGS), values, strict=True))
        for values in [
            (1, 5, KERNELS, 7, 0, False, True, True, True),
            (0, 5, GPU, 3, 2, True, False, True, True),
            (1, 5, GPU, 0, 9, True, False, False, True),
            (0, 5, CPU, 4, 1, True, False, True, False),
        ]
    ]
    assert table.records["holds_memory"].to_pylist() == [False, True, False, True]


FLAGS = ("is_canonical", "is_stream", "is_timed", "first_device")


def test_only_allocators_called_gpu_give_bytes_in_use_and_allocations() -> None:
    memory = [
        used("GPU_0_bfc", in_use=5, records=[(10, 100), (12, -40)]),
        used("gpu_host_bfc", in_use=99, records=[(11, 1)]),
        used("GPU_1_bfc", in_use=7, records=[(9, 3)]),
    ]
    table = table_of(
        ("/device:GPU:0", [ran("RecvTensor", memory=memory), ran("b", memory=memory, temp=2, persistent=3), ran("a")])
    )
    assert table.records["bytes_in_use"].to_pylist() == [7, 0]
    assert table.records["temp_bytes"].to_pylist() == [2, 0]
    assert table.records["persistent_bytes"].to_pylist() == [3, 0]
    assert table.allocations.to_pylist() == [
        {"record": 0, "node": 1, "step": 0, "micros": micros, "bytes": size}
        for micros, size in [(10, 100), (12, -40), (9, 3)]
    ]


def of_node(table: NodeTable, *stems: str) -> list[list[float | None]]:
    return [table.column(stem).to_pylist() for stem in stems]


TIMES = ("accelerator_micros", "cpu_micros", "micros")


@pytest.mark.parametrize(
    ("gpu", "stream", "is_known"),
    [
        ("/device:GPU:0", "/device:GPU:0/stream:all", True),
        ("/job:w/task:1/device:GPU:0", "/job:w/task:1/device:GPU:0/stream:all", True),
        ("/job:w/task:1/device:GPU:0", "/device:GPU:0/stream:all", True),  # as CUPTI's tracer names it
        ("/job:w/task:1/gpu:0", "/gpu:0/stream:all", True),
        ("/device:GPU:0", "/device:GPU:1/stream:all", False),
        ("/device:GPU:1", "/device:GPU:10/stream:all", False),
        ("/job:w/task:1/device:GPU:0", "/job:w/task:2/device:GPU:0/stream:all", False),
        ("/device:GPU:0", "/device:GPU:0/stream:7", False),
        ("/device:GPU:0", "/device:GPU:0/memcpy", False),
    ],
)
def test_accelerator_time_is_unknown_on_a_gpu_whose_kernels_no_trace_has(
    gpu: str, stream: str, *, is_known: bool
) -> None:
    table = table_of((gpu, [ran("a", micros=20)]), (stream, [ran("MEMCPY", micros=3)]), ("/cpu:0", [ran("b")]))
    assert of_node(table, *TIMES) == ([[0, 0], [20, 1], [20, 1]] if is_known else [[None, 0], [20, 1], [None, 1]])
    warnings = [found.examples for found in table.diagnostics if found.code == "missing_stream"]
    assert warnings == ([] if is_known else [(gpu.lower(),)])
    assert [wall.nanos is not None for wall in table.walls] == [is_known]


def test_a_missing_stream_leaves_other_gpus_and_steps_known_but_no_mean() -> None:
    made = graph(node("a", "MatMul"), node("b", "Add"))
    two = [("/device:GPU:0", [ran("a", micros=2)]), ("/device:GPU:1", [ran("b", micros=3)])]
    kernels = [(f"/device:GPU:{gpu}/stream:all", [ran(name, micros=5)]) for gpu, name in ((0, "a"), (1, "b"))]
    table = build_node_table(inputs_of(made, [(0, run_meta([*two, *kernels])), (1, run_meta([*two, kernels[1]]))]))
    assert of_node(table, *TIMES) == [[None, 5], [2, 3], [None, 8]]
    rows = [(row["node"], row["step"], row["device"][-1], row["accelerator_nanos"]) for row in table.steps.to_pylist()]
    assert rows == [
        *((0, 0, "0", 0), (0, 0, "l", 5000), (0, 1, "0", None)),
        *((1, 0, "1", 0), (1, 0, "l", 5000), (1, 1, "1", 0), (1, 1, "l", 5000)),
    ]


def test_a_gpu_that_launched_no_kernel_needs_no_trace_of_them() -> None:
    made = graph(node("a", "Const"), node("b", "Identity"), node("c", "MatMul"))
    records = [ran("a", micros=2), ran("b", micros=3)]
    idle = build_node_table(inputs_of(made, [(0, run_meta({"/device:GPU:0": records}))]))
    assert of_node(idle, "accelerator_micros") == [[0, 0, 0]]
    busy = build_node_table(inputs_of(made, [(0, run_meta({"/device:GPU:0": [*records, ran("c")]}))]))
    assert of_node(busy, "accelerator_micros") == [[0, 0, None]]


@pytest.mark.parametrize("device", ["/host:CPU", "/device:XLA_GPU:0", "/device:TPU:0", "weird:device", "cpu:0x", ""])
def test_figures_of_a_node_that_ran_on_a_device_of_unknown_kind_are_unknown(device: str) -> None:
    table = table_of((device, [ran("a", micros=20)]), ("/cpu:0", [ran("a", micros=3), ran("b", micros=4)]))
    assert of_node(table, *TIMES, "run_count") == [[None, 0], [None, 4], [None, 4], [None, 1]]


@pytest.mark.parametrize("device", ["/gpu:0/stream:7", "/device:GPU:0/memcpy", "/device:GPU:0 (Tesla V100)/stream:7"])
def test_a_part_of_a_gpu_is_no_device_of_unknown_kind(device: str) -> None:
    table = table_of((device, [ran("a", micros=20)]), ("/device:GPU:0/stream:all", [ran("a", micros=20)]))
    assert of_node(table, *TIMES) == [[20, 0], [0, 0], [20, 0]]


def test_times_are_exact_where_the_trace_has_nanoseconds() -> None:
    records = [ran("a", micros=2, nanos=1400), ran("a", nanos=300), ran("b", micros=7), ran("b"), ran("b", nanos=0)]
    table = table_of(("/cpu:0", records))
    assert table.steps["nanos"].to_pylist() == [1700, 8000]  # without nanoseconds at least a microsecond
    assert table.steps["micros"].to_pylist() == [3, 9]  # as tfprof sums them
    assert of_node(table, "micros") == [[1.7, 8.0]]


@settings(max_examples=examples(50), deadline=None)
@given(models())
def test_steps_are_the_sums_of_records(model: Any) -> None:
    table = build_node_table(inputs_of(*model))
    records = table.records
    micros = np.where(records["micros"].to_numpy() == 0, 1, records["micros"].to_numpy())
    counts = records["is_timed"].to_numpy() & (records["is_canonical"].to_numpy() | records["is_stream"].to_numpy())
    holds = records["holds_memory"].to_numpy()
    sums = pa.table(
        {
            **{name: records[name] for name in ("node", "step")},
            "device": records["device"].cast(pa.string()),
            "micros": np.where(counts, micros, 0),
            **{stem: np.where(holds, records[stem].to_numpy(), 0) for stem in MEMORY_STEMS},
        }
    )
    keys = ["node", "step", "device"]
    sums = sums.group_by(keys).aggregate(
        [(stem, "max" if stem == "peak_bytes" else "sum") for stem in ("micros", *MEMORY_STEMS)]
    )
    sums = sums.rename_columns([name.removesuffix("_sum").removesuffix("_max") for name in sums.column_names])
    sums = sums.sort_by([(key, "ascending") for key in keys])
    steps = table.steps.filter(pc.greater_equal(table.steps["node"], 0))
    assert sums["device"].to_pylist() == steps["device"].cast(pa.string()).to_pylist()
    for stem in ("micros", *MEMORY_STEMS):
        if not steps[stem].null_count:
            assert sums[stem].to_pylist() == steps[stem].to_pylist(), stem
    assert pc.all(pc.equal(records["node"].take(table.allocations["record"]), table.allocations["node"])).as_py() in (
        True,
        None,
    )
