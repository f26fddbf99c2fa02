"""Gives freed memory back to the system between the stages of a large report."""

from __future__ import annotations

import ctypes
import sys

_MANY = 200_000
"""From how many nodes on it pays: with fewer, tables fit into what earlier ones left."""


def give_back_freed(nodes: int) -> None:
    """Give back all freed memory if a stage with tables of many nodes has just ended; only glibc can.

    What a stage frees lies between what it leaves. Tables of the next stage have other sizes and mostly do not fit into
    these holes: without this, up to a fifth of the memory of a report is holes.
    """
    if nodes < _MANY or sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
    if trim is not None:
        trim(0)
