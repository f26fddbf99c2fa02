"""Finds the text in a damaged message that is not UTF-8, the only encoding that protobuf allows in strings."""

from __future__ import annotations

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError

from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.sniff import read_field

_LENGTH_DELIMITED = 2


def invalid_text(data: bytes, message: Descriptor) -> str | None:
    """Return the first field of binary `data` whose text is not UTF-8, as ``NodeDef.name``, and the text.

    None if all texts are UTF-8, or if the message is damaged before that. Protobuf's own parser finds the part that is
    damaged; only the fields around it are read one by one.
    """
    while True:
        found = _first_bad(memoryview(data), message)
        if found is None:
            return None
        field, value = found
        if field.message_type is None:
            return f'{message.name}.{field.name} is not UTF-8: "{value.decode(errors="backslashreplace")}"'
        data, message = value, field.message_type


def _first_bad(data: memoryview, message: Descriptor) -> tuple[FieldDescriptor, bytes] | None:
    """Return the first field that is not UTF-8 or that cannot be parsed, and its bytes."""
    at = 0
    while at < len(data):
        try:
            number, wire_type, start, at = read_field(data, at, len(data))
        except ValueError:
            return None
        field = message.fields_by_number.get(number)
        if field is not None and wire_type == _LENGTH_DELIMITED:
            value = bytes(data[start:at])
            if not _is_valid(field, value):
                return field, value
    return None


def _is_valid(field: FieldDescriptor, value: bytes) -> bool:
    try:
        if field.message_type is not None:
            message_class(field.message_type.full_name).FromString(value)
        elif field.type == FieldDescriptor.TYPE_STRING:
            value.decode()
    except (DecodeError, UnicodeDecodeError):
        return False
    return True
