"""Read TOML files that users write (FLOPs rules, rules files, accepted changes, names); every error is one line."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from tfprof_report.errors import OptionError, not_utf8

_MAX_BYTES, _MAX_MESSAGE = 256 * 1024, 400
_MAX_DOTS = 100
"""Most dots in a line: the memory of TOML's parser grows with the square of the number of parts of a dotted key."""
_LONG_NUMBER = re.compile(rb"0[xob][0-9A-Fa-f_]{1000}")
"""A number that Python parses but refuses to print."""
_BEYOND_U = 0x10000
"""The first character that needs the long escape ``\\U``."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TRAP = re.compile(r"(?<=##)\[|(?<=##vso)\[|(?<=0)[xob](?=[0-9A-Fa-f_]{1000})", re.IGNORECASE)
"""What a CI runner takes for a command if it is printed, and what `parse_toml` takes for a long number."""


class TomlError(Exception):
    """The content of a file is not valid."""


def read_toml(path: str, option: str | None, most: int = _MAX_BYTES) -> dict[str, Any]:
    """Return the content of a TOML file that `option` names, of at most `most` bytes.

    Raises
    ------
    OptionError
        The file cannot be read or is not TOML.
    """
    data = read_bytes(path, option, most)
    try:
        return parse_toml(data, most)
    except TomlError as error:
        raise content_error(error, path, option) from error


def read_bytes(path: str, option: str | None, most: int = _MAX_BYTES) -> bytes:
    """Return the content of a file, of a large file only as much as `parse_toml` needs to refuse it."""
    try:
        with Path(path).open("rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else "bad name"
        raise OptionError(f"cannot be read ({reason})", file=path, option=option) from error


def parse_toml(data: bytes, most: int = _MAX_BYTES) -> dict[str, Any]:
    """Return the tables of a file; TomlError if it is not TOML, or too large or too odd to be written by hand."""
    if len(data) > most:
        raise TomlError(f"is larger than {most // 1024} KiB")
    if any(line.count(b".") > _MAX_DOTS for line in data.splitlines()):
        raise TomlError(f"has a line with more than {_MAX_DOTS} dots")
    if _LONG_NUMBER.search(data):
        raise TomlError("has a number of more than 1000 digits")
    try:
        return tomllib.loads(data.removeprefix(_BYTE_ORDER_MARK).decode())
    except UnicodeDecodeError as error:
        raise TomlError(not_utf8(error)) from error
    except ValueError as error:  # its message says what is wrong and where
        raise TomlError(f"is not a TOML file ({error})") from error
    except RecursionError as error:
        raise TomlError("is nested too deeply") from error


def content_error(error: Exception | str, path: str, option: str | None) -> OptionError:
    """Return the error for invalid content of a file, with a long message cut."""
    problem = str(error)
    problem = problem if len(problem) <= _MAX_MESSAGE else f"{problem[:_MAX_MESSAGE]} ..."
    return OptionError(problem, file=path, option=option)


def toml_string(text: str) -> str:
    """Return any `text` as a TOML basic string on one line that `parse_toml` reads back.

    Unprintable characters are escaped, and so is what a CI runner would take for a command.
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
