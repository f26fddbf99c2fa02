"""What devices did in a traced step, by its NodeExecStats.

Which records the runtime writes beside those of nodes, and their labels, follow TensorFlow's sources: transfers between
tasks (``worker_cache_logger.cc``), sends and receives (``step_stats_collector.cc``), and the streams of a GPU
(``device_tracer.cc``, whose kernels are written twice, for their stream and for all streams).
"""

from __future__ import annotations

import re
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, sort_distinct, to_bools, to_ints, whole
from tfprof_report.ingest.activity import CODES, KINDS, NAMES, Activity, exact_durations, exact_starts, make_activity
from tfprof_report.record import record

OPS = {
    Activity.INPUT_WAIT: r"IteratorGetNext\w*|MultiDeviceIteratorGetNext\w*|Infeed\w+|QueueDequeue\w*|Unstage\w*",
    Activity.COLLECTIVE: r"Collective(?:Reduce|Gather|Bcast|Permute|AllToAll)\w*|_?Nccl\w+|CrossReplicaSum|AllToAll"
    r"|XlaAllReduce|XlaReduceScatter|Horovod(?:Grouped)?(?:All|Broadcast|Reducescatter)\w*",
    Activity.SEND: "_?(?:Host)?Send",
    Activity.RECEIVE: "_?(?:Host)?Recv",
}
"""Op types by what they do, as regular expressions."""

CALLS = r"(?:Stateful)?PartitionedCall|SymbolicGradient|RemoteCall|(?:Stateless)?(?:If|Case|While)"
"""Op types that take as long as the bodies of their functions, whose ops have records of their own."""

_DEVICE = r"[\w/:.-]+"
_ANY = f" = (?:{'|'.join((*OPS.values(), CALLS))})\\(| from /"
"""In the labels of all that do not just compute."""

_ENDS = (
    rf"(?P<tensor>[!-~]+) from (?P<source>/{_DEVICE})(?: to (?P<destination>/{_DEVICE}))?"
    rf"|\((?P<sent>[!-~]+) @(?P<peer>/{_DEVICE})\)"
)
_BYTES = r"^\[(?P<edge>\d{1,18})B\]|bytes:(?P<copied>\d{1,18})|(?P<plain>\d{1,18}) bytes"

COPIES = {
    Activity.HOST_TO_DEVICE: "htod|h2d",
    Activity.DEVICE_TO_HOST: "dtoh|d2h",
    Activity.DEVICE_TO_DEVICE: "dtod|d2d|ptop|p2p",
}

_NOT_TOLD, _NO_MOVE, _CALL = -1, -2, -3
"""The kind of a copy whose direction is not told, of what moves nothing, and of calls, during which others work."""

_GPU = re.compile(r"(?P<task>.*/)?(?:device:)?gpu:(?P<number>\d+)(?P<part>/.*)?", re.ASCII)
_STREAM = re.compile(r"/stream:(?P<number>\d+)?(?P<all>all)?.*", re.ASCII)


class _Role(IntEnum):
    """What the records of a device are. Of those of the same kernel or copy the first of these is kept."""

    HOST = 0
    """Ops that run on it."""
    GPU = 1
    """Ops whose kernels run on it, and which only launch them."""
    STREAM = 2
    STREAMS = 3
    COPIES = 4
    OTHER = 5
    """Waiting of the host for a GPU, which the GPU does nothing for."""


@record
class _Devices:
    """The devices of a step: the role of each, the device that it is a part of (in `names`), its stream (-1: none)."""

    role: Ints
    device: Ints
    stream: Ints
    names: pa.Array


