"""Writes one file whole or not at all: under a temporary name first, then a rename."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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
    write_files(path, {"": pieces, ".meta.json": [about]}, option="--output")


def write_files(path: str, contents: dict[str, Iterable[bytes]], *, option: str) -> None:
    """Write a file for each ending of its name in `contents`, all or none.

    A path that exists and is no file, such as a pipe or ``/dev/stdout``, is written to directly, with the first alone.

    Raises
    ------
    OutputError
        One of them cannot be written; an earlier file of that name is then still there.
    """
    target = Path(path)
    temporary: dict[Path, Path] = {}
    try:
        with _refused(path, option):
            if _is_stream(target):
                with target.open("wb") as stream:
                    stream.writelines(next(iter(contents.values())))
                return
            target = Path(os.path.realpath(target))  # the file that a link leads to, not the link
            for ending, pieces in contents.items():
                each = Path(f"{target}{ending}")
                temporary[each] = write_beside(each, pieces)
            for each in list(temporary):
                temporary[each].replace(each)
                del temporary[each]
    finally:
        for each in temporary.values():
            each.unlink(missing_ok=True)


def append_to_file(path: str, content: Callable[[int], bytes], *, option: str) -> None:
    """Append to a file, which may not be there yet, what `content` returns for its size; all of it or nothing.

    What exists and is no file, such as a pipe, has no size: 0.

    Raises
    ------
    OutputError
        The file cannot be written to; it is then as it was.
    """
    target = Path(path)
    with _refused(path, option):
        if _is_stream(target):
            with target.open("wb") as stream:
                stream.write(content(0))
            return
        with target.open("ab", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            try:
                left = memoryview(content(size))
                while left:
                    left = left[file.write(left) :]
            except BaseException:
                file.truncate(size)
                raise


def _is_stream(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def _refused(path: str, option: str) -> Iterator[None]:
    """Say what went wrong with a file that the user named."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error})",
            file=path,
            option=option,
            advice="give a file in a folder that can be written",
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
