"""What devices did in a trace, event by event (`activity.ACTIVITY`): ops, kernels, launches, copies and transfers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, to_bools, to_ints
from tfprof_report.ingest.activity import CODES, KINDS, Activity, make_activity
from tfprof_report.ingest.run_activity import COPIES, OPS
from tfprof_report.ingest.xplane.ops import Lines, OpEvents, Place
from tfprof_report.ingest.xplane.space import Space
from tfprof_report.ingest.xplane.stats import matches

_INSTRUCTIONS = {
    Activity.COLLECTIVE: r"(?:all-reduce|all-gather|all-to-all|reduce-scatter|collective-\w+)"
    r"(?:-start|-done)?(?:\.\d+)?",
    Activity.SEND: r"send(?:-done)?(?:\.\d+)?",
    Activity.RECEIVE: r"recv(?:-done)?(?:\.\d+)?",
    Activity.INPUT_WAIT: r"infeed(?:\.\d+)?",
}
"""Instructions that XLA compiled, by what they do, as regular expressions."""

_RUNTIME = rf"^.*:(?:{'|'.join(OPS.values())})$"
_NCCL = "(?i)^nccl"
_PIPELINE = r"^Iterator::(?:.*::)?(?:Root|Prefetch|MapAndBatch\w*|Parallel\w+)$"
"""Iterators that hand over what other threads make: who asks for the next element waits. Others make it."""

_SIZE = r"(?:^|[ ,])(?:size|num_bytes|bytes):(?P<size>\d{1,18})"
_PEER = r"(?:^|[ ,])dest:(?P<peer>\d{1,9})(?:[ ,]|$)"


def read_activity(
    space: Space, lines: Lines, ops: OpEvents, types: pa.Array, *, start_nanos: Ints, end_nanos: Ints
) -> tuple[pa.Table, Ints]:
    """Return what devices did, and the event of each row.

    Rows are those of ops, of what moves data without being one, and of launches.

    Parameters
    ----------
    types : per op of `ops` its type, for what XLA compiled the opcode where its program is known
    start_nanos, end_nanos : the times of all events of the file
    """
    line = to_ints(space.events["line"])
    place = lines.place[line]
    names = space.names()
    is_op = marks(ops.event, len(line))
    on_stream = place == Place.STREAM
    launches = (place == Place.HOST) & to_bools(pc.is_valid(space.ints("correlation_id")))
    moves = (place == Place.HOST) & to_bools(matches(names, _RUNTIME))
    events = np.flatnonzero(is_op | on_stream | launches | moves)
    rows = pa.array(events)
    kind = np.full(len(line), CODES[Activity.COMPUTE])
    kind[launches & ~is_op] = CODES[Activity.LAUNCH]
    op_type = _op_types(ops, len(line))
    for each, pattern in OPS.items():
        kind[to_bools(matches(op_type, f"^(?:{pattern})$")) | to_bools(matches(names, f":(?:{pattern})$"))] = CODES[
            each
        ]
    # An instruction is named by its opcode, or as the framework's op is: psum.7 is an all-reduce.
    for texts in (ops.name, types):
        compiled = _spread(pc.if_else(ops.is_compiled, texts, None), ops.event, len(line))
        for each, pattern in _INSTRUCTIONS.items():
            kind[to_bools(matches(compiled, f"^(?:{pattern})$"))] = CODES[each]
    kind[is_op & to_bools(matches(names, _PIPELINE))] = CODES[Activity.INPUT_WAIT]
    kind[on_stream & to_bools(matches(names, _NCCL))] = CODES[Activity.COLLECTIVE]
    is_copy = on_stream & to_bools(matches(names, "(?i)memcpy"))
    not_told = is_copy.copy()
    for each, ways in COPIES.items():
        is_such = is_copy & to_bools(matches(names, f"(?i)memcpy *(?:{ways})"))
        kind[is_such], not_told[is_such] = CODES[each], False
    device = pc.replace_substring_regex(lines.device, r"/stream:all$", "")
    host = pc.replace_substring_regex(device, r"/device:\w+:\d+$", "/device:cpu:0")
    mine, its_host = (pc.take(names_, pa.array(line[events])) for names_ in (device, host))
    kinds = kind[events]
    from_host, to_host, between = (pa.array(is_copy[events] & (kinds == CODES[each])) for each in COPIES)
    nothing = pa.scalar(None, pa.string())
    is_to_peer = is_copy & to_bools(matches(names, "(?i)memcpy *(?:ptop|p2p)"))
    peer = pc.coalesce(_peers(space, is_to_peer, device, line).take(rows), mine)
    table = make_activity(
        len(events),
        device=mine.dictionary_encode(),
        lane=space.lines["number"].combine_chunks().take(pa.array(line[events])),
        name=_names_of(names, ops, rows),
        kind=pa.DictionaryArray.from_arrays(pa.array(kinds, pa.int8(), mask=not_told[events]), KINDS),
        start_nanos=pa.array(start_nanos[events]),
        end_nanos=pa.array(end_nanos[events]),
        bytes=_sizes(space, is_copy).take(rows),
        source=pc.if_else(from_host, its_host, pc.if_else(pc.or_(to_host, between), mine, nothing)).dictionary_encode(),
        destination=pc.if_else(
            to_host, its_host, pc.if_else(between, peer, pc.if_else(from_host, mine, nothing))
        ).dictionary_encode(),
        correlation=space.ints("correlation_id").take(rows),
    )
    return table, events


def _op_types(ops: OpEvents, count: int) -> pa.DictionaryArray:
    return _spread(ops.op, ops.event, count)


def _spread(texts: pa.Array, event: Ints, count: int) -> pa.DictionaryArray:
    """Return texts of some events as a column of all."""
    place = np.full(count, -1, dtype=np.int64)
    place[event] = np.arange(len(event))
    return texts.dictionary_encode().take(pa.array(place, mask=place < 0))


def _names_of(names: pa.DictionaryArray, ops: OpEvents, rows: pa.Array) -> pa.Array:
    """Return the names of some events: those of ops, and those of events for the others, empty if the file has none."""
    of_ops = _spread(ops.name, ops.event, len(names))
    words = pa.concat_arrays([of_ops.dictionary, names.dictionary])
    other = pc.add(names.indices.cast(pa.int64()), len(of_ops.dictionary))
    return pc.fill_null(words.take(pc.coalesce(of_ops.indices.cast(pa.int64()), other).take(rows)), "")


def _peers(space: Space, is_to_peer: Bools, device: pa.Array, line: Ints) -> pa.Array:
    """Return the device that copies between GPUs go to, by its number in the stat ``memcpy_details``; else NULL."""
    if not is_to_peer.any():
        return pa.nulls(len(is_to_peer), pa.string())
    details = space.texts("memcpy_details").dictionary_encode()
    number = pc.struct_field(pc.extract_regex(details.dictionary, _PEER), "peer").take(details.indices)
    without_number = pc.replace_substring_regex(device, r"\d+$", "").take(pa.array(line))
    return pc.if_else(pa.array(is_to_peer), pc.binary_join_element_wise(without_number, number, ""), None)


def _sizes(space: Space, is_copy: Bools) -> pa.Array:
    """Return the bytes of copies: stat ``memcpy_details`` (GPUs, ``size:4096``); NULL where not told."""
    if not is_copy.any():
        return pa.nulls(space.events.num_rows, pa.int64())
    details = space.texts("memcpy_details").dictionary_encode()
    size = pc.struct_field(pc.extract_regex(details.dictionary, _SIZE), "size").cast(pa.int64())
    return pc.if_else(pa.array(is_copy), size.take(details.indices), None)
