"""Recognises file content: gzip, text or binary, and which message it looks like.

A protobuf file of the wrong kind usually decodes without an error: wire-format fields have numbers but no names, and
unknown ones are skipped. So the check is structural: a sample of fields is compared with the complete descriptors.
Fields that the message lacks or has with another wire type, and missing fields without which it makes no sense, count
against it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tfprof_report.ingest.descriptors import message_descriptor
from tfprof_report.ingest.table_file import MAGIC as TABLE_MAGIC


class Kind(StrEnum):
    """The messages that are distinguished, by their names in error texts."""

    GRAPH = "GraphDef"
    RUN_META = "RunMetadata"
    OP_LOG = "OpLogProto"
    PROFILE = "ProfileProto"
    META_GRAPH = "MetaGraphDef"
    SAVED_MODEL = "SavedModel"


FULL_NAMES = {
    Kind.GRAPH: "tensorflow.GraphDef",
    Kind.RUN_META: "tensorflow.RunMetadata",
    Kind.OP_LOG: "tensorflow.tfprof.OpLogProto",
    Kind.PROFILE: "tensorflow.tfprof.ProfileProto",
    Kind.META_GRAPH: "tensorflow.MetaGraphDef",
    Kind.SAVED_MODEL: "tensorflow.SavedModel",
}

# Numbers of the fields without which a message makes no sense, although proto3 makes every field optional.
_REQUIRED = {
    "tensorflow.NodeDef": (1, 2),
    "tensorflow.OpDef": (1,),
    "tensorflow.FunctionDef": (1,),
    "tensorflow.NodeExecStats": (1,),
    "tensorflow.tfprof.OpLogEntry": (1,),
    "tensorflow.tfprof.ProfileProto": (1,),
    "tensorflow.tfprof.ProfileProto.NodesEntry": (2,),
    "tensorflow.tfprof.ProfileNode": (1, 9),
    "tensorflow.MetaGraphDef": (2,),
    "tensorflow.SavedModel": (2,),
}

_GZIP_MAGIC = b"\x1f\x8b"
_OTHER_FILES = (
    (_GZIP_MAGIC, "a gzip file within a gzip file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x89PNG", "a PNG picture"),
    (b"{", "JSON"),
    (b"[", "JSON"),
    (b"<", "HTML or XML"),
)

CHECKPOINT_INDEX = "the index of a TensorFlow checkpoint"

_SAMPLE_FIELDS = 3000
_SAMPLE_TEXT = 65536
_GOOD_SHARE = 0.9
_FIRST_NAME = re.compile(rb"\s*(?:#[^\n]*\n\s*)*([A-Za-z_][A-Za-z0-9_]*)\s*[:{<]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def a_message(kind: Kind) -> str:
    """Return the message's name with an article."""
    return f"{'an' if kind is Kind.OP_LOG else 'a'} {kind} message"


def is_gzip(data: bytes) -> bool:
    """Return whether `data` begins with gzip's magic number."""
    return data.startswith(_GZIP_MAGIC)


def is_text(data: bytes) -> bool:
    """Return whether the beginning of `data` is text: UTF-8 without control characters.

    Binary messages almost always contain control characters: the tags of low field numbers, and short lengths.
    """
    head = data[:_SAMPLE_TEXT]
    if has_controls(data):
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(head) - 4 and len(data) > len(head)
    return True


def has_controls(data: bytes) -> bool:
    """Return whether the beginning of `data` has control characters, which no text has in any encoding."""
    return _CONTROL.search(data[:_SAMPLE_TEXT]) is not None


def first_field_name(data: bytes) -> str | None:
    """Return the first field's name in a text-format message, after comments; None if the text has no such format."""
    match = _FIRST_NAME.match(data)
    return match.group(1).decode() if match else None


def fits(data: bytes, kind: Kind) -> bool:
    """Return whether binary `data` has the structure of a message of `kind`."""
    sample = _sample(memoryview(data), message_descriptor(FULL_NAMES[kind]))
    return sample.known > 0 and sample.share >= _GOOD_SHARE


def describe(data: bytes) -> str:
    """Describe what `data` looks like, for an error message."""
    if not data:
        return "an empty file"
    if data[-8:] == TABLE_MAGIC:
        return CHECKPOINT_INDEX
    if is_text(data):
        name = first_field_name(data)
        for kind, full_name in FULL_NAMES.items():
            if name in message_descriptor(full_name).fields_by_name:
                return f"{a_message(kind)} in text form"
    scores = {kind: _sample(memoryview(data), message_descriptor(name)) for kind, name in FULL_NAMES.items()}
    best = max(scores, key=lambda kind: (scores[kind].share, scores[kind].known))
    if scores[best].share >= _GOOD_SHARE and scores[best].known > 1:
        return a_message(best)
    for magic, words in _OTHER_FILES:
        if data.startswith(magic):
            return words
    return "plain text" if is_text(data) else "no known kind of file"


