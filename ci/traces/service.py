"""Tracing through the profiler service of this process.

TensorFlow 2.21 records at host tracer level 2 whatever level ``ProfilerOptions`` asks for; the service, which other
programs ask over gRPC, does as it is told.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import tensorflow as tf
from tensorflow.tsl.profiler.protobuf import profiler_options_pb2

LONGEST_MS = 60_000
STARTING_S = 0.5
DURATION, OPTIONS, FOLDER, SESSION, HOST = 1, 4, 5, 6, 7
"""Fields of ``tensorflow.ProfileRequest``, for which TensorFlow ships no Python module."""


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports


def varint(number: int) -> bytes:
    """Return a number as protobuf writes it."""
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def text_field(number: int, value: bytes) -> bytes:
    """Return a field of text, bytes or a message as protobuf writes it."""
    return varint(number << 3 | 2) + varint(len(value)) + value


@contextmanager
def traced(folder: Path, level: int) -> Iterator[None]:
    """Record what runs inside at a host tracer level; the trace is below the folder in the end."""
    (port,) = free_ports(1)
    tf.profiler.experimental.server.start(port)
    options = profiler_options_pb2.ProfileOptions(
        version=1, host_tracer_level=level, device_tracer_level=1, enable_hlo_proto=True, duration_ms=LONGEST_MS
    )
    request = varint(DURATION << 3) + varint(LONGEST_MS) + text_field(OPTIONS, options.SerializeToString())
    request += text_field(FOLDER, str(folder).encode()) + text_field(SESSION, b"run") + text_field(HOST, b"host")
    with grpc.insecure_channel(f"localhost:{port}") as channel:
        answer = channel.unary_unary("/tensorflow.ProfilerService/Profile").future(request)
        time.sleep(STARTING_S)
        yield
        channel.unary_unary("/tensorflow.ProfilerService/Terminate")(text_field(1, b"run"))
        answer.result()
