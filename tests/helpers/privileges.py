"""Runs a block without the privilege to read what its permissions forbid, which root has."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_VERSION = 0x20080522
_OVERRIDES = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _Sets(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


@contextmanager
def permissions_hold() -> Iterator[None]:
    """Let the permissions of files hold for this thread, root's too; the test is skipped where that is impossible."""
    if os.geteuid():
        yield
        return
    header, sets = _Header(_VERSION, 0), (_Sets * 2)()
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "capset") or libc.capget(ctypes.byref(header), sets):
        pytest.skip("root reads everything here")
    sets[0].effective &= ~_OVERRIDES
    if libc.capset(ctypes.byref(header), sets):
        pytest.skip("root reads everything here")
    try:
        yield
    finally:
        sets[0].effective |= _OVERRIDES & sets[0].permitted
        libc.capset(ctypes.byref(header), sets)
