"""Writes one file whole or not at all: under a temporary name first, then a rename."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tfprof_report.errors import OutputError


def write_beside(path: Path, pieces: Iterable[bytes]) -> Path:
    """Write a file under a temporary name in the folder of `path`, and return it; nothing is left if that fails."""
    handle, name = tempfile.mkstemp(prefix=".tfprof-report.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
        temporary.chmod(0o666 & ~_umask())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def write_output(path: str, pieces: Iterable[bytes], about: bytes) -> None:
    """Write a file and, beside it, ``PATH.meta.json`` with the content `about`.

    A path that exists and is no file, such as a pipe or ``/dev/stdout``, is written to directly, and alone.

    Raises
    ------
    OutputError
        One of them cannot be written; an earlier file of that name is then still there.
    """
    target = Path(path)
    temporary: list[Path] = []
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as stream:
                stream.writelines(pieces)
            return
        target = target.resolve()  # the file that a link leads to, not the link
        for each, content in ((target, pieces), (Path(f"{target}.meta.json"), [about])):
            temporary.append(write_beside(each, content))
        for each in (target, Path(f"{target}.meta.json")):
            temporary[0].replace(each)
            del temporary[0]
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error})",
            file=path,
            option="--output",
            advice="give a file in a folder that can be written",
        ) from error
    finally:
        for each in temporary:
            each.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
