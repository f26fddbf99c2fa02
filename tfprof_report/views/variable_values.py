"""First values of the variables among a view's shown rows, from a checkpoint."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.checkpoint import KNOWN_TYPES, Checkpoint, read_tensor

MAX_VARIABLES = 200
"""Variables of which values are read: each is read whole, to hold its checksum."""

FIRST_VALUES = 8
"""Values of a variable that a table shows."""

LONGEST_STRING = 20
"""Characters of a string that a table shows."""

_WITHOUT_VALUES = ("resource", "variant")


def first_values(names: pa.Array, checkpoint: Checkpoint) -> pa.Array:
    """Return for each row called a variable of the checkpoint its first values as text, in C order, NULL for others.

    ``...`` stands for the rest. Only the first `MAX_VARIABLES` variables are read.

    Raises
    ------
    InputError
        A value cannot be read, or its checksum does not fit.
    """
    readable = [
        name
        for name, variable in checkpoint.variables.items()
        if variable.dtype in KNOWN_TYPES and variable.dtype not in _WITHOUT_VALUES
    ]
    is_saved = pc.is_in(names, value_set=pa.array(readable, pa.string()))
    texts: list[str | None] = [None] * len(names)
    for row in np.flatnonzero(is_saved.to_numpy(zero_copy_only=False))[:MAX_VARIABLES].tolist():
        values = read_tensor(checkpoint, names[row].as_py()).reshape(-1)
        words = [_word(value) for value in values[:FIRST_VALUES].tolist()]
        texts[row] = " ".join([*words, "..."] if len(values) > FIRST_VALUES else words)
    return pa.array(texts, pa.string())


def _word(value: object) -> str:
    if isinstance(value, bytes):
        text = value.decode(errors="backslashreplace")
        return repr(text if len(text) <= LONGEST_STRING else f"{text[:LONGEST_STRING]}...")
    return f"{value:.6g}" if isinstance(value, float) else str(value)
