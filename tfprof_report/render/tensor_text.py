"""The values of a checkpoint's variables as tfprof prints them below the rows of scope and graph view."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfprof_report.ingest.checkpoint import STRING, Checkpoint, read_tensor
from tfprof_report.render.text import lines_of

LIMIT = 10_000
"""Characters of a tensor that are shown."""

_OMITTED = "...omitted from display\n\n"
_FLOATS, _INTEGERS = ("float32", "float64"), ("int32", "int64")


def with_values(lines: pa.Array, names: pa.Array, checkpoint: Checkpoint) -> Iterator[str]:
    """Yield `lines`, the text of the rows called `names`, each followed by the values of the variable of that name."""
    is_saved = pc.is_in(names, value_set=pa.array(list(checkpoint.variables), pa.string()))
    done = 0
    for row in np.flatnonzero(is_saved.to_numpy(zero_copy_only=False)).tolist():
        yield lines_of(lines.slice(done, row + 1 - done))
        yield tensor_text(checkpoint, names[row].as_py())
        done = row + 1
    yield lines_of(lines.slice(done))


def tensor_text(checkpoint: Checkpoint, name: str) -> str:
    """Return the values of a variable in nested brackets, cut after `LIMIT` characters.

    Floats lose all but six digits before they are printed with two decimals. Of the types that tfprof does not print,
    there is a line that says so; it stands on standard error there.
    """
    variable = checkpoint.variables[name]
    if variable.dtype not in (*_FLOATS, *_INTEGERS, STRING):
        return f"Not Supported type {variable.type_number}\n"
    values = read_tensor(checkpoint, name)
    return _nested(_words(values.reshape(-1)[: LIMIT + 1], variable.dtype), values.shape)


def _words(values: NDArray[np.generic], dtype: str) -> Iterator[str]:
    """Yield each value with the space behind it."""
    if dtype == STRING:
        return (f"'{value.decode(errors='backslashreplace')}' " for value in values.tolist())
    if dtype in _INTEGERS:
        return (f"{value} " for value in values.tolist())
    return (f"{_six_digits(value)} " for value in values.tolist())


def _six_digits(value: float) -> str:
    if math.isnan(value) and math.copysign(1, value) < 0:
        return "-nan"  # C prints the sign of what is no number
    return f"{float(f'{value:g}'):.2f}"


def _nested(words: Iterator[str], shape: tuple[int, ...]) -> str:
    """Return values in brackets, one pair per index of every dimension but the last.

    Written as a walk with a counter per open bracket, which stops once there is more than can be shown.
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
    """Return the text with its last bracket, cut first if it is too long."""
    text = text[:LIMIT] + "],\n"
    return text + _OMITTED if len(text) >= LIMIT else text
