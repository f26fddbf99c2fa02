"""TensorFlow V2 checkpoints: the list of variables, and their values, which are read one by one on demand.

A checkpoint is a table ``PREFIX.index`` from names to BundleEntryProto, and files ``PREFIX.data-00000-of-0000N`` with
the values. A partitioned variable has an entry without values under its name, which lists its slices, and one entry per
slice, whose key encodes the name and the slice.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Iterable, Mapping
from itertools import islice, pairwise
from typing import Any

import google_crc32c
import numpy as np
from google.protobuf.message import DecodeError
from numpy.typing import NDArray

from tfprof_report.errors import InputError, shown
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.files.file_bytes import read_bytes, unreadable, why_unread
from tfprof_report.ingest.files.file_parts import FileParts
from tfprof_report.ingest.files.folders import (
    exists,
    is_file,
    is_folder,
    join,
    last_name,
    list_folder,
    with_end,
    without_end,
)
from tfprof_report.ingest.origin import InputFile
from tfprof_report.ingest.table_file import MAGIC, TooLargeError, read_table_file, read_varint, unmask
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.record import record
from tfprof_report.urls import name_of

INDEX = ".index"
STRING = "string"
_UINT32_MAX = 2**32 - 1

MAX_ENTRIES = 500_000
"""Most tensors and slices of a checkpoint; the largest models have some thousands."""

MAX_RANK = 64
"""Most dimensions of a tensor whose values are read: numpy has no more."""

_NAMES = dict(
    enumerate(
        (
            *("float32", "float64", "int32", "uint8", "int16", "int8", STRING, "complex64", "int64", "bool"),
            *("qint8", "quint8", "qint32", "bfloat16", "qint16", "quint16", "uint16", "complex128", "float16"),
            *("resource", "variant", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz"),
            *("float8_e4m3b11fnuz", "float8_e5m2fnuz", "int4", "uint4", "int2", "uint2"),
        ),
        start=1,
    )
)
"""The name of each of TensorFlow's ``DataType`` by its number."""

_WITHOUT_NUMPY_TYPE = (STRING, "resource", "variant")

KNOWN_TYPES = frozenset(_NAMES.values())


@record
class Variable:
    """The entry of a tensor in the index. `type_number` is TensorFlow's ``DataType``, `dtype` its name."""

    dtype: str
    type_number: int
    shape: tuple[int, ...]
    is_sliced: bool


@record
class Checkpoint:
    """The index of a checkpoint.

    prefix : path without ``.index``
    option : the option that gave it, for errors
    shards : number of data files
    is_swapped : whether the values have the other byte order than this machine
    variables : the tensors by name, in name order; slices are not listed
    others : names of tensors that are not UTF-8, escaped: no node has one of these
    entries : the ``BundleEntryProto`` of every key, those of slices included
    file : the index file as it was read
    parts : reads the data files
    """

    prefix: str
    option: str
    shards: int
    is_swapped: bool
    variables: Mapping[str, Variable]
    others: tuple[str, ...]
    entries: Mapping[bytes, Any]
    file: InputFile
    parts: FileParts


