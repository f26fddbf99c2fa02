"""Text messages made binary: by protoc, which comes with an extra and takes a fifth of the time, or else in Python."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tfprof_report.errors import InputError, not_utf8
from tfprof_report.ingest.descriptors import DESCRIPTOR_SET, encoded_descriptors, message_class, message_descriptor
from tfprof_report.ingest.packed import Packed
from tfprof_report.ingest.sniff import FULL_NAMES, Kind

LEAST = 500_000
"""Fewest bytes of text for which it is worth while to start protoc."""

_LONG, _NEAR = 4096, 4
_STRINGS = "|".join(rf"{quote}[^{quote}\\]*(?:\\.[^{quote}\\]*)*\\?{quote}?" for quote in "\"'")
_PIECE = re.compile(rf"""#.*|(?:[^"'#]{{1,16}}|{_STRINGS}){{1,4}}[^"'#\s,;:<>{{}}\[\]]*[\s,;:<>{{}}\[\]]?""")
"""Lines of more than `_LONG` characters are given to the parser in such pieces, which end between two tokens.

For each unknown field, and for white space, it takes time or memory in proportion to the line.
"""

_UNKNOWN = "has no field named"
"""Part of the parser's words for an unknown field, the only error after which it may go on."""


def text_to_binary(
    data: bytes, kind: Kind, packed: Packed | None = None, *, file: str, option: str
) -> tuple[bytes, bool]:
    """Return the binary form of a text message, and whether unknown fields were skipped.

    Raises
    ------
    InputError
        It is not a text message of this kind; the error says in which line, or in which field. Or it has more fields
        than `packed`, the file that it was in, may have.
    """
    if packed:
        packed.check_text(data)
    if len(data) >= LEAST and is_installed():
        encoded = encode(data, FULL_NAMES[kind])
        if encoded is not None:
            return encoded
    try:
        text, numbers = _short_lines(data.decode())
    except UnicodeDecodeError as error:
        raise InputError(
            f"the {kind} text {not_utf8(error)}", file=file, option=option, advice="save it in UTF-8"
        ) from error
    # Strictly first, to find out whether unknown fields, such as those of a newer TensorFlow, have to be skipped.
    try:
        return _parse(text, kind), False
    except (text_format.ParseError, RecursionError) as error:
        problem = error
    try:
        if _UNKNOWN in str(problem):
            if packed:
                packed.check_text(data, skips=True)
            return _parse(text, kind, skips=True), True
    except (text_format.ParseError, RecursionError) as error:
        problem = error
    words, advice = _explain(problem, kind, text, numbers)
    raise InputError(
        words, file=file, option=option, advice=advice, details=str(problem) or type(problem).__name__
    ) from problem


def _explain(
    error: text_format.ParseError | RecursionError, kind: Kind, text: str, numbers: Sequence[int]
) -> tuple[str, str]:
    """Return what is wrong with a text, and what to do."""
    advice = "use --verbose for the parser's message"
    if isinstance(error, RecursionError):
        return f"the {kind} text is nested too deeply", advice
    at = error.GetLine()
    if "codec can't decode" in str(error):
        words = f"{_field_before(text, error)} in line {numbers[(at or 1) - 1]} of the {kind} text is not UTF-8"
        return words, "protobuf allows no other text"
    return f"the {kind} text cannot be parsed" + (f" at line {numbers[at - 1]}" if at else ""), advice


def _parse(text: str, kind: Kind, *, skips: bool = False) -> bytes:
    message = message_class(FULL_NAMES[kind])()
    with warnings.catch_warnings():  # the parser accepts unknown escapes such as `\\z`, with a warning
        warnings.simplefilter("ignore", DeprecationWarning)
        text_format.Parse(text, message, allow_unknown_field=skips)
    return bytes(message.SerializeToString(deterministic=True))


def _short_lines(text: str) -> tuple[str, Sequence[int]]:
    """Return a text with long lines in pieces, and the number of the line that each line of it is from."""
    lines = text.split("\n")
    if max(map(len, lines)) <= _LONG:
        return text, range(1, len(lines) + 1)
    pieces = [_PIECE.findall(line) if len(line) > _LONG else [line] for line in lines]
    numbers = np.repeat(np.arange(1, len(lines) + 1), list(map(len, pieces)))
    return "\n".join(chain.from_iterable(pieces)), numbers.tolist()


def _field_before(text: str, error: text_format.ParseError) -> str:
    """Return the name of the field whose value the text parser was reading."""
    lines, at = text.split("\n"), (error.GetLine() or 1) - 1
    before = " ".join([*lines[max(at - _NEAR, 0) : at], lines[at][: error.GetColumn()]])
    return next(iter(re.findall(r"(\w+)\s*:", before)[-1:]), "a string")


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
