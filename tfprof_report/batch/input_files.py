"""The files that a report is made of: their sizes and their bytes, on disk or in an object store."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any, cast

from pyarrow import fs


def open_input(path: str) -> IO[bytes]:
    """Return a file opened for reading; OSError if it cannot be read."""
    if "://" not in path:
        return Path(path).open("rb")
    files, at = fs.FileSystem.from_uri(path)
    return cast("IO[bytes]", files.open_input_stream(at))


def size_of(path: str) -> int:
    """Return the bytes of a file, or of all files in a folder; OSError if they cannot be found out."""
    if "://" in path:
        files, at = fs.FileSystem.from_uri(path)
        return _stored_size(files, at)
    given = Path(path)
    if not given.is_dir():
        return given.stat().st_size
    return sum(each.stat().st_size for each in given.iterdir() if each.is_file())


def _stored_size(files: Any, path: str) -> int:
    found = files.get_file_info(path)
    if found.type == fs.FileType.NotFound:
        raise FileNotFoundError(path)
    inside = files.get_file_info(fs.FileSelector(path)) if found.type == fs.FileType.Directory else [found]
    return sum(each.size or 0 for each in inside)