def open_checkpoint(path: str, *, option: str) -> Checkpoint:
    """Read the index of a checkpoint; `read_tensor` reads values.

    Parameters
    ----------
    path : the prefix, such as ``model.ckpt-100``, the index file, or a folder that contains one checkpoint

    Raises
    ------
    InputError
        The checkpoint does not exist, has the older single-file format, or its index is damaged.
    """
    try:
        prefix = _find_prefix(path, option)
    except OSError as error:
        raise unreadable(error, path, option) from error
    file = with_end(prefix, INDEX)
    data = read_bytes(file, option=option)
    if data[-8:] != MAGIC:
        raise InputError("is not the index of a TensorFlow checkpoint", file=file, option=option)
    try:
        header, entries = _read_index(data)
        # The key of a slice starts with a zero byte; a name never does.
        names = {key: key.decode(errors="surrogateescape") for key in entries if key[:1] != b"\0"}
        variables = {name: _variable(entries[key]) for key, name in names.items() if shown(name) == name}
    except TooLargeError as error:
        raise InputError(f"the index of the checkpoint {error}: it is not read", file=file, option=option) from error
    except (ValueError, KeyError, DecodeError) as error:
        words = "the index of the checkpoint is damaged"
        raise InputError(words, file=file, option=option, details=str(error)) from error
    return Checkpoint(
        prefix=prefix,
        option=option,
        shards=header.num_shards,
        is_swapped=("little", "big")[header.endianness] != sys.byteorder,
        variables=variables,
        others=tuple(shown(name) for name in names.values() if name not in variables),
        entries=entries,
        file=InputFile(
            role="checkpoint",
            path=shown(name_of(file)),
            form="binary",
            size_bytes=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
        ),
        parts=FileParts(),
    )


def _read_index(data: bytes) -> tuple[Any, dict[bytes, Any]]:
    """Return the header and the entry of each key; KeyError, ValueError or DecodeError if they are damaged."""
    pairs = dict(islice(read_table_file(data), MAX_ENTRIES + 2))  # with the header one more than allowed
    header = message_class("tensorflow.BundleHeaderProto").FromString(pairs.pop(b""))
    if len(pairs) > MAX_ENTRIES:
        raise TooLargeError(f"has more than {MAX_ENTRIES:,} entries")
    new_entry = message_class("tensorflow.BundleEntryProto")
    entries = {key: new_entry.FromString(value) for key, value in pairs.items()}
    _check_places(entries.values())
    return header, entries


def _check_places(entries: Iterable[Any]) -> None:
    """Raise ValueError if two tensors claim the same bytes of a data file, as no writer of checkpoints lets them.

    So reading all values takes no more memory than the data files.
    """
    places = sorted((entry.shard_id, entry.offset, entry.size) for entry in entries if entry.size > 0)
    for (shard, offset, size), (next_shard, next_offset, _) in pairwise(places):
        if shard == next_shard and next_offset < offset + size:
            raise ValueError("tensors overlap in the data file")


def _find_prefix(path: str, option: str) -> str:
    if is_folder(path, option):
        listing = list_folder(path)
        found = [name for name in sorted((*listing.names, *listing.folders)) if name.endswith(INDEX)]
        if len(found) == 1:
            return without_end(join(path, found[0]), INDEX)
        names = ", ".join(name.removesuffix(INDEX) for name in found[:5])
        raise InputError(
            f"the folder holds {len(found)} checkpoints ({names})" if found else "the folder holds no checkpoint",
            file=path,
            option=option,
            advice="name one by its prefix, the path without .index",
        )
    prefix = without_end(path, INDEX)
    if not exists(with_end(prefix, INDEX)):
        problem = f"no such checkpoint: {last_name(prefix)}{INDEX} does not exist"
        advice = "check the path"
        if is_file(path):
            problem = "is not the prefix of a TensorFlow V2 checkpoint"
            advice = "name the path of its files without .index; the older single-file format is not read"
        raise InputError(problem, file=path, option=option, advice=advice)
    return prefix


def _variable(entry: Any) -> Variable:
    return Variable(
        dtype=_name_of(entry.dtype),
        type_number=entry.dtype,
        shape=tuple(dim.size for dim in entry.shape.dim),
        is_sliced=bool(entry.slices),
    )


