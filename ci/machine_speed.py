"""How fast this machine is just now, so that a limit on processor time means the same on a slow or busy one."""

from __future__ import annotations

from time import process_time

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import FileDescriptorProto

_TEXT = "\n".join(f'dependency: "name{number}"' for number in range(20_000))
_REFERENCE = 0.35 * len(_TEXT) / 2**20
"""Seconds that protobuf's own parser takes for this text on a machine of the usual speed: 0.35 per MB."""


def slowness() -> float:
    """Return how many times slower than usual this machine is, at least 1; of three tries the fastest counts."""
    return max(1.0, min(_parsing() for _ in range(3)) / _REFERENCE)


def _parsing() -> float:
    start = process_time()
    text_format.Parse(_TEXT, FileDescriptorProto())
    return process_time() - start
