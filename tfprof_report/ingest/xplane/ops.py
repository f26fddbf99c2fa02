"""Which events are executions of an op, of which op, and on which device.

TensorFlow's executor names its events ``NODE:OpType``; what XLA compiled names an instruction of a program (stats
``hlo_op`` and ``hlo_module``); kernels on a GPU name the op that launched them (stat ``tf_op``) or the instruction.
"""

from __future__ import annotations

import re
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.ingest.xplane.space import Space
from tfprof_report.record import record

_TF_OP = r"^(?P<name>[A-Za-z0-9._][A-Za-z0-9_.\\/>-]*):(?P<op>[A-Z_][A-Za-z0-9_]*)$"
_JAX_OP = r"^(?P<name>[^:]+):(?P<op>[a-z_][a-z0-9_]*)(?:\[.*\])?$"
_TYPE = r":[^:/]*$"
"""What follows the name in the stat ``tf_op`` of what XLA compiled: a type, or nothing."""

_DATASET = r"^(?P<name>Iterator::.*)$"
DATASET = "Dataset"
"""The op type of events of input pipelines, ``Iterator::Batch::Map``, as in TensorFlow's own tools."""

_CATEGORY, _FLOPS, _BYTES = "hlo_category", "flops", "bytes_accessed"
"""Stats of what XLA compiled, which the profilers of accelerators add."""

_DEVICE = re.compile(r"/device:(?P<kind>GPU|TPU|CPU):(?P<number>\d+)", re.ASCII)
_HOST = "/host:CPU"
_STREAM = re.compile(r"Stream #?\d+", re.ASCII)
_CORE_LINE, _ASYNC_LINE = "XLA Ops", "Async XLA Ops"


class Place(IntEnum):
    """What the events of a line are."""

    NOTHING = 0
    """Summaries of other lines of a device (``Steps``, ``XLA Modules``)."""
    HOST = 1
    STREAM = 2
    """Kernels and copies on a stream of a GPU."""
    CORE = 3
    """Instructions of compiled programs on a TPU."""
    ELSEWHERE = 4
    """What a TPU does beside its instructions, and planes of unknown kind: none of it is an op."""


@record
class Lines:
    """Per line of a trace: its `place`, and the `device` of its ops as run metadata names it, in lower case."""

    place: Ints
    device: pa.Array


@record
class OpEvents:
    """The executions of ops in one file, in file order.

    event : rows of `Space.events`
    name : of the node; for what XLA compiled, the name of the instruction
    op : op type, for what XLA compiled its category; NULL where the event does not say it
    is_compiled : XLA compiled it
    program : the program as `Programs` names it; NULL where the event does not say it
    framework_op : the framework's op that an instruction is from; NULL where the event does not say it
    float_ops, moved_bytes : of one execution, where the profiler works them out, as that of TPUs does
    """

    event: Ints
    name: pa.Array
    op: pa.Array
    is_compiled: pa.Array
    program: pa.Array
    framework_op: pa.Array
    float_ops: pa.Array
    moved_bytes: pa.Array

    def followed_by(self, others: OpEvents) -> OpEvents:
        """Return these executions, then others."""
        columns = ("name", "op", "is_compiled", "program", "framework_op", "float_ops", "moved_bytes")
        both = {name: pa.concat_arrays([getattr(self, name), getattr(others, name)]) for name in columns}
        return OpEvents(event=np.concatenate([self.event, others.event]), **both)


def ops_of_framework(event: Ints, name: pa.Array, op: pa.Array) -> OpEvents:
    """Return executions of ops that XLA did not compile."""
    texts, numbers = pa.nulls(len(event), pa.string()), pa.nulls(len(event), pa.int64())
    return OpEvents(
        event=event,
        name=name,
        op=op,
        is_compiled=pa.array(np.zeros(len(event), dtype=bool)),
        program=texts,
        framework_op=texts,
        float_ops=numbers,
        moved_bytes=numbers,
    )


def read_lines(space: Space, task: str) -> Lines:
    """Return what the lines of a file are; `task` begins the names of its devices: ``/job:localhost/...``."""
    planes, plane = space.planes.to_pylist(), to_ints(space.lines["plane"]).tolist()
    place, devices = [], []
    for number, name in zip(plane, space.lines["name"].to_pylist(), strict=True):  # some dozens of threads and streams
        found, device = _line(planes[number], name, task)
        place.append(found)
        devices.append(device)
    return Lines(place=np.array(place, dtype=np.int64), device=pa.array(devices, pa.string()))