def read_tensor(checkpoint: Checkpoint, name: str) -> NDArray[Any]:
    """Return the values of a tensor; strings are an object array of bytes.

    Their checksum is verified. The slices of a partitioned variable are assembled.

    Raises
    ------
    InputError
        The data file is missing, too short or damaged, or the type has no values that numpy can represent.
    KeyError
        The checkpoint has no such tensor.
    """
    entry = checkpoint.entries[name.encode()]
    if not entry.slices:
        return _values(checkpoint, name, entry, checkpoint.variables[name].shape)
    shape = checkpoint.variables[name].shape
    _check_size(checkpoint, name, entry.dtype, shape)
    regions = [_region(part, shape) for part in entry.slices]
    keys = [
        slice_key(name, [(e.start, e.length if e.WhichOneof("has_length_hack") else -1) for e in part.extent])
        for part in entry.slices
    ]
    if len(set(keys)) < len(keys):
        raise _damaged(checkpoint, name, "its slices repeat")
    parts = []
    for key, region in zip(keys, regions, strict=True):
        if region is None or key not in checkpoint.entries:
            raise _damaged(checkpoint, name, "a slice of it is missing or does not fit its shape")
        parts.append(_values(checkpoint, name, checkpoint.entries[key], tuple(s.stop - s.start for s in region)))
    if sum(part.size for part in parts) != math.prod(shape):
        raise _damaged(checkpoint, name, "its slices do not cover its shape")
    whole = np.empty(shape, dtype=parts[0].dtype)
    for region, part in zip(regions, parts, strict=True):
        whole[region] = part
    return whole


def _name_of(number: int) -> str:
    """Return the name of a ``DataType``."""
    return _NAMES.get(number, f"type {number}")


def _numpy_type(number: int) -> Any:
    """Return the numpy type of values of a ``DataType``, None if there is none."""
    if (name := _name_of(number)) not in KNOWN_TYPES or name in _WITHOUT_NUMPY_TYPE:
        return None
    name = name.removeprefix("q")  # quantised integers are stored as integers
    if hasattr(np, name):
        return getattr(np, name)
    import ml_dtypes  # noqa: PLC0415 half a second, and few variables have one of its types

    return getattr(ml_dtypes, name)


def _check_size(checkpoint: Checkpoint, name: str, number: int, shape: tuple[int, ...]) -> None:
    """Raise InputError if numpy has no array of this shape, or if it has more bytes than all data files can have."""
    if len(shape) > MAX_RANK:
        words = f"{name} has {len(shape):,} dimensions; values with more than {MAX_RANK} are not read"
        raise InputError(words, file=checkpoint.prefix, option=checkpoint.option)
    itemsize = np.dtype(_numpy_type(number) or np.object_).itemsize
    # numpy counts the bytes of an array without elements too, as if sizes of 0 were 1.
    if min(shape, default=0) < 0 or math.prod(size or 1 for size in shape) * itemsize >= INT64_LIMIT:
        raise _damaged(checkpoint, name, "its size does not fit its shape")


def _region(part: Any, shape: tuple[int, ...]) -> tuple[slice, ...] | None:
    """Return the index of a slice within the whole variable, None if it does not fit the shape."""
    if len(part.extent) != len(shape):
        return None
    region = []
    for extent, size in zip(part.extent, shape, strict=True):
        stop = extent.start + extent.length if extent.WhichOneof("has_length_hack") else size
        if not 0 <= extent.start <= stop <= size:
            return None
        region.append(slice(extent.start, stop))
    return tuple(region)


