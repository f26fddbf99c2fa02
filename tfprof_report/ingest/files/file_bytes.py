"""Reads the bytes of a file or of standard input."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from tfprof_report.errors import InputError

STDIN = "-"


def is_folder(path: str) -> bool:
    """Return whether a path is a folder; InputError if that cannot be found out."""
    try:
        return Path(path).is_dir()
    except OSError as error:
        raise unreadable(error, path) from error


def unreadable(error: OSError, path: str, option: str | None = None) -> InputError:
    """Return the error for a file or folder that the system does not let us read."""
    reason = f"cannot be read ({error.strerror or error})"
    return InputError(reason, file=path, option=option, advice="check its permissions and those of its folder")


def read_bytes(path: str, *, option: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``; InputError if they cannot be read."""
    try:
        return sys.stdin.buffer.read() if path == STDIN else _read(path, option)
    except FileNotFoundError as error:
        raise InputError("no such file", file=path, option=option, advice="check the path") from error
    except IsADirectoryError as error:
        raise InputError("is a folder, not a file", file=path, option=option, advice="name a file in it") from error
    except PermissionError as error:
        raise unreadable(error, path, option) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read ({reason})", file=path, option=option) from error


def _read(path: str, option: str) -> bytes:
    """Return the bytes of a file or pipe; devices other than the null device and terminals have no end."""
    with Path(path).open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and not (file.isatty() or Path(path).samefile(os.devnull)):
            raise InputError("is a device, not a file", file=path, option=option, advice="name a file")
        return file.read()
