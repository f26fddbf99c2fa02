"""Recognises file content: gzip, text or binary, and which message it looks like.

A protobuf file of the wrong kind usually decodes without an error: wire-format fields have numbers but no names, and
unknown ones are skipped. So the check is structural: a sample of fields is compared with the complete descriptors.
Fields that the message lacks or has with another wire type, and missing fields without which it makes no sense, count
against it. All the same an unusual message is legal: a node may have no name, and fields may be of a newer TensorFlow.
It is taken for what its option says (`may_be`) where it is not more like anything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tfprof_report.ingest.descriptors import message_descriptor


class Kind(StrEnum):
    """The messages that are distinguished, by their names in error texts."""

    GRAPH = "GraphDef"
    RUN_META = "RunMetadata"
    OP_LOG = "OpLogProto"
    PROFILE = "ProfileProto"
    META_GRAPH = "MetaGraphDef"
    SAVED_MODEL = "SavedModel"
    STEP_STATS = "StepStats"
    XPLANE = "XSpace"


FULL_NAMES = {
    Kind.GRAPH: "tensorflow.GraphDef",
    Kind.RUN_META: "tensorflow.RunMetadata",
    Kind.OP_LOG: "tensorflow.tfprof.OpLogProto",
    Kind.PROFILE: "tensorflow.tfprof.ProfileProto",
    Kind.META_GRAPH: "tensorflow.MetaGraphDef",
    Kind.SAVED_MODEL: "tensorflow.SavedModel",
    Kind.STEP_STATS: "tensorflow.StepStats",
    Kind.XPLANE: "tensorflow.profiler.XSpace",
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
    "tensorflow.profiler.XPlane": (2,),
    "foreign.Fingerprint": (1, 2, 3, 4),
}

_ENTITIES = frozenset(
    {
        *("tensorflow.NodeDef", "tensorflow.NodeExecStats"),
        *("tensorflow.tfprof.OpLogEntry", "tensorflow.tfprof.ProfileNode"),
        *("tensorflow.profiler.XPlane", "foreign.OnnxNode", "foreign.Fingerprint"),
    }
)
"""The messages that a file is made of: one that has its required fields shows what the file is."""

_GZIP_MAGIC = b"\x1f\x8b"

_SAMPLE_FIELDS = 1000
"""About a hundred nodes or records: a run of many steps has a file for each, and the sample takes Python's time."""

