"""Bytes to Arrow: the only module that knows the decoder library (ptars) and the text format.

The decoder sees the messages of ``columns.proto``: the fields that are used, nothing else.
"""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import numpy as np
import ptars
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tfprof_report.errors import InputError
from tfprof_report.ingest import sniff
from tfprof_report.ingest.arrays import list_values, to_bools
from tfprof_report.ingest.descriptors import column_file, message_class, message_descriptor
from tfprof_report.ingest.sniff import FULL_NAMES, Kind

COLUMNS = {Kind.GRAPH: "columns.Graph", Kind.RUN_META: "columns.RunMeta", Kind.OP_LOG: "columns.OpLog"}

MAX_MESSAGE_BYTES = 2**31 - 1
"""The largest serialized message that protobuf allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """One decoded message: `batch` has one row, a column per field; `form` says how the bytes were written."""

    batch: pa.RecordBatch
    form: str
    skipped_unknown_fields: bool = False


def decode(data: bytes, kind: Kind, *, file: str, option: str) -> Decoded:
    """Decode a message given as binary or text, each also with gzip; the form is told by content.

    Raises
    ------
    InputError
        The bytes are damaged or hold something else; the message says what they look like instead.
    """
    packed = sniff.is_gzip(data)
    if packed:
        data = _gunzip(data, file=file, option=option)
    if data.isspace():
        data = b""
    skipped = False
    # A few short names can make a binary message without any control character; text never fits as binary.
    fits = sniff.fits(data, kind)
    text = bool(data) and not fits and sniff.is_text(data)
    if text:
        data, skipped = _text_to_binary(data, kind, file=file, option=option)
    elif data and not fits:
        raise _wrong_kind(data, kind, file=file, option=option)
    try:
        batch = _to_arrow(data, kind)
    except ValueError as error:
        raise InputError(
            f"the {kind} message is damaged or cut short",
            file=file,
            option=option,
            advice="write the file again",
            details=str(error),
        ) from error
    form = "text" if text else "binary" if data else "empty"
    return Decoded(batch=batch, form=f"{form}, gzip" if packed else form, skipped_unknown_fields=skipped)


def _gunzip(data: bytes, *, file: str, option: str) -> bytes:
    parts: list[bytes] = []
    left = MAX_MESSAGE_BYTES
    problem, details = None, None
    while data and not problem:  # a gzip file may have several members
        unpack = zlib.decompressobj(wbits=31)
        try:
            parts.append(unpack.decompress(data, left))
        except zlib.error as error:
            problem, details = "the gzip data is damaged", str(error)
            break
        left -= len(parts[-1])
        if unpack.unconsumed_tail or left <= 0:
            problem = f"unpacks to more than {MAX_MESSAGE_BYTES:,} bytes, which no protobuf message has"
        elif not unpack.eof:
            problem = "the gzip data is cut short"
        data = unpack.unused_data.lstrip(b"\0")
    if problem:
        raise InputError(problem, file=file, option=option, advice="write the file again", details=details)
    return b"".join(parts)


def _wrong_kind(data: bytes, kind: Kind, *, file: str, option: str) -> InputError:
    found, wanted = sniff.describe(data), sniff.a_message(kind)
    advice = _advice_for(found, option) or f"give {wanted} as binary, text or gzip"
    if found == "no known kind of file":
        problem = f"is not {wanted}: damaged, cut short, or another kind of file"
    elif found == wanted:
        problem, advice = f"the {kind} message is damaged", "write the file again"
    else:
        problem = f"is not {wanted}; it looks like {found}"
    return InputError(problem, file=file, option=option, advice=advice)


def _advice_for(found: str, option: str) -> str | None:
    """Return what to do with a file that was told to be `found`; a side of a comparison stays that side."""
    if "MetaGraphDef" in found or "SavedModel" in found:
        return "write the GraphDef in it to a file of its own"
    side = next((side for side in ("base-", "head-") if option.startswith(f"--{side}")), "")
    names = {Kind.GRAPH: "graph", Kind.RUN_META: "run-meta", Kind.OP_LOG: "op-log"}
    return next((f"pass it with --{side}{name}" for kind, name in names.items() if f" {kind} " in found), None)


def _text_to_binary(data: bytes, kind: Kind, *, file: str, option: str) -> tuple[bytes, bool]:
    """Return the binary form of a text message, and whether unknown fields were skipped."""
    descriptor = message_descriptor(FULL_NAMES[kind])
    if sniff.first_field_name(data) not in descriptor.fields_by_name:
        raise _wrong_kind(data, kind, file=file, option=option)
    parse_error: Exception
    # Strictly first; a field that a newer TensorFlow added is skipped only if nothing else is wrong.
    for allow_unknown in (False, True):
        message = message_class(FULL_NAMES[kind])()
        try:
            text_format.Parse(data.decode("utf-8"), message, allow_unknown_field=allow_unknown)
        except (text_format.ParseError, UnicodeDecodeError, RecursionError) as error:
            parse_error = error
        else:
            return message.SerializeToString(), allow_unknown
    if isinstance(parse_error, RecursionError):
        problem = f"the {kind} text is nested too deeply"
    else:
        line = getattr(parse_error, "GetLine", lambda: None)()
        problem = f"the {kind} text cannot be parsed" + (f" at line {line}" if line else "")
    raise InputError(
        problem,
        file=file,
        option=option,
        advice="see --verbose for the parser's words",
        details=str(parse_error) or type(parse_error).__name__,
    ) from parse_error


@cache
def _handlers() -> ptars.HandlerPool:
    # A map entry without a value is legal; without this setting the decoder panics on one.
    return ptars.HandlerPool([column_file()], config=ptars.PtarsConfig(map_value_nullable=True))


def _to_arrow(data: bytes, kind: Kind) -> pa.RecordBatch:
    """Decode binary bytes; ValueError if they are damaged."""
    batch = _decode_with_ptars(data, kind)
    if batch is None or (kind is Kind.GRAPH and _has_two_oneof_members(batch)):
        batch = _decode_with_ptars(_normalise(data, kind), kind)
    if batch is None:
        raise ValueError("the decoder gave up")
    return batch


def _decode_with_ptars(data: bytes, kind: Kind) -> pa.RecordBatch | None:
    """Return the batch, or None if the decoder panicked, which reaches Python as a BaseException."""
    handler = _handlers().get_for_message(message_descriptor(COLUMNS[kind]))
    try:
        with _quiet_stderr():
            return handler.list_to_record_batch([data])
    except (ValueError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException:  # noqa: BLE001 (pyo3's PanicException has no public name)
        return None


def _has_two_oneof_members(batch: pa.RecordBatch) -> bool:
    """Return whether an attribute holds two values: the decoder keeps both, protobuf the last one."""
    values = list_values(batch.column("node")).field("attr").items
    held = np.zeros(len(values), dtype=np.int8)
    for number in range(values.type.num_fields):
        held += to_bools(pc.is_valid(values.field(number)))
    return bool((held > 1).any())


def _normalise(data: bytes, kind: Kind) -> bytes:
    """Return the message as protobuf itself would write it: last map keys and oneof members only, no gaps in maps."""
    try:
        return message_class(COLUMNS[kind]).FromString(data).SerializeToString()
    except DecodeError as error:
        raise ValueError(str(error)) from error


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Keep what a panicking decoder writes straight to file descriptor 2 off the user's terminal."""
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
