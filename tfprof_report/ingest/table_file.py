"""Reader of LevelDB's table format, in which TensorFlow stores the index of a checkpoint: sorted key-value pairs.

The layout is that of LevelDB's ``doc/table_format.md``: blocks of prefix-compressed keys, each followed by one byte for
its compression and a masked CRC-32C; an index block that lists these blocks; a footer of 48 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

import google_crc32c
import pyarrow as pa

MAGIC = bytes.fromhex("57fb808b247547db")
"""The last eight bytes of a table."""


class TooLargeError(ValueError):
    """A table is larger than any that is read; the message completes a sentence about it."""


_FOOTER = 48
_TRAILER = 5
_MAX_BLOCK = 2**28
_MOST_UNPACKED = 32
"""Snappy makes at most 64 bytes of 3, so a block that claims more than this many times its size is damaged."""

_MAX_KEYS = 2**26
"""Most bytes of all keys together: prefixes make keys of any length from few bytes. Names of variables are shorter."""

_MORE, _VARINT_BITS = 0x80, 70


def read_table_file(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the (key, value) pairs of a table in key order.

    Raises
    ------
    ValueError
        It is damaged: blocks overlap, keys are not in order, or as the functions below; `TooLargeError` if the keys are
        too long.
    """
    if len(data) < _FOOTER or data[-8:] != MAGIC:
        raise ValueError("it does not end like a table")
    at = len(data) - _FOOTER
    for _ in range(2):  # skip the handle (offset and size) of the metaindex block, which TensorFlow leaves empty
        _, at = read_varint(data, at)
    end, before, left = 0, None, _MAX_KEYS
    for _, handle in _entries(_block(data, *_handle(data, at)), _MAX_KEYS):
        offset, size = _handle(handle, 0)
        if offset < end:
            raise ValueError("blocks overlap")
        end = offset + size + _TRAILER
        for key, value in _entries(_block(data, offset, size), left):
            if before is not None and key <= before:
                raise ValueError("keys are not in order")
            before, left = key, left - len(key)
            yield key, value


def unmask(crc: int) -> int:
    """Return the CRC-32C that was stored masked as `crc`.

    LevelDB rotates a CRC and adds a constant, since the CRC of data that contains its own CRC would be weak.
    """
    rotated = (crc - 0xA282EAD8) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """Return the varint at position `at` and the position after it; ValueError if there is none."""
    value = shift = 0
    while at < len(data) and shift < _VARINT_BITS:
        byte = data[at]
        at += 1
        value |= (byte & ~_MORE) << shift
        if not byte & _MORE:
            return value, at
        shift += 7
    raise ValueError("a number is cut short")


def _handle(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """Return the offset and size of the block that the handle at `at` refers to."""
    offset, at = read_varint(data, at)
    size, _ = read_varint(data, at)
    return offset, size


def _block(data: bytes, offset: int, size: int) -> bytes:
    end = offset + size
    if end + _TRAILER > len(data):
        raise ValueError("a block extends beyond the end of the file")
    stored = int.from_bytes(data[end + 1 : end + _TRAILER], "little")
    if google_crc32c.value(data[offset : end + 1]) != unmask(stored):
        raise ValueError("the checksum of a block is wrong")
    block = data[offset:end]
    match data[end]:
        case 0:
            return block
        case 1:
            return _unpack(block)
    raise ValueError(f"a block has the unknown compression {data[end]}")


def _unpack(block: bytes) -> bytes:
    size, _ = read_varint(block, 0)
    if size > min(_MAX_BLOCK, _MOST_UNPACKED * len(block)):
        raise ValueError("a block is too large")
    try:
        unpacked: bytes = pa.decompress(block, decompressed_size=size, codec="snappy", asbytes=True)
    except (OSError, pa.ArrowException) as error:
        raise ValueError("a compressed block is damaged") from error
    return unpacked


def _entries(block: bytes, most: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the entries of a block, whose keys have at most `most` bytes together.

    Each key is stored as its common prefix with the previous key and the rest.
    """
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise ValueError("a block is too short")
    key, at = b"", 0
    while at < end:
        shared, at = read_varint(block, at)
        fresh, at = read_varint(block, at)
        size, at = read_varint(block, at)
        if shared > len(key) or at + fresh + size > end:
            raise ValueError("an entry extends beyond its block")
        most -= shared + fresh
        if most < 0:
            raise TooLargeError(f"has keys of more than {_MAX_KEYS:,} bytes")
        key = key[:shared] + block[at : at + fresh]
        at += fresh
        yield key, block[at : at + size]
        at += size