_GROUP_FIELDS = 3000
_SAMPLE_TEXT = 65536
_GOOD_SHARE = 0.9
_LIKELY_SHARE = 0.5
_FIRST_NAME = re.compile(rb"\s*(?:#[^\n]*\n\s*)*([A-Za-z_][A-Za-z0-9_]*)\s*[:{<]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def a_message(kind: Kind) -> str:
    """Return the message's name with an article."""
    return f"{'an' if kind in (Kind.OP_LOG, Kind.XPLANE) else 'a'} {kind} message"


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
    sample = _sample_of(data, kind)
    return sample.known > 0 and sample.share >= _GOOD_SHARE


def shows_message(data: bytes, full_name: str) -> bool:
    """Return whether binary `data` has the structure of the message with this name, and something that shows it."""
    sample = _sample(data, full_name)
    return sample.entities > 0 and sample.share >= _GOOD_SHARE


def breaks_off(data: bytes, kind: Kind) -> bool:
    """Return whether the first fields of `data` are not well-formed, as those of a message of `kind` are."""
    return _sample_of(data, kind).is_broken


def may_be(data: bytes, kind: Kind) -> bool:
    """Return whether binary `data`, which does not fit `kind`, may be an unusual message of this kind all the same.

    It is if no other kind fits better, and it has a node or record with its required fields, or else at least half of
    its fields are known and no other kind knows more of them.
    """
    mine, *others = (_sample_of(data, each) for each in (kind, *(other for other in Kind if other != kind)))
    if not mine.known or mine.is_broken or any(_fits_better(other, mine) for other in others):
        return False
    return mine.entities > 0 or mine.known_share >= max(_LIKELY_SHARE, *(other.known_share for other in others))


def _fits_better(other: _Sample, mine: _Sample) -> bool:
    """Return whether another kind fits, and has something that mine has not: empty messages may be of any kind."""
    has_more = other.entities > mine.entities or other.known > mine.known or mine.known_share < _GOOD_SHARE
    return other.share >= _GOOD_SHARE and other.known > 1 and has_more


def describe(data: bytes) -> Kind | None:
    """Return the kind of message that `data` looks like, if any."""
    if is_text(data):
        name = first_field_name(data)
        for kind, full_name in FULL_NAMES.items():
            if name in message_descriptor(full_name).fields_by_name:
                return kind
    samples = {kind: _sample_of(data, kind) for kind in FULL_NAMES}
    best = max(samples, key=lambda kind: (samples[kind].share, samples[kind].known))
    return best if samples[best].share >= _GOOD_SHARE and samples[best].known > 1 else None


@dataclass(slots=True)
class _Sample:
    """How many of some fields a message knows.

    missing : number of fields that count as wrong, since their message lacks a required one
    entities : number of nodes, records and the like that have the required ones
    """

    known: int = 0
    wrong: int = 0
    missing: int = 0
    entities: int = 0
    is_broken: bool = False

    @property
    def share(self) -> float:
        return 0.0 if self.is_broken else self.known / max(self.known + self.wrong + self.missing, 1)

    @property
    def known_share(self) -> float:
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


def _sample_of(data: bytes, kind: Kind) -> _Sample:
    """Return the sample of a message of `kind`; of StepStats without any record nothing shows what they are."""
    sample = _sample(data, FULL_NAMES[kind])
    if kind is Kind.STEP_STATS and not sample.entities:
        sample.missing += sample.known
    return sample


def _sample(whole: bytes, full_name: str) -> _Sample:
    """Count how many of the first `_SAMPLE_FIELDS` fields of the wire format fit a message, depth first.

    Depth first, since a few nodes with all their fields identify a message better than the tags of thousands.
    """
    sample, data = _Sample(), memoryview(whole)
    opened = [_Open(0, len(data), message_descriptor(full_name), 0, set())]
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
        sample.missing += missing + sample.known - message.before
    elif message.seen and message.message.full_name in _ENTITIES:
        sample.entities += 1


def _is_binary_string(field: FieldDescriptor, value: memoryview) -> bool:
    """Return whether a string field contains what looks like a message: strings and messages share a wire type.

    Most messages begin with the tag of a length-delimited field 1, 0x0a, which is also the newline.
    """
    if field.type != FieldDescriptor.TYPE_STRING:
        return False
    head = bytes(value[:4096])
    return (head.startswith(b"\n") or _CONTROL.search(head) is not None) and _is_message(value)


def _is_message(value: memoryview) -> bool:
    """Return whether the first fields of `value`, of whatever message, are well-formed."""
    at = 0
    try:
        for _ in range(_FIRST_FIELDS):
            if at >= len(value):
                break
            _, _, _, at = read_field(value, at, len(value))
    except ValueError:
        return False
    return True


_FIRST_FIELDS = 20


def read_field(data: memoryview, at: int, end: int) -> tuple[int, int, int, int]:
    """Return number and wire type of the field at `at`, and start and end of its value; ValueError if there is none."""
    tag, at = _read_varint(data, at, end)
    number, wire_type = tag >> 3, tag & 7
    start, at = _skip_value(data, at, end, wire_type)
    if wire_type == _START_GROUP:
        at = _skip_group(data, at, end, number)
    if not 0 < number < 2**29 or at > end:
        raise ValueError
    return number, wire_type, start, at


def _skip_value(data: memoryview, at: int, end: int, wire_type: int) -> tuple[int, int]:
    """Return start and end of a value; a group starts and ends here without its content."""
    match wire_type:
        case 0:
            return at, _read_varint(data, at, end)[1]
        case 1:
            return at, at + 8
        case 2:
            length, start = _read_varint(data, at, end)
            return start, start + length
        case 3:
            return at, at
        case 5:
            return at, at + 4
    raise ValueError


def _skip_group(data: memoryview, at: int, end: int, number: int) -> int:
    """Return the end of a group, which no message of TensorFlow has and protobuf skips like any unknown field."""
    opened = [number]
    for _ in range(_GROUP_FIELDS):
        tag, at = _read_varint(data, at, end)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == _END_GROUP:
            if number != opened.pop():
                break
            if not opened:
                return at
        else:
            _, at = _skip_value(data, at, end, wire_type)
            opened += [number] * (wire_type == _START_GROUP)
    raise ValueError


_START_GROUP, _END_GROUP = 3, 4
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
