"""A trace that is made, not recorded, of what no CPU records: kernels of a GPU, errors, aggregated events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorflow.tsl.profiler.protobuf import xplane_pb2

from . import files

STEPS = 3
STEP_NS = 100_000
LAST = STEPS - 1


class Plane:
    """A plane that numbers its names as they come."""

    def __init__(self, space: Any, name: str) -> None:
        self.message = space.planes.add(id=len(space.planes), name=name)

    def number(self, names: Any, name: str) -> int:
        """Return the number of a name in the metadata of events or stats."""
        for number, metadata in names.items():
            if metadata.name == name:
                return int(number)
        number = len(names) + 1
        names[number].id, names[number].name = number, name
        return number

    def line(self, number: int, name: str, timestamp_ns: int) -> Any:
        """Return a new line."""
        return self.message.lines.add(id=number, name=name, timestamp_ns=timestamp_ns)

    def stat(self, owner: Any, name: str, value: float | str) -> None:
        """Give an event or the plane a stat; text becomes a reference, as TensorFlow writes it."""
        stat = owner.stats.add(metadata_id=self.number(self.message.stat_metadata, name))
        if isinstance(value, str):
            stat.ref_value = self.number(self.message.stat_metadata, value)
        elif isinstance(value, int):
            stat.int64_value = value
        else:
            stat.double_value = value

    def event(self, line: Any, name: str, start_ns: int, duration_ns: int, **stats: float | str) -> Any:
        """Return a new event on a line."""
        number = self.number(self.message.event_metadata, name)
        event = line.events.add(metadata_id=number, offset_ps=start_ns * 1000, duration_ps=duration_ns * 1000)
        for stat, value in stats.items():
            self.stat(event, stat, value)
        return event


def allocation(step: int) -> dict[str, float | str]:
    """Return the stats of an allocation, the same amount in each step, never freed."""
    return {
        "allocator_name": "GPU_0_bfc",
        "bytes_reserved": 0,
        "bytes_allocated": 4096 * (step + 1),
        "bytes_available": 1_000_000 - 4096 * (step + 1),
        "fragmentation": 0.25,
        "peak_bytes_in_use": 50_000,
        "requested_bytes": 4000,
        "allocation_bytes": 4096,
        "addr": 1000 + step,
        "tf_op": "dense/MatMul",
        "id": 100 + step,
        "region_type": "output",
        "data_type": 1,
        "shape": "[8,10]",
    }


def add_host(space: Any) -> None:
    """Add the threads that launch the kernels."""
    plane = Plane(space, "/host:CPU")
    python, executor = plane.line(1, "python", 1000), plane.line(2, "tf_Compute/2", 1000)
    for step in range(STEPS):
        start = step * STEP_NS
        plane.event(python, "train", start, 90_000, step_num=step, _r=1)
        plane.event(python, "FunctionRun", start + 1000, 5000, id=100 + step, _r=1, _pt=2, _p=100 + step)
        process = {"id": 100 + step, "iter_num": 0, "_ct": 2, "_c": 100 + step}
        plane.event(executor, "ExecutorState::Process", start + 7000, 50_000, **process)
        plane.event(executor, "dense/MatMul:MatMul", start + 8000, 20_000)
        plane.event(executor, "cuLaunchKernel", start + 9000, 3000, correlation_id=10 * step + 1)
        plane.event(executor, "MemoryAllocation", start + 12_500, 0, **allocation(step))
        plane.event(executor, "cuLaunchKernel", start + 13_000, 3000, correlation_id=10 * step + 2)
        plane.event(executor, "dense/Relu:Relu", start + 30_000, 9000)
        plane.event(executor, "cuLaunchKernel", start + 31_000, 3000, correlation_id=10 * step + 3)
    aggregated = plane.event(plane.line(3, "aggregated", 1000), "summed:AddN", 0, 7000)
    aggregated.num_occurrences = 7


def add_device(space: Any) -> None:
    """Add two streams of a GPU: ops of several kernels, and kernels, copies and XLA ops that belong to none."""
    plane = Plane(space, "/device:GPU:0")
    plane.stat(plane.message, "dropped_traces", 5)
    first, second = plane.line(13, "Stream #13(Kernel)", 500), plane.line(14, "Stream #14(MemcpyH2D,Kernel)", 700)
    kernel = "regs:32 static_shared:0 dynamic_shared:0 grid:8,1,1 block:128,1,1 occ_pct:50"
    matmul = {"tf_op": "dense/MatMul:MatMul", "kernel_details": kernel}
    relu = {"tf_op": "dense/Relu:Relu", "kernel_details": kernel}
    copy = "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"
    xla: dict[str, float | str] = {"hlo_op": "fusion.1", "hlo_module": "cluster_0", "program_id": 7}
    for step in range(STEPS):
        start, launched = step * STEP_NS, 10 * step
        plane.event(first, "sgemm_128x64", start + 20_000, 15_000, correlation_id=launched + 1, **matmul)
        plane.event(first, "splitKreduce", start + 36_000, 2000, correlation_id=launched + 2, **matmul)
        if step < LAST:
            plane.event(first, "splitKreduce", start + 38_000, 1000, correlation_id=launched + 2, **matmul)
        plane.event(second, "MemcpyH2D", start + 10_000, 5000, correlation_id=99, memcpy_details=copy)
        plane.event(second, "relu_kernel", start + 37_000, 4000, correlation_id=launched + 3, **relu)
        plane.event(second, "orphan_kernel", start + 70_000, 1000, correlation_id=1000)
        plane.event(second, "fusion_1", start + 72_000, 3000, correlation_id=1001, **xla)


def made_gpu(folder: Path) -> None:
    """Make three training steps on a GPU."""
    space = xplane_pb2.XSpace(hostnames=["gpu-host"])
    space.errors.append("The tracer of devices stopped early.")
    space.warnings.append("5 events were dropped.")
    add_host(space)
    add_device(space)
    files.keep_message(space, folder / "xplane.pb.gz")
