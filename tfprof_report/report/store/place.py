"""The location of a store: a folder, or a URL that Arrow opens, and what is said where it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyarrow import fs

from tfprof_report.buckets.connection import connect
from tfprof_report.buckets.reasons import reason_of
from tfprof_report.errors import BaselineError, OptionError, OutputError
from tfprof_report.report.store.local import LocalPlace
from tfprof_report.report.store.objects import ObjectPlace
from tfprof_report.urls import is_url, name_of

_STORE = "STORE"
PERMISSIONS = "check its permissions and those of its folder"
"""What to do where access is denied."""

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
    if not is_url(text):
        return LocalPlace(root=Path(text).absolute(), name=text)
    files, root = connect(text, option=_STORE, advice="give a folder, or a URL such as s3://BUCKET")
    if isinstance(files, fs.LocalFileSystem):
        return LocalPlace(root=Path(root), name=root.rstrip("/"))
    return ObjectPlace(files=files, root=root.rstrip("/"), name=name_of(text).rstrip("/"))


@contextmanager
def refused(text: str, error: type[BaselineError | OutputError], verb: str) -> Iterator[None]:
    """Turn exceptions of a store into `error`: it cannot be `verb` (read, written)."""
    try:
        yield
    except (OSError, ValueError, pa.ArrowException) as problem:
        name, denied = name_of(text), _denied(text, problem)
        raise error(
            f"cannot be {verb} ({reason_of(problem)})",
            file=denied or name,
            option=_STORE,
            advice=PERMISSIONS if denied else None,
            details=str(problem).replace(text, name),
        ) from problem


def _denied(text: str, problem: Exception) -> str | None:
    """Return the file or folder in a store on this machine to which access was denied."""
    if isinstance(problem, PermissionError) and problem.filename and not is_url(text):
        path, root = Path(problem.filename), Path(text).absolute()
        return str(Path(text) / path.relative_to(root)) if path.is_relative_to(root) else None
    return None