def read_activity(records: pa.Array, device: Ints, devices: pa.Array, executions: pa.Table) -> pa.Table:
    """Return what devices did (`activity.ACTIVITY`), in the order of the records.

    Parameters
    ----------
    records : NodeExecStats
    device : for each, its row in `devices`, the names of devices in lower case
    executions : the same records (`run_meta.EXECUTIONS`)
    """
    known = _devices_of(devices)
    role, own, stream = known.role[device], known.device[device], known.stream[device]
    start, nanos, is_timed, is_impossible = _times(executions)
    kept = role != _Role.OTHER
    parts = np.flatnonzero((role > _Role.GPU) & kept)
    if len(parts):
        name = to_ints(records.field("node_name").take(pa.array(parts)).dictionary_encode().indices)
        kept[parts] = _is_first([own[parts], name, start[parts], nanos[parts]], role[parts])
        parts = parts[kept[parts]]
    moves = pa.concat_tables(
        [
            _moves(executions, np.flatnonzero(role <= _Role.GPU), own, known.names),
            _kernels(records, parts, devices.take(pa.array(device[parts])), own, known.names),
        ]
    )
    moves = _give_to_kernels(moves, role, own)
    count = len(records)
    rows = np.full(count, -1, dtype=np.int64)
    rows[to_ints(moves["row"])] = np.arange(moves.num_rows)
    row = pa.array(rows, mask=rows < 0)
    kind = np.where(role == _Role.GPU, CODES[Activity.LAUNCH], CODES[Activity.COMPUTE])
    kind[to_ints(moves["row"])] = to_ints(moves["kind"])
    kept &= kind != _CALL
    table = make_activity(
        count,
        device=_named(own, known.names),
        lane=pa.array(stream, mask=stream < 0),
        name=pc.coalesce(moves["name"].take(row), executions["node_name"]),
        kind=pa.DictionaryArray.from_arrays(pa.array(kind, pa.int8(), mask=kind < 0), KINDS),
        start_nanos=pa.array(start, mask=~is_timed),
        end_nanos=pa.array(start + nanos, mask=~is_timed | is_impossible),
        bytes=moves["bytes"].take(row),
        source=moves["source"].take(row),
        destination=_destinations(moves["destination"].take(row), kind == CODES[Activity.LAUNCH], own, known.names),
    )
    return table if kept.all() else table.filter(pa.array(kept))


def _destinations(moved: pa.ChunkedArray, is_launch: Bools, own: Ints, names: pa.Array) -> pa.Array:
    """Return where things are moved to; a launch is for the GPU itself."""
    if not is_launch.any():
        return moved
    return pc.if_else(pa.array(is_launch), names.take(pa.array(own)), whole(moved.cast(pa.string())))


def _named(codes: Ints, names: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=codes < 0), names)


def _times(executions: pa.Table) -> tuple[Ints, Ints, Bools, Bools]:
    """Return start and duration of each record in nanoseconds, whether it has a start, and an impossible end."""
    micros, start_micros = to_ints(executions["micros"]), to_ints(executions["start_micros"])
    start, nanos = (to_ints(pc.fill_null(executions[name], 0)) for name in ("start_nanos", "nanos"))
    start_is_exact, end_is_exact = (to_bools(pc.is_valid(executions[name])) for name in ("start_nanos", "nanos"))
    nanos = exact_durations(micros, nanos, is_exact=end_is_exact)
    ends_early = to_bools(executions["ends_early"]) | (nanos < 0)
    return exact_starts(start_micros, start, is_exact=start_is_exact), nanos, start_micros > 0, ends_early


def _devices_of(devices: pa.Array) -> _Devices:
    """Return what each device is. A part of a GPU belongs to the GPU of its number and task.

    One that names no task, such as ``/device:gpu:0/stream:all``, belongs to the only GPU of that number, if it is.
    """
    texts = devices.to_pylist()
    found = {text: match for text in texts if (match := _GPU.fullmatch(text))}
    gpus: dict[tuple[str, str], str] = {}
    for text, match in found.items():
        if not match["part"]:
            gpus.setdefault((match["task"] or "/", match["number"]), text)
    role, names, stream = [], [], []
    for text in texts:
        match = found.get(text)
        if match is None or not match["part"]:
            role.append(_Role.HOST if match is None else _Role.GPU)
            names.append(text)
            stream.append(-1)
            continue
        lane = _STREAM.fullmatch(match["part"])
        role.append(_role_of(match["part"], lane))
        names.append(_whole_gpu(match["task"] or "/", match["number"], gpus))
        stream.append(int(lane["number"]) if lane and lane["number"] else -1)
    coded = pa.array(names, pa.string()).dictionary_encode()
    return _Devices(
        role=np.array(role, dtype=np.int64),
        device=to_ints(coded.indices),
        stream=np.array(stream, dtype=np.int64),
        names=coded.dictionary,
    )


def _role_of(part: str, stream: re.Match[str] | None) -> _Role:
    if stream is not None:
        return _Role.STREAMS if stream["all"] else _Role.STREAM
    return _Role.COPIES if part == "/memcpy" else _Role.OTHER


def _whole_gpu(task: str, number: str, gpus: dict[tuple[str, str], str]) -> str:
    if gpu := gpus.get((task, number)):
        return gpu
    others = [gpu for (_, its_number), gpu in gpus.items() if its_number == number]
    return others[0] if task == "/" and len(others) == 1 else f"{task}device:gpu:{number}"