def _line(plane: str, line: str, task: str) -> tuple[Place, str]:
    if plane == _HOST:
        return Place.HOST, f"{task}/device:cpu:0"
    device = _DEVICE.fullmatch(plane)
    if device is None:
        return Place.ELSEWHERE, plane
    name = f"{task}/device:{device['kind'].lower()}:{device['number']}"
    if device["kind"] == "GPU" and _STREAM.match(line):
        return Place.STREAM, f"{name}/stream:all"
    if device["kind"] == "TPU" and line == _CORE_LINE:
        return Place.CORE, f"{name}/stream:all"
    if device["kind"] == "TPU" and line == _ASYNC_LINE:
        return Place.ELSEWHERE, name
    return Place.NOTHING, name


def unread_planes(space: Space) -> list[str]:
    """Return the planes whose kind is not known and on which something took time."""
    took_time = np.unique(to_ints(space.events["line"])[to_ints(space.events["duration_ps"]) > 0])
    planes = space.planes.take(pa.array(np.unique(to_ints(space.lines["plane"])[took_time]))).to_pylist()
    return [plane for plane in planes if plane != _HOST and not _DEVICE.fullmatch(plane)]


def find_ops(space: Space, lines: Lines) -> OpEvents:
    """Return the executions of ops."""
    place = lines.place[to_ints(space.events["line"])]
    kind = to_ints(space.events["kind"])
    of_kind = pa.array(kind, mask=kind < 0)
    name, op = parse_op_names(space.kinds["name"].combine_chunks())
    on_host = _where(place == Place.HOST)
    name, op = (pc.if_else(on_host, column.take(of_kind), None) for column in (name, op))
    written = pa.nulls(space.events.num_rows, pa.string())
    if (on_device := (place == Place.STREAM) | (place == Place.CORE)).any():
        written = space.texts("tf_op")
        framework_op = written.dictionary_encode()
        parsed = [column.take(framework_op.indices) for column in parse_op_names(framework_op.dictionary)]
        name, op = (pc.if_else(_where(on_device), mine, other) for mine, other in zip(parsed, (name, op), strict=True))
    instruction, program = space.texts("hlo_op"), _programs(space)
    if (place == Place.CORE).any():
        named = pc.coalesce(instruction, _instructions(space).take(of_kind))
        instruction = pc.if_else(_where(place == Place.CORE), named, instruction)
    may_run = (place != Place.NOTHING) & (place != Place.ELSEWHERE)
    is_compiled = pc.and_(pc.is_valid(instruction), _where(may_run))
    framework_op = pc.replace_substring_regex(pc.if_else(is_compiled, written, None), _TYPE, "")
    name = pc.if_else(is_compiled, instruction, name)
    op = pc.if_else(is_compiled, space.texts(_CATEGORY), op)
    found = np.flatnonzero(to_bools(pc.is_valid(name)))
    rows = pa.array(found)
    return OpEvents(
        event=found,
        name=name.take(rows),
        op=op.take(rows),
        is_compiled=is_compiled.take(rows),
        program=pc.if_else(is_compiled, program, None).take(rows),
        framework_op=framework_op.take(rows),
        float_ops=space.ints(_FLOPS).take(rows),
        moved_bytes=space.ints(_BYTES).take(rows),
    )


def parse_op_names(names: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return node name and op type in names of events, NULL where they name no op.

    As ``ParseTfOpFullname`` of TensorFlow's profiler (tsl/profiler/utils/tf_op_utils.cc) does, but for names without a
    type, which it guesses, and for those that begin with an underscore, such as ``_arg_x_0_0``: these are nodes of the
    executor, which run metadata has too.
    """
    data, tensorflow, jax = (pc.extract_regex(names, pattern) for pattern in (_DATASET, _TF_OP, _JAX_OP))
    name = pc.coalesce(*(pc.struct_field(found, "name") for found in (data, tensorflow, jax)))
    op = pc.coalesce(*(pc.struct_field(found, "op") for found in (tensorflow, jax)))
    return name, pc.if_else(pc.is_valid(data), DATASET, op)


def _instructions(space: Space) -> pa.Array:
    """Return the instruction that each kind of event on a core is: ``fusion.3`` of ``%fusion.3 = f32[8]{0} ...``."""
    name, display = (space.kinds[each].combine_chunks() for each in ("name", "display_name"))
    written = pc.struct_field(pc.extract_regex(name, r"^%?(?P<name>[^ ]+)"), "name")
    return pc.coalesce(pc.if_else(pc.equal(display, ""), None, display), written, name)


def _programs(space: Space) -> pa.Array:
    """Return the program of each event as metadata planes name it: ``jit_step(12)``; NULL without one."""
    if not space.has("hlo_module"):
        return pa.nulls(space.events.num_rows, pa.string())
    number = pc.fill_null(space.ints("program_id").cast(pa.string()), "")
    return pc.binary_join_element_wise(space.texts("hlo_module"), "(", number, ")", "")


def _where(mask: Bools) -> pa.Array:
    return pa.array(mask)
