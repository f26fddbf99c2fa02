"""The input files of a case: models broken by bytes, by structure or made by hand, and files of every other kind."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import google_crc32c
from google.protobuf.message import DecodeError

from fuzz.mutate import break_bytes, break_message, break_text, node_names
from fuzz.odd_graphs import odd_graph
from fuzz.odd_runs import odd_op_log, odd_run_meta
from fuzz.seeds import Model, Seeds
from fuzz.values import TEXT_WORDS
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.sniff import FULL_NAMES, Kind

UNKNOWN_TAILS = (b"\xf2\x07\x03abc", b"\xf8\x07\x01", b"\x0b\x0c", b"\xfd\x07aaaa")
"""Fields that no message has, whole and cut."""

OTHER_FILES: Mapping[str, bytes] = {
    "model.tflite": b"\x1c\x00\x00\x00TFL3\x14\x00 \x00" + bytes(40),
    "model.onnx": b"\x08\x08\x12\x07pytorch\x1a\x052.1.0:\x10\n\x0eab\x12\x04Relu\x1a\x02xy",
    "model.h5": b"\x89HDF\r\n\x1a\n" + bytes(88),
    "model.keras": b"PK\x03\x04\x14\x00\x00\x00\x00\x00" + bytes(20) + b"metadata.json{}",
    "host.xplane.pb": b"\n\x12\x08\x01\x12\x0e/host:CPU \x1a\x00x",
    "empty": b"",
    "nul": bytes(1000),
    "text": b"hello, world\n",
    "json": b'{"node": [{"name": "a", "op": "b"}]}',
    "folder.pb/x": b"x",
}
"""Files that people give by mistake, by name."""


@dataclass(frozen=True, slots=True)
class Files:
    """The folder of a case, its seeds, and where its random numbers come from."""

    random: Random
    seeds: Seeds
    folder: Path

    def write(self, path: str, data: bytes, *, may_pack: bool = True) -> None:
        """Write a file, sometimes gzipped, and then sometimes with the gzip broken."""
        if may_pack and data and self.random.random() < 0.08:
            data = gzip.compress(data, 1, mtime=0)
            if self.random.random() < 0.3:
                data = break_bytes(self.random, data)
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)

    def write_model(self, path: str, model: Model) -> None:
        """Write the folder of a model."""
        self.write(f"{path}/graph.pb", model.graph)
        for step, data in enumerate(model.run_meta, start=1):
            self.write(f"{path}/run_meta_{step}", data)
        if model.op_log is not None:
            self.write(f"{path}/tfprof_log", model.op_log)

    def write_valid(self, path: str) -> None:
        """Write the folder of a model that nothing is wrong with."""
        model = self.random.choice(self.seeds.models[:3])
        self.write(f"{path}/graph.pb", model.graph, may_pack=False)
        for step, data in enumerate(model.run_meta, start=1):
            self.write(f"{path}/run_meta_{step}", data, may_pack=False)

    def write_broken(self, path: str, how: str = "") -> None:
        """Write the folder of a model broken in one of `WAYS`, by default in any."""
        way = WAYS[how or self.random.choice(tuple(WAYS))]
        self.write_model(path, way(self.random, self.seeds))


# Models ---------------------------------------------------------------------------------------------------------------


def _bytes_broken(random: Random, seeds: Seeds) -> Model:
    model = random.choice(seeds.models)
    place = random.randrange(1 + len(model.run_meta) + (model.op_log is not None))
    if place == 0:
        return replace(model, graph=break_bytes(random, model.graph))
    if model.op_log is not None and place > len(model.run_meta):
        return replace(model, op_log=break_bytes(random, model.op_log))
    runs = list(model.run_meta)
    runs[place - 1] = break_bytes(random, runs[place - 1])
    return replace(model, run_meta=tuple(runs))


def _structure_broken(random: Random, seeds: Seeds) -> Model:
    model = random.choice(seeds.models)
    hit = random.randrange(2 + len(model.run_meta))

    def changed(place: int, kind: Kind, data: bytes) -> bytes:
        return message_broken(random, kind, data) if place == hit or random.random() < 0.2 else data

    return Model(
        changed(0, Kind.GRAPH, model.graph),
        tuple(changed(2 + step, Kind.RUN_META, data) for step, data in enumerate(model.run_meta)),
        None if model.op_log is None else changed(1, Kind.OP_LOG, model.op_log),
    )


def message_broken(random: Random, kind: Kind, data: bytes) -> bytes:
    """Return a serialized message with a few fields changed; with a few bytes changed if a text of it is no UTF-8."""
    message = message_class(FULL_NAMES[kind])()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return break_bytes(random, data)
    break_message(random, message, random.choice([1, 1, 3, 10, 40]))
    tail = random.choice(UNKNOWN_TAILS) if random.random() < 0.05 else b""
    broken: bytes = message.SerializeToString(deterministic=True)
    return broken + tail


def _made_by_hand(random: Random, seeds: Seeds) -> Model:
    del seeds
    graph = odd_graph(random)
    names = node_names(graph)
    runs = [odd_run_meta(random, names) for _ in range(random.choice([0, 0, 1, 1, 4]))]
    log = odd_op_log(random, names) if random.random() < 0.5 else None
    return Model(_data(graph), tuple(map(_data, runs)), log and _data(log))


def _op_shapes_broken(random: Random, seeds: Seeds) -> Model:
    """Take a few ops of the graph with one of every kind, and what they read; of half of them, not the shapes."""
    whole: Any = message_class(FULL_NAMES[Kind.GRAPH]).FromString(seeds.op_shapes)
    by_name = {node.name: node for node in whole.node}
    waiting = [random.choice(whole.node).name for _ in range(random.choice([1, 5, 25]))]
    kept: set[str] = set()
    while waiting:
        name = waiting.pop().lstrip("^").split(":")[0]
        if name in by_name and name not in kept:
            kept.add(name)
            waiting += by_name[name].input
    graph: Any = message_class(FULL_NAMES[Kind.GRAPH])(node=[node for node in whole.node if node.name in kept])
    graph.library.CopyFrom(whole.library)
    for node in graph.node:
        if random.random() < 0.5:
            node.attr.pop("_output_shapes", None)
    break_message(random, graph, random.choice([1, 3, 10, 30]))
    return Model(_data(graph))


def _cut_graph(random: Random, seeds: Seeds) -> Model:
    """Take a part of a graph beside the run metadata of the whole, or the other way round."""
    model = random.choice([model for model in seeds.models if model.run_meta])
    graph: Any = message_class(FULL_NAMES[Kind.GRAPH]).FromString(model.graph)
    for _ in range(random.choice([1, 1, 3, 30])):
        nodes = random.choice([graph.node, *(function.node_def for function in graph.library.function)])
        if nodes:
            del nodes[random.randrange(len(nodes))]
    if graph.library.function and random.random() < 0.2:
        del graph.library.function[random.randrange(len(graph.library.function))]
    runs = []
    for data in model.run_meta:
        run: Any = message_class(FULL_NAMES[Kind.RUN_META]).FromString(data)
        if run.step_stats.dev_stats and random.random() < 0.3:
            del run.step_stats.dev_stats[random.randrange(len(run.step_stats.dev_stats))]
        runs.append(_data(run))
    return replace(model, graph=_data(graph), run_meta=tuple(runs))


def _data(message: Any) -> bytes:
    data: bytes = message.SerializeToString(deterministic=True)
    return data


WAYS: Mapping[str, Callable[[Random, Seeds], Model]] = {
    "structure": _structure_broken,
    "bytes": _bytes_broken,
    "by hand": _made_by_hand,
    "op shapes": _op_shapes_broken,
    "cut": _cut_graph,
}
"""How a model is broken."""


# Other kinds of input -------------------------------------------------------------------------------------------------


def any_kind(files: Files, path: str) -> None:
    """Write a file of any kind, mostly broken: a profile, a model, text, events, step stats, a trace, no input.

    Beside it, the log directory ``T`` gets one or two runs with traces of one or two hosts.
    """
    random, seeds = files.random, files.seeds
    for run, host in [("1", "a"), *random.sample([("1", "b"), ("2", "a")], random.randrange(3))]:
        data = _broken(random, Kind.XPLANE, random.choice(seeds.traces))
        files.write(f"T/plugins/profile/{run}/{host}.xplane.pb", data)
    kind, model = random.randrange(8), random.choice(seeds.models[:3])
    if kind == 0:
        data = _broken(random, Kind.PROFILE, random.choice(seeds.profiles))
    elif kind == 1:
        data = _broken(random, Kind.SAVED_MODEL, random.choice(seeds.saved_models))
    elif kind == 2:
        data = _broken(random, Kind.META_GRAPH, random.choice(seeds.meta_graphs))
    elif kind == 3:
        text = random.choice(seeds.texts)[: random.choice([500, 5000, 60000])]
        data = break_text(random, text, TEXT_WORDS)
    elif kind == 4:
        data = _broken(random, None, events_file(_structure_broken(random, seeds) if random.random() < 0.5 else model))
    elif kind == 5:
        stats: Any = message_class(FULL_NAMES[Kind.RUN_META]).FromString(random.choice(model.run_meta))
        break_message(random, stats, random.choice([0, 1, 10]))
        data = _data(stats.step_stats)
    elif kind == 6:
        data = _broken(random, Kind.XPLANE, random.choice(seeds.traces))
    else:
        data = _broken(random, None, random.choice(tuple(OTHER_FILES.values())))
    files.write(path, data)


def _broken(random: Random, kind: Kind | None, data: bytes) -> bytes:
    """Break a file by structure if it is a message of `kind`, else by bytes, or leave it as it is."""
    how = random.random()
    if kind and how < 0.6:
        return message_broken(random, kind, data)
    return break_bytes(random, data) if how < 0.9 else data


def events_file(model: Model) -> bytes:
    """Return a model as TensorBoard's event file, a record each for its version, its graph and its run metadata."""
    version = _field(3, b"brain.Event:2")
    runs = (_field(8, _field(1, b"step%d" % step) + _field(2, run)) for step, run in enumerate(model.run_meta))
    return b"".join(map(_record, (version, _field(4, model.graph), *runs)))


def _field(number: int, data: bytes) -> bytes:
    """Return a field of a message whose value is bytes, a text or a message."""
    length, size = b"", len(data)
    while size > 127:
        length += bytes([size % 128 + 128])
        size //= 128
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


def _record(data: bytes) -> bytes:
    length = len(data).to_bytes(8, "little")
    return length + _masked_crc(length) + data + _masked_crc(data)


def _masked_crc(data: bytes) -> bytes:
    crc: int = google_crc32c.value(data)
    return (((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")