@dataclass(slots=True)
class _Sample:
    known: int = 0
    wrong: int = 0
    is_broken: bool = False

    @property
    def share(self) -> float:
        return 0.0 if self.is_broken else self.known / max(self.known + self.wrong, 1)


@dataclass(slots=True)
class _Open:
    """A message on the stack of the traversal.

    at : where its next field begins
    before : number of known fields before its first one
    seen : numbers of its fields so far
    """

    at: int
    end: int
    message: Descriptor
    before: int
    seen: set[int]


def _sample(data: memoryview, descriptor: Descriptor) -> _Sample:
    """Count how many of the first `_SAMPLE_FIELDS` fields of the wire format fit `descriptor`, depth first.

    Depth first, since a few nodes with all their fields identify a message better than the tags of thousands.
    """
    sample = _Sample()
    opened = [_Open(0, len(data), descriptor, 0, set())]
    for _ in range(_SAMPLE_FIELDS):
        while opened and opened[-1].at >= opened[-1].end:
            _close(opened.pop(), sample)
        if not opened:
            break
        top = opened[-1]
        try:
            number, wire_type, start, top.at = read_field(data, top.at, top.end)
        except ValueError:
            sample.is_broken = True
            break
        field = top.message.fields_by_number.get(number)
        if field is None or not _wire_type_fits(field, wire_type) or _is_binary_string(field, data[start : top.at]):
            sample.wrong += 1
            continue
        top.seen.add(number)
        sample.known += 1
        if field.message_type is not None:
            opened.append(_Open(start, top.at, field.message_type, sample.known, set()))
    return sample


def _close(message: _Open, sample: _Sample) -> None:
    """Count all fields of a message as wrong if a required one is missing."""
    missing = sum(number not in message.seen for number in _REQUIRED.get(message.message.full_name, ()))
    if missing:
        sample.wrong += missing + sample.known - message.before


def _is_binary_string(field: FieldDescriptor, value: memoryview) -> bool:
    """Return whether a string field contains what looks like a message: strings and messages share a wire type.

    Most messages begin with the tag of a length-delimited field 1, 0x0a, which is also the newline.
    """
    if field.type != FieldDescriptor.TYPE_STRING:
        return False
    head = bytes(value[:4096])
    return head.startswith(b"\n") or _CONTROL.search(head) is not None


def read_field(data: memoryview, at: int, end: int) -> tuple[int, int, int, int]:
    """Return number and wire type of the field at `at`, and start and end of its value; ValueError if there is none."""
    tag, at = _read_varint(data, at, end)
    number, wire_type = tag >> 3, tag & 7
    start = at
    match wire_type:
        case 0:
            _, at = _read_varint(data, at, end)
        case 1:
            at += 8
        case 2:
            length, start = _read_varint(data, at, end)
            at = start + length
        case 5:
            at += 4
        case _:
            raise ValueError
    if not 0 < number < 2**29 or at > end:
        raise ValueError
    return number, wire_type, start, at


_VARINT_BITS = 70  # ten bytes of seven bits
_MORE = 0x80


def _read_varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < _VARINT_BITS:
        byte = data[at]
        at += 1
        value |= (byte & ~_MORE) << shift
        if not byte & _MORE:
            return value, at
        shift += 7
    raise ValueError


_LENGTH_DELIMITED = 2
_WIRE_TYPES = {
    FieldDescriptor.TYPE_DOUBLE: 1,
    FieldDescriptor.TYPE_FIXED64: 1,
    FieldDescriptor.TYPE_SFIXED64: 1,
    FieldDescriptor.TYPE_FLOAT: 5,
    FieldDescriptor.TYPE_FIXED32: 5,
    FieldDescriptor.TYPE_SFIXED32: 5,
    FieldDescriptor.TYPE_STRING: 2,
    FieldDescriptor.TYPE_BYTES: 2,
    FieldDescriptor.TYPE_MESSAGE: 2,
}


def _wire_type_fits(field: FieldDescriptor, wire_type: int) -> bool:
    expected = _WIRE_TYPES.get(field.type, 0)
    return wire_type == expected or (wire_type == _LENGTH_DELIMITED and field.is_packed)
