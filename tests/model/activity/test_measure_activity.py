"""Busy and idle time, waits, copies and transfers of small steps, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import graph, inputs_of, node, ran, run_meta, run_metas

from tfprof_report.ingest.activity import make_activity
from tfprof_report.ingest.run_meta import ALLOCATIONS, EXECUTIONS, OUTPUTS, RunMetaColumns
from tfprof_report.later import Later
from tfprof_report.model.activity.measure_activity import measure_activity
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.totals import DeviceActivity, StepActivity, StepWall

CPU, GPU, PS = "/job:worker/task:0/device:cpu:0", "/job:worker/task:0/device:gpu:0", "/job:ps/task:0/device:cpu:0"

Event = tuple[str, str | None, int | None, int | None]
"""Device, kind, start and end in nanoseconds."""


def step_of(*events: Event, names: Sequence[str] = (), **columns: Sequence[Any]) -> RunMetaColumns:
    """Return a step with events, whose other columns are NULL where not given."""
    device, kind, start, end = zip(*events, strict=True)
    given_names = names or [f"{word}_{place}" for place, word in enumerate(kind)]
    types = {"bytes": pa.int64(), "correlation": pa.int64(), "source": pa.string(), "destination": pa.string()}
    activity = make_activity(
        len(events),
        device=pa.array(device),
        name=pa.array(given_names),
        kind=pa.array(kind),
        start_nanos=pa.array(start, pa.int64()),
        end_nanos=pa.array(end, pa.int64()),
        **{name: pa.array(values, types[name]) for name, values in columns.items()},
    )
    return RunMetaColumns(
        executions=EXECUTIONS.empty_table(),
        allocations=ALLOCATIONS.empty_table(),
        outputs=OUTPUTS.empty_table(),
        devices=(),
        has_step_stats=True,
        activity=Later(lambda: activity),
    )


def measured(*steps: RunMetaColumns, nodes: Sequence[Any] = (), without_trace: Sequence[str] = ()) -> DeviceActivity:
    table = build_node_table(inputs_of(graph(*nodes)))
    return measure_activity(list(enumerate(steps)), (), without_trace, table.columns["name"], table.edges)


def nanos_of(activity: DeviceActivity, device: str, step: int = 0) -> dict[str, int | None]:
    rows = activity.by_device.select(["step", "device", "kind", "nanos"]).to_pylist()
    return {row["kind"]: row["nanos"] for row in rows if (row["step"], row["device"]) == (step, device)}


def test_busy_is_the_union_and_idle_the_rest_of_the_step_on_any_device() -> None:
    found = measured(
        step_of(
            (CPU, "compute", 10, 30),
            (CPU, "compute", 20, 40),  # overlaps
            (CPU, "compute", 25, 28),  # nested
            (CPU, "compute", 40, 50),  # touches
            (CPU, "compute", 70, 70),  # takes no time
            (CPU, "host_to_device", 80, 90),
            (PS, "compute", 0, 100),
        )
    )
    assert nanos_of(found, CPU) == {"compute": 40, "host_to_device": 10, "busy": 50, "idle": 50}
    assert nanos_of(found, PS) == {"compute": 100, "busy": 100, "idle": 0}
    assert found.steps == (
        StepActivity(step=0, idle_nanos=50, idle_reason="", transfer_bytes=None, transfer_reason=_unknown(1)),
    )


def test_waiting_and_launching_are_not_busy() -> None:
    found = measured(
        step_of(
            (CPU, "compute", 0, 10),
            (CPU, "input_wait", 5, 25),
            (CPU, "receive", 30, 40),
            (CPU, "send", 40, 45),
            (CPU, "launch", 50, 60),
        )
    )
    waits = {"input_wait": 20, "receive": 10, "send": 5, "launch": 10}
    assert nanos_of(found, CPU) == {"compute": 10, **waits, "busy": 10, "idle": 50}


def test_exposed_is_what_goes_on_while_nothing_is_computed() -> None:
    found = measured(
        step_of(
            (CPU, "compute", 0, 10),
            (CPU, "compute", 20, 30),
            (CPU, "receive", 5, 25),
            (CPU, "receive", 8, 40),
            (PS, "collective", 0, 7),
        )
    )
    rows = found.by_device.select(["device", "kind", "exposed_nanos", "count"]).to_pylist()
    assert {(row["device"], row["kind"]): (row["exposed_nanos"], row["count"]) for row in rows} == {
        (CPU, "compute"): (None, 2),
        (CPU, "receive"): (20, 2),  # 10 to 20 and 30 to 40
        (CPU, "busy"): (None, 2),
        (CPU, "idle"): (None, None),
        (PS, "collective"): (7, 1),
        (PS, "busy"): (None, 1),
        (PS, "idle"): (None, None),
    }


def test_a_gpu_is_idle_during_launches_until_its_kernel_starts() -> None:
    host, kernel = (GPU, "launch"), (GPU, "compute")
    found = measured(
        step_of(
            (*host, 0, 10),
            (*kernel, 15, 30),  # 0 to 15 is idle
            (*host, 20, 40),
            (*kernel, 45, 50),  # 30 to 45
            (*kernel, 60, 70),  # nobody launches it
            names=["a", "a", "b", "b", "c"],
            destination=[GPU, None, GPU, None, None],
        )
    )
    assert nanos_of(found, GPU)["launch_gap"] == 15 + 15
    assert nanos_of(found, GPU)["idle"] == 15 + 15 + 10


def test_a_launch_on_another_device_finds_its_kernel_by_correlation() -> None:
    found = measured(
        step_of(
            (CPU, "launch", 0, 10),
            (CPU, "launch", 10, 12),  # of no kernel
            (GPU, "compute", 30, 40),
            (GPU, "compute", 42, 50),
            names=["cuLaunchKernel", "cuLaunchKernel", "fusion", "fusion"],
            correlation=[7, 8, 7, None],
        )
    )
    assert nanos_of(found, GPU)["launch_gap"] == 30
    assert "launch_gap" not in nanos_of(found, CPU)


def test_steps_and_workers_are_apart() -> None:
    found = measured(
        step_of((CPU, "compute", 1000, 1010), (PS, "compute", 1000, 1004)),
        step_of((CPU, "compute", 5, 9), (PS, "compute", 6, 12)),
    )
    assert [nanos_of(found, device, step)["idle"] for step in (0, 1) for device in (CPU, PS)] == [0, 6, 3, 1]
    assert [step.idle_nanos for step in found.steps] == [6, 4]


def test_a_device_without_an_event_is_idle_if_its_task_was_traced() -> None:
    found = measured(
        step_of((CPU, "compute", 0, 10), (GPU, "compute", 0, 4), (PS, "compute", 0, 6)),
        step_of((CPU, "compute", 0, 20)),
        without_trace=[GPU],  # in another step
    )
    assert [nanos_of(found, device, 1) for device in (CPU, GPU, PS)] == [
        {"compute": 20, "busy": 20, "idle": 0},
        {"busy": 0, "idle": 20},
        {},
    ]
    assert [step.idle_nanos for step in found.steps] == [6 + 4, 20]


def test_transfers_are_summed_by_pair_and_a_send_counts_once_with_its_receive() -> None:
    moves = [
        (CPU, "receive", 0, 10),
        (CPU, "receive", 5, 15),
        (PS, "send", 0, 12),
        (PS, "send", 0, 1),
        (GPU, "collective", 0, 3),
    ]
    found = measured(
        step_of(
            *moves,
            bytes=[100, 28, 128, 7, None],
            source=[PS, PS, PS, PS, None],
            destination=[CPU, CPU, CPU, GPU, None],
        )
    )
    assert [tuple(row.values()) for row in found.by_pair.to_pylist()] == [
        (0, None, None, "collective", 1, None, 1, 3),
        (0, PS, CPU, "send", 1, 128, 0, 12),
        (0, PS, CPU, "receive", 2, 128, 0, 15),
        (0, PS, GPU, "send", 1, 7, 0, 1),
    ]
    assert found.steps[0].transfer_reason == _unknown(1)
    known = measured(step_of(*moves[:4], bytes=[100, 28, 128, 7], source=[PS] * 4, destination=[CPU, CPU, CPU, GPU]))
    assert known.steps[0].transfer_bytes == 128 + 7


def test_a_tensor_that_is_received_by_a_copy_counts_once() -> None:
    moves = [(CPU, "send", 0, 1), (GPU, "receive", 0, 20), (GPU, "host_to_device", 5, 15), (GPU, "receive", 0, 30)]
    sizes, sources = [64, 64, 64, 100], [CPU, CPU, CPU, PS]
    found = measured(step_of(*moves, bytes=sizes, source=sources, destination=[GPU] * 4))
    assert found.steps[0].transfer_bytes == 64 + 100  # that of the other worker is not the copy
    # a copy between devices that are not told may be another transfer
    moves = [(GPU, "receive", 0, 20), (GPU, None, 5, 15)]
    found = measured(step_of(*moves, bytes=[None, 64], source=[None] * 2, destination=[None] * 2))
    assert found.steps[0].transfer_reason == _unknown(1)


@pytest.mark.thorough
def test_figures_of_many_steps_take_time_in_proportion() -> None:
    step = step_of((CPU, "compute", 0, 9), (PS, "receive", 2, 12), bytes=[None, 5], source=[None, CPU])
    figures = measured(*[step] * 2000).steps
    assert {(each.idle_nanos, each.transfer_bytes) for each in figures} == {(3 + 12, 5)}
    assert [each.step for each in figures] == list(range(2000))


def test_nothing_moved_is_0_bytes() -> None:
    assert measured(step_of((CPU, "compute", 0, 1))).steps[0].transfer_bytes == 0


def test_an_op_waited_for_the_input_that_was_there_last() -> None:
    nodes = [node("a", "A"), node("b", "B"), node("c", "C"), node("d", "D", "a", "b:1", "^c", "missing")]
    found = measured(
        step_of(
            (CPU, "compute", 0, 10),
            (PS, "compute", 0, 20),
            (CPU, "receive", 20, 55),
            (CPU, "compute", 10, 15),
            (CPU, "compute", 60, 70),
            names=["a", "b", "b", "c", "d"],
        ),
        nodes=nodes,
    )
    # d waited from 15 to 60, most of it for b to be received
    assert [tuple(row.values()) for row in found.waits.to_pylist()] == [(0, CPU, "d", "receive", 15, 45, "b")]


@pytest.mark.parametrize(
    ("device", "kind", "reason"),
    [
        (CPU, "input_wait", "input_wait"),  # the host gets the input of its GPU
        (CPU, "launch", "launch"),
        (CPU, "receive", None),
        (CPU.replace("task:0", "task:1"), "input_wait", None),
        (GPU, "receive", "receive"),
    ],
)
def test_a_gpu_waits_in_what_its_host_waits_in(device: str, kind: str, reason: str | None) -> None:
    found = measured(step_of((GPU, "compute", 0, 10), (device, kind, 15, 40), (GPU, "compute", 50, 60)))
    waits = found.waits.select(["device", "kind", "nanos"]).to_pylist()
    assert [tuple(row.values()) for row in waits] == [(GPU, reason, 40)]


def test_a_wait_for_nothing_in_the_graph_names_no_op_and_the_longest_waits_come_first() -> None:
    found = measured(step_of((PS, "compute", 0, 1), (CPU, "compute", 2, 3), (PS, "compute", 11, 12)))
    waits = found.waits.select(["device", "kind", "nanos", "waited_for"]).to_pylist()
    assert [tuple(row.values()) for row in waits] == [(PS, None, 10, None), (CPU, None, 2, None)]


def test_an_input_without_an_event_stands_for_its_own_inputs() -> None:
    chain = [node(f"n{place}", "Identity", f"n{place - 1}") for place in range(2, 10)]
    nodes = [node("n1", "A"), *chain, node("near", "B", "n4"), node("far", "C", "n9"), node("x", "D", "n4", "near")]
    events = [(CPU, "compute", 0, 10), (CPU, "compute", 20, 30), (CPU, "compute", 40, 50), (CPU, "compute", 60, 70)]
    found = measured(step_of(*events, names=["n1", "near", "far", "x"]), nodes=nodes)
    waits = {row["name"]: row["waited_for"] for row in found.waits.to_pylist()}
    # near is 4 edges from n1, far 9; x has near as an input, which was there after n1
    assert waits == {"near": "n1", "far": None, "x": "near"}


def test_an_input_that_came_later_stands_for_no_other() -> None:
    nodes = [node("a", "A"), node("b", "B", "a"), node("c", "C", "b")]
    events = [(CPU, "compute", 0, 10), (CPU, "compute", 20, 30), (CPU, "compute", 40, 50)]
    found = measured(step_of(*events, names=["a", "c", "b"]), nodes=nodes)
    assert {row["name"]: row["waited_for"] for row in found.waits.to_pylist()} == {"b": "a", "c": None}


def test_a_step_is_as_long_as_the_program_marked_it() -> None:
    table = build_node_table(inputs_of(graph()))
    steps = [(4, step_of((CPU, "compute", 100, 110)))]
    walls = (StepWall(step=4, nanos=90, reason=""),)
    found = measure_activity(steps, walls, (), table.columns["name"], table.edges)
    assert nanos_of(found, CPU, 4) == {"compute": 10, "busy": 10, "idle": 80}


@pytest.mark.parametrize(("begun", "waited"), [(60, 40), (100, 0), (9, 0), (110, 0), (None, 0)])
def test_the_time_before_the_first_op_of_a_marked_step_is_a_wait(begun: int | None, waited: int) -> None:
    table = build_node_table(inputs_of(graph()))
    step = replace(step_of((CPU, "compute", 100, 110), (CPU, "compute", 110, 115)), wall_start=begun)
    walls = (StepWall(step=4, nanos=90, reason=""),)  # not from 9 on: an event would begin after the step
    found = measure_activity([(4, step)], walls, (), table.columns["name"], table.edges)
    assert nanos_of(found, CPU, 4) == {"compute": 15, "busy": 15, "idle": 75}
    assert [(row["start_nanos"], row["nanos"]) for row in found.waits.to_pylist()] == [(0, waited)] * (waited > 0)


def test_only_the_longest_waits_of_a_step_are_kept() -> None:
    events = [(CPU, "compute", 100 * place + place, 100 * place + 90) for place in range(80)]
    waits = measured(step_of(*events), step_of(*events[:3])).waits
    assert pc.value_counts(waits["step"]).to_pylist() == [{"values": 0, "counts": 50}, {"values": 1, "counts": 2}]
    assert waits["nanos"].to_pylist()[:3] == [89, 88, 87]


def test_without_a_time_busy_and_idle_are_unknown() -> None:
    found = measured(step_of((CPU, "compute", 0, 10), (CPU, "compute", None, None), (PS, "compute", 0, 20)))
    rows = found.by_device.select(["device", "kind", "nanos", "reason"]).to_pylist()
    assert {(row["device"], row["kind"]): (row["nanos"], row["reason"]) for row in rows if row["nanos"] is None} == {
        (CPU, "compute"): (None, "events without a time"),
        (CPU, "busy"): (None, "events without a time"),
        (CPU, "idle"): (None, "events without a time"),
    }
    assert found.steps[0].idle_reason == f"{CPU}: events without a time"
    assert not pc.any(pc.equal(found.waits["device"], CPU)).as_py()


def test_an_impossible_time_leaves_the_end_of_the_step_open() -> None:
    found = measured(step_of((CPU, "compute", 10, None), (CPU, "compute", 0, 10), (PS, "compute", 0, 20)))
    reason = "the times of 1 record are not possible"
    assert [row["reason"] for row in found.by_device.to_pylist() if (row["device"], row["kind"]) == (PS, "idle")] == [
        reason
    ]
    assert nanos_of(found, PS)["busy"] == 20


def test_a_gpu_without_a_trace_of_its_kernels_is_unknown_and_so_is_what_was_moved() -> None:
    found = measured(step_of((GPU, "launch", 0, 10), (CPU, "compute", 0, 10)), without_trace=[GPU])
    assert nanos_of(found, GPU) == {"launch": 10, "busy": None, "idle": None}
    step = found.steps[0]
    assert (step.transfer_bytes, step.transfer_reason) == (None, "its kernels have no trace")
    traced = measured(step_of((GPU, "launch", 0, 10), (GPU, "compute", 5, 10)), without_trace=[GPU])
    assert nanos_of(traced, GPU)["busy"] == 5


def test_only_the_median_step_has_timelines() -> None:
    steps = [step_of((CPU, "compute", 0, 200 * length), (CPU, "send", 0, 50 * length)) for length in (5, 1, 3)]
    rows = measured(*steps).by_device.select(["step", "kind", "timeline"]).to_pylist()
    drawn = {(row["step"], row["kind"]): row["timeline"] for row in rows if row["timeline"] is not None}
    assert drawn == {(2, "compute"): [100] * 200, (2, "send"): [100] * 50 + [0] * 150}


def test_a_step_without_events_has_nothing() -> None:
    assert measured() == DeviceActivity()


def test_times_of_a_gpu_on_another_clock_are_aligned_with_its_step() -> None:
    now = 1_700_000_000_000_000
    devices = {
        CPU: [ran("x", start=now, micros=10)],
        GPU: [ran("a", start=now + 2, micros=4)],
        "/device:gpu:0/stream:all": [ran("a", start=5, micros=6)],
    }
    table = build_node_table(inputs_of(graph(node("a", "MatMul")), [(0, run_meta(devices))]))
    assert nanos_of(table.activity, GPU)["busy"] == 6_000
    assert nanos_of(table.activity, CPU) == {"compute": 10_000, "busy": 10_000, "idle": 0}


def test_idle_is_unknown_where_streams_of_a_gpu_have_several_clocks() -> None:
    now = 1_700_000_000_000_000
    devices = {
        CPU: [ran("x", start=now, micros=10)],
        "/device:gpu:0/stream:13": [ran("a", start=now + 2, micros=4), ran("b", start=now + 6, micros=1)],
        "/device:gpu:0/stream:all": [ran("a", start=5, micros=4), ran("b", start=10, micros=1)],
    }
    table = build_node_table(inputs_of(graph(node("a", "MatMul"), node("b", "Relu")), [(0, run_meta(devices))]))
    assert [wall.nanos for wall in table.walls] == [10_000]
    rows = table.activity.by_device.filter(pc.equal(table.activity.by_device["kind"].cast(pa.string()), "idle"))
    assert set(rows["nanos"].to_pylist()) == {None}
    assert set(rows["reason"].to_pylist()) == {"a part of a device has another clock"}


@settings(max_examples=examples(90))
@given(data=st.data())
def test_busy_and_idle_are_the_step_and_no_more_than_the_sums(data: st.DataObject) -> None:
    names = ["a", "b", "c"]
    nodes = [node("a", "MatMul"), node("b", "MatMul", "a"), node("c", "IteratorGetNext", "b")]
    given_steps = data.draw(st.lists(run_metas(names), min_size=1, max_size=3))
    table = build_node_table(inputs_of(graph(*nodes), list(enumerate(given_steps))))
    activity, walls = table.activity, {wall.step: wall.nanos for wall in table.walls}
    rows = activity.by_device.select(["step", "device", "kind", "nanos", "exposed_nanos"]).to_pylist()
    for step, device in {(row["step"], row["device"]) for row in rows}:
        mine = {row["kind"]: row for row in rows if (row["step"], row["device"]) == (step, device)}
        busy, idle = mine["busy"]["nanos"], mine["idle"]["nanos"]
        if idle is not None:
            assert busy + idle == walls[step]
        kept = [
            row["nanos"] for kind, row in mine.items() if kind in ("compute", "collective", "copy") or "_to_" in kind
        ]
        if busy is not None and None not in kept:
            assert max(kept, default=0) <= busy <= sum(kept)
        assert all(
            0 <= row["exposed_nanos"] <= row["nanos"] for row in mine.values() if row["exposed_nanos"] is not None
        )
    assert all(row["nanos"] > 0 for row in activity.waits.to_pylist())


@pytest.mark.parametrize("count", [1, 400])
def test_it_takes_any_number_of_inputs(count: int) -> None:
    nodes = [*(node(f"n{place}", "A") for place in range(count)), node("sum", "AddN", *(f"n{p}" for p in range(count)))]
    events = [*((PS, "compute", place, place + 1) for place in range(count)), (CPU, "compute", 2 * count, 3 * count)]
    found = measured(step_of(*events, names=[*(f"n{place}" for place in range(count)), "sum"]), nodes=nodes)
    (wait,) = found.waits.to_pylist()
    assert (wait["name"], wait["waited_for"], wait["nanos"]) == ("sum", f"n{count - 1}", 2 * count)


def _unknown(count: int) -> str:
    return f"the bytes of {count} transfer{'s' * (count != 1)} are not recorded"
