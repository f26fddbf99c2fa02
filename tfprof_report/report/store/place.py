"""The location of a store: a folder, or a URL that Arrow opens. Files are written atomically."""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from textwrap import shorten

import pyarrow as pa
from pyarrow import fs

from tfprof_report.errors import BaselineError, OptionError, OutputError, shown

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SECRET = re.compile(r"//[^@?]*:[^?]*@")
"""Credentials between scheme and bucket; a key may contain unescaped slashes."""

_AWS = re.compile(
    r"AWS Error \w+ during \w+ operation: (?:curlCode: \d+, )?(.*?)(?:; Details: .*)?(?: \(Request ID: .*)?$", re.DOTALL
)
_STORE = "STORE"
_LISTINGS, _PAUSE = 100, 0.01
_LONGEST = 300
"""Maximum length of a quoted Arrow message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder on a file system. Paths are relative to it, with slashes; all methods raise OSError.

    `name` is its name in messages: the URL without credentials and parameters.
    """

    files: fs.FileSystem
    root: str
    name: str

    @property
    def is_local(self) -> bool:
        """Whether it is a local folder, where files are written under a temporary name; object stores are atomic."""
        files = self.files.base_fs if isinstance(self.files, fs.SubTreeFileSystem) else self.files
        return isinstance(files, fs.LocalFileSystem)

    def shown(self, path: str) -> str:
        """Return the name of a path in messages."""
        return f"{self.name.rstrip('/')}/{path}" if path else self.name

    def folders(self, folder: str = "") -> list[str]:
        """Return the names of the subfolders of a folder, sorted; empty if it does not exist."""
        found = self._listed(self._full(folder))
        return sorted(each.base_name for each in found if each.type == fs.FileType.Directory)

    def sizes(self, folder: str) -> dict[tuple[str, ...], int]:
        """Return the sizes in bytes of all files below a folder, by the parts of their relative paths."""
        top = self._full(folder)
        found = self._listed(top, recursive=True)
        return {
            tuple(each.path[len(top) :].strip("/").split("/")): each.size
            for each in found
            if each.type == fs.FileType.File
        }

    def read(self, path: str) -> bytes:
        """Return the content of a file."""
        with self.files.open_input_stream(self._full(path)) as stream:
            data: bytes = stream.read()
        return data

    def write(self, path: str, data: bytes) -> None:
        """Write a file atomically, and create its parent folders."""
        target = self._full(path)
        if not self.is_local:  # an object becomes visible once it is complete
            self._write(target, data)
            return
        folder, _, name = target.rpartition("/")
        self.files.create_dir(folder)
        temporary = f"{folder}/.{name}.{secrets.token_hex(8)}"
        try:
            self._write(temporary, data)
            self.files.move(temporary, target)
        except BaseException:
            with suppress(OSError):
                self.files.delete_file(temporary)
            raise

    def remove(self, folder: str, first: str) -> None:
        """Remove a folder with its content, the file `first` before all others; concurrent removal is fine."""
        with suppress(FileNotFoundError):
            self.files.delete_file(self._full(f"{folder}/{first}"))
        with suppress(FileNotFoundError):
            self.files.delete_dir(self._full(folder))

    def _listed(self, folder: str, *, recursive: bool = False) -> list[fs.FileInfo]:
        """List a folder; retry if Arrow fails on a file that another job renamed or removed meanwhile."""
        selector = fs.FileSelector(folder, allow_not_found=True, recursive=recursive)
        for _ in range(_LISTINGS):
            with suppress(FileNotFoundError):
                return list(self.files.get_file_info(selector))
            time.sleep(_PAUSE)
        return list(self.files.get_file_info(selector))

    def _write(self, path: str, data: bytes) -> None:
        with self.files.open_output_stream(path) as stream:
            stream.write(data)

    def _full(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root or "/"


def open_place(text: str) -> Place:
    """Return the place that a path or URL names; it need not exist.

    Raises
    ------
    OptionError
        The text is empty, or is a URL that Arrow does not support.
    OSError
        The server of a URL failed to answer.
    """
    if not text:
        raise OptionError("the name of the store is empty", advice="is a variable unset?")
    if not _URL.match(text):
        root = os.path.abspath(text).replace(os.sep, "/")  # noqa: PTH100 (resolve() would follow links)
        if shown(root) != root:  # Arrow takes and gives paths in UTF-8, but for the top of a tree
            return Place(files=fs.SubTreeFileSystem(os.fsencode(root), fs.LocalFileSystem()), root="", name=text)
        return Place(files=fs.LocalFileSystem(), root=root.rstrip("/"), name=text)
    name = _without_secrets(text)
    try:
        files, root = fs.FileSystem.from_uri(text)
    except (pa.ArrowException, ValueError) as error:
        # Arrow may quote a part of the URL that contains credentials
        words = "" if _SECRET.search(text) else f" ({_first_line(str(error).replace(text, name))})"
        raise OptionError(
            f"cannot be opened{words}", file=name, option=_STORE, advice="give a folder, or a URL such as s3://BUCKET"
        ) from error
    root = root.rstrip("/")
    return Place(files=files, root=root, name=root if isinstance(files, fs.LocalFileSystem) else name.rstrip("/"))


@contextmanager
def refused(text: str, error: type[BaselineError | OutputError], verb: str) -> Iterator[None]:
    """Turn exceptions of a store into `error`: it cannot be `verb` (read, written)."""
    try:
        yield
    except (OSError, ValueError, pa.ArrowException) as problem:
        name = _without_secrets(text)
        raise error(
            f"cannot be {verb} ({_reason(problem)})",
            file=name,
            option=_STORE,
            details=str(problem).replace(text, name),
        ) from problem


def _without_secrets(text: str) -> str:
    """Return a URL without credentials and parameters."""
    return _SECRET.sub("//", text, count=1).partition("?")[0] if _URL.match(text) else text


def _reason(problem: Exception) -> str:
    """Return why something failed, without Arrow's details for developers."""
    if isinstance(problem, OSError) and problem.errno:
        return os.strerror(problem.errno)
    found = _AWS.search(str(problem))
    return _first_line(found[1] if found else str(problem))


def _first_line(words: str) -> str:
    return shorten(next(iter(words.splitlines()), ""), _LONGEST).rstrip(". ")
