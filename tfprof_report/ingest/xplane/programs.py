"""The programs that XLA compiled for a run, which traces carry as HLO modules: what each instruction is and computes.

Field names are those of ``xla/service/hlo.proto``. Programs are told apart as traces name them: ``jit_step(12)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Floats,
    Ints,
    list_offsets,
    list_values,
    make_lists,
    marks,
    row_of_value,
    take_ranges,
    to_bools,
    to_ints,
)
from tfprof_report.ingest.decode import decode_each
from tfprof_report.ingest.xplane.instruction_bytes import instruction_bytes
from tfprof_report.ingest.xplane.instruction_flops import instruction_flops
from tfprof_report.record import record

_INTO = ("fusion", "call", "async-start")
"""Opcodes that do what the computation that they call does; all others call it for each element, or repeatedly."""

_DEPTH = 32
"""Deepest nesting of such computations that is followed: XLA itself nests a handful."""

_LIMIT = float(2**62)

_TRIPS = rb'"known_trip_count": *\{ *"n": *"?(?P<count>\d{1,15})'
"""What XLA notes of a loop, in the JSON text ``backend_config``."""

_DATA_TYPES = {
    1: 10,
    2: 6,
    3: 5,
    4: 3,
    5: 9,
    6: 4,
    7: 17,
    8: 22,
    9: 23,
    10: 19,
    11: 1,
    12: 2,
    15: 8,
    16: 14,
    18: 18,
    19: 24,
    20: 25,
    21: 29,
    22: 30,
    23: 27,
    24: 28,
    25: 26,
    26: 31,
    27: 32,
    32: 33,
}
"""xla.PrimitiveType to tensorflow.DataType."""


@record
class Programs:
    """The instructions of all programs.

    instructions : program (as traces name it), name, opcode, op_name and op_type (metadata of the framework's op, empty
        if none), source_file, source_line, frame (row of the innermost call in `frames`, -1 for none), dtype
        (tensorflow.DataType of the result, 0 for a tuple), shape (sizes of the result, NULL for a tuple), float_ops and
        macs (of one execution, all that it calls for its result included; NULL unknown), moved_bytes (likewise),
        repeats (how often it is executed when its program is executed once; NULL in a loop whose trip count is unknown)
    calls : per instruction that calls a computation for its result, and instruction of that: caller and callee, rows of
        `instructions`; the calls of calls included
    operands : instruction and the one whose result it takes, rows of `instructions`
    frames : file, line, function and parent (row of `frames`, -1 for none) of the calls that built instructions
    unreadable : names of programs that cannot be decoded
    """

    instructions: pa.Table
    calls: pa.Table
    operands: pa.Table
    frames: pa.Table
    unreadable: tuple[str, ...]


def read_programs(names: Sequence[str], messages: Sequence[bytes]) -> Programs:
    """Return the programs with these names, each an encoded ``xla.HloProto``."""
    batch, is_bad = decode_each(messages, "columns.HloProto")
    kept = [name for name, bad in zip(names, is_bad, strict=True) if not bad]
    modules = batch.column("hlo_module")
    computations = modules.field("computations")
    module_of_computation = row_of_value(list_offsets(computations))
    computations = list_values(computations)
    lists = computations.field("instructions")
    computation = row_of_value(list_offsets(lists))
    rows = list_values(lists)
    program = module_of_computation[computation]
    computation_keys = _Keys(module_of_computation, to_ints(computations.field("id")))
    instruction_keys = _Keys(program, to_ints(rows.field("id")))

    called, operands = rows.field("called_computation_ids"), rows.field("operand_ids")
    caller, taker = row_of_value(list_offsets(called)), row_of_value(list_offsets(operands))
    callee = computation_keys.rows(program[caller], to_ints(list_values(called)))
    source = instruction_keys.rows(program[taker], to_ints(list_values(operands)))
    shape, dtype = _shapes(rows.field("shape"))
    first = np.full(len(rows), -1, dtype=np.int64)
    offsets = list_offsets(operands)
    has_operand = np.diff(offsets) > 0
    first[has_operand] = source[offsets[:-1][has_operand]]
    second = np.full(len(rows), -1, dtype=np.int64)
    has_second = np.diff(offsets) > 1
    second[has_second] = source[offsets[:-1][has_second] + 1]
    own, own_macs = instruction_flops(rows, shape, first=first, second=second)

    opcodes = rows.field("opcode")
    has_callee = callee >= 0
    factor = _trips(rows, opcodes)[caller] + _is_condition(opcodes, list_offsets(called))
    times = _times(computation[caller[has_callee]], callee[has_callee], factor[has_callee], len(lists))
    into = to_bools(pc.is_in(opcodes, value_set=pa.array(_INTO)))
    counted = into[caller] & (callee >= 0)
    caller, callee = caller[counted], callee[counted]
    inner = _calls(caller, callee, list_offsets(lists))
    metadata = rows.field("metadata")
    frames, frame_offsets = _frames(modules)
    return Programs(
        instructions=pa.table(
            {
                "program": pa.array(kept, pa.string()).dictionary_encode().take(pa.array(program)),
                "name": rows.field("name"),
                "opcode": opcodes.dictionary_encode(),
                "op_name": pc.fill_null(pc.struct_field(metadata, "op_name"), ""),
                "op_type": pc.fill_null(pc.struct_field(metadata, "op_type"), ""),
                "source_file": pc.fill_null(pc.struct_field(metadata, "source_file"), ""),
                "source_line": pc.fill_null(pc.struct_field(metadata, "source_line"), 0).cast(pa.int64()),
                "frame": _numbered(pc.struct_field(metadata, "stack_frame_id"), frame_offsets, program),
                "dtype": dtype,
                "shape": shape,
                "float_ops": _with_calls(own, into, inner),
                "macs": _with_calls(own_macs, into, inner),
                "moved_bytes": instruction_bytes(rows, taker=taker, source=source, calls=inner),
                "repeats": times.take(pa.array(computation)),
            }
        ),
        calls=inner,
        operands=pa.table({"instruction": taker[source >= 0], "source": source[source >= 0]}),
        frames=frames,
        unreadable=tuple(name for name, bad in zip(names, is_bad, strict=True) if bad),
    )


class _Keys:
    """Rows by program and id."""

    def __init__(self, program: Ints, ids: Ints) -> None:
        self._ids = pa.array(ids).dictionary_encode()
        self._size = max(len(self._ids.dictionary), 1)
        self._known = pa.array(program * self._size + to_ints(self._ids.indices))

    def rows(self, program: Ints, ids: Ints) -> Ints:
        code = pc.index_in(pa.array(ids), value_set=self._ids.dictionary)
        key = pc.add(pa.array(program * self._size), code.cast(pa.int64()))
        return to_ints(pc.fill_null(pc.index_in(key, value_set=self._known), -1))


def _shapes(shapes: pa.StructArray) -> tuple[pa.ListArray, pa.Array]:
    """Return the sizes of each result, NULL for a tuple, and its type, 0 for a tuple or one that TensorFlow lacks."""
    kinds = to_ints(pc.fill_null(shapes.field("element_type"), 0))
    types = np.zeros(256, dtype=np.int64)
    types[list(_DATA_TYPES)] = list(_DATA_TYPES.values())
    known = np.where((kinds >= 0) & (kinds < len(types)), types[np.clip(kinds, 0, len(types) - 1)], 0)
    sizes = pc.fill_null(shapes.field("dimensions"), [])
    return make_lists(
        list_values(sizes).filter(pa.array((known != 0)[row_of_value(list_offsets(sizes))])),
        np.where(known != 0, np.diff(list_offsets(sizes)), 0),
        is_null=known == 0,
    ), pa.array(known)


def _calls(caller: Ints, callee: Ints, offsets: Ints) -> pa.Table:
    """Return `Programs.calls`: `callee` is a computation, whose instructions `offsets` tell."""
    top, computation = caller, callee
    callers, callees = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    order = np.argsort(caller, kind="stable")
    by_caller, by_callee = caller[order], callee[order]
    for _ in range(_DEPTH):
        counts = offsets[computation + 1] - offsets[computation]
        outer, inner = np.repeat(top, counts), take_ranges(offsets[computation], counts)
        callers.append(outer)
        callees.append(inner)
        begin, end = (np.searchsorted(by_caller, inner, side=side) for side in ("left", "right"))
        top = np.repeat(outer, end - begin)
        computation = by_callee[take_ranges(begin, end - begin)]
        if not len(top):
            break
    return pa.table({"caller": np.concatenate(callers), "callee": np.concatenate(callees)})


def _with_calls(own: pa.Array, into: Bools, calls: pa.Table) -> pa.Array:
    """Return the figure of each instruction with those of what it calls; NULL if one of these is unknown."""
    values, is_known = to_ints(pc.fill_null(own, 0)), to_bools(pc.is_valid(own))
    caller, callee = to_ints(calls["caller"]), to_ints(calls["callee"])
    is_leaf = ~into[callee]  # an instruction that calls others has no figure of its own
    caller, callee = caller[is_leaf], callee[is_leaf]
    total = np.where(into, 0, values)
    np.add.at(total, caller, values[callee])
    exact = np.where(into, 0.0, values.astype(np.float64))
    np.add.at(exact, caller, values[callee].astype(np.float64))
    has_callee = marks(caller, len(values))
    lacks = marks(caller[~is_known[callee]], len(values)) | (into & ~has_callee) | (~into & ~is_known)
    return pa.array(total, mask=lacks | (exact > _LIMIT))


def _trips(rows: pa.StructArray, opcodes: pa.Array) -> Floats:
    """Return how often each loop iterates, NaN where XLA does not know it; 1 for all other instructions."""
    trips = np.ones(len(rows))
    loops = np.flatnonzero(to_bools(pc.equal(opcodes, "while")))
    texts = pc.fill_null(rows.field("backend_config").take(pa.array(loops)), b"")
    counts = [float(found["count"]) if (found := re.search(_TRIPS, text)) else np.nan for text in texts.to_pylist()]
    trips[loops] = counts
    return trips


def _is_condition(opcodes: pa.Array, offsets: Ints) -> Bools:
    """Return which calls are of the condition of a loop: its second one, executed once more than the body."""
    caller = row_of_value(offsets)
    is_loop = to_bools(pc.equal(opcodes, "while"))
    is_second: Bools = np.arange(len(caller)) == offsets[caller] + 1
    return is_loop[caller] & is_second


@np.errstate(over="ignore", invalid="ignore")  # absurd counts: what is beyond int64 is unknown
def _times(caller: Ints, callee: Ints, factor: Floats, count: int) -> pa.Array:
    """Return how often each of `count` computations is executed with its program, int64; NULL if that is unknown.

    A call of the computation `callee` is made `factor` times when `caller` is executed once, NaN for unknown. A program
    begins with the computation that nothing calls.
    """
    reached = np.where(marks(callee, count), 0.0, 1.0)
    times = reached
    for _ in range(_DEPTH):
        reached = np.bincount(callee, weights=reached[caller] * factor, minlength=count)
        if not reached.any():
            break
        times = times + reached
    is_known = (times > 0) & (times < _LIMIT)  # not NaN; 0 where calls go round
    return pa.array(np.where(is_known, times, 0).astype(np.int64), mask=~is_known)


def _frames(modules: pa.StructArray) -> tuple[pa.Table, Ints]:
    """Return `Programs.frames`, and where those of each module begin. Their numbers count from 1; 0 is none."""
    index = modules.field("stack_frame_index")
    parts = {field.name: pc.fill_null(index.field(field.name), []) for field in index.type}
    frames, locations = parts["stack_frames"], parts["file_locations"]
    offsets = list_offsets(frames)
    module = row_of_value(offsets)
    rows, places = list_values(frames), list_values(locations)
    location = _numbered(rows.field("file_location_id"), list_offsets(locations), module)
    place_module = row_of_value(list_offsets(locations))

    def text(of: str, number: str) -> pa.Array:
        row = _numbered(places.field(number), list_offsets(parts[of]), place_module)
        return list_values(parts[of]).take(pa.array(row, mask=row < 0))

    at = pa.array(location, mask=location < 0)
    return pa.table(
        {
            "file": pc.fill_null(text("file_names", "file_name_id").take(at), ""),
            "line": pc.fill_null(places.field("line").take(at), 0).cast(pa.int64()),
            "function": pc.fill_null(text("function_names", "function_name_id").take(at), ""),
            "parent": _numbered(rows.field("parent_frame_id"), offsets, module),
        }
    ), offsets


def _numbered(numbers: pa.Array, offsets: Ints, module: Ints) -> Ints:
    """Return the row that each number, counted from 1 within its module, stands for; -1 for none."""
    number = to_ints(pc.fill_null(numbers, 0)) - 1
    first, count = offsets[:-1][module], np.diff(offsets)[module]
    return np.where((number >= 0) & (number < count), first + number, -1)
