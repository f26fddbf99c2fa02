"""Reads an object whole: large ones in ranges, several at once, into one buffer. It is one version of the object."""

from __future__ import annotations

from functools import partial
from io import BytesIO

from pyarrow import NativeFile, fs

from tfprof_report.buckets.patience import ask, persist
from tfprof_report.buckets.reasons import CutError, ReplacedError
from tfprof_report.threads import Threads

RANGE = 8 * 2**20
"""Bytes of a request. A server sends one range slower than the line is; each range costs a request."""

AT_ONCE = 4
"""Ranges on their way at the same time: besides the object itself, so many are in memory."""


def read_object(files: fs.FileSystem, path: str) -> bytes:
    """Return the content of an object.

    Raises
    ------
    FileNotFoundError
        There is none, or it goes while it is read.
    ReplacedError
        It is another one after it was read: the ranges may be of both.
    OSError
        It cannot be read; `CutError` if it ends early.
    """
    opened = open_object(files, path)
    try:
        data = _content(opened)
    except OSError:
        _check_same(opened, files, path)  # a better reason, if it is one
        raise
    _check_same(opened, files, path)
    return data


def open_object(files: fs.FileSystem, path: str) -> NativeFile:
    """Return an object, opened for `read_range`; errors are those of `read_object`."""
    return ask(lambda: files.open_input_file(path))


def read_range(opened: NativeFile, start: int, size: int) -> bytes:
    """Return `size` bytes of an object from `start` on; errors are those of `read_object`."""

    def read() -> bytes:
        found: bytes = opened.read_at(size, start)
        if len(found) != size:
            raise CutError
        return found

    return persist(read)


def _content(opened: NativeFile) -> bytes:
    size: int = opened.size()
    if size <= RANGE:
        return read_range(opened, 0, size) if size else b""
    buffer = BytesIO(bytes(size))  # which gives its bytes away without a copy
    with buffer.getbuffer() as view, Threads(AT_ONCE) as threads:

        def fill(start: int) -> None:
            view[start : start + RANGE] = read_range(opened, start, min(RANGE, size - start))

        for end in [threads.start(partial(fill, start)) for start in range(0, size, RANGE)]:
            end()
    return buffer.getvalue()


def _check_same(opened: NativeFile, files: fs.FileSystem, path: str) -> None:
    """Raise `ReplacedError` if an object has another size, time, tag or generation than when it was opened.

    Arrow asks for ranges of whatever is there; past the end of a shorter object it leaves memory as it was.
    """
    now = open_object(files, path)
    if (now.size(), now.metadata()) != (opened.size(), opened.metadata()):
        raise ReplacedError
