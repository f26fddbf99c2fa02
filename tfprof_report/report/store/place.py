"""The location of a store: a folder, or a URL that Arrow opens, and what is said where it fails."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten

import pyarrow as pa
from pyarrow import fs

from tfprof_report.errors import BaselineError, OptionError, OutputError
from tfprof_report.report.store.local import LocalPlace
from tfprof_report.report.store.objects import ObjectPlace, impatient

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_SECRET = re.compile(r"//[^@?]*:[^?]*@")
"""Credentials between scheme and bucket; a key may contain unescaped slashes."""

_AWS = re.compile(
    r"AWS Error \w+ during \w+ operation: (?:curlCode: \d+, )?(.*?)(?:; Details: .*)?(?: \(Request ID: .*)?$", re.DOTALL
)
_STORE = "STORE"
PERMISSIONS = "check its permissions and those of its folder"
"""What to do where access is denied."""
_LONGEST = 300
"""Maximum length of a quoted Arrow message."""


Place = LocalPlace | ObjectPlace
"""Where a store is."""


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
        return LocalPlace(root=Path(text).absolute(), name=text)
    name = _without_secrets(text)
    try:
        files, root = fs.FileSystem.from_uri(text)
    except (pa.ArrowException, ValueError) as error:
        # Arrow may quote a part of the URL that contains credentials
        words = "" if _SECRET.search(text) else f" ({_first_line(str(error).replace(text, name))})"
        raise OptionError(
            f"cannot be opened{words}", file=name, option=_STORE, advice="give a folder, or a URL such as s3://BUCKET"
        ) from error
    if isinstance(files, fs.LocalFileSystem):
        return LocalPlace(root=Path(root), name=root.rstrip("/"))
    return ObjectPlace(files=impatient(files, text), root=root.rstrip("/"), name=name.rstrip("/"))


@contextmanager
def refused(text: str, error: type[BaselineError | OutputError], verb: str) -> Iterator[None]:
    """Turn exceptions of a store into `error`: it cannot be `verb` (read, written)."""
    try:
        yield
    except (OSError, ValueError, pa.ArrowException) as problem:
        name, denied = _without_secrets(text), _denied(text, problem)
        raise error(
            f"cannot be {verb} ({_reason(problem)})",
            file=denied or name,
            option=_STORE,
            advice=PERMISSIONS if denied else None,
            details=str(problem).replace(text, name),
        ) from problem


def _denied(text: str, problem: Exception) -> str | None:
    """Return the file or folder in a store on this machine to which access was denied."""
    if isinstance(problem, PermissionError) and problem.filename and not _URL.match(text):
        path, root = Path(problem.filename), Path(text).absolute()
        return str(Path(text) / path.relative_to(root)) if path.is_relative_to(root) else None
    return None


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
