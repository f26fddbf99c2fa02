"""Text messages read by protoc, which takes a fifth of the time of the parser in Python. It comes with an extra."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from google.protobuf.message import DecodeError

from tfprof_report.ingest.descriptors import DESCRIPTOR_SET, encoded_descriptors, message_class, message_descriptor

LEAST = 500_000
"""Fewest bytes of text for which it is worth while to start protoc."""


@cache
def is_installed() -> bool:
    """Return whether protoc is installed, by the extra ``pbtxt``."""
    return bool(sys.executable) and find_spec("grpc_tools") is not None


def encode(text: bytes, name: str) -> tuple[bytes, bool] | None:
    """Return the binary form of a text message by its full name, and whether fields that we know by name were skipped.

    None where protoc does not read the text, since it is damaged, has unknown fields or is nested deeply, and where it
    would read it another way than the parser in Python: that one has to read it then, and to say what is wrong.
    """
    try:
        text.decode()  # protoc does not check it
    except UnicodeDecodeError:
        return None
    for skips in (False, True):
        binary = _run(text, name, encoded_descriptors(with_reserved=skips))
        if binary is not None:
            return binary, skips
    return None


def _run(text: bytes, name: str, descriptors: bytes) -> bytes | None:
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder, DESCRIPTOR_SET)
            path.write_bytes(descriptors)
            options = (f"--descriptor_set_in={path}", f"--encode={name}", message_descriptor(name).file.name)
            command = [sys.executable, "-P", "-m", "grpc_tools.protoc", *options]
            done = subprocess.run(command, input=text, capture_output=True, check=True)  # noqa: S603 (our interpreter)
        # Parsing refuses text that is not UTF-8, keeps the last of duplicate map keys, and limits the depth.
        message = message_class(name).FromString(done.stdout)
    except (OSError, subprocess.CalledProcessError, DecodeError):
        return None
    return message.SerializeToString(deterministic=True)
