"""What devices did, from a trace: kinds of events, copies with their ends and sizes, launches."""

from __future__ import annotations

from typing import Any

import pytest
from traces import Trace, instruction, program, read_case

from tfprof_report.ingest.activity import Activity

TASK = "/job:localhost/replica:0/task:0"
GPU, CPU = f"{TASK}/device:gpu:0", f"{TASK}/device:cpu:0"


def rows_of(trace: Trace) -> list[dict[str, Any]]:
    ((_, columns),) = trace.traced().run.run_metas
    found: list[dict[str, Any]] = columns.activity().to_pylist()
    return found


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ("x:MatMul", Activity.COMPUTE),
        ("x:CollectiveReduceV2", Activity.COLLECTIVE),
        ("x:_Send", Activity.SEND),
        ("x:IteratorGetNext", Activity.INPUT_WAIT),
    ],
)
def test_ops_on_a_host_are_told_apart_by_their_type(event: str, kind: Activity) -> None:
    trace = Trace()
    trace.line().event(event, 0, 5)
    (row,) = rows_of(trace)
    assert (row["kind"], row["device"], row["end_nanos"] - row["start_nanos"]) == (kind, CPU, 5)


@pytest.mark.parametrize(
    ("iterator", "kind"),
    [
        ("Iterator::Root", Activity.INPUT_WAIT),
        ("Iterator::Root::Prefetch", Activity.INPUT_WAIT),
        ("Iterator::Root::Prefetch::ParallelMapV2", Activity.INPUT_WAIT),
        ("Iterator::Root::Prefetch::BatchV2", Activity.COMPUTE),
        ("Iterator::Root::Prefetch::ParallelMapV2::TFRecord", Activity.COMPUTE),
        ("Iterator::Root::Prefetchers", Activity.COMPUTE),
    ],
)
def test_who_asks_an_iterator_for_what_other_threads_make_waits(iterator: str, kind: Activity) -> None:
    trace = Trace()
    trace.line().event(iterator, 0, 5)
    assert [row["kind"] for row in rows_of(trace)] == [kind]


def test_a_program_that_waits_for_its_data_is_idle() -> None:
    activity = {
        row["name"]: row["kind"]
        for _, each in read_case("threads").run.run_metas
        for row in each.activity().to_pylist()
    }
    assert (activity["Iterator::Root"], activity["Iterator::Root::ParallelMapV2"]) == (Activity.INPUT_WAIT,) * 2


@pytest.mark.parametrize(
    ("instruction", "kind"),
    [("all-reduce.3", Activity.COLLECTIVE), ("infeed", Activity.INPUT_WAIT), ("fusion.1", Activity.COMPUTE)],
)
@pytest.mark.parametrize("program", [{"hlo_module": "m", "program_id": 1}, {}])
def test_instructions_are_told_apart_by_their_name(instruction: str, kind: Activity, program: dict[str, Any]) -> None:
    trace = Trace()
    trace.line("XLA Ops", plane="/device:TPU:0").event("x", 0, 5, hlo_op=instruction, **program)
    (row,) = rows_of(trace)
    assert (row["kind"], row["name"]) == (kind, instruction)


def test_an_instruction_with_the_name_of_the_framework_is_what_its_program_says() -> None:
    trace = Trace()
    made = program(
        [instruction("a", "parameter", 1, [8]), instruction("psum.7", "all-reduce", 2, [8], operand_ids=[1])]
    )
    trace.plane("/host:metadata").kind("jit_f(7)", **{"Hlo Proto": made})
    trace.line().event("psum.7", 0, 5, hlo_op="psum.7", hlo_module="jit_f", program_id=7)
    (row,) = rows_of(trace)
    assert (row["kind"], row["name"], row["device"]) == (Activity.COLLECTIVE, "psum.7", CPU)


@pytest.mark.parametrize(
    ("name", "kind", "ends"),
    [
        ("MemcpyH2D", Activity.HOST_TO_DEVICE, (CPU, GPU)),
        ("MEMCPYDtoH", Activity.DEVICE_TO_HOST, (GPU, CPU)),
        ("MemcpyD2D", Activity.DEVICE_TO_DEVICE, (GPU, GPU)),
        ("MemcpyP2P", Activity.DEVICE_TO_DEVICE, (GPU, f"{TASK}/device:gpu:3")),
        ("Memcpy", None, (None, None)),
    ],
)
def test_copies_have_ends_and_sizes(name: str, kind: Activity | None, ends: tuple[str, str]) -> None:
    trace = Trace()
    details = "kind_src:pinned kind_dst:device size:4096 dest:3 async:1"
    trace.line("Stream #14(MemcpyH2D)", plane="/device:GPU:0").event(name, 0, 5, memcpy_details=details)
    (row,) = rows_of(trace)
    assert (row["kind"], row["source"], row["destination"], row["bytes"]) == (kind, *ends, 4096)


def test_launches_are_linked_to_their_kernels() -> None:
    rows = [row for _, columns in read_case("made_gpu").run.run_metas for row in columns.activity().to_pylist()]
    launches = {row["correlation"] for row in rows if row["kind"] == Activity.LAUNCH}
    assert launches == {1, 2, 3, 11, 12, 13, 21, 22, 23}
    assert launches < {row["correlation"] for row in rows if row["device"] == GPU}


def test_a_kernel_of_a_kind_that_the_file_lacks_has_no_name() -> None:
    trace = Trace()
    line = trace.line("Stream #1", plane="/device:GPU:0").event("k", 0, 5, tf_op="x:MatMul")
    line.message.events.add(metadata_id=99, offset_ps=9000, duration_ps=3000)
    assert [(row["name"], row["kind"]) for row in rows_of(trace)] == [("x", Activity.COMPUTE), ("", Activity.COMPUTE)]