def _values(checkpoint: Checkpoint, name: str, entry: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    dtype_name, dtype = _name_of(entry.dtype), _numpy_type(entry.dtype)
    if dtype is None and dtype_name != STRING:
        words = f"{name} is of type {dtype_name}, which has no plain values"
        raise InputError(words, file=checkpoint.prefix, option=checkpoint.option)
    _check_size(checkpoint, name, entry.dtype, shape)
    count = math.prod(shape)
    if dtype is not None and count * np.dtype(dtype).itemsize != entry.size:
        raise _damaged(checkpoint, name, "its size does not fit its shape")
    stored = _stored(checkpoint, name, entry)
    if dtype is None:
        return _strings(checkpoint, name, entry, stored, count).reshape(shape)
    if google_crc32c.value(stored) != unmask(entry.crc32c):
        raise _damaged(checkpoint, name, "its checksum is wrong")
    values: NDArray[Any] = stored.view(dtype).reshape(shape)
    return values.byteswap() if checkpoint.is_swapped else values


def _stored(checkpoint: Checkpoint, name: str, entry: Any) -> NDArray[np.uint8]:
    """Return the bytes of an entry in the data file."""
    path = with_end(checkpoint.prefix, f".data-{entry.shard_id:05d}-of-{checkpoint.shards:05d}")
    try:
        if not 0 <= entry.offset <= entry.offset + entry.size <= checkpoint.parts.size_of(path):
            raise _damaged(checkpoint, name, f"{last_name(path)} is too short")
        return checkpoint.parts.read(path, entry.offset, entry.size) if entry.size else np.zeros(0, dtype=np.uint8)
    except OSError as error:
        raise InputError(
            f"a data file of the checkpoint cannot be read ({why_unread(error, path)})",
            file=path,
            option=checkpoint.option,
            advice="keep the .data files beside the .index",
        ) from error


def _strings(
    checkpoint: Checkpoint, name: str, entry: Any, stored: NDArray[np.uint8], count: int
) -> NDArray[np.object_]:
    """Parse strings, which are stored as all lengths (varints), a checksum of the lengths, and all bytes."""
    data = stored.tobytes()
    if count > len(data):
        raise _damaged(checkpoint, name, "its size does not fit its shape")
    at, lengths = 0, []
    try:
        for _ in range(count):
            length, at = read_varint(data, at)
            lengths.append(length)
    except ValueError as error:
        raise _damaged(checkpoint, name, str(error)) from error
    # The checksum is over each length as 32 bits, or as 64 bits if it does not fit.
    summed = b"".join(length.to_bytes(4 if length <= _UINT32_MAX else 8, "little") for length in lengths)
    stored_sum, at = data[at : at + 4], at + 4
    if len(data) != at + sum(lengths) or google_crc32c.value(summed) != unmask(int.from_bytes(stored_sum, "little")):
        raise _damaged(checkpoint, name, "the lengths of its strings are damaged")
    if google_crc32c.value(summed + stored_sum + data[at:]) != unmask(entry.crc32c):
        raise _damaged(checkpoint, name, "its checksum is wrong")
    values = np.empty(count, dtype=object)
    for index, length in enumerate(lengths):
        values[index] = data[at : at + length]
        at += length
    return values


def _damaged(checkpoint: Checkpoint, name: str, why: str) -> InputError:
    return InputError(
        f"the values of {name} are damaged: {why}",
        file=checkpoint.prefix,
        option=checkpoint.option,
        advice="write the checkpoint again",
    )


# Keys of slices ---------------------------------------------------------------------------------------------------


def slice_key(name: str, extents: list[tuple[int, int]]) -> bytes:
    """Return the key of a slice, given as (start, length) per dimension; length -1 means the whole dimension.

    It is in TensorFlow's OrderedCode, which sorts by bytes: 0, the name, the number of dimensions, each start and
    length.
    """
    escaped = name.encode().replace(b"\0", b"\0\xff")
    return b"".join(
        [
            _unsigned(0),
            escaped + b"\0\x01",
            _unsigned(len(extents)),
            *(_signed(number) for extent in extents for number in extent),
        ]
    )


def _unsigned(value: int) -> bytes:
    """Encode a non-negative integer: its length in bytes, then its bytes, the most significant one first."""
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _signed(value: int) -> bytes:
    """Encode an integer: its two's complement, with the leading bits XORed with as many ones as it has bytes.

    So the leading run of equal bits gives the length, and the order of the bytes is that of the numbers.
    """
    magnitude = ~value if value < 0 else value
    size = magnitude.bit_length() // 7 + 1
    header = ((1 << size) - 1) << (8 * size - size)
    return ((value & ((1 << 8 * size) - 1)) ^ header).to_bytes(size, "big")
