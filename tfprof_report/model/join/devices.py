"""What the name of a device says: which time it has, and whether a GPU that launched kernels has a trace of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, match_words, to_bools, whole

CANONICAL = re.compile(r".*/(device:gpu|gpu|device:cpu|cpu):\d+", re.ASCII)
"""Names of CPU and GPU devices, in lower case."""

STREAM = "stream:all"
"""In the names of devices that have the times of all kernels of a GPU."""

_PART = re.compile(r"(?:.*/)?(?:device:)?(?:gpu|cpu):\d+[^/]*/.+", re.ASCII)
"""A part of a CPU or GPU, such as a single stream: its records repeat kernels and copies that are counted elsewhere."""

_GPU = re.compile(r"(?P<task>.*/)?(?:device:)?gpu:(?P<number>\d+)(?:\D.*)?", re.ASCII)

NO_KERNELS = (
    *("Const", "HostConst", "NoOp", "ControlTrigger", "Placeholder", "PlaceholderWithDefault"),
    *("Identity", "IdentityN", "StopGradient", "PreventGradient"),
    *("Shape", "ShapeN", "Size", "Rank", "Reshape", "Squeeze", "ExpandDims"),
    *("VariableV2", "Variable", "VarHandleOp", "ReadVariableOp", "VarIsInitializedOp"),
    *("Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit"),
    *("NextIteration", "RefNextIteration", "LoopCond"),
)
"""Op types that launch no kernel on a GPU: their outputs are in host memory, or are their inputs."""


def is_stream(devices: pa.Array | pa.ChunkedArray) -> Bools:
    """Return which devices hold kernel times: their name contains ``stream:all``."""
    return match_words(whole(devices), STREAM)


def is_unknown_kind(device: str) -> bool:
    """Return whether it is neither a CPU or GPU, nor a part of one, nor a trace of kernels: time of unknown meaning."""
    return not (CANONICAL.fullmatch(device) or STREAM in device or _PART.fullmatch(device))


def may_launch_kernels(ops: pa.Array, count: int) -> Bools:
    """Return which of `count` nodes may launch a kernel on a GPU; those seen only in run metadata may."""
    may = np.ones(count, dtype=bool)
    may[: len(ops)] = ~to_bools(pc.is_in(ops, value_set=pa.array(NO_KERNELS)))
    return may


def find_lacking(step: Ints, device: Ints, names: Sequence[str], may_launch: Bools, traces: pa.Table) -> Bools:
    """Return the records on a GPU, or on a part of one, that launched kernels in a step without a trace of them.

    `traces` has step and device of the records of all traces of kernels.
    """
    numbers, number = np.unique(step, return_inverse=True)
    size = max(len(names), 1)
    pairs, pair = np.unique(number * size + device, return_inverse=True)
    launches = np.bincount(pair[may_launch], minlength=len(pairs)) > 0
    of_step: dict[int, list[str]] = {}
    traced = traces.group_by(["step", "device"]).aggregate([]) if traces.num_rows else traces
    for at, name in zip(*traced.to_pydict().values(), strict=True):
        of_step.setdefault(at, []).append(name)
    lacks = np.zeros(len(pairs), dtype=bool)
    for first, last in zip(*_ranges(pairs // size, len(numbers)), strict=True):
        ran = [names[each] for each in pairs[first:last] % size]
        launching = {name for name, is_busy in zip(ran, launches[first:last], strict=True) if is_busy}
        lacks[first:last] = _without_stream(ran, launching, of_step.get(int(numbers[pairs[first] // size]), ()))
    return lacks[pair]


def _ranges(groups: Ints, count: int) -> tuple[list[int], list[int]]:
    """Return where each of `count` groups begins and ends in sorted `groups`."""
    bounds = np.searchsorted(groups, np.arange(count + 1)).tolist()
    return bounds[:-1], bounds[1:]


def _without_stream(devices: Sequence[str], launching: Collection[str], traces: Collection[str]) -> Bools:
    """Return which devices are a GPU that launched kernels, or a part of one, without a trace of all its kernels.

    A trace belongs to the GPU of its number and task. One that names no task, such as ``/device:gpu:0/stream:all``,
    belongs to the GPUs of that number in all tasks.

    Parameters
    ----------
    devices : the devices of one step, in lower case
    launching : those of them on which a node ran that may launch a kernel
    traces : the devices with kernel times
    """
    gpus = {device: (found["task"] or "/", found["number"]) for device in devices if (found := _GPU.fullmatch(device))}
    traced = {(found["task"] or "/", found["number"]) for device in traces if (found := _GPU.fullmatch(device))}
    busy = {gpu for device, gpu in gpus.items() if device in launching}
    missing = {gpu for gpu in busy if not any(_is_of(trace, gpu) for trace in traced)}
    return np.array([gpus.get(device) in missing for device in devices], dtype=bool)


def _is_of(trace: tuple[str, str], gpu: tuple[str, str]) -> bool:
    (its_task, its_number), (task, number) = trace, gpu
    return its_number == number and (its_task == task or "/" in (its_task, task))
