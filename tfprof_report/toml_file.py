"""TOML that users write: FLOPs rules, rules files, accepted changes, names. Whatever is in it, an error is one line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from tfprof_report.errors import OptionError

_MAX_BYTES, _MAX_MESSAGE = 256 * 1024, 400
_MAX_DOTS = 100
"""Dots on a line: TOML's parser takes memory for the square of the parts of a dotted key."""
_LONG_NUMBER = re.compile(rb"0[xob][0-9A-Fa-f_]{1000}")
"""Python reads such numbers, and refuses to print them."""
_BEYOND_U = 0x10000
"""The first character that needs the long escape."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TRAP = re.compile(r"(?<=##)\[|(?<=##vso)\[|(?<=0)[xob](?=[0-9A-Fa-f_]{1000})", re.IGNORECASE)
"""What commands a CI runner where it is printed, and what `parse_toml` takes for a long number."""


class TomlError(Exception):
    """What is wrong with the content of a file."""


def read_toml(path: str, option: str | None) -> dict[str, Any]:
    """Return the content of a TOML file that `option` names.

    Raises
    ------
    OptionError
        The file cannot be read, or is no TOML.
    """
    data = read_bytes(path, option)
    try:
        return parse_toml(data)
    except TomlError as error:
        raise content_error(error, path, option) from error


def read_bytes(path: str, option: str | None) -> bytes:
    """Return the content of a file, of a large one only so much that `parse_toml` refuses it."""
    try:
        with Path(path).open("rb") as file:
            return file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else "bad name"
        raise OptionError(f"cannot be read ({reason})", file=path, option=option) from error


def parse_toml(data: bytes) -> dict[str, Any]:
    """Return the tables of a file; `TomlError` if it is no TOML, or larger or stranger than what people write."""
    if len(data) > _MAX_BYTES:
        raise TomlError(f"is larger than {_MAX_BYTES // 1024} KiB")
    if any(line.count(b".") > _MAX_DOTS for line in data.splitlines()):
        raise TomlError(f"has a line with more than {_MAX_DOTS} dots")
    if _LONG_NUMBER.search(data):
        raise TomlError("has a number of more than 1000 digits")
    try:
        return tomllib.loads(data.removeprefix(_BYTE_ORDER_MARK).decode())
    except ValueError as error:  # the words of TOML's parser say what and where
        raise TomlError(f"is no TOML file ({error})") from error
    except RecursionError as error:
        raise TomlError("is nested too deeply") from error


def content_error(error: Exception | str, path: str, option: str | None) -> OptionError:
    """Return the error for what is wrong with the content of a file, however long the words for it are."""
    problem = str(error)
    problem = problem if len(problem) <= _MAX_MESSAGE else f"{problem[:_MAX_MESSAGE]} ..."
    return OptionError(problem, file=path, option=option)


def toml_string(text: str) -> str:
    """Return `text` as a basic string of TOML on one line, which `parse_toml` reads back whatever is in it.

    What is not printable is escaped, and so is what means something to a CI runner.
    """
    traps = {found.start() for found in _TRAP.finditer(text)}
    has_dots = text.count(".") > _MAX_DOTS
    return '"{}"'.format(
        "".join(
            _escape(ch) if at in traps or not ch.isprintable() or ch in '"\\' or (ch == "." and has_dots) else ch
            for at, ch in enumerate(text)
        )
    )


def _escape(ch: str) -> str:
    if ch in '"\\':
        return f"\\{ch}"
    return f"\\u{ord(ch):04x}" if ord(ch) < _BEYOND_U else f"\\U{ord(ch):08x}"
