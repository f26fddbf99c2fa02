"""Memory events: what each execution holds, at most and at its end, and what allocators hold."""

from __future__ import annotations

from typing import Any

import pytest
from traces import Line, Trace, read_case

from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.ingest.xplane.memory_events import find_memory

SIZES = ("node_name", "bytes", "peak_bytes", "residual_bytes", "output_bytes", "is_runtime")


def take(line: Line, start: int, address: int, size: int, in_use: int, **stats: Any) -> None:
    event(line, "MemoryAllocation", start, addr=address, allocation_bytes=size, bytes_allocated=in_use, **stats)


def give(line: Line, start: int, address: int, size: int, in_use: int, **stats: Any) -> None:
    event(line, "MemoryDeallocation", start, addr=address, allocation_bytes=size, bytes_allocated=in_use, **stats)


def event(line: Line, kind: str, start: int, *, allocator_name: str = "GPU_0_bfc", **stats: Any) -> None:
    line.event(kind, start, 0, allocator_name=allocator_name, bytes_reserved=0, **stats)


def only_step(trace: Trace) -> RunMetaColumns:
    ((_, columns),) = trace.traced().run.run_metas
    return columns


def test_an_execution_holds_what_it_takes_until_it_gives_it_back() -> None:
    trace = Trace()
    line = trace.line().event("x:MatMul", 0, 100).event("y:Relu", 100, 50)
    take(line, 10, 1, 256, 256, requested_bytes=200, region_type="temp")
    take(line, 20, 2, 512, 768, requested_bytes=500, region_type="output", shape="[5,25]")
    give(line, 30, 1, 256, 512)
    give(line, 110, 2, 512, 0)
    found = only_step(trace)
    assert found.executions.select(SIZES).to_pylist() == [
        dict(zip(SIZES, ("x", 700, 768, 512, 500, False), strict=True)),
        dict(zip(SIZES, ("y", 0, 0, 0, 0, False), strict=True)),
    ]
    assert found.outputs.to_pylist() == [{"execution": 0, "position": 0, "count": 1, "shape": [5, 25]}]


def test_allocators_have_the_most_in_use_and_every_change_on_their_device() -> None:
    trace = Trace()
    line = trace.line(start=5000).event("x:MatMul", 0, 100_000)
    take(line, 10_000, 1, 256, 1256)
    take(line, 20_000, 2, 512, 1768, allocator_name="cpu_bfc")
    give(line, 30_000, 1, 256, 1000)
    rows = only_step(trace).allocations.to_pylist()
    gpu, cpu = "/job:localhost/replica:0/task:0/device:gpu:0", "/job:localhost/replica:0/task:0/device:cpu:0"
    assert [(row["device"], row["allocator"], row["bytes_in_use"]) for row in rows[:2]] == [
        (gpu, "GPU_0_bfc", 1256),
        (cpu, "cpu_bfc", 1768),
    ]
    # A trace that does not say when it began has begun after a millisecond.
    assert [(row["micros"], row["allocated_bytes"]) for row in rows[2:]] == [(1015, 256), (1025, 512), (1035, -256)]


def test_memory_that_no_op_takes_belongs_to_the_runtime() -> None:
    trace = Trace()
    line = trace.line().event("Load", 0, 10)
    take(line, 5, 1, 256, 256, requested_bytes=100)
    rows = only_step(trace).executions.select(SIZES).to_pylist()
    assert rows == [dict(zip(SIZES, ("MemoryAllocation", 100, 256, 256, 0, True), strict=True))]


def test_without_events_memory_is_unknown() -> None:
    trace = Trace()
    trace.line().event("x:MatMul", 0, 100)
    assert only_step(trace).executions["has_memory"].to_pylist() == [False]


def test_of_several_outputs_the_order_is_not_told() -> None:
    trace = Trace()
    line = trace.line().event("x:Unique", 0, 100)
    for address in (1, 2):
        take(line, 10 * address, address, 256, 256, region_type="output", shape="[4]")
    assert only_step(trace).outputs.num_rows == 0


@pytest.mark.parametrize("text", ["[]", "[8, 10]", "[8,10]"])
def test_shapes_are_sizes_in_brackets(text: str) -> None:
    trace = Trace()
    line = trace.line().event("x:MatMul", 0, 100)
    take(line, 1, 1, 256, 256, region_type="output", shape=text)
    assert only_step(trace).outputs["shape"].to_pylist() == [[8, 10] if "8" in text else []]


@pytest.mark.parametrize("text", ["[?,10]", "8,10", "[-1]", "", "[[8]]", "[99999999999999999999]"])
def test_other_texts_are_no_shapes(text: str) -> None:
    trace = Trace()
    line = trace.line().event("x:MatMul", 0, 100)
    take(line, 1, 1, 256, 256, region_type="output", shape=text)
    assert only_step(trace).outputs.num_rows == 0


def test_impossible_sizes_stay_within_bounds() -> None:
    trace = Trace()
    line = trace.line().event("x:MatMul", 0, 100)
    for place, size in enumerate((2**63 - 1, -(2**63), 2**63 - 1)):
        take(line, place, place, size, size, requested_bytes=size)
    found = find_memory(trace.space())
    assert (found.in_use >= 0).all()
    assert 0 <= sum(found.change.tolist()) < 2**62
    only_step(trace)


def test_the_peak_of_a_recorded_run_is_the_largest_in_use() -> None:
    run = read_case("train_memory").run
    most = max(
        value for _, columns in run.run_metas for value in columns.allocations["bytes_in_use"].to_pylist() if value
    )
    assert most == 140_288
