"""Names that are copied for each use, with a limit: in a small file many records may refer to a long one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_ints
from tfprof_report.errors import TextLimitError

_MOST_BYTES, _BYTES_PER_USE = 2**25, 2**9
"""All copies may have so many bytes, or so many for each use."""


def take_text(texts: pa.Array, rows: Ints, what: str) -> pa.Array:
    """Return the texts of `rows`, NULL for -1; `what` names them in the error.

    Raises
    ------
    TextLimitError
        They would take too much memory.
    """
    lengths = to_ints(pc.fill_null(pc.binary_length(texts), 0))
    if int(lengths.max(initial=0)) * len(rows) > _MOST_BYTES:
        check_text(lengths, np.bincount(rows + 1, minlength=len(lengths) + 1)[1:], what)
    return texts.take(pa.array(rows, mask=rows < 0))


def check_text(lengths: Ints, uses: Ints, what: str) -> None:
    """Raise TextLimitError if texts of these lengths take too much memory where each is used so often."""
    total, most = int(lengths @ uses), max(_MOST_BYTES, _BYTES_PER_USE * int(uses.sum()))
    if total > most:
        raise TextLimitError(
            f"{what} take {total:,} bytes where they are used, more than {most:,}",
            advice=f"shorten them, the longest has {lengths.max():,} bytes",
        )
