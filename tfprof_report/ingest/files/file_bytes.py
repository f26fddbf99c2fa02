"""Reads the bytes of a file, of an object in a bucket, or of standard input."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from tfprof_report.buckets.reasons import advice_on, reason_of
from tfprof_report.errors import InputError
from tfprof_report.urls import is_url

STDIN = "-"


def unreadable(error: OSError, path: str, option: str | None = None) -> InputError:
    """Return the error for a file or folder that the system, or the server of a URL, does not let us read."""
    advice = advice_on(error) if is_url(path) else "check its permissions and those of its folder"
    return InputError(f"cannot be read ({why_unread(error, path)})", file=path, option=option, advice=advice)


def why_unread(error: OSError | ValueError, path: str) -> str:
    """Return why a file or an object cannot be read, as a clause."""
    return reason_of(error) if is_url(path) else str(getattr(error, "strerror", None) or error)


def read_bytes(path: str, *, option: str) -> bytes:
    """Return the bytes of a file, an object, or standard input for ``-``; InputError if they cannot be read.

    Raises
    ------
    OptionError
        It is a URL of which no objects are read, or has credentials in it.
    """
    try:
        return sys.stdin.buffer.read() if path == STDIN else bytes_of(path, option)
    except FileNotFoundError as error:
        what, where = ("object", "URL") if is_url(path) else ("file", "path")
        raise InputError(f"no such {what}", file=path, option=option, advice=f"check the {where}") from error
    except IsADirectoryError as error:
        raise InputError("is a folder, not a file", file=path, option=option, advice="name a file in it") from error
    except (OSError, ValueError) as error:
        if isinstance(error, PermissionError) or (is_url(path) and isinstance(error, OSError)):
            raise unreadable(error, path, option) from error
        raise InputError(f"cannot be read ({why_unread(error, path)})", file=path, option=option) from error


def bytes_of(path: str, option: str | None = None) -> bytes:
    """Return the bytes of an object or a file; OSError if they cannot be read.

    Raises
    ------
    InputError
        It is a device other than the null device and terminals, which has no end.
    """
    if is_url(path):
        from tfprof_report.ingest.files import bucket_files  # noqa: PLC0415 (imports a large part of pyarrow)

        return bucket_files.read(path)
    with Path(path).open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) and not (file.isatty() or Path(path).samefile(os.devnull)):
            raise InputError("is a device, not a file", file=path, option=option, advice="name a file")
        return file.read()
