"""The values of a checkpoint's variables as tfprof prints them below the rows of scope and graph view."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfprof_report.ingest.checkpoint import KNOWN_TYPES, STRING, Checkpoint, Variable, read_tensor
from tfprof_report.render.tfprof.text import lines_of
from tfprof_report.semantics import Semantics

LIMIT = 10_000
"""Maximum characters of a tensor that are shown."""

_OMITTED = "...omitted from display\n\n"
_NATIVE_TYPES = ("float32", "float64", "int32", "int64", STRING)
_WITHOUT_VALUES = ("resource", "variant")


def unprinted_types(checkpoint: Checkpoint, semantics: Semantics) -> list[str]:
    """Return the native message for each data type whose values are not printed."""
    numbers = {each.type_number for each in checkpoint.variables.values() if not _is_printed(each, semantics)}
    return [f"Not Supported type {number}" for number in sorted(numbers)]


def _is_printed(variable: Variable, semantics: Semantics) -> bool:
    if semantics.few_tensor_types:
        return variable.dtype in _NATIVE_TYPES
    return variable.dtype in KNOWN_TYPES and variable.dtype not in _WITHOUT_VALUES


def with_values(lines: pa.Array, names: pa.Array, checkpoint: Checkpoint, semantics: Semantics) -> Iterator[str]:
    """Yield `lines`, the text of rows with the given `names`, each followed by the values of its variable, if any."""
    is_saved = pc.is_in(names, value_set=pa.array(list(checkpoint.variables), pa.string()))
    done = 0
    for row in np.flatnonzero(is_saved.to_numpy(zero_copy_only=False)).tolist():
        yield lines_of(lines.slice(done, row + 1 - done))
        name = names[row].as_py()
        if _is_printed(checkpoint.variables[name], semantics):
            yield tensor_text(read_tensor(checkpoint, name))
        done = row + 1
    yield lines_of(lines.slice(done))


def tensor_text(values: NDArray[Any]) -> str:
    """Return values in nested brackets, cut after `LIMIT` characters.

    As in tfprof, floats are rounded to six significant digits, then printed with two decimals.
    """
    shown = values.reshape(-1)[: LIMIT + 1].tolist()
    return _nested((f"{_word(value)} " for value in shown), values.shape)


def _word(value: object) -> str:
    match value:
        case bytes():
            return f"'{value.decode(errors='backslashreplace')}'"
        case bool() | int():
            return str(value)
        case complex():
            sign = "-" if math.copysign(1, value.imag) < 0 else "+"
            return f"{_six_digits(value.real)}{sign}{_six_digits(abs(value.imag))}j"
    return _six_digits(float(value))  # type: ignore[arg-type]  # a float, or what ml_dtypes makes of one


def _six_digits(value: float) -> str:
    if math.isnan(value) and math.copysign(1, value) < 0:
        return "-nan"  # C prints the sign of NaN
    return f"{float(f'{value:g}'):.2f}"


def _nested(words: Iterator[str], shape: tuple[int, ...]) -> str:
    """Return values in brackets, one pair per index of every dimension but the last.

    Walks the indices with a counter per open bracket, and stops at `LIMIT` characters, which the result is cut to.
    """
    pieces, length = ["["], 1
    if not shape:
        pieces.append(next(words))
        return _finish("".join(pieces))
    opened = [0]
    while length <= LIMIT:
        depth = len(opened) - 1
        if depth == len(shape) - 1:
            row = "".join(islice(words, min(shape[depth], LIMIT + 1)))
            pieces.append(row)
            length += len(row)
        if depth == len(shape) - 1 or opened[-1] == shape[depth]:
            opened.pop()
            if not opened:
                break
            pieces.append("],\n")
            length += 3
        else:
            opened[-1] += 1
            opened.append(0)
            pieces.append("[")
            length += 1
    return _finish("".join(pieces))


def _finish(text: str) -> str:
    """Return the text with its last bracket, cut before it if the text is too long."""
    text = text[:LIMIT] + "],\n"
    return text + _OMITTED if len(text) >= LIMIT else text
