"""Unpacks packed columns by the format that `render.html.packed_columns` documents, without its code."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import numpy as np

DTYPES = {"i8": "<i1", "i16": "<i2", "i32": "<i4", "i64": "<i8", "f64": "<f8"}


def unpack(block: bytes | str) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Return the header of a block and its columns, None where unknown."""
    data = gzip.decompress(base64.b64decode(block) if isinstance(block, str) else block)
    length = int.from_bytes(data[:4], "little")
    header = json.loads(data[4 : 4 + length])
    start = -(-(4 + length) // 8) * 8
    columns: dict[str, list[Any]] = {}
    raw: dict[str, Any] = {}
    for column in header["columns"]:
        name = column["name"]
        if "value" in column:
            value = column["value"]
            columns[name] = [int(value) if isinstance(value, str) else value] * header["rows"]
        elif "same" in column:
            columns[name] = columns[column["same"]]
            raw[name] = raw.get(column["same"])
        elif column["type"] == "utf8":
            at = start + column["offset"]
            columns[name] = json.loads(data[at : at + column["count"]])
        else:
            assert column["offset"] % 8 == 0
            numbers = np.frombuffer(data, DTYPES[column["type"]], column["count"], start + column["offset"])
            if "plus" in column:
                numbers = numbers + raw[column["plus"]]
            raw[name] = numbers
            columns[name] = [_figure(number, column.get("divisor")) for number in numbers]
    return header, columns


def _figure(number: Any, divisor: int | None) -> int | float | None:
    if number != number or (number.dtype.kind == "i" and number == np.iinfo(number.dtype).min):  # noqa: PLR0124 (NaN)
        return None
    value = number.item()
    return value / divisor if divisor else value
