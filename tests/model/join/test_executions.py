"""Single records of run metadata, which views sum up, and which timelines, profiles and advice use one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import given
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
    sums = sums.group_by(keys).aggregate([(stem, "sum") for stem in ("micros", *MEMORY_STEMS)])
    sums = sums.sort_by([(key, "ascending") for key in keys])
    steps = table.steps.filter(pc.greater_equal(table.steps["node"], 0))
    assert sums["device"].to_pylist() == steps["device"].cast(pa.string()).to_pylist()
    for stem in ("micros", *MEMORY_STEMS):
        if not steps[stem].null_count:
            assert sums[f"{stem}_sum"].to_pylist() == steps[stem].to_pylist(), stem
    assert pc.all(pc.equal(records["node"].take(table.allocations["record"]), table.allocations["node"])).as_py() in (
        True,
        None,
    )
