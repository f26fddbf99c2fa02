from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from messages import decoded, ran, run_meta

from tfprof_report.ingest.activity import ACTIVITY, Activity, make_activity
from tfprof_report.ingest.run_meta import read_run_meta
from tfprof_report.ingest.sniff import Kind

TASK = "/job:worker/replica:0/task:1"
WORKER, PS = f"{TASK}/device:CPU:0", "/job:ps/replica:0/task:0/device:CPU:0"
GPU, STREAM = f"{TASK}/device:GPU:0", "/device:GPU:0/stream:"


def activity(devices: Any, *columns: str) -> list[tuple[Any, ...]]:
    table = read_run_meta(decoded(run_meta(devices), Kind.RUN_META)).activity()
    assert table.schema == ACTIVITY
    table.validate(full=True)
    return [tuple(row.values()) for row in table.select(list(columns)).to_pylist()]


def test_a_record_computes_on_its_device_from_its_start_to_the_end_of_its_kernel() -> None:
    devices = {WORKER: [ran("a", start=5, micros=3), ran("b", start=9, nanos=7), ran("c", start=0, micros=2)]}
    columns = ("device", "name", "kind", "start_nanos", "end_nanos", "lane", "correlation")
    assert activity(devices, *columns) == [
        (WORKER.lower(), "a", "compute", 5000, 8000, None, None),
        (WORKER.lower(), "b", "compute", 9000, 9007, None, None),
        (WORKER.lower(), "c", "compute", None, None, None, None),
    ]


def test_a_record_that_ends_before_it_starts_has_no_end() -> None:
    assert activity({WORKER: [ran("a", start=5, micros=-3)]}, "start_nanos", "end_nanos") == [(5000, None)]


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        ("MatMul", "compute"),
        ("IteratorGetNext", "input_wait"),
        ("IteratorGetNextAsOptional", "input_wait"),
        ("QueueDequeueManyV2", "input_wait"),
        ("IteratorV2", "compute"),
        ("CollectiveReduceV2", "collective"),
        ("CollectiveInitializeCommunicator", "compute"),
        ("NcclAllReduce", "collective"),
        ("_Send", "send"),
        ("_HostRecv", "receive"),
        ("SendToMe", "compute"),
    ],
)
def test_the_op_type_in_its_label_says_what_a_record_does(op: str, kind: str) -> None:
    assert activity({WORKER: [ran("a", label=f"[cpu 0.3MB 0.3MB] a = {op}(b, c)")]}, "name", "kind") == [("a", kind)]


@pytest.mark.parametrize("op", ["PartitionedCall", "StatefulPartitionedCall", "While", "StatelessIf", "Case"])
def test_a_call_is_no_event_since_the_ops_of_its_body_are(op: str) -> None:
    calls = [ran("f", micros=9, label=f"f = {op}(x)"), ran("y", label="y = IfNot(f)"), ran("x", label="x = XlaRun(y)")]
    assert activity({WORKER: calls, GPU: calls}, "name", "kind") == [
        *(("y", "compute"), ("x", "compute")),
        *(("y", "launch"), ("x", "launch")),
    ]


def test_a_transfer_between_tasks_has_its_tensor_its_ends_and_its_exact_bytes() -> None:
    label = f"[0.1MB] [1.1Gb/s] edge_7_w/read from {PS} to {WORKER}"
    rounded = ran("RecvTensor", label=label)
    exact = ran("RecvTensor", label=label, outputs=[(131072, 0)])
    small = ran("RecvTensor", label=f"[4800B] [74.2Mb/s] edge_9_out/w/read from {PS} to {WORKER}")
    columns = ("name", "kind", "bytes", "source", "destination")
    ends = ("receive", PS.lower(), WORKER.lower())
    assert activity({WORKER: [rounded, exact, small]}, *columns) == [
        ("w/read", ends[0], None, *ends[1:]),
        ("w/read", ends[0], 131072, *ends[1:]),
        ("out/w/read", ends[0], 4800, *ends[1:]),
    ]


def test_sends_and_receives_name_the_other_device() -> None:
    send = ran("edge_3_x", label=f"edge_3_x = _Send(edge_3_x @{PS})")
    receive = ran("y/_5", label=f"y/_5 = _Recv(edge_4_y @{PS})", outputs=[(12, 16)])
    assert activity({WORKER: [send, receive]}, "name", "kind", "bytes", "source", "destination") == [
        ("x", "send", None, WORKER.lower(), PS.lower()),
        ("y", "receive", 16, PS.lower(), WORKER.lower()),
    ]


def test_a_collective_has_the_bytes_of_its_outputs_and_no_ends() -> None:
    record = ran("r", label="r = CollectiveReduce(m)", outputs=[(360, 384)])
    assert activity({WORKER: [record]}, "kind", "bytes", "source", "destination") == [("collective", 384, None, None)]


