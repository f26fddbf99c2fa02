"""How a process of our own handles memory: freed pages are kept for the next table, cycles are looked for seldom."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8
"""Parameters of glibc's mallopt(3)."""

_KEPT = 256 * 2**20
"""Most freed memory, in bytes, that is kept at the end of the heap."""

_OBJECTS = 100_000
"""How many new objects Python's collector waits for: a small command makes fewer. They take some 20 MB."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the collector of reference cycles rest for the block, which ends with the process.

    Modules and classes are made of cycles that live as long as the process. The collector goes through them a hundred
    times while they are made and twice more when Python ends, a fifth of the time of a small command.
    """
    gc.set_threshold(_OBJECTS)
    try:
        yield
    finally:
        gc.freeze()


def keep_freed_memory() -> None:
    """Let numpy and Arrow share one heap that keeps what they free; call it before Arrow is imported.

    Both make and drop tables of some megabytes all the time. Each would come from the system as new pages, which takes
    a quarter of the time of a large report. Nothing changes where the user has set how memory is allocated, in an
    embedding process that uses Arrow already, nor without glibc.
    """
    is_set = any(name.startswith(("MALLOC_", "GLIBC_TUNABLES", "ARROW_DEFAULT_MEMORY_POOL")) for name in os.environ)
    if sys.platform != "linux" or is_set or "pyarrow" in sys.modules:
        return
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is None:
        return
    mallopt(_TRIM_THRESHOLD, _KEPT)
    mallopt(_MMAP_MAX, 0)  # no block is a mapping of its own, which would be given back as soon as it is freed
    mallopt(_ARENA_MAX, 1)
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
