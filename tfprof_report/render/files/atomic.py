"""Writes files whole or not at all: under a temporary name first, then a rename."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tfprof_report.errors import OutputError


def write_beside(path: Path, pieces: Iterable[bytes]) -> Path:
    """Write a file under a temporary name in the folder of `path` and return its path; on failure it is removed."""
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
    """Write a file and, next to it, ``PATH.meta.json`` with the content `about`.

    An existing path that is not a regular file, such as a pipe or ``/dev/stdout``, is written to directly, without the
    second file.

    Raises
    ------
    OutputError
        A file cannot be written; an earlier file of that name is kept.
    """
    write_files(path, {"": pieces, ".meta.json": [about]}, option="--output")


def write_files(path: str, contents: dict[str, Iterable[bytes]], *, option: str) -> None:
    """Write a file ``PATH + suffix`` for each suffix in `contents`, all or none.

    An existing path that is not a regular file, such as a pipe or ``/dev/stdout``, is written to directly, with the
    first content only.

    Raises
    ------
    OutputError
        A file cannot be written; an earlier file of that name is kept.
    """
    target = Path(path)
    temporary: dict[Path, Path] = {}
    try:
        with _as_output_error(path, option):
            if _is_stream(target):
                with target.open("wb") as stream:
                    stream.writelines(next(iter(contents.values())))
                return
            target = Path(os.path.realpath(target))  # replace the target of a symbolic link, not the link
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
    """Append what `content` returns for the file's current size, all of it or nothing; create a missing file.

    An existing path that is not a regular file, such as a pipe, counts as empty.

    Raises
    ------
    OutputError
        The file cannot be written to; its content is unchanged.
    """
    target = Path(path)
    with _as_output_error(path, option):
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
def _as_output_error(path: str, option: str, *, is_folder: bool = False) -> Iterator[None]:
    """Raise an OSError as an OutputError about the file, or about a file in the folder, that the user named."""
    try:
        yield
    except OSError as error:
        target = error.filename2 if is_folder else None  # the target of a failed rename, not its temporary name
        raise OutputError(
            f"cannot be written ({error.strerror or error})",
            file=str(target or path),
            option=option,
            advice=f"give a {'folder' if is_folder else 'file in a folder'} that can be written",
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
