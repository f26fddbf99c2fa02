"""Writes single files that the user named, whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tfprof_report.errors import OutputError
from tfprof_report.render.files.replacement import JournalError, Replacement
from tfprof_report.urls import is_url

_BUSY = "another run is writing it"


def replace_files(folder: Path, contents: Mapping[str, Iterable[bytes]]) -> None:
    """Write files into an existing folder, by name, all or none.

    What a run that was killed left is cleaned up by the next one that writes the first of the files.

    Raises
    ------
    OSError
        A file cannot be written, or another run is writing it; earlier files of these names are kept.
    """
    folder.stat()
    first = next(iter(contents))
    state = f".tfprof-report.{hashlib.sha256(os.fsencode(first)).hexdigest()[:16]}"
    files = Replacement(folder, state, lambda path: (path.startswith(first) or path in contents) and "/" not in path)
    try:
        files.open()
        for name, pieces in contents.items():
            files.stage(name, pieces)
        files.commit(list(contents))
    except BlockingIOError as error:
        raise BlockingIOError(error.errno, _BUSY) from error
    except JournalError as error:
        raise OSError(f"remove {error}, which another version left") from error
    finally:
        files.close()


def local_folder(folder: str, *, option: str) -> Path:
    """Return the path of a folder to write, which cannot be in a bucket: ``s3:`` would become a folder here.

    Raises
    ------
    OutputError
        It is a URL.
    """
    if is_url(folder):
        advice = "give a folder, and copy it with the tool of the store, or save reports in a store with baseline save"
        raise OutputError(
            "is a URL, and folders are written on this machine", file=folder, option=option, advice=advice
        )
    return Path(folder)


def write_folder(folder: str, contents: Mapping[str, bytes], *, option: str) -> None:
    """Write files into a folder, which is created if need be, all or none; its other files stay.

    Raises
    ------
    OutputError
        It is a URL, or a file cannot be written; earlier files of these names are kept.
    """
    top = local_folder(folder, option=option)
    with _as_output_error(folder, option, "give a folder that can be written"):
        top.mkdir(parents=True, exist_ok=True)
        replace_files(top, {name: [content] for name, content in contents.items()})


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
    with _as_output_error(path, option):
        if _is_stream(target):
            with target.open("wb") as stream:
                stream.writelines(next(iter(contents.values())))
            return
        target = Path(os.path.realpath(target))  # replace the target of a symbolic link, not the link
        replace_files(target.parent, {f"{target.name}{ending}": pieces for ending, pieces in contents.items()})


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
def _as_output_error(
    path: str, option: str, advice: str = "give a file in a folder that can be written"
) -> Iterator[None]:
    """Raise an OSError as an OutputError about the file or folder that the user named."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error})",
            file=path,
            option=option,
            advice=advice,
        ) from error
