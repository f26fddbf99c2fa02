"""Columns packed into few bytes, which a browser reads as typed arrays. `page_data` defines which columns there are.

Packed bytes are gzip of: the length of the header (uint32, little endian), the header (JSON in UTF-8), zeros up to a
multiple of 8, then the buffers, each at a multiple of 8 from the first. Numbers are little endian. ``columns`` of the
header says for each column its ``name`` and one of

================================  =====================================================================================
``value``                         the same in every row: a number, text of an integer beyond 2^53, null for unknown
``same``                          name of an earlier column with the same content
``type``, ``offset``, ``count``   its buffer: i8, i16, i32, i64 or f64; utf8 is a JSON array in `count` bytes
================================  =====================================================================================

Unknown is the lowest number of an integer type, NaN in f64. With ``divisor`` the figures are the numbers of the buffer
divided by it. With ``plus``, the name of an earlier column, the buffer holds differences: the numbers are those of the
buffer plus those of that column, both before division, wrapping at the width of their type.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfprof_report.arrays import Bools, Floats, Ints, text_of, to_bools, whole
from tfprof_report.limits import EXACT_IN_FLOAT64
from tfprof_report.render.files.gzipped import gzipped
from tfprof_report.render.tables.cells import NAME_LIMIT, visible_names

Numbers = NDArray[np.signedinteger[Any]] | Floats

_ALIGNMENT = 8
_LEVEL = 5
"""How well the columns are compressed: level 6 takes twice as long, and saves a twentieth."""

_TYPES = {"int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "float64": "f64"}
_FIRST, _LAST = 0x20, 0x7E
"""The first and the last character of ASCII that is shown."""

_ESCAPED = b'"\\'
"""Those between them that JSON escapes."""

_DIVISORS = range(1, 17)
"""Divisors that are tried: a mean over n steps is a multiple of 1/n, and a report has few steps."""


class Packer:
    """Packs columns of equal length, added one by one."""

    def __init__(self) -> None:
        self._columns: list[dict[str, Any]] = []
        self._buffers: list[bytes] = []
        self._earlier: dict[tuple[str, int, bytes], str] = {}

    def add_texts(self, name: str, texts: list[str]) -> None:
        """Add a list of texts, which may have any length."""
        self._add_json(name, _json(texts))

    def add_names(self, name: str, names: pa.Array) -> None:
        """Add a list of names as people read them (`cells.visible`); NULL is null."""
        self._add_json(name, _json_of_plain(names) or _json(visible_names(names)))

    def _add_json(self, name: str, data: bytes) -> None:
        self._columns.append({"name": name, "type": "utf8", "offset": self._keep(data), "count": len(data)})

    def add_codes(self, name: str, values: Ints) -> None:
        """Add integers, all of them known."""
        self._add(name, _narrow(values, np.zeros(len(values), dtype=bool)), 1)

    def add_figures(self, name: str, values: pa.Array, *, like: tuple[str, pa.Array] | None = None) -> None:
        """Add figures, int64 or float64, NULL where unknown.

        `like` is the name and the figures of a second column, added after it, that mostly has the same figures: it is
        stored as differences.
        """
        count = len(values)
        numbers, divisor = _to_numbers(whole(pa.chunked_array([values, *([like[1]] if like else [])])))
        self._add(name, numbers[:count], divisor)
        if like:
            self._add(like[0], numbers[count:], divisor, plus=(name, numbers[:count]))

    def to_bytes(self, header: dict[str, Any]) -> bytes:
        """Return everything packed, with `header` before ``columns``; the same columns give the same bytes."""
        text = json.dumps({**header, "columns": self._columns}, ensure_ascii=False, separators=(",", ":")).encode()
        start = len(text).to_bytes(4, "little") + text
        return gzipped(b"".join([start, _padding(start), *self._buffers]), _LEVEL)

    def _add(self, name: str, numbers: Numbers, divisor: int, plus: tuple[str, Numbers] | None = None) -> None:
        """Add a column in the shortest encoding: as a repeated column, a constant, differences, or plain."""
        data = numbers.tobytes()
        key = (numbers.dtype.name, divisor, data)
        if key in self._earlier:
            self._columns.append({"name": name, "same": self._earlier[key]})
            return
        self._earlier[key] = name
        if _is_constant(numbers):
            self._columns.append({"name": name, "value": _figure(numbers[0], divisor)})
            return
        entry: dict[str, Any] = {"name": name, "type": _TYPES[numbers.dtype.name]}
        if plus and numbers.dtype.kind == "i" and not _is_constant(plus[1]):
            entry["plus"] = plus[0]
            data = (numbers - plus[1]).tobytes()  # wraps, and so does the sum in the browser
        if divisor > 1:
            entry["divisor"] = divisor
        self._columns.append(entry | {"offset": self._keep(data), "count": len(numbers)})

    def _keep(self, data: bytes) -> int:
        offset = sum(map(len, self._buffers))
        self._buffers += data, _padding(data)
        return offset


def _json(texts: list[str]) -> bytes:
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode()


def _json_of_plain(names: pa.StringArray) -> bytes:
    """Return what `_json` does for names that are shown as they are, without escapes; nothing if there are others."""
    letters = np.frombuffer(text_of(names), np.uint8)
    lengths = pc.min_max(pc.binary_length(names)).as_py()
    is_odd = names.null_count or not lengths["min"] or lengths["max"] > NAME_LIMIT
    if is_odd or ((letters - _FIRST) > _LAST - _FIRST).any() or any((letters == each).any() for each in _ESCAPED):
        return b""
    one_list = pa.ListArray.from_arrays(pa.array([0, len(names)], pa.int32()), names)
    return b"".join((b'["', pc.binary_join(one_list, '","')[0].as_buffer(), b'"]'))


def _padding(data: bytes) -> bytes:
    return bytes(-len(data) % _ALIGNMENT)


def _to_numbers(values: pa.Array) -> tuple[Numbers, int]:
    """Return the numbers that a buffer holds for figures, and their divisor.

    Floats that are multiples of 1/n are stored as integers with divisor n, which compress better.
    """
    if not pa.types.is_floating(values.type):
        return _narrow(values.cast(pa.int64()).fill_null(0).to_numpy(), to_bools(values.is_null())), 1
    floats = values.to_numpy(zero_copy_only=False)
    unknown = ~np.isfinite(floats)
    floats = np.where(unknown, 0.0, floats)
    with np.errstate(over="ignore"):
        for divisor in _DIVISORS:
            whole = np.round(floats * divisor)
            if (np.abs(whole) < EXACT_IN_FLOAT64).all() and (whole / divisor == floats).all():
                return _narrow(whole.astype(np.int64), unknown), divisor
    return np.where(unknown, np.nan, floats), 1


def _narrow(values: Ints, unknown: Bools) -> Numbers:
    """Return integers in the narrowest type that holds them, its lowest number where unknown."""
    least, most = int(values.min(initial=0)), int(values.max(initial=0))
    for width in (np.int8, np.int16, np.int32):
        limits = np.iinfo(width)
        if limits.min < least and most <= limits.max:
            narrow: NDArray[np.signedinteger[Any]] = np.where(unknown, limits.min, values).astype(width)
            return narrow
    if max(-least, most) <= EXACT_IN_FLOAT64:  # JavaScript numbers are exact here, and faster than BigInt
        return np.where(unknown, np.nan, values.astype(np.float64))
    return np.where(unknown, np.iinfo(np.int64).min, values)


def _is_constant(numbers: Numbers) -> bool:
    bits = numbers.view(f"u{numbers.itemsize}")  # compares NaN as equal to NaN
    return bool(len(bits) and (bits == bits[0]).all())


def _figure(number: np.signedinteger[Any] | np.float64, divisor: int) -> int | float | str | None:
    """Return the figure that a number of a buffer represents, for JSON."""
    if isinstance(number, np.floating):
        known = None if np.isnan(number) else float(number)
        return known if known is None or divisor == 1 else known / divisor
    whole = int(number)
    if whole == np.iinfo(number.dtype).min:
        return None
    return str(whole) if abs(whole) > EXACT_IN_FLOAT64 else whole / divisor if divisor > 1 else whole
