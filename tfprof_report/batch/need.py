"""How much memory a report takes, estimated from its inputs before it is made."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from tfprof_report.batch.input_files import unpacked_size

BASE_BYTES = 220 * 2**20
"""What a worker takes for a report of ten nodes: Python, its packages, and what distributed needs."""


class Rate(IntEnum):
    """Bytes of memory for each byte of an input, unpacked: `ci/batch_memory.py` measured them.

    They hold for graphs without shapes or with many edges, which take three times as much as others. Functions that are
    inlined many times may take more; so a worker that ends for want of memory is not the end of its report.
    """

    GRAPH = 36
    RUN_META = 24
    TRACE = 56
    REPORT = 40


Sized = tuple[Rate, str]
"""An input with what it takes: its path, of a report that of its folder."""


def estimate_need(inputs: Iterable[Sized]) -> int:
    """Return the bytes of memory that a report of these inputs takes, those of a base included.

    It is meant to be too high rather than too low.

    Raises
    ------
    OSError
        A file cannot be found.
    """
    return BASE_BYTES + sum(rate * unpacked_size(path) for rate, path in inputs)
