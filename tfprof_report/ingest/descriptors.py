"""The descriptors of all messages, in a private pool, so that they cannot collide with TensorFlow's in one process."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as Field
from google.protobuf.message import Message

DESCRIPTOR_SET = "descriptors.binpb"
"""Package data compiled from ``protos/`` by ``make protos``."""

_COLUMNS, _ELEMENTS = "columns.proto", "elements.proto"
_UNUSED = 1000
"""A field number that no message has. The decoder makes a table up to the highest one, so it must be low."""


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    for file in _descriptor_set().file:
        pool.Add(file)
        if file.name == _COLUMNS:
            pool.Add(_of_elements(file))
    return pool


def _descriptor_set() -> descriptor_pb2.FileDescriptorSet:
    return descriptor_pb2.FileDescriptorSet.FromString(files(__package__).joinpath(DESCRIPTOR_SET).read_bytes())


def encoded_descriptors(*, with_reserved: bool) -> bytes:
    """Return the files of ``protos/`` as a FileDescriptorSet, with or without the names that messages reserve.

    protoc skips fields with reserved names; without these it refuses them.
    """
    found = _descriptor_set()
    for file in () if with_reserved else found.file:
        messages = list(file.message_type)
        while messages:
            message = messages.pop()
            del message.reserved_name[:]
            messages += message.nested_type
    return found.SerializeToString()


def message_descriptor(name: str) -> Descriptor:
    """Return the descriptor of a message by its full name, such as ``tensorflow.GraphDef``."""
    return _pool().FindMessageTypeByName(name)


def message_class(name: str) -> type[Message]:
    """Return the class of a message by its full name, such as ``tensorflow.GraphDef``."""
    return message_factory.GetMessageClass(message_descriptor(name))


def proto_file(name: str) -> FileDescriptor:
    """Return a file of ``protos/``, such as ``tensorflow.proto``."""
    return _pool().FindFileByName(name)


def column_file() -> FileDescriptor:
    """Return the .proto file of the messages that are decoded into columns."""
    return proto_file(_COLUMNS)


def element_file() -> FileDescriptor:
    """Return `column_file` without all that is neither a message nor repeated: what elements are counted with."""
    return proto_file(_ELEMENTS)


def element_message(name: str) -> str:
    """Return the full name in `element_file` of a message of `column_file`, such as ``columns.Graph``."""
    return name.replace("columns.", "elements.")


def _of_elements(columns: descriptor_pb2.FileDescriptorProto) -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto.FromString(columns.SerializeToString())
    file.name, file.package = _ELEMENTS, "elements"
    for message in file.message_type:
        _strip(message)
    return file


def _strip(message: descriptor_pb2.DescriptorProto) -> None:
    is_map = message.options.map_entry
    kept = [field for field in message.field if is_map or _has_elements(field)]
    del message.field[:], message.oneof_decl[:]
    for field in kept:
        field.ClearField("oneof_index")
        field.ClearField("proto3_optional")
        if field.type_name:
            field.type_name = element_message(field.type_name)
        if field.type == Field.TYPE_STRING and not is_map:
            field.type = Field.TYPE_BYTES  # text is not checked
        message.field.append(field)
    if not kept:  # the decoder wants one
        message.field.add(name="unused", number=_UNUSED, type=Field.TYPE_BOOL, label=Field.LABEL_OPTIONAL)
    for nested in message.nested_type:
        _strip(nested)


def _has_elements(field: descriptor_pb2.FieldDescriptorProto) -> bool:
    return field.label == Field.LABEL_REPEATED or field.type == Field.TYPE_MESSAGE
