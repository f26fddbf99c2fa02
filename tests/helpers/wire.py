"""The wire format of protobuf for tests: protobuf's own runtime as the oracle, and mutators."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa
from fuzz.mutate import is_repeated
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from tfprof_report.ingest.decode import COLUMNS
from tfprof_report.ingest.descriptors import column_file, message_class
from tfprof_report.ingest.sniff import Kind

_MAPS = ("attr", "id_to_string")


@cache
def _oracle_pool() -> descriptor_pool.DescriptorPool:
    """Return columns.proto with every map as a list of entries, which is what it is on the wire.

    In a map, upb drops an entry with an unknown field, unlike protobuf's C++ runtime, which TensorFlow uses.
    """
    file = descriptor_pb2.FileDescriptorProto()
    column_file().CopyToProto(file)
    for message in file.message_type:
        for entry in message.nested_type:
            entry.options.ClearField("map_entry")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def parse_with_protobuf(data: bytes, kind: Kind) -> dict[str, Any]:
    """Return what protobuf's own runtime parses, as plain data; raise DecodeError if it rejects the bytes."""
    message = message_factory.GetMessageClass(_oracle_pool().FindMessageTypeByName(COLUMNS[kind]))
    return _plain(message.FromString(data))


def _plain(message: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.name in _MAPS:  # the last of equal keys wins
            plain[field.name] = {each.key: _plain(each.value) if field.name == "attr" else each.value for each in value}
        elif is_repeated(field):
            plain[field.name] = [_plain(each) if field.message_type else each for each in value]
        elif field.has_presence and not message.HasField(field.name):
            plain[field.name] = None
        else:
            plain[field.name] = _plain(value) if field.message_type else value
    return plain


def columns_as_plain(batch: pa.RecordBatch) -> dict[str, Any]:
    """Return a decoded batch in the form of `parse_with_protobuf`."""
    (row,) = batch.to_pylist()
    plain: dict[str, Any] = _fold_maps(row)
    return plain


def _no_value(name: str) -> Any:
    return "" if name == "id_to_string" else _plain(message_class("columns.Attr")())


def _fold_maps(value: Any) -> Any:
    if isinstance(value, list):
        return [_fold_maps(each) for each in value]
    if not isinstance(value, dict):
        return value
    folded = {}
    for name, inner in value.items():
        if name in _MAPS:
            folded[name] = {key: _no_value(name) if item is None else _fold_maps(item) for key, item in inner}
        else:
            folded[name] = _fold_maps(inner)
    return folded


def flip_bytes(data: bytes, draw: random.Random) -> bytes:
    """Return `data` with a few bytes changed, inserted, deleted or copied; mostly no longer a valid message."""
    changed = bytearray(data)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        at = draw.randrange(len(changed) or 1)
        match draw.randrange(5):
            case 0:
                changed[at : at + 1] = [draw.randrange(256)]
            case 1:
                changed[at : at + 1] = [draw.choice([0, 0x0A, 0x12, 0x1A, 0x22, 0x2A, 0x08, 0x3A, 0x7F, 0x80, 0xFF])]
            case 2:
                changed.insert(at, draw.randrange(256))
            case 3:
                del changed[at : at + 1]
            case _:
                changed[at:at] = changed[draw.randrange(len(changed) or 1) :][: draw.randrange(1, 20)]
    return bytes(changed)


@dataclass(slots=True)
class Field:
    """A field as encoded on the wire; the value of a submessage is the list of its fields."""

    number: int
    wire_type: int
    value: int | bytes | list[Field]


def varint(value: int) -> bytes:
    """Return a number as a protobuf varint: seven bits per byte, lowest first."""
    out = bytearray()
    value &= 2**64 - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def encode(fields: list[Field]) -> bytes:
    """Return fields as bytes."""
    out = bytearray()
    for field in fields:
        value = encode(field.value) if isinstance(field.value, list) else field.value
        out += varint(field.number << 3 | field.wire_type)
        if isinstance(value, int):
            out += varint(value)
        else:
            out += (varint(len(value)) if field.wire_type == 2 else b"") + value
    return bytes(out)


def fields_of(message: Any) -> list[Field]:
    """Return the fields of a message in the order of their numbers."""
    fields: list[Field] = []
    for descriptor, value in message.ListFields():
        if isinstance(value, Mapping):
            fields += [
                Field(descriptor.number, 2, [_field_of(1, key), _field_of(2, value[key])]) for key in sorted(value)
            ]
        else:
            fields += [_field_of(descriptor.number, each) for each in (value if is_repeated(descriptor) else [value])]
    return fields


def _field_of(number: int, value: Any) -> Field:
    match value:
        case int():
            return Field(number, 0, value)
        case str():
            return Field(number, 2, value.encode())
        case bytes():
            return Field(number, 2, value)
        case _:
            return Field(number, 2, fields_of(value))


_NUMBERS = [0, 1, 2, 127, 128, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1]
_BYTES = [b"", b"a", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"shape", b"_output_shapes", b"\x08\x01", b"\x3a\x00"]
_VALUES: dict[int, list[Any]] = {0: _NUMBERS, 2: _BYTES}
_FIELD_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 9, 12, 2**29 - 1]


def mutate_fields(fields: list[Field], draw: random.Random) -> list[Field]:
    """Return fields with some deleted, repeated, moved, renumbered or changed; mostly still well-formed."""
    fields = copy.deepcopy(fields)
    for _ in range(draw.choice([1, 1, 2, 3, 5])):
        messages = _messages(fields)
        message = draw.choice(messages)
        at = draw.randrange(len(message) + 1)
        match draw.randrange(5):
            case 0:
                del message[at : at + 1]
            case 1:
                message[at:at] = copy.deepcopy(draw.choice([message, *messages])[-1:])
            case 2:
                draw.shuffle(message)
            case 3:
                wire_type = draw.choice([0, 2])
                message.insert(at, Field(draw.choice(_FIELD_NUMBERS), wire_type, draw.choice(_VALUES[wire_type])))
            case _ if message:
                field = draw.choice(message)
                field.number = draw.choice([field.number, draw.choice(_FIELD_NUMBERS)])
                field.value = draw.choice([field.value, draw.choice(_VALUES[field.wire_type])])
    return fields


def _messages(fields: list[Field]) -> list[list[Field]]:
    inner = [message for field in fields if isinstance(field.value, list) for message in _messages(field.value)]
    return [fields, *inner]