def _is_first(key: list[Ints], role: Ints) -> Bools:
    """Return which of n records to keep where several devices have the same: as often as one role has it."""
    _, same = sort_distinct(key)
    turn = _turns([same, role])
    again = np.lexsort((role, turn, same))
    pairs = np.stack([same[again], turn[again]])
    first = np.append(True, (np.diff(pairs) != 0).any(axis=0)) if len(again) else np.zeros(0, dtype=bool)
    return marks(again[first], len(role))


def _turns(columns: list[Ints]) -> Ints:
    """Return for each row how many rows before it have the same values in all columns."""
    _, same = sort_distinct(columns)
    order = np.argsort(same, kind="stable")
    first = np.searchsorted(same[order], same[order])
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order)) - first
    return turn


_MOVED = pa.schema(
    [
        ("row", pa.int64()),
        ("kind", pa.int64()),
        ("name", pa.string()),
        ("bytes", pa.int64()),
        ("source", NAMES),
        ("destination", NAMES),
    ]
)
"""What is known of records that do not just compute or launch."""


def _moves(executions: pa.Table, rows: Ints, own: Ints, names: pa.Array) -> pa.Table:
    """Return what those of the records `rows` move (`_MOVED`) whose label is of a transfer, of input or of a call."""
    labels = whole(executions["label"])
    is_whole = len(rows) == len(labels)
    labels = labels if is_whole else labels.take(pa.array(rows))
    rows = rows[to_bools(pc.match_substring_regex(labels, _ANY))]
    if not len(rows):
        return _MOVED.empty_table()
    labels = whole(executions["label"]).take(pa.array(rows))
    told = pc.extract_regex(labels, _ENDS)
    kind = np.full(len(rows), CODES[Activity.RECEIVE])
    for each, ops in OPS.items():
        kind[to_bools(pc.match_substring_regex(labels, f" = (?:{ops})\\("))] = CODES[each]
    kind[to_bools(pc.match_substring_regex(labels, f" = (?:{CALLS})\\("))] = _CALL
    tensor, source, destination = (_text(told, name) for name in ("tensor", "source", "destination"))
    sent, peer, mine = _text(told, "sent"), _text(told, "peer"), names.take(pa.array(own[rows]))
    is_send, is_receive = (pa.array(kind == CODES[each]) for each in (Activity.SEND, Activity.RECEIVE))
    nothing = pa.scalar(None, pa.string())
    source = pc.coalesce(source, pc.if_else(is_send, mine, pc.if_else(is_receive, peer, nothing)))
    destination = pc.coalesce(destination, pc.if_else(is_receive, mine, pc.if_else(is_send, peer, nothing)))
    node = whole(executions["node_name"]).take(pa.array(rows))
    written = whole(pc.if_else(executions["has_outputs"], executions["output_bytes"], None)).take(pa.array(rows))
    moved = np.isin(kind, [CODES[Activity.RECEIVE], CODES[Activity.COLLECTIVE]])
    return _moved(
        rows=rows,
        kind=kind,
        names=pc.coalesce(tensor, sent, node),
        sizes=pc.if_else(pa.array(moved), pc.coalesce(written, _bytes_in(labels)), _bytes_in(labels)),
        source=source,
        destination=destination,
    )


