"""Gzip files that are the same bytes on every machine and with every Python."""

from __future__ import annotations

import zlib

_GZIP = 31
"""The `wbits` of zlib for a gzip header in front of the data."""

_OS = 9
"""Where the header has the operating system: RFC 1952, section 2.3."""

_UNKNOWN_OS = b"\xff"


def gzipped(data: bytes, level: int = 6) -> bytes:
    """Return `data` as a gzip file whose header has no time, no file name and no operating system.

    `gzip.compress` writes Unix up to Python 3.12, and unknown from 3.13 on.
    """
    packed = zlib.compress(data, level, _GZIP)  # level 9 takes six times as long as 6, and saves a tenth
    return packed[:_OS] + _UNKNOWN_OS + packed[_OS + 1 :]
