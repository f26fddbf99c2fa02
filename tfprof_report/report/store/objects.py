"""A store in an object store that Arrow opens: S3, Google Cloud Storage. A server that does not answer is said soon."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pyarrow import fs

from tfprof_report.record import record

Answer = TypeVar("Answer")

SILENCE = 12.0
"""Seconds after which a server that has not answered the first question is given up: 15 with the start of a command."""

_CONNECT, _REQUEST, _ATTEMPTS = 2.0, 4.0, 2
"""Seconds to wait for a connection and for the next byte, and how often; by default S3 is given up after 100 s."""

_S3_WORDS = frozenset(("region", "scheme", "endpoint_override"))
_DENIED = re.compile(r"ACCESS_DENIED|FORBIDDEN|\b403\b|permission", re.IGNORECASE)


class SilentError(OSError):
    """A server does not answer."""


@record
class ObjectPlace:
    """A prefix of a bucket. Paths are relative to it, with slashes; all methods raise OSError.

    Objects become visible once they are complete. `name` is the URL without credentials and parameters.
    """

    files: fs.FileSystem
    root: str
    name: str
    is_local = False
    jobs = 16  # objects read at a time: nearly all of the time goes into waiting for the server

    def shown(self, path: str) -> str:
        """Return the name of a path in messages."""
        return f"{self.name.rstrip('/')}/{path}" if path else self.name

    def folders(self, folder: str = "") -> list[str]:
        """Return the names of the subfolders of a folder, sorted; empty if it does not exist.

        Raises
        ------
        OSError
            The server does not answer, or there is no such bucket, which is not an empty one.
        """
        selector = fs.FileSelector(self._full(folder), allow_not_found=True)
        found = _within(SILENCE, lambda: self.files.get_file_info(selector))
        if not found:
            self._check_bucket()
        return sorted(each.base_name for each in found if each.type == fs.FileType.Directory)

    def links(self, folder: str = "") -> list[str]:
        """Return no names, since object stores have no symbolic links."""
        del folder
        return []

    def sizes(self, folder: str) -> dict[tuple[str, ...], int]:
        """Return the sizes in bytes of all files below a folder, by the parts of their relative paths."""
        top = self._full(folder)
        found = self.files.get_file_info(fs.FileSelector(top, allow_not_found=True, recursive=True))
        return {
            tuple(each.path[len(top) :].strip("/").split("/")): each.size
            for each in found
            if each.type == fs.FileType.File
        }

    def read(self, path: str) -> bytes:
        """Return the content of a file; FileNotFoundError also where it goes while it is read."""
        try:
            with self.files.open_input_stream(self._full(path)) as stream:
                data: bytes = stream.read()
        except FileNotFoundError:
            raise
        except OSError as problem:
            if self.files.get_file_info(self._full(path)).type != fs.FileType.NotFound:
                raise
            raise FileNotFoundError(path) from problem
        return data

    def write(self, path: str, data: bytes) -> None:
        """Write a file."""
        with self.files.open_output_stream(self._full(path)) as stream:
            stream.write(data)

    def discard(self, path: str) -> None:
        """Remove a file; concurrent removal is fine."""
        with suppress(FileNotFoundError):
            self.files.delete_file(self._full(path))

    def remove(self, folder: str, first: str) -> None:
        """Remove a folder with its content, the file `first` before all others; concurrent removal is fine."""
        with suppress(FileNotFoundError):
            self.files.delete_file(self._full(f"{folder}/{first}"))
        with suppress(FileNotFoundError):
            self.files.delete_dir(self._full(folder))

    def _check_bucket(self) -> None:
        """Raise OSError if there is no bucket; Arrow lists it like an empty one."""
        bucket = self.root.partition("/")[0]
        try:
            is_there = self.files.get_file_info(bucket).type != fs.FileType.NotFound
        except OSError as problem:
            if not _DENIED.search(str(problem)):
                raise
            return  # a job that may list objects need not be allowed to ask for the bucket itself
        if not is_there:
            raise OSError("The specified bucket does not exist")

    def _full(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root or "/"


def impatient(files: fs.FileSystem, url: str) -> fs.FileSystem:
    """Return the file system of a URL with short timeouts, as far as it has any.

    `url` may have parameters for which Arrow has no argument: then its own timeouts stay.
    """
    if files.type_name != "s3":
        return files
    given = dict(parse_qsl(urlsplit(url).query))
    if not given.keys() <= _S3_WORDS:
        return files
    keys: dict[str, Any] = {}
    if "@" in url.partition("?")[0]:  # otherwise they come from the environment
        settings = files.__reduce__()[1][0]  # Arrow's way to copy a file system: the arguments of its class
        keys = {word: settings[word] for word in ("access_key", "secret_key")}
    return fs.S3FileSystem(
        **{**given, "region": files.region or None},
        **keys,
        connect_timeout=_CONNECT,
        request_timeout=_REQUEST,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    )


def _within(seconds: float, question: Callable[[], Answer]) -> Answer:
    """Return the answer to a question, asked in a thread, since not every client of a server gives up by itself.

    Raises
    ------
    SilentError
        There is none within that time.
    """
    answers: list[Answer] = []
    problems: list[BaseException] = []

    def ask() -> None:
        try:
            answers.append(question())
        except BaseException as problem:  # noqa: BLE001 (raised again below)
            problems.append(problem)

    thread = Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    if problems:
        raise problems[0]
    if not answers:
        raise SilentError(f"the server has not answered within {seconds:g} s")
    return answers[0]
