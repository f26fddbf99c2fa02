"""Bytes to Arrow: the only module that uses the decoder library (ptars).

The decoder gets the messages of ``columns.proto``, which have only the fields that are used. It differs from protobuf's
own runtime in a few odd but valid messages; these are found in its output, rewritten by protobuf, and decoded again.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial

import numpy as np
import ptars
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError

from tfprof_report.arrays import distinct, list_offsets, list_values, row_of_value, to_bools, to_ints
from tfprof_report.errors import InputError
from tfprof_report.ingest import sniff
from tfprof_report.ingest.attrs.attr_digests import attr_digests
from tfprof_report.ingest.descriptors import (
    column_file,
    element_file,
    element_message,
    message_class,
    message_descriptor,
)
from tfprof_report.ingest.events import Events, has_more_records, is_record_file, read_events
from tfprof_report.ingest.packed import Packed
from tfprof_report.ingest.recognise import begins_like, form_of
from tfprof_report.ingest.saved_model import ModelInfo, unwrap_graph
from tfprof_report.ingest.sniff import FULL_NAMES, Kind
from tfprof_report.ingest.text.invalid_text import invalid_text
from tfprof_report.ingest.text.text_message import text_to_binary
from tfprof_report.record import record

COLUMNS = {
    Kind.GRAPH: "columns.Graph",
    Kind.RUN_META: "columns.RunMeta",
    Kind.OP_LOG: "columns.OpLog",
    Kind.PROFILE: "columns.Profile",
    Kind.XPLANE: "columns.Space",
}
_STEPS, _BYTES_PER_STEP = 1000, 1024
"""A file may have so many steps, or one for so many of its bytes: each costs time, however small it is."""

_WRAPPERS = {Kind.META_GRAPH: "columns.MetaGraph", Kind.SAVED_MODEL: "columns.SavedModel"}


@record
class Decoded:
    """One decoded message.

    batch : one row with a column per field
    form : binary, text or empty, followed by the message that is around the graph or is all there is of run metadata,
        by ``tfevents`` and by ``gzip``, where they apply
    step, is_cut : in an event file, the step of its event, and whether the last record of the file is incomplete
    model : metadata of the SavedModel or MetaGraphDef that contained the graph, if any
    digests : of a graph, `attr_digests` of its nodes and of those of its function bodies; None if it is not a graph, or
        if nobody asked for them
    """

    batch: pa.RecordBatch
    form: str
    skipped_unknown_fields: bool = False
    step: int = 0
    is_cut: bool = False
    model: ModelInfo | None = None
    digests: tuple[pa.Array, pa.Array] | None = None


def decode(
    data: bytes, kind: Kind, *, file: str, option: str, max_unpacked: int | None = None, digests: bool = True
) -> Decoded:
    """Decode a binary or text message, gzipped or not, or the only one in an event file; the content tells the form.

    Raises
    ------
    InputError
        The bytes are damaged or are something else; the message says what they look like.
    """
    decoded, *others = decode_all(data, kind, file=file, option=option, max_unpacked=max_unpacked, digests=digests)
    if others:
        raise InputError(
            f"has {len(others) + 1} {kind} messages",
            file=file,
            option=option,
            advice="name the file without a step, or give each message by itself",
        )
    return decoded


def decode_all(
    data: bytes, kind: Kind, *, file: str, option: str, max_unpacked: int | None = None, digests: bool = True
) -> list[Decoded]:
    """Decode a message as `decode` does, or each run metadata of an event file, with the step of its event.

    `digests` asks for the digests of attributes, for which a graph is decoded a second time.

    Raises
    ------
    InputError
        As in `decode`.
    """
    packed = _packed(data, max_unpacked, file=file, option=option)
    size, data = len(data), _plain(data, packed)
    end = ", gzip" if packed else ""
    if not is_record_file(data):
        decoded = _decode_message(data, kind, packed, file=file, option=option, digests=digests)
        return [replace(decoded, form=decoded.form + end)]
    events = _read_events(data, packed, file=file, option=option)
    if not _has(events, kind):
        wanted = sniff.a_message(kind)
        raise InputError(
            f"is an event file without {wanted}",
            file=file,
            option=option,
            advice=f"give {wanted} as binary, text or gzip",
        )
    steps = (0,) if kind is Kind.GRAPH else events.steps
    check_steps(len(steps), size, file=file, option=option)
    parts = [events.graph or b""] if kind is Kind.GRAPH else [part for _, part in events.run_metas]
    return [
        replace(decoded, form=f"{decoded.form}, tfevents{end}", step=step, is_cut=events.is_cut)
        for step, part in zip(steps, parts, strict=True)
        for decoded in [_decode_message(part, kind, packed, file=file, option=option, digests=digests)]
    ]


def decode_each(messages: Sequence[bytes], message: str) -> tuple[pa.RecordBatch, list[bool]]:
    """Decode messages of ``columns.proto`` that are part of others; also return which of them are damaged.

    The batch has a row for each of the others.
    """
    batch = _batch_of(list(messages), message)
    if batch is not None:
        return batch, [False] * len(messages)
    is_bad = [_batch_of([each], message) is None for each in messages]
    batch = _batch_of([each for each, bad in zip(messages, is_bad, strict=True) if not bad], message)
    if batch is None:
        raise ValueError("the decoder gave up")
    return batch, is_bad


def _batch_of(messages: list[bytes], message: str) -> pa.RecordBatch | None:
    try:
        return _decode_with_ptars(messages, message)
    except ValueError:
        return None


def check_steps(count: int, size: int, *, file: str, option: str) -> None:
    """Raise InputError if a file of `size` bytes has too many steps."""
    if count > (most := max(_STEPS, size // _BYTES_PER_STEP)):
        raise InputError(
            f"has more than {most:,} steps", file=file, option=option, advice="record fewer steps in one file"
        )


def _has(events: Events, kind: Kind) -> bool:
    return events.graph is not None if kind is Kind.GRAPH else kind is Kind.RUN_META and bool(events.run_metas)


def _decode_message(
    data: bytes, kind: Kind, packed: Packed | None, *, file: str, option: str, digests: bool
) -> Decoded:
    """Decode a message, which is no longer gzipped; `packed` has the limits of one that was."""
    found, form = form_of(data, kind, file=file, option=option)
    skipped, model = False, None
    if form == "text":
        data, skipped = text_to_binary(data, found, packed, file=file, option=option)
    whole = data
    try:
        if found in _WRAPPERS:
            if packed:
                packed.check_message(partial(_count_elements, data, _WRAPPERS[found]))
            form = f"{form}, {found}"
            data, model = unwrap_graph(data, found)
        elif found is Kind.STEP_STATS:
            form = f"{form}, {found}"
            data = message_class("columns.RawRunMeta")(step_stats=data).SerializeToString()
        if packed:
            packed.check_message(partial(_count_elements, data, COLUMNS[kind]))
        of_attrs = _attr_digests(data) if digests and kind is Kind.GRAPH else None
        batch = _to_arrow(data, kind)
    except ValueError as error:
        text = invalid_text(whole, message_descriptor(FULL_NAMES[found]))
        raise InputError(
            text or f"the {found} message is damaged or cut short",
            file=file,
            option=option,
            advice="protobuf allows no other text" if text else "write the file again",
            details=str(error),
        ) from error
    return Decoded(batch=batch, form=form, skipped_unknown_fields=skipped, model=model, digests=of_attrs)


def holds(data: bytes, kind: Kind, *, file: str, option: str, max_unpacked: int | None = None) -> bool:
    """Return whether `data`, in any form, looks like a message of `kind`; InputError as in `Packed.unpack`."""
    data = _plain(data, _packed(data, max_unpacked, file=file, option=option))
    return bool(data) and (sniff.fits(data, kind) or (sniff.is_text(data) and begins_like(data, kind)))


def steps_in(data: bytes, *, file: str, option: str, max_unpacked: int | None = None) -> tuple[int, ...]:
    """Return the steps of the run metadata in an event file, gzipped or not; none in any other file."""
    packed = _packed(data, max_unpacked, file=file, option=option)
    data = _plain(data, packed)
    return _read_events(data, packed, file=file, option=option).steps if is_record_file(data) else ()


def _read_events(data: bytes, packed: Packed | None, *, file: str, option: str) -> Events:
    if packed:
        packed.check_records(partial(has_more_records, data))
    return read_events(data, file=file, option=option)


def _packed(data: bytes, most: int | None, *, file: str, option: str) -> Packed | None:
    return Packed(size=len(data), most=most, file=file, option=option) if sniff.is_gzip(data) else None


def _plain(data: bytes, packed: Packed | None) -> bytes:
    """Return `data` unpacked, and empty if it is only white space."""
    data = packed.unpack(data) if packed else data
    return b"" if data.isspace() else data


@cache
def _handlers() -> ptars.HandlerPool:
    # A map entry without a value is legal; without this setting the decoder panics on one.
    return ptars.HandlerPool([column_file(), element_file()], config=ptars.PtarsConfig(map_value_nullable=True))


def _attr_digests(data: bytes) -> tuple[pa.Array, pa.Array] | None:
    """Return the digests of the attributes of a graph's nodes and of the nodes of its function bodies.

    The encoded attributes are freed before the graph itself is decoded: tensors of weights may be large.
    """
    batch = _decode_with_ptars([data], "columns.RawGraph")
    if batch is None:
        return None
    bodies = list_values(list_values(batch.column("library").field("function")).field("node_def"))
    nodes = list_values(batch.column("node"))
    return attr_digests(nodes.field("attr")), attr_digests(bodies.field("attr"))


def _to_arrow(data: bytes, kind: Kind) -> pa.RecordBatch:
    """Decode binary bytes; ValueError if they are damaged."""
    batch = _decode_with_ptars([data], COLUMNS[kind])
    if batch is None or (kind in _TO_NORMALISE and _TO_NORMALISE[kind](batch)):
        batch = _decode_with_ptars([_normalise(data, kind)], COLUMNS[kind])
    if batch is None:
        raise ValueError("the decoder gave up")
    return batch


def _decode_with_ptars(messages: Sequence[bytes], message: str) -> pa.RecordBatch | None:
    """Return a batch with a row for each message, or None if the decoder panicked.

    A Rust panic arrives as pyo3's PanicException, which is a BaseException so that ``except Exception`` does not hide
    it. One bad file must not end the program with a traceback, so it is caught here; only the exceptions that mean
    something else are raised again. The panic's message goes to file descriptor 2, past ``sys.stderr``.
    """
    handler = _handlers().get_for_message(message_descriptor(message))
    try:
        with _quiet_stderr():
            return handler.list_to_record_batch(list(messages))
    except (ValueError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # noqa: BLE001 (PanicException cannot be imported)
        return None


def _count_elements(data: bytes, message: str) -> Counter[str]:
    """Return how many elements the repeated fields of a message of ``columns.proto`` have, by the fields' names.

    The decoder counts them with a schema that has nothing else, in little time and memory. A damaged message has none:
    decoding it says what is wrong.
    """
    counts: Counter[str] = Counter()
    try:
        batch = _decode_with_ptars([data], element_message(message))
    except ValueError:
        return counts
    for name, column in zip(batch.schema.names, batch.columns, strict=True) if batch else ():
        _add_elements(counts, name, column)
    return counts


def _add_elements(counts: Counter[str], name: str, column: pa.Array) -> None:
    if pa.types.is_struct(column.type):
        for field in column.type:
            _add_elements(counts, field.name, column.field(field.name))
    elif pa.types.is_map(column.type):
        counts[name] += len(column.keys)
        _add_elements(counts, name, column.items)
    elif pa.types.is_list(column.type):
        counts[name] += len(column.values)
        _add_elements(counts, name, column.values)


def _has_two_oneof_members(batch: pa.RecordBatch) -> bool:
    """Return whether an attribute has two members of its oneof: the decoder keeps both, protobuf only the last."""
    bodies = list_values(batch.column("library").field("function")).field("node_def")
    for nodes in (list_values(batch.column("node")), list_values(bodies)):
        values = nodes.field("attr").items
        held = np.zeros(len(values), dtype=np.int8)
        for number in range(values.type.num_fields):
            held += to_bools(pc.is_valid(values.field(number)))
        if (held > 1).any():
            return True
    return False


def _has_odd_maps(batch: pa.RecordBatch) -> bool:
    """Return whether a map of a profile has a duplicate key or a key without a value.

    The decoder keeps both duplicates and has NULL for a missing value; protobuf keeps the last duplicate and has the
    default value.
    """
    nodes = batch.column("nodes")
    execs = nodes.items.field("execs")
    maps = [nodes, execs, *(nodes.items.field(name) for name in ("inputs", "output_shapes"))]
    maps += [execs.items.field(name) for name in ("cpu_execs", "accelerator_execs")]
    for entries in maps:
        row, keys = row_of_value(list_offsets(entries)), entries.keys.dictionary_encode()
        if entries.items.null_count or len(distinct(row * len(keys) + to_ints(keys.indices))) < len(row):
            return True
    return False


_TO_NORMALISE = {Kind.GRAPH: _has_two_oneof_members, Kind.PROFILE: _has_odd_maps}
"""Per kind, a check for content that the decoder reads differently than protobuf. Such messages are very rare."""


def _normalise(data: bytes, kind: Kind) -> bytes:
    """Return the message rewritten by protobuf: no duplicate map keys, one member per oneof, no missing map values."""
    try:
        return message_class(COLUMNS[kind]).FromString(data).SerializeToString(deterministic=True)
    except DecodeError as error:
        raise ValueError(str(error)) from error


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Discard what a panicking decoder writes directly to file descriptor 2."""
    try:
        saved = os.dup(2)
    except OSError:  # no standard error at all
        yield
        return
    with tempfile.TemporaryFile() as sink:
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved, 2)
            os.close(saved)
