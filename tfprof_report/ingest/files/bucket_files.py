"""Inputs in object stores: what is at a URL, and its bytes. Imported only for one: Arrow's part for it is large.

All functions raise OptionError for a URL that is not read at all, and OSError where the server fails or refuses.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from pyarrow import BufferReader, NativeFile, fs

from tfprof_report.buckets.connection import connect
from tfprof_report.buckets.listing import kind_at, list_at
from tfprof_report.buckets.read_object import open_object, read_object, read_range
from tfprof_report.buckets.reasons import is_denied
from tfprof_report.errors import OptionError
from tfprof_report.urls import bucket_of, has_credentials, is_object_url, last_part, name_of

_ADVICE = "give a path, or a URL such as s3://BUCKET/PATH or gs://BUCKET/PATH"

_held: dict[str, bytes] | None = None
"""The objects that were read in a block of `each_read_once`, by URL; None outside of one."""


@contextmanager
def each_read_once() -> Iterator[None]:
    """Hold what `read` returns in a block, so that who reads an object again gets the same bytes without a request."""
    global _held  # noqa: PLW0603 (what reads files is called from many places, in several threads)
    _held = {}
    try:
        yield
    finally:
        _held = None


def is_folder(url: str) -> bool:
    """Return whether there are objects below a URL, and none at it."""
    return bool(kind_at(*_opened(url)) == fs.FileType.Directory)


def is_file(url: str) -> bool:
    """Return whether there is an object at a URL."""
    return bool(kind_at(*_opened(url)) == fs.FileType.File)


def exists(url: str) -> bool:
    """Return whether there is an object at a URL or below it."""
    return bool(kind_at(*_opened(url)) != fs.FileType.NotFound)


def list_folder(url: str) -> tuple[list[str], list[str]]:
    """Return the names of the objects and of the folders in a folder, sorted; FileNotFoundError if there are none."""
    found = list_at(*_opened(url))
    if not found:
        raise FileNotFoundError(errno.ENOENT, "there is nothing below it")
    files = [each.base_name for each in found if each.type == fs.FileType.File]
    return files, [each.base_name for each in found if each.type == fs.FileType.Directory]


def read(url: str) -> bytes:
    """Return the content of an object; FileNotFoundError or IsADirectoryError if there is none."""
    if _held is not None and url in _held:
        return _held[url]
    files, path = _opened(url)
    try:
        content = read_object(files, path)
    except OSError as problem:
        may_be_folder = isinstance(problem, FileNotFoundError) or is_denied(problem)
        if may_be_folder and kind_at(files, path) == fs.FileType.Directory:
            raise IsADirectoryError(errno.EISDIR, "is a folder") from problem
        raise
    if _held is not None:
        _held[url] = content
    return content


def sizes(url: str) -> dict[str, int]:
    """Return the size of an object, or of each object directly in a folder, by name; FileNotFoundError without any."""
    files, path = _opened(url)
    kind = kind_at(files, path)
    if kind == fs.FileType.NotFound:
        raise FileNotFoundError(errno.ENOENT, "there is no such object")
    found = [open_object(files, path)] if kind == fs.FileType.File else []
    listed = list_at(files, path) if kind == fs.FileType.Directory else []
    return {last_part(url): each.size() for each in found} | {
        each.base_name: each.size for each in listed if each.type == fs.FileType.File
    }


class Parts:
    """An object of which parts are read; it is opened once."""

    def __init__(self, url: str) -> None:
        held = _held.get(url) if _held is not None else None
        self._opened: NativeFile = open_object(*_opened(url)) if held is None else BufferReader(held)
        self.size: int = self._opened.size()

    def read(self, start: int, size: int) -> bytes:
        """Return `size` bytes from `start` on. They may be those of a later version of the object."""
        return read_range(self._opened, start, size)


def _opened(url: str) -> tuple[fs.FileSystem, str]:
    """Return the file system of a URL and the path in it."""
    if not is_object_url(url):
        raise OptionError("no files are read from there", file=name_of(url), advice=_ADVICE)
    if has_credentials(url):
        raise OptionError(
            "the URL has credentials in it, which lists of processes and logs would show",
            file=name_of(url),
            advice="leave them out, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        )
    bucket, path = bucket_of(url)
    return _connected(bucket), path


@lru_cache(maxsize=64)
def _connected(bucket: str) -> fs.FileSystem:
    """Return the file system of a bucket: connections are kept, and the region of a bucket is asked for once."""
    return connect(bucket, option=None, advice=_ADVICE)[0]
