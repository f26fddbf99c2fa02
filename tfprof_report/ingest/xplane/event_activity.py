"""What devices did in a trace, event by event (`activity.ACTIVITY`): ops, kernels, launches, copies and transfers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, encode_codes, match_words, to_bools, to_ints, whole
from tfprof_report.ingest.activity import CODES, KINDS, Activity, make_activity
from tfprof_report.ingest.run_activity import COPIES, OPS
from tfprof_report.ingest.xplane.ops import Lines, OpEvents, Place
from tfprof_report.ingest.xplane.space import Space

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
    types : per row of `ops.ops` its type, for what XLA compiled the opcode where its program is known
    start_nanos, end_nanos : the times of all events of the file
    """
    line, of_kind = (to_ints(space.events[name]) for name in ("line", "kind"))
    place = lines.place[line]
    correlation = space.ints("correlation_id")
    row = np.full(len(line), -1, dtype=np.int64)
    row[ops.event] = ops.row
    launches = (place == Place.HOST) & to_bools(pc.is_valid(correlation))
    moves = (place == Place.HOST) & _has_name(space, _RUNTIME)[of_kind]
    event = np.flatnonzero((row >= 0) | (place == Place.STREAM) | launches | moves)
    rows = pa.array(event)
    line, of_kind, row = line[event], of_kind[event], row[event]
    on_stream, is_op = place[event] == Place.STREAM, row >= 0

    what = np.where(launches[event] & ~is_op, CODES[Activity.LAUNCH], CODES[Activity.COMPUTE])
    for each, pattern in OPS.items():
        what[_has_name(space, f":(?:{pattern})$")[of_kind]] = CODES[each]
    told = np.append(_told_by_op(ops.ops, types), -1)[row]
    what = np.where(told >= 0, told, what)
    what[is_op & _has_name(space, _PIPELINE)[of_kind]] = CODES[Activity.INPUT_WAIT]
    what[on_stream & _has_name(space, _NCCL)[of_kind]] = CODES[Activity.COLLECTIVE]
    is_copy = on_stream & _has_name(space, "(?i)memcpy")[of_kind]
    not_told = is_copy.copy()
    for each, ways in COPIES.items():
        is_such = is_copy & _has_name(space, f"(?i)memcpy *(?:{ways})")[of_kind]
        what[is_such], not_told[is_such] = CODES[each], False

    details = space.codes("memcpy_details").take(rows)
    device = pc.replace_substring_regex(lines.device, r"/stream:all$", "")
    host = pc.replace_substring_regex(device, r"/device:\w+:\d+$", "/device:cpu:0")
    peers = _peers(details, is_copy & _has_name(space, "(?i)memcpy *(?:ptop|p2p)")[of_kind], device, line)
    devices = pa.concat_arrays([device, host, peers.dictionary])
    mine, its_host = line, line + len(device)
    peer = to_ints(pc.fill_null(peers.indices, -1))
    peer = np.where(peer >= 0, peer + 2 * len(device), mine)
    from_host, to_host, between = (is_copy & (what == CODES[each]) for each in COPIES)
    source = np.select([from_host, to_host | between], [its_host, mine], -1)
    destination = np.select([to_host, between, from_host], [its_host, peer, mine], -1)
    table = make_activity(
        len(event),
        device=encode_codes(mine, devices),
        lane=space.lines["number"].combine_chunks().take(pa.array(line)),
        name=space.names_or(whole(ops.ops["name"]), row, event),
        kind=pa.DictionaryArray.from_arrays(pa.array(what, pa.int8(), mask=not_told), KINDS),
        start_nanos=pa.array(start_nanos[event]),
        end_nanos=pa.array(end_nanos[event]),
        bytes=_sizes(details, is_copy),
        source=encode_codes(source, devices),
        destination=encode_codes(destination, devices),
        correlation=correlation.take(rows),
    )
    return table, event


def _has_name(space: Space, pattern: str) -> Bools:
    """Return which kinds of events have a name that matches; the last one, for events without a kind, has not."""
    return np.append(to_bools(pc.match_substring_regex(whole(space.kinds["name"]), pattern)), np.False_)


def _told_by_op(ops: pa.Table, types: pa.Array) -> Ints:
    """Return the code of what each op does, -1 where neither its type nor its instruction tells it."""
    told = np.full(ops.num_rows, -1, dtype=np.int64)
    for each, pattern in OPS.items():
        told[match_words(whole(ops["op"]), f"^(?:{pattern})$")] = CODES[each]
    # An instruction is named by its opcode, or as the framework's op is: psum.7 is an all-reduce.
    for texts in (whole(ops["name"]), types):
        compiled = pc.if_else(whole(ops["is_compiled"]), texts, None)
        for each, pattern in _INSTRUCTIONS.items():
            told[match_words(compiled, f"^(?:{pattern})$")] = CODES[each]
    return told


def _peers(details: pa.DictionaryArray, is_to_peer: Bools, device: pa.Array, line: Ints) -> pa.DictionaryArray:
    """Return the device that copies between GPUs go to, by its number in the stat ``memcpy_details``; else NULL."""
    if not is_to_peer.any():
        return pa.nulls(len(is_to_peer), pa.string()).dictionary_encode()
    number = pc.struct_field(pc.extract_regex(details.dictionary, _PEER), "peer").take(details.indices)
    without_number = pc.replace_substring_regex(device, r"\d+$", "").take(pa.array(line))
    peer = pc.binary_join_element_wise(without_number, number, "")
    return pc.if_else(pa.array(is_to_peer), peer, None).dictionary_encode()


def _sizes(details: pa.DictionaryArray, is_copy: Bools) -> pa.Array:
    """Return the bytes of copies: stat ``memcpy_details`` (GPUs, ``size:4096``); NULL where not told."""
    if not is_copy.any():
        return pa.nulls(len(is_copy), pa.int64())
    size = pc.struct_field(pc.extract_regex(details.dictionary, _SIZE), "size").cast(pa.int64())
    return pc.if_else(pa.array(is_copy), size.take(details.indices), None)
