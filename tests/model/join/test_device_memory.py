from __future__ import annotations

from typing import Any

import pytest
from messages import graph, inputs_of, ran, run_meta, used

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.join import device_memory

CPU, GPU = "/job:x/device:CPU:0", "/job:x/device:GPU:0"


def memory_of(*steps: tuple[int, Any]) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in build_node_table(inputs_of(graph(), steps)).memory.to_pylist()]


def test_memory_over_time_is_the_running_sum_of_records_since_the_first_one() -> None:
    node = ran("a", memory=[used("cpu", records=[(1030, -40), (1000, 50), (1010, 60)])])
    assert memory_of((3, run_meta({CPU: [node]}))) == [
        (CPU.lower(), 3, 0, 50),
        (CPU.lower(), 3, 10, 110),
        (CPU.lower(), 3, 30, 70),
    ]


def test_a_stray_moment_is_moved_to_the_end_of_the_axis() -> None:
    node = ran("a", memory=[used("cpu", records=[(0, 5), (10**15, 50), (10**15 + 10, 60), (10**15 + 20, -1)])])
    assert [row[2:] for row in memory_of((3, run_meta({CPU: [node]})))] == [(0, 5), (0, 55), (10, 115), (20, 114)]


def test_host_memory_of_a_gpu_is_not_its_own() -> None:
    node = ran("a", memory=[used("GPU_0_bfc", records=[(5, 7)]), used("gpu_host_bfc", records=[(6, 100)])])
    assert memory_of((1, run_meta({GPU: [node], "/stream:all": []}))) == [(GPU.lower(), 1, 0, 7)]


def test_a_trace_without_records_has_no_moments() -> None:
    assert memory_of((1, run_meta({CPU: [ran("a", memory=[used("cpu", in_use=5)])]}))) == []


def test_of_too_many_moments_the_highest_of_each_stretch_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_memory, "MAX_POINTS", 2)
    records = [(moment, change) for moment, change in enumerate([1, 8, -3, 1, -2, 1], start=1)]  # 1 9 6 7 5 6
    assert [row[2:] for row in memory_of((1, run_meta({CPU: [ran("a", memory=[used("cpu", records=records)])]})))] == [
        (1, 9),
        (3, 7),
    ]


@pytest.mark.parametrize(
    "records",
    [[(1, 2**62), (2, 2**62)], [(1, -(2**63)), (2, -1)], [(1, 2**63 - 1), (2, 5), (3, -(2**63))]],
)
def test_bytes_that_no_integer_holds_are_unknown(records: list[tuple[int, int]]) -> None:
    node = ran("a", memory=[used("cpu", in_use=7, records=records)])
    table = build_node_table(inputs_of(graph(), [(1, run_meta({CPU: [node]}))]))
    assert table.memory.num_rows == 0
    (peak,) = table.devices
    assert peak.device_peak_bytes is None
    assert peak.source == "the allocation records add up to more bytes than an integer holds"


def test_moments_further_apart_than_an_integer_holds_are_no_axis() -> None:
    node = ran("a", memory=[used("cpu", in_use=7, records=[(-(2**63), 5), (2**63 - 1, 5)])])
    table = build_node_table(inputs_of(graph(), [(1, run_meta({CPU: [node]}))]))
    assert table.memory.num_rows == 0
    assert [peak.device_peak_bytes for peak in table.devices] == [10]
