"""How much memory a report takes, estimated before it is made."""

from __future__ import annotations

from collections.abc import Iterable

from tfprof_report.batch.input_files import unpacked_size

BASE_BYTES = 220 * 2**20
"""What a worker takes for a report of ten nodes: Python, its packages, and what distributed needs."""

PER_BYTE = 22
"""Bytes of memory for each byte of an input, unpacked; ``ci/batch_memory.py`` measures it."""


def estimate_need(files: Iterable[str]) -> int:
    """Return the bytes of memory that a report of these files takes at most, those of a base included.

    Folders count with all files in them. It is meant to be too high rather than too low: a worker with too little
    memory ends.

    Raises
    ------
    OSError
        A file cannot be found.
    """
    return BASE_BYTES + PER_BYTE * sum(map(unpacked_size, files))
