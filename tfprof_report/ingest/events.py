"""Event files of TensorBoard, ``events.out.tfevents.*``: the graphs and run metadata that TensorFlow wrote into them.

They are TFRecord files (tensorflow/core/lib/io/record_writer.h): of each record the length in eight bytes, the masked
CRC-32C of these, the data, and the masked CRC-32C of the data. Each record is a ``tensorflow.Event``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import google_crc32c
from google.protobuf.message import DecodeError

from tfprof_report.errors import InputError
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.table_file import unmask
from tfprof_report.record import record

_LENGTH = struct.Struct("<QI")
_CRC = struct.Struct("<I")

_VERSION, _HEAD = b"brain.Event:", 64

_RUN_METADATA_PLUGIN = "graph_run_metadata"
"""The plugin whose summaries ``tf.summary.trace_export`` writes, instead of the events of TensorFlow 1."""


@record
class Events:
    """What an event file has for us.

    graph : the bytes of the last GraphDef, else of the last MetaGraphDef, as TensorBoard shows it; None without any
    run_metas : step and bytes of each RunMetadata, in file order
    is_cut : the last record is incomplete, as in a file that is still being written
    """

    graph: bytes | None
    run_metas: tuple[tuple[int, bytes], ...]
    is_cut: bool

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps of the run metadata, or their places 0, 1, 2 ... where two have the same step."""
        steps = tuple(step for step, _ in self.run_metas)
        return steps if len(set(steps)) == len(steps) else tuple(range(len(steps)))


def is_record_file(data: bytes) -> bool:
    """Return whether `data` begins with a length and its checksum, as every TFRecord file does."""
    return len(data) >= _LENGTH.size and _has_length(memoryview(data), 0)


def has_more_records(data: bytes, most: int) -> bool:
    """Return whether an event file has more than `most` records, by their lengths alone."""
    at = 0
    for _ in range(most):
        if at + _LENGTH.size > len(data):
            return False
        at += _LENGTH.size + _LENGTH.unpack_from(data, at)[0] + _CRC.size
    return at < len(data)


def read_events(data: bytes, *, file: str, option: str) -> Events:
    """Return the graph and the run metadata in an event file.

    Raises
    ------
    InputError
        A record is damaged, or the records are not events.
    """
    if _VERSION not in data[:_HEAD]:
        raise InputError(
            "is a TFRecord file without events, such as a data set",
            file=file,
            option=option,
            advice="give what TensorFlow's profiler or a SummaryWriter wrote",
        )
    try:
        return _read(data)
    except (ValueError, DecodeError) as error:
        raise InputError(
            "the event file is damaged", file=file, option=option, advice="write the file again", details=str(error)
        ) from error


def _read(data: bytes) -> Events:
    event_class: Any = message_class("events.Event")
    graphs: dict[str, bytes] = {}
    run_metas: list[tuple[int, bytes]] = []
    end = 0
    for at, each in _records(data):
        event = event_class.FromString(each)
        kind = event.WhichOneof("what")
        if kind in ("graph_def", "meta_graph_def"):
            graphs[kind] = getattr(event, kind)
        run_metas += [(event.step, found) for found in _run_metadata(event, kind)]
        end = at + _LENGTH.size + len(each) + _CRC.size
    return Events(
        graph=graphs.get("graph_def", graphs.get("meta_graph_def")),
        run_metas=tuple(run_metas),
        is_cut=end < len(data),
    )


def _run_metadata(event: Any, kind: str | None) -> Iterator[bytes]:
    if kind == "tagged_run_metadata":
        yield event.tagged_run_metadata.run_metadata
    elif kind == "summary":
        for value in event.summary.value:
            if value.metadata.plugin_data.plugin_name == _RUN_METADATA_PLUGIN:
                yield from value.tensor.string_val


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield position and data of each complete record; ValueError where a checksum is wrong."""
    view, at = memoryview(data), 0
    while at + _LENGTH.size <= len(view):
        if not _has_length(view, at):
            raise ValueError(f"the length of the record at byte {at} has another checksum")
        start = at + _LENGTH.size
        end = start + _LENGTH.unpack_from(view, at)[0]
        if end + _CRC.size > len(view):
            return
        record = bytes(view[start:end])
        if google_crc32c.value(record) != unmask(_CRC.unpack_from(view, end)[0]):
            raise ValueError(f"the record at byte {at} has another checksum")
        yield at, record
        at = end + _CRC.size


def _has_length(view: memoryview, at: int) -> bool:
    _, crc = _LENGTH.unpack_from(view, at)
    return int(google_crc32c.value(bytes(view[at : at + 8]))) == unmask(crc)
