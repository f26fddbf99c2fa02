"""How much memory a report takes, estimated before it is made, and how much there is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tfprof_report.batch.input_files import size_of

BASE_BYTES = 220 * 2**20
"""What a worker takes for a report of ten nodes: Python, its packages, and what distributed needs."""

PER_BYTE = 22
PER_PACKED_BYTE = 220
"""Bytes of memory for each byte of an input, and of one that gzip packed; ``ci/batch_memory.py`` measures them."""

_PACKED = re.compile(r"\.gz$")


def estimate_need(files: Iterable[str]) -> int:
    """Return the bytes of memory that a report of these files takes at most, those of a base included.

    Folders count with all files in them. It is meant to be too high rather than too low: a worker with too little
    memory ends.

    Raises
    ------
    OSError
        A file cannot be found.
    """
    return BASE_BYTES + sum(
        size_of(file) * (PER_PACKED_BYTE if _PACKED.search(Path(file).name) else PER_BYTE) for file in files
    )


def available_memory() -> int:
    """Return the bytes of memory that this process and its children may still take, those of a container included."""
    import psutil  # noqa: PLC0415 (comes with distributed)
    from distributed.system import MEMORY_LIMIT  # noqa: PLC0415

    return min(int(psutil.virtual_memory().available), int(MEMORY_LIMIT))
