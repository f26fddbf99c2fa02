"""The descriptors of all messages, in a private pool, so that they cannot collide with TensorFlow's in one process."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FileDescriptor
from google.protobuf.message import Message

DESCRIPTOR_SET = "descriptors.binpb"
"""Package data compiled from ``protos/`` by ``make protos``."""


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    data = files(__package__).joinpath(DESCRIPTOR_SET).read_bytes()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.Add(file)
    return pool


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
    return proto_file("columns.proto")
