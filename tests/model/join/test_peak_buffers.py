from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import graph, inputs_of, ran, run_meta, run_metas, used

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable

CPU, GPU = "/job:x/device:CPU:0", "/job:x/device:GPU:0"
NOT_RECORDED = (None, False)


def table_of(*steps: tuple[int, Any]) -> NodeTable:
    return build_node_table(inputs_of(graph(), steps))


def held(*nodes: Any, device: str = CPU) -> list[tuple[Any, ...]]:
    """Return name, is_workspace and bytes of the rows of one device in one step."""
    buffers = table_of((3, run_meta({device: nodes, "/stream:all": []}))).buffers
    assert set(buffers["step"].to_pylist()) <= {3}
    return list(zip(*(buffers[name].to_pylist() for name in ("name", "is_workspace", "bytes")), strict=True))


def micros_of(*nodes: Any) -> list[int | None]:
    return table_of((3, run_meta({CPU: nodes}))).buffers["micros"].unique().to_pylist()


def test_buffers_are_those_allocated_and_not_released_before_the_largest_sum() -> None:
    a = ran("a", memory=[used("cpu", records=[(100, 50), (130, -50)])])
    b = ran("b", memory=[used("cpu", records=[(110, 70), (150, -70)])])
    c = ran("c", memory=[used("cpu", records=[(140, 20)])])
    assert held(a, b, c) == [("b", False, 70), ("a", False, 50), (None, False, None)]
    assert micros_of(a, b, c) == [10]


def test_of_records_at_one_moment_those_up_to_the_largest_sum_are_held() -> None:
    a = ran("a", memory=[used("cpu", records=[(5, 10), (5, -10)])])
    b = ran("b", memory=[used("cpu", records=[(5, 8)])])
    assert held(a, b) == [("a", False, 10), (None, False, None)]


def test_executions_of_a_node_are_one_row() -> None:
    runs = [ran("a", start=at, memory=[used("cpu", records=[(at, 5)])]) for at in (1, 2, 3)]
    assert held(*runs) == [("a", False, 15), (None, False, None)]


def test_bytes_in_use_have_a_rest_that_was_allocated_before_the_step() -> None:
    a = ran("a", start=10, micros=5, memory=[used("cpu", in_use=150, records=[(12, 40), (30, -40)])])
    b = ran("b", start=20, micros=5, memory=[used("cpu", in_use=190, records=[(21, 30)])])
    late = ran("c", start=26, micros=5, memory=[used("cpu", in_use=120, records=[(27, 60)])])
    assert held(a, b, late) == [("a", False, 40), ("b", False, 30), (None, False, 120)]
    assert micros_of(a, b, late) == [25 - 12]


def test_of_equal_bytes_in_use_the_earliest_moment_counts() -> None:
    late = ran("late", start=30, micros=5, memory=[used("cpu", in_use=90, records=[(32, 10)])])
    early = ran("early", start=10, micros=5, memory=[used("cpu", in_use=90, records=[(12, 70)])])
    assert held(late, early) == [("early", False, 70), (None, False, 20)]


def test_bytes_in_use_of_one_allocator_hold_none_of_another() -> None:
    other = ran("other", start=10, micros=5, memory=[used("mkl", records=[(11, 40)])])
    own = ran("own", start=20, micros=5, memory=[used("cpu", in_use=90, records=[(21, 30)])])
    table = table_of((3, run_meta({CPU: [other, own]})))
    assert table.buffers["allocator"].to_pylist() == ["cpu", "cpu"]
    assert table.buffers["bytes"].to_pylist() == [30, 60]


def test_without_a_moment_no_record_can_be_placed() -> None:
    a = ran("a", start=0, micros=5, memory=[used("cpu", in_use=90, records=[(32, 40)])])
    assert held(a) == [(None, False, 90)]
    assert micros_of(a) == [None]


def test_bytes_in_use_alone_are_all_that_is_known() -> None:
    assert held(ran("a", memory=[used("cpu", in_use=90)])) == [(None, False, 90)]


def test_what_is_released_beyond_what_is_recorded_was_allocated_before() -> None:
    freed = ran("freed", memory=[used("cpu", records=[(1, -30)])])
    a = ran("a", memory=[used("cpu", records=[(2, 100)])])
    assert held(freed, a) == [("a", False, 100), (None, False, -30)]


@pytest.mark.parametrize("memory", [{}, {"in_use": -5}, {"records": [(1, -30)]}, {"records": [(1, 2**62), (2, 2**62)]}])
def test_an_unknown_peak_has_no_rows(memory: dict[str, Any]) -> None:
    assert held(ran("a", memory=[used("cpu", **memory)])) == []


def test_what_a_running_kernel_releases_before_it_ends_is_workspace() -> None:
    a = ran("a", start=10, micros=20, memory=[used("cpu", records=[(12, 40), (13, 70), (29, -70), (50, -40)])])
    assert held(a) == [("a", True, 70), ("a", False, 40), (None, False, None)]


