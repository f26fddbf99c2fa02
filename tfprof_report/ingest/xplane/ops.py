"""Which events are executions of an op, of which op, and on which device.

TensorFlow's executor names its events ``NODE:OpType``; what XLA compiled names an instruction of a program (stats
``hlo_op`` and ``hlo_module``); kernels on a GPU name the op that launched them (stat ``tf_op``) or the instruction.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    encode_codes,
    first_places,
    number_rows,
    places_of,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.ingest.xplane.space import Space
from tfprof_report.record import record

_TF_OP = r"^(?P<name>[A-Za-z0-9._][A-Za-z0-9_.\\/>-]*):(?P<op>[A-Z_][A-Za-z0-9_]*)$"
_JAX_OP = r"^(?P<name>[^:]+):(?P<op>[a-z_][a-z0-9_]*)(?:\[.*\])?$"
_TYPE = r":[^:/]*$"
"""What follows the name in the stat ``tf_op`` of what XLA compiled: a type, or nothing."""

_DATASET = r"^(?P<name>Iterator::.*)$"
DATASET = "Dataset"
"""The op type of events of input pipelines, ``Iterator::Batch::Map``, as in TensorFlow's own tools."""

_TF_OP_STAT, _INSTRUCTION, _MODULE, _PROGRAM_ID = "tf_op", "hlo_op", "hlo_module", "program_id"
"""Stats that name an op: the framework's, the instruction of a program, and the program, ``jit_step(12)``."""

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
    """The executions of ops in one file, in file order: millions of executions of some thousand ops.

    event : rows of `Space.events`
    row : of each execution, the row of its op in `ops`
    ops : `SEEN_OPS`
    """

    event: Ints
    row: Ints
    ops: pa.Table

    def of_each(self, column: str) -> pa.DictionaryArray:
        """Return a text of the op of each execution."""
        return encode_codes(self.row, whole(self.ops[column]))

    def followed_by(self, others: OpEvents) -> OpEvents:
        """Return these executions, then others."""
        return OpEvents(
            event=np.concatenate([self.event, others.event]),
            row=np.concatenate([self.row, self.ops.num_rows + others.row]),
            ops=pa.concat_tables([self.ops, others.ops]),
        )


SEEN_OPS = pa.schema(
    [
        ("name", pa.string()),
        ("op", pa.string()),
        ("is_compiled", pa.bool_()),
        ("program", pa.string()),
        ("framework_op", pa.string()),
        ("float_ops", pa.int64()),
        ("moved_bytes", pa.int64()),
    ]
)
"""Columns of what executions tell of their ops, in order of appearance; an op may have several rows.

name : of the node; for what XLA compiled, the name of the instruction
op : op type, for what XLA compiled its category; NULL where the event does not say it
is_compiled : XLA compiled it
program : the program as `Programs` names it; NULL where the event does not say it
framework_op : the framework's op that an instruction is from; NULL where the event does not say it
float_ops, moved_bytes : of its first execution, where the profiler works them out, as that of TPUs does
"""


def ops_of_framework(event: Ints, name: pa.Array, op: pa.Array) -> OpEvents:
    """Return executions of ops that XLA did not compile, from the name and type of each."""
    names, types = name.dictionary_encode(), op.dictionary_encode()
    row = number_rows([to_ints(names.indices), to_ints(types.indices)])
    first = pa.array(first_places(row))
    columns = {"name": name.take(first), "op": op.take(first), "is_compiled": pa.array([False] * len(first))}
    others = {field.name: pa.nulls(len(first), field.type) for field in SEEN_OPS}
    return OpEvents(event=event, row=row, ops=pa.table({**others, **columns}, schema=SEEN_OPS))


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
    event = np.flatnonzero((place != Place.NOTHING) & (place != Place.ELSEWHERE))
    told = {stat: space.codes(stat) for stat in (_TF_OP_STAT, _INSTRUCTION, _MODULE, _CATEGORY) if space.has(stat)}
    codes = [to_ints(pc.fill_null(column.indices, -1)) for column in told.values()]
    if space.has(_PROGRAM_ID):
        codes.append(to_ints(pc.fill_null(space.ints(_PROGRAM_ID), -1)))
    # What tells the op is the same for nearly all events: it is looked at once for all that are alike.
    alike = number_rows([column[event] for column in (place, to_ints(space.events["kind"]), *codes)])
    first = event[first_places(alike)]
    texts = {stat: column.take(pa.array(first)).cast(pa.string()) for stat, column in told.items()}
    ops = _ops_at(space, place[first], first, texts)
    is_op = to_bools(pc.is_valid(ops["name"]))
    found = is_op[alike]
    return OpEvents(event=event[found], row=places_of(is_op)[alike[found]], ops=ops.filter(pa.array(is_op)))


def _ops_at(space: Space, place: Ints, event: Ints, told: Mapping[str, pa.Array]) -> pa.Table:
    """Return the ops of some events (`SEEN_OPS`), whose name is NULL for what is no op.

    Parameters
    ----------
    place : `Place` of each event
    event : rows of `Space.events`
    told : the texts of their stats by the name of the stat
    """
    nothing, rows = pa.nulls(len(event), pa.string()), pa.array(event)
    kind = to_ints(space.events["kind"])[event]
    of_kind = pa.array(kind, mask=kind < 0)
    on_host, on_core = _where(place == Place.HOST), _where(place == Place.CORE)
    written = pc.if_else(on_host, None, told.get(_TF_OP_STAT, nothing))
    of_event = parse_op_names(whole(space.kinds["name"]).take(of_kind))
    name, op = (pc.if_else(on_host, *both) for both in zip(of_event, parse_op_names(written), strict=True))
    instruction = told.get(_INSTRUCTION, nothing)
    named = pc.coalesce(instruction, _instructions(space).take(of_kind))
    instruction = pc.if_else(on_core, named, instruction)
    is_compiled = pc.is_valid(instruction)
    number = pc.fill_null(space.ints(_PROGRAM_ID).take(rows).cast(pa.string()), "")
    program = pc.binary_join_element_wise(told.get(_MODULE, nothing), "(", number, ")", "")
    columns = {
        "name": pc.if_else(is_compiled, instruction, name),
        "op": pc.if_else(is_compiled, told.get(_CATEGORY, nothing), op),
        "is_compiled": is_compiled,
        "program": pc.if_else(is_compiled, program, None),
        "framework_op": pc.replace_substring_regex(pc.if_else(is_compiled, written, None), _TYPE, ""),
        "float_ops": space.ints(_FLOPS).take(rows),
        "moved_bytes": space.ints(_BYTES).take(rows),
    }
    return pa.table(columns, schema=SEEN_OPS)


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


def _where(mask: Bools) -> pa.Array:
    return pa.array(mask)
