"""The files that a report is made of: their sizes and the digests of their bytes, on disk or in an object store."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tfprof_report.ingest.files import bucket_files
from tfprof_report.urls import is_url

_GZIP, _LEAST_GZIP = b"\x1f\x8b", 18
"""How a gzip file starts, and the size of an empty one."""

_USUAL_RATIO = 10


def digest_of(path: str) -> str:
    """Return the SHA-256 of a file or an object; OSError if it cannot be read."""
    if is_url(path):
        return hashlib.sha256(bucket_files.read(path)).hexdigest()
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unpacked_size(path: str) -> int:
    """Return the bytes of a file once it is unpacked, or of all files in a folder; OSError if it is not there.

    What a gzip file unpacks to is in its last four bytes, which are wrong if it has several parts, or is more than
    4 GiB. In an object store, where they are not read, a tenfold size is assumed.
    """
    if is_url(path):
        sizes = bucket_files.sizes(path)
        return sum(size * (_USUAL_RATIO if name.endswith(".gz") else 1) for name, size in sizes.items())
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
