"""A digest of each node's attributes: equal digests mean equal attributes, whatever their order in the file.

What counts is the encoded AttrValue of every attribute, the content of tensors included. Left out are

* attributes whose name starts with ``_``: notes of TensorFlow itself, such as ``_output_shapes`` and ``_class``;
* the names of functions, which get a new number with every trace (``__inference_f_123``); only that the attribute is a
  function counts. Their bodies are nodes of their own.

Attributes that are equal but encoded differently (a tensor as ``tensor_content`` or as ``float_val``) have different
digests, so that a difference is never missed. Digests are the same in every run and on every machine.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Hashes,
    Ints,
    list_offsets,
    list_values,
    mix,
    row_of_value,
    sum_by_row,
    to_bools,
    to_ints,
)

_SHORT = 1024
"""Values of up to so many bytes are hashed together; longer ones, of which a file cannot have many, one by one."""

_CHUNK = 2**23
"""Bytes that are hashed at once; each needs 16 bytes of memory."""

_FUNC, _LIST, _LIST_FUNC = 0x52, 0x0A, 0x4A
"""First byte of an encoded AttrValue with `func` or `list`, and of a ListValue that has only `func`."""

_MORE = 0x80
"""The bit of a byte of a varint after which another byte follows."""

_PREFIX = 8
"""Bytes of an encoded AttrValue that show whether it is a list of functions: tag, length (up to 5 bytes), tag."""

_FUNCTION = np.uint64(0x66756E63)


def attr_digests(attr: pa.MapArray) -> pa.Array:
    """Return an int64 digest per node of its attributes, a map from names to encoded AttrValues."""
    offsets = list_offsets(attr)
    entries = list_values(attr)
    keys = entries.field("key").dictionary_encode()
    values = pc.fill_null(entries.field("value"), b"")
    hashed = mix(_hash_words(keys) + mix(_hash_values(values)))
    is_internal = to_bools(pc.starts_with(keys.dictionary, "_"))[to_ints(keys.indices)]
    hashed[is_internal] = 0
    return pa.array(mix(sum_by_row(hashed.view(np.int64), offsets)).view(np.int64))


def _hash_words(words: pa.DictionaryArray) -> Hashes:
    return _hash_bytes(words.dictionary.cast(pa.binary()))[to_ints(words.indices)]


def _hash_values(values: pa.BinaryArray) -> Hashes:
    """Return a hash of each encoded AttrValue; all functions have the same one, and all lists of functions."""
    is_short = to_bools(pc.less_equal(pc.binary_length(values), _SHORT))
    hashes = np.zeros(len(values), dtype=np.uint64)
    words = values.filter(pa.array(is_short)).dictionary_encode()  # few distinct values in most graphs
    known = _hash_bytes(words.dictionary)
    known[_is_function(pc.binary_slice(words.dictionary, 0, _PREFIX))] = _FUNCTION
    hashes[is_short] = known[to_ints(words.indices)]
    if not is_short.all():
        rows = np.flatnonzero(~is_short)
        hashes[rows] = [_digest(values[row].as_buffer()) for row in rows.tolist()]  # tensors are not copied
        hashes[rows[_is_function(pc.binary_slice(values, 0, _PREFIX).take(pa.array(rows)))]] = _FUNCTION
    return hashes


def _digest(value: pa.Buffer) -> int:
    return int.from_bytes(hashlib.blake2b(value, digest_size=8).digest(), "little")


def _hash_bytes(values: pa.BinaryArray) -> Hashes:
    """Return a hash of each value: the sum over its bytes of a random number for byte and place (Zobrist hashing)."""
    offsets, content = _bytes_of(values)
    table = mix(np.arange(256 * min(_SHORT, int(np.diff(offsets).max(initial=0)))))
    sums = np.zeros(len(values), dtype=np.uint64)
    if not len(values):
        return sums
    chunk = offsets[:-1] // _CHUNK
    firsts = np.flatnonzero(np.append(True, np.diff(chunk) > 0))
    for first, last in zip(firsts, np.append(firsts[1:], len(values)), strict=True):
        part = offsets[first : last + 1]
        held = content[part[0] : part[-1]].astype(np.int64)
        place = np.arange(len(held)) - (part - part[0])[:-1][row_of_value(part)]
        numbers = table[(place % _SHORT) * 256 + held]
        sums[first:last] = sum_by_row(numbers.view(np.int64), part - part[0]).view(np.uint64)
    return mix(sums + mix(np.diff(offsets)))


def _is_function(values: pa.BinaryArray) -> Bools:
    """Return which encoded AttrValues, of which the first bytes suffice, are a function or a list of functions."""
    offsets, content = _bytes_of(values)
    padded = np.append(content, np.zeros(8, dtype=np.uint8))
    start, counts = offsets[:-1], np.diff(offsets)
    inner, more = start + 1, np.ones(len(start), dtype=bool)
    for _ in range(5):  # the length of the list, a varint of up to 5 bytes: those before the last have the high bit
        more &= padded[np.minimum(inner, len(content))] >= _MORE
        inner = inner + more
    held = inner + 1 < offsets[1:]
    is_list = held & (padded[start] == _LIST) & (padded[np.minimum(inner + 1, len(content))] == _LIST_FUNC)
    found: Bools = (counts > 0) & (padded[start] == _FUNC) | is_list
    return found


def _bytes_of(values: pa.BinaryArray) -> tuple[Ints, np.typing.NDArray[np.uint8]]:
    """Return the n + 1 offsets of the values, from 0, and their bytes."""
    if not len(values):
        return np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint8)
    _, ends, data = values.buffers()
    offsets = np.frombuffer(ends, dtype=np.int32)[values.offset : values.offset + len(values) + 1].astype(np.int64)
    content = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return offsets - offsets[0], content[offsets[0] : offsets[-1]]