def _kernels(records: pa.Array, rows: Ints, parts: pa.Array, own: Ints, names: pa.Array) -> pa.Table:
    """Return the copies and the collectives (`_MOVED`) among the kernels `rows`, which ran on these `parts` of GPUs."""
    if not len(rows):
        return _MOVED.empty_table()
    node, labels = (records.field(name).take(pa.array(rows)) for name in ("node_name", "timeline_label"))
    folded = pc.ascii_lower(pc.binary_join_element_wise(node, parts, " "))
    kind = np.full(len(rows), _NO_MOVE)
    kind[to_bools(pc.match_substring_regex(folded, ":_?(?:nccl|collective)"))] = CODES[Activity.COLLECTIVE]
    kind[to_bools(pc.match_substring_regex(labels, "^nccl"))] = CODES[Activity.COLLECTIVE]
    is_copy = to_bools(pc.match_substring(folded, "memcpy"))
    kind[is_copy] = _NOT_TOLD
    for each, ways in COPIES.items():
        kind[is_copy & to_bools(pc.match_substring_regex(folded, f"memcpy(?:{ways})"))] = CODES[each]
    found = np.flatnonzero(kind != _NO_MOVE)
    kind, rows = kind[found], rows[found]
    from_host, to_host, between = (kind == CODES[each] for each in COPIES)
    goes_on = pc.or_(
        pc.match_substring_regex(folded.take(pa.array(found)), "ptop|p2p"),
        pc.match_substring(labels.take(pa.array(found)), b" to device:"),
    )
    is_to_gpu = from_host | (between & ~to_bools(goes_on))
    gpu, host = names.take(pa.array(own[rows])), _hosts(names).take(pa.array(own[rows]))
    nothing = pa.scalar(None, pa.string())
    return _moved(
        rows=rows,
        kind=kind,
        names=node.take(pa.array(found)),
        sizes=_bytes_in(labels.take(pa.array(found))),
        source=pc.if_else(pa.array(from_host), host, pc.if_else(pa.array(to_host | between), gpu, nothing)),
        destination=pc.if_else(pa.array(to_host), host, pc.if_else(pa.array(is_to_gpu), gpu, nothing)),
    )


def _give_to_kernels(moves: pa.Table, role: Ints, own: Ints) -> pa.Table:
    """Return the same without the collectives of GPUs whose kernels are among them: these get the bytes.

    The record of the op is then a launch, as that of any other op of a GPU. The first record of an op is that of the
    first kernel with its name.
    """
    row, kind = to_ints(moves["row"]), to_ints(moves["kind"])
    found = np.flatnonzero((kind == CODES[Activity.COLLECTIVE]) & (role[row] >= _Role.GPU))
    is_kernel = (role[row[found]] > _Role.GPU).astype(np.int64)
    if not 0 < is_kernel.sum() < len(found):
        return moves
    name = to_ints(whole(moves["name"]).take(pa.array(found)).dictionary_encode().indices)
    key = [own[row[found]], name]
    pairs, pair = sort_distinct([*key, _turns([*key, is_kernel])])
    kernel, launch = np.full(len(pairs[0]), -1), np.full(len(pairs[0]), -1)
    kernel[pair[is_kernel == 1]], launch[pair[is_kernel == 0]] = found[is_kernel == 1], found[is_kernel == 0]
    both = np.flatnonzero((kernel >= 0) & (launch >= 0))
    source = np.arange(len(row))
    source[kernel[both]] = launch[both]
    given = moves.set_column(moves.column_names.index("bytes"), "bytes", moves["bytes"].take(pa.array(source)))
    return given.filter(pa.array(~marks(launch[both], len(row))))


def _moved(
    *, rows: Ints, kind: Ints, names: pa.Array, sizes: pa.Array, source: pa.Array, destination: pa.Array
) -> pa.Table:
    names = pc.replace_substring_regex(names, r"^(?:edge_\d+_)?([^:]*)(?::.*)?$", r"\1")
    kinds = pa.array(kind)
    return pa.table(
        [pa.array(rows), kinds, names, sizes, source.dictionary_encode(), destination.dictionary_encode()],
        schema=_MOVED,
    )


def _text(told: pa.StructArray, name: str) -> pa.Array:
    """Return a part of labels that a regular expression found, in lower case if it is a device; NULL if it did not."""
    part = told.field(name)
    text = pc.if_else(pc.equal(pc.binary_length(part), 0), None, part).cast(pa.string())
    return text if name in ("tensor", "sent") else pc.ascii_lower(text)


def _bytes_in(labels: pa.Array) -> pa.Array:
    """Return the bytes that labels tell exactly: ``[4800B]``, ``bytes:64``, ``64 bytes``."""
    told = pc.extract_regex(labels, _BYTES)
    parts = (told.field(name) for name in ("edge", "copied", "plain"))
    texts = pc.coalesce(*(pc.if_else(pc.equal(pc.binary_length(part), 0), None, part) for part in parts))
    return texts.cast(pa.string()).cast(pa.int64())


def _hosts(names: pa.Array) -> pa.Array:
    """Return for each device the first CPU of its task, NULL where no record is of one."""
    texts = names.to_pylist()
    found = [re.fullmatch(r"(.*/)(?:device:)?cpu:0", text) for text in texts]
    cpus = {match[1]: match[0] for match in found if match}
    tasks = (re.sub(r"(?:device:)?gpu:\d+$", "", text) for text in texts)
    return pa.array([cpus.get(task) for task in tasks], pa.string())