def test_kernels_of_a_gpu_are_there_once_on_the_gpu_with_their_stream() -> None:
    kernels = [ran("a:MatMul", start=7, micros=2), ran("b:Relu", start=9, micros=1)]
    devices = [
        (GPU, [ran("a", start=5, micros=1, label="a = MatMul(x)")]),
        (f"{STREAM}all", kernels),
        (f"{STREAM}13", kernels[:1]),
        (f"{STREAM}14", kernels[1:]),
    ]
    gpu = GPU.lower()
    assert activity(devices, "device", "lane", "name", "kind", "destination", "start_nanos") == [
        (gpu, None, "a", "launch", gpu, 5000),
        (gpu, 13, "a", "compute", None, 7000),
        (gpu, 14, "b", "compute", None, 9000),
    ]


def test_equal_kernels_are_as_many_as_one_device_has() -> None:
    kernel = ran("a:MatMul", start=7, micros=2)
    devices = [(f"{STREAM}all", [kernel, kernel]), (f"{STREAM}13", [kernel])]
    assert activity(devices, "lane") == [(None,), (13,)]


def test_copies_have_a_direction_bytes_and_the_host_of_their_gpu() -> None:
    to_gpu = ran("edge_3_x:MEMCPYHtoD", start=3, micros=1, label="MEMCPYHtoD 64 bytes (Pageable to Device)")
    to_host = ran("y", start=5, micros=1, label="y bytes:128 aync")
    within = ran("z:MEMCPYDtoD", start=7, micros=1)
    devices = [
        (f"{TASK}/device:CPU:0", []),
        (GPU, []),
        ("/device:GPU:0/memcpy", [to_gpu, to_host, within]),
        (f"{STREAM}2", [to_gpu, within]),
        (f"{STREAM}3<MemcpyD2H>", [to_host]),
    ]
    gpu, host = GPU.lower(), WORKER.lower()
    assert activity(devices, "name", "kind", "bytes", "source", "destination", "lane") == [
        ("x", "host_to_device", 64, host, gpu, 2),
        ("z", "device_to_device", None, gpu, gpu, 2),
        ("y", "device_to_host", 128, gpu, host, 3),
    ]


def test_a_copy_without_a_direction_has_no_kind() -> None:
    assert activity({"/device:GPU:0/memcpy": [ran("a", label="a bytes:8")]}, "kind", "bytes") == [(None, 8)]


def test_collectives_among_kernels_are_told_by_their_names() -> None:
    kernels = [
        ran("r:CollectiveReduce", start=2),
        ran("s", start=3, label="ncclAllReduceRing grid:1"),
        ran("t", start=4),
    ]
    assert activity({f"{STREAM}7": kernels}, "kind") == [("collective",), ("collective",), ("compute",)]


def test_a_collective_of_a_gpu_is_its_kernels_with_the_bytes_of_the_op() -> None:
    sizes = (("r", 100), ("s", 30), ("r", 200))
    ops = [ran(name, start=1, label=f"{name} = NcclAllReduce(x)", outputs=[(size, 0)]) for name, size in sizes]
    kernels = [ran(f"{name}:NcclAllReduce", start=start) for name, start in (("r", 5), ("r", 8), ("r", 9), ("t", 9))]
    devices = {GPU: ops, f"{GPU}/stream:all": kernels, WORKER: ops[:1]}
    assert activity(devices, "name", "kind", "bytes") == [
        *(("r", "launch", None), ("s", "collective", 30), ("r", "launch", None)),
        *(("r", "collective", 100), ("r", "collective", 200), ("r", "collective", None), ("t", "collective", None)),
        ("r", "collective", 100),  # on the CPU nothing is launched
    ]


def test_a_stream_that_names_no_task_belongs_to_the_only_gpu_of_its_number() -> None:
    other = GPU.replace("task:1", "task:2")
    kernel = [ran("a:MatMul")]
    assert activity([(GPU, []), (f"{STREAM}1", kernel)], "device") == [(GPU.lower(),)]
    assert activity([(GPU, []), (other, []), (f"{STREAM}1", kernel)], "device") == [("/device:gpu:0",)]
    assert activity([(GPU, []), (other, []), (f"{other}/stream:1", kernel)], "device") == [(other.lower(),)]


def test_waiting_of_the_host_for_a_gpu_is_no_event_of_the_gpu() -> None:
    assert activity({"/device:GPU:0/sync": [ran("cuStreamSynchronize")]}, "name") == []


def test_a_table_has_null_for_columns_that_are_not_given() -> None:
    (row,) = make_activity(1, device=_words("d"), kind=_words(Activity.SEND)).to_pylist()
    assert {name for name, value in row.items() if value is None} == set(ACTIVITY.names) - {"device", "kind"}


def _words(word: str) -> pa.Array:
    return pa.array([word])
