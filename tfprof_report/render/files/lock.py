"""A lock file that one process at a time has; the kernel releases it when the process ends, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_TRIES = 100


def take_lock(file: Path) -> int:
    """Create a lock file and its folders and lock it, without waiting; return the descriptor that holds the lock.

    On a file system without locks it is only created.

    Raises
    ------
    BlockingIOError
        Another process has the lock.
    OSError
        The file cannot be created.
    """
    for _ in range(_TRIES):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except FileNotFoundError:  # another process has just removed the folder
            continue
        try:
            _lock(handle)
            if _is_named(handle, file):  # else its holder removed the file between opening and locking it
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
    raise FileNotFoundError(f"{file} is removed again and again")


def drop_lock(file: Path, handle: int) -> None:
    """Remove a lock file and release its lock."""
    try:
        file.unlink(missing_ok=True)  # while it is still locked, so that nobody locks a file without a name for long
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    if sys.platform != "win32":
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:  # some network file systems have no locks
            return


def _is_named(handle: int, file: Path) -> bool:
    """Return whether `file` is still the name of an open file."""
    try:
        return os.path.samestat(os.fstat(handle), file.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False
