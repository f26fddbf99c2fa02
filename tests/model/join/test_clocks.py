"""Times that can't be are unknown and reported, and devices with another clock are aligned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import graph, inputs_of, node, ran, run_meta

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.join.clocks import Fault, check_times, near
from tfprof_report.model.node_table import NodeTable

CPU, GPU, KERNELS = "/device:cpu:0", "/device:gpu:0", "/device:gpu:0/stream:all"
NOW = 1_700_000_000_000_000
SECOND = 10**9

Record = tuple[int, int]
"""Start and duration in nanoseconds."""


def faults_of(*records: Record) -> list[int]:
    """Return the faults of records of one step on one device."""
    start, nanos = np.array(records, dtype=np.int64).reshape(-1, 2).T
    count = len(start)
    return check_times(
        start,
        nanos,
        ends_early=np.zeros(count, dtype=bool),
        is_timed=np.ones(count, dtype=bool),
        step=np.zeros(count, dtype=np.int64),
        device=np.zeros(count, dtype=np.int64),
        devices=[CPU],
        is_canonical=[True],
    ).fault.tolist()


def usual(count: int, *, every: int = 1000) -> list[Record]:
    return [(NOW + every * place, every) for place in range(count)]


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        ((NOW + SECOND, 1), Fault.NONE),  # not more than a second
        ((NOW + 6_000 + SECOND + 1, 1), Fault.FAR),
        ((NOW - SECOND - 1_000_000, 1), Fault.FAR),
        ((NOW, SECOND), Fault.NONE),
        ((NOW, SECOND + 1), Fault.TOO_LONG),
        ((NOW + 3600 * SECOND, 3600 * SECOND), Fault.TOO_LONG),
    ],
)
def test_far_is_more_than_a_second_where_the_others_span_microseconds(record: Record, fault: Fault) -> None:
    assert faults_of(*usual(6), record) == [Fault.NONE] * 6 + [fault]


@pytest.mark.parametrize(("distance", "fault"), [(10, Fault.NONE), (11, Fault.FAR)])
def test_far_is_more_than_ten_times_the_span_of_the_others(distance: int, fault: Fault) -> None:
    others = usual(10, every=SECOND // 5)  # they span 2 s
    assert faults_of(*others, (NOW + 2 * SECOND * (1 + distance), 1)) == [Fault.NONE] * 10 + [fault]


def test_one_of_a_hundred_other_records_may_be_anywhere() -> None:
    strays = [(NOW + hour * 3600 * SECOND, 5) for hour in (1, 2)]
    assert faults_of(*usual(98), *strays) == [Fault.NONE] * 100
    assert faults_of(*usual(100), *strays) == [Fault.NONE] * 100 + [Fault.FAR] * 2


def test_a_far_record_hides_no_nearer_one() -> None:
    assert faults_of(*usual(6), (NOW + 100 * SECOND, 1), (NOW // 10**6, 1)) == [Fault.NONE] * 6 + [Fault.FAR] * 2


def test_two_records_and_two_bursts_are_no_strays() -> None:
    assert faults_of((NOW, 10), (NOW + 60 * SECOND, 10)) == [0, 0]
    later = [(start + 60 * SECOND, nanos) for start, nanos in usual(20)]
    assert not any(faults_of(*usual(20), *later))
    assert faults_of() == []


def test_a_long_first_operation_that_others_wait_for_is_no_stray_below_ten_spans() -> None:
    assert not any(faults_of((NOW, 2 * SECOND), *((NOW + 2 * SECOND + at, SECOND // 4) for at in range(3))))


@given(st.lists(st.tuples(st.integers(1, 10**9), st.integers(0, 10**9)), max_size=30))
def test_records_of_one_second_have_no_fault(records: Sequence[Record]) -> None:
    assert not any(faults_of(*records))


def test_the_moments_of_allocations_that_are_near_bound_the_axis() -> None:
    assert near(np.array([0, *range(NOW, NOW + 5)])) == (NOW, NOW + 4)
    assert near(np.array([7])) == (7, 7)


def table_of(*devices: tuple[str, list[object]]) -> NodeTable:
    nodes = [node(name, "MatMul") for name in ("a", "b", "c", "d", "e")]
    return build_node_table(inputs_of(graph(*nodes), [(0, run_meta(devices))]))


def warnings_of(table: NodeTable) -> dict[str, tuple[int, tuple[str, ...]]]:
    return {found.code: (found.count, found.examples) for found in table.diagnostics}


def test_each_kind_of_fault_is_one_warning_and_its_times_are_unknown() -> None:
    names = ["a", "b", "c"] * 3
    sound = [ran(name, start=NOW + 100 * place, micros=10) for place, name in enumerate(names)]
    table = table_of(
        (
            "/device:CPU:0",
            [
                *sound,
                ran("d", start=NOW, micros=-50),
                ran("e", start=NOW, micros=-1),
                ran("b", start=NOW, micros=7_200_000_000),
                ran("c", start=NOW // 2, micros=1),
            ],
        )
    )
    found = warnings_of(table)
    assert found["ends_before_start"] == (2, ("d", "e"))
    assert found["longer_than_step"] == (1, ("b",))
    assert found["far_from_step"] == (1, ("c",))
    assert "other_clock" not in found
    assert table.column("micros").to_pylist() == [30, None, None, None, None]
    assert table.column("run_count").to_pylist() == [3, 4, 4, 1, 1]
    assert [(wall.nanos, wall.reason) for wall in table.walls] == [(None, "the times of 4 records are not possible")]


def test_a_kernel_that_ends_before_it_starts_has_no_time() -> None:
    record = ran("a", start=NOW, micros=3)
    record.op_start_rel_micros = 4
    assert table_of(("/device:CPU:0", [record])).column("micros").to_pylist() == [None, 0, 0, 0, 0]


def test_a_device_with_another_clock_starts_when_the_step_does() -> None:
    table = table_of(
        ("/device:CPU:0", [ran("a", start=NOW + 50, micros=100)]),
        ("/device:GPU:0", [ran("b", start=NOW, micros=10), ran("c", start=NOW + 20, micros=10)]),
        ("/device:GPU:0/stream:all", [ran("b", start=5000, micros=40), ran("c", start=5300, micros=60)]),
        ("/device:GPU:0/memcpy", [ran("d", start=4990, micros=5)]),
    )
    assert warnings_of(table)["other_clock"] == (2, (KERNELS, "/device:gpu:0/memcpy"))
    start = [nanos // 1000 - NOW for nanos in table.records["start_nanos"].to_pylist()]
    assert start == [50, 0, 20, 10, 310, 0]
    assert table.records["start_micros"].to_pylist()[-1] == 4990  # as recorded, for the native tool
    assert [wall.nanos for wall in table.walls] == [370_000]
    assert table.column("accelerator_micros").to_pylist() == [0, 40, 60, 0, 0]


def test_the_wall_time_is_from_the_first_start_to_the_last_end_over_all_devices() -> None:
    table = table_of(
        ("/device:CPU:0", [ran("_SOURCE", start=NOW - 5, micros=1), ran("a", start=NOW, micros=100)]),
        ("weird:device", [ran("b", start=NOW + 90, micros=45)]),
    )
    assert [(wall.step, wall.nanos, wall.reason) for wall in table.walls] == [(0, 140_000, "")]


def test_a_step_without_any_start_has_no_wall_time() -> None:
    table = table_of(("/device:CPU:0", [ran("a", start=0, micros=100)]))
    assert [(wall.nanos, wall.reason) for wall in table.walls] == [(None, "no record has a start time")]


def test_absurd_starts_and_durations_do_not_overflow() -> None:
    most = 2**63 - 1
    table = table_of(("/device:CPU:0", [ran("a", start=most, micros=most), ran("b", start=1, micros=most)]))
    assert table.column("micros").to_pylist()[:2] == [None, None]
    assert warnings_of(table)["longer_than_step"][0] == 2