def test_what_is_released_after_the_kernel_is_no_workspace() -> None:
    a = ran("a", start=10, micros=4, memory=[used("cpu", records=[(12, 40), (50, -40)])])
    assert held(a) == [("a", False, 40), (None, False, None)]


def test_an_output_that_replaces_the_workspace_is_not_taken_for_it() -> None:
    first = ran("first", memory=[used("cpu", records=[(1, 5)])])
    a = ran("a", start=10, micros=20, memory=[used("cpu", records=[(12, 70), (13, -70), (14, 60), (50, -60)])])
    assert held(first, a) == [("a", True, 70), ("first", False, 5), (None, False, None)]


def test_of_equal_sizes_as_many_are_workspace_as_are_released() -> None:
    records = [(12, 40), (13, 40), (14, 40), (20, -40), (50, -40), (50, -40)]
    assert held(ran("a", start=10, micros=20, memory=[used("cpu", records=records)])) == [
        ("a", False, 80),
        ("a", True, 40),
        (None, False, None),
    ]


def test_kernels_of_a_node_in_another_execution_do_not_release_its_workspace() -> None:
    a = ran("a", start=10, micros=20, memory=[used("cpu", records=[(12, 40)])])
    again = ran("a", start=15, micros=2, memory=[used("cpu", records=[(11, 40), (16, -40)])])
    assert held(a, again) == [("a", False, 80), (None, False, None)]


def test_host_memory_of_a_gpu_is_not_its_own() -> None:
    node = ran("a", memory=[used("GPU_0_bfc", records=[(5, 7)]), used("gpu_host_bfc", records=[(6, 100)])])
    assert held(node, device=GPU) == [("a", False, 7), (None, False, None)]


def test_steps_of_several_files_are_one_step_of_their_devices() -> None:
    tasks = ["/job:ps/device:CPU:0", "/job:worker/device:CPU:0"]
    files = [
        (3, run_meta({task: [ran(task[5:7], memory=[used("cpu", records=[(1, size)])])]}))
        for size, task in enumerate(tasks, start=7)
    ]
    buffers = table_of(*files).buffers
    assert [(row["device"], row["name"], row["bytes"]) for row in buffers.to_pylist() if row["name"]] == [
        (tasks[0].lower(), "ps", 7),
        (tasks[1].lower(), "wo", 8),
    ]


@pytest.mark.parametrize("record", [(-(2**63), 5), (2**63 - 1, 5)])
def test_moments_far_from_the_others_are_no_error(record: tuple[int, int]) -> None:
    a = ran("a", start=2**63 - 1, micros=2**63 - 1, memory=[used("cpu", in_use=90, records=[(12, 4), record])])
    assert sum(size or 0 for _, _, size in held(a)) == 90


@pytest.mark.thorough
@settings(max_examples=examples(200), deadline=None)
@given(data=st.data())
def test_rows_add_up_to_the_peak_of_each_device(data: st.DataObject) -> None:
    names = ["a", "b", "c"]
    steps = [(step, data.draw(run_metas(names))) for step in data.draw(st.lists(st.integers(0, 2), max_size=3))]
    memory = st.builds(
        used,
        st.sampled_from(["cpu", "GPU_0_bfc", "mkl"]),
        in_use=st.sampled_from([0, 0, 5, 40, 90]),
        records=st.lists(st.tuples(st.integers(1, 9), st.integers(-20, 40)), max_size=4),
    )
    node = st.builds(
        ran,
        st.sampled_from(names),
        start=st.integers(0, 8),
        micros=st.integers(-1, 5),
        memory=st.lists(memory, max_size=2),
    )
    steps += [(7, run_meta({CPU: data.draw(st.lists(node)), GPU: data.draw(st.lists(node))}))]
    table = table_of(*steps)
    sums: Counter[tuple[str, int]] = Counter()
    rows: Counter[tuple[str, int]] = Counter()
    for row in table.buffers.to_pylist():
        sums[row["device"], row["step"]] += row["bytes"] or 0
        rows[row["device"], row["step"]] += not row["is_recorded"]
        assert not row["is_recorded"] or (row["bytes"] > 0 and row["name"] is not None)
    known = {(peak.device, peak.step): peak.device_peak_bytes for peak in table.devices}
    known = {key: size for key, size in known.items() if size is not None}
    assert dict(sums) == known
    assert dict(rows) == dict.fromkeys(known, 1)
    moments = {(row["device"], row["step"]): row["micros"] for row in table.buffers.to_pylist()}
    over_time = {tuple(row.values()) for row in table.memory.to_pylist()}
    for peak in table.devices:
        if peak.source == "allocation records" and any(row[:2] == (peak.device, peak.step) for row in over_time):
            at = moments[peak.device, peak.step]
            assert (peak.device, peak.step, at, peak.device_peak_bytes) in over_time
