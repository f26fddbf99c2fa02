"""The files that a report is made of: their sizes and their bytes, on disk or in an object store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any, cast

from pyarrow import fs

_GZIP, _LEAST_GZIP = b"\x1f\x8b", 18
"""How a gzip file starts, and the size of an empty one."""

_USUAL_RATIO = 10


def open_input(path: str) -> IO[bytes]:
    """Return a file opened for reading; OSError if it cannot be read."""
    if "://" not in path:
        return Path(path).open("rb")
    files, at = fs.FileSystem.from_uri(path)
    return cast("IO[bytes]", files.open_input_stream(at))


def unpacked_size(path: str) -> int:
    """Return the bytes of a file once it is unpacked, or of all files in a folder; OSError if it is not there.

    What a gzip file unpacks to is in its last four bytes, which are wrong if it has several parts, or is more than
    4 GiB. In an object store, where they are not read, a tenfold size is assumed.
    """
    if "://" in path:
        files, at = fs.FileSystem.from_uri(path)
        return _stored_size(files, at) * (_USUAL_RATIO if path.endswith(".gz") else 1)
    given = Path(path)
    if given.is_dir():
        return sum(_unpacked(each) for each in given.iterdir() if each.is_file())
    return _unpacked(given)


def _unpacked(file: Path) -> int:
    size = file.stat().st_size
    if not file.is_file() or size < _LEAST_GZIP:
        return size
    with file.open("rb") as opened:
        if opened.read(2) != _GZIP:
            return size
        opened.seek(-4, os.SEEK_END)
        return max(size, int.from_bytes(opened.read(), "little"))


def _stored_size(files: Any, path: str) -> int:
    found = files.get_file_info(path)
    if found.type == fs.FileType.NotFound:
        raise FileNotFoundError(path)
    inside = files.get_file_info(fs.FileSelector(path)) if found.type == fs.FileType.Directory else [found]
    return sum(each.size or 0 for each in inside)
