"""How the process gets its memory: freed memory is kept for the next table in place of going back to the system."""

from __future__ import annotations

import os
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of glibc's mallopt(3)."""

_KEPT = 256 * 2**20
"""Most freed memory, in bytes, that is kept at the end of the heap."""

_LARGEST = 32 * 2**20
"""From how many bytes on a block is given back to the system as soon as it is freed; glibc takes no larger number."""


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
    mallopt(_MMAP_THRESHOLD, _LARGEST)
    mallopt(_ARENA_MAX, 1)
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
