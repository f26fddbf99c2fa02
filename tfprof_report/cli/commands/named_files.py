"""Files that an option names, checked before anything is read: an error leaves nothing behind."""

from __future__ import annotations

import errno
import os
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from tfprof_report.errors import OptionError, OutputError
from tfprof_report.ingest.files.file_bytes import STDIN


def check_named_files(
    named: Iterable[tuple[str, str]], made: Sequence[Path], *, own: Container[str], of: str = "report"
) -> None:
    """Check that files, each with its option, can be written, differ, and are not `own` in a folder that is `made`.

    `made` are the folders that the command itself makes, and `own` the names of its files there.

    Raises
    ------
    OptionError
        A file is one of these, standard input, or named twice.
    OutputError
        A file is a folder, or in a folder that does not exist or cannot be written.
    """
    taken: dict[Path, str] = {}
    for path, option in named:
        _check(path, made, own=own, option=option, of=of)
        file = real_path(path)
        if file in taken and not file.is_char_device():
            both = ", ".join(dict.fromkeys((taken[file], option)))
            raise OptionError("is named twice", file=path, option=both, advice="give each a file of its own")
        taken[file] = option


def _check(path: str, made: Sequence[Path], *, own: Container[str], option: str, of: str) -> None:
    if "\0" in path:  # in a rules file
        raise OptionError("no file can have this name", option=option, advice="name a file or leave it out")
    file = real_path(path)
    if path == STDIN:  # it would be a file of that name, but means standard input elsewhere
        raise OptionError("is not a file", file=path, option=option, advice="/dev/stdout is standard output")
    if file.parent in made and file.name in own:
        advice = "give a file of another name"
        raise OptionError(f"is a file of the {of} itself", file=path, option=option, advice=advice)
    if problem := _why_not_written(file, made):
        advice = "give a file in a folder that can be written"
        raise OutputError(f"cannot be written ({problem})", file=path, option=option, advice=advice)


def real_path(path: str) -> Path:
    """Return the path with links resolved; unlike with `Path.resolve`, a loop of links is not an error."""
    return Path(os.path.realpath(path))


def _why_not_written(file: Path, made: Sequence[Path]) -> str | None:
    """Return why a file cannot be written, in the words of the system, None if it looks as if it can.

    That is known before the report is written, so that an error leaves none behind. The folders `made` will be there.
    """
    try:
        if file.is_dir() or any(file in (folder, *folder.parents) for folder in made):
            return os.strerror(errno.EISDIR)
        if file.exists() or file.parent in made:
            return None
        file.parent.stat()
    except OSError as error:
        return error.strerror
    if not file.parent.is_dir():
        return os.strerror(errno.ENOTDIR)
    return None if os.access(file.parent, os.W_OK | os.X_OK) else os.strerror(errno.EACCES)
