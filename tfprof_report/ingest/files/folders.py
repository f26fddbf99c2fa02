"""What is at a path or URL, and in a folder: the same questions on this machine and in a bucket.

Functions that return a path keep the form of the one that they are given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

from tfprof_report.ingest.files.file_bytes import unreadable
from tfprof_report.record import record
from tfprof_report.threads import Threads
from tfprof_report.urls import folder_of, is_url, join_url, last_part, split_parameters

_LISTED_AT_ONCE = 16
"""Folders of a bucket that are listed at the same time: nearly all of the time goes into waiting for the server."""

Place = tuple[str, ...]
"""The parts of a path, from a folder on."""


@record
class Listing:
    """The names of what is directly in a folder, sorted.

    others : pipes, devices, and links to what is not there
    """

    files: tuple[str, ...]
    folders: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All names but those of folders, sorted."""
        return sorted((*self.files, *self.others))


def is_folder(path: str, option: str | None = None) -> bool:
    """Return whether a path is a folder; InputError if that cannot be found out."""
    try:
        return _bucket().is_folder(path) if is_url(path) else Path(path).is_dir()
    except OSError as error:
        raise unreadable(error, path, option) from error


def is_file(path: str) -> bool:
    """Return whether a path is a file; OSError if that cannot be found out."""
    return _bucket().is_file(path) if is_url(path) else Path(path).is_file()


def exists(path: str) -> bool:
    """Return whether there is a file or folder at a path; OSError if that cannot be found out."""
    return _bucket().exists(path) if is_url(path) else Path(path).exists()


def list_folder(folder: str) -> Listing:
    """Return what is in a folder; OSError if it does not exist or cannot be listed."""
    if is_url(folder):
        files, folders = _bucket().list_folder(folder)
        return Listing(files=tuple(files), folders=tuple(folders))
    with os.scandir(folder or os.curdir) as entries:
        kinds = sorted((each.name, _kind(each)) for each in entries)
    of_kind = {kind: tuple(name for name, its in kinds if its == kind) for kind in ("file", "folder", "other")}
    return Listing(files=of_kind["file"], folders=of_kind["folder"], others=of_kind["other"])


def list_below(
    top: str, places: Iterable[Place], listed: Callable[[str], Listing] = list_folder
) -> dict[Place, Listing]:
    """Return what is in folders below one, by the parts of their paths; in a bucket many are asked for at once.

    `listed` is what lists one of them, with its own answer where that fails.
    """
    wanted = list(places)
    with Threads(_LISTED_AT_ONCE if is_url(top) and len(wanted) > 1 else 1) as threads:
        waiting = {parts: threads.start(listed, join(top, "/".join(parts)) if parts else top) for parts in wanted}
        return {parts: listing() for parts, listing in waiting.items()}


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        return "folder" if entry.is_dir() else "file" if entry.is_file() else "other"
    except OSError:  # a link to what cannot be entered
        return "other"


def join(folder: str, name: str) -> str:
    """Return the path of `name`, which may be a relative path, in a folder."""
    return join_url(folder, name) if is_url(folder) else str(Path(folder, name))


def with_end(path: str, end: str) -> str:
    """Return a path with more characters at the end of its last name."""
    plain, parameters = split_parameters(path)
    return f"{plain}{end}{parameters}"


def without_end(path: str, end: str) -> str:
    """Return a path without these characters, if its last name ends with them."""
    plain, parameters = split_parameters(path)
    return plain.removesuffix(end) + parameters


def above(path: str) -> str:
    """Return the path of the folder that something is in."""
    return folder_of(path) if is_url(path) else str(Path(path).parent)


def last_name(path: str) -> str:
    """Return the name of a file or folder without the folders that it is in."""
    return last_part(path) if is_url(path) else Path(path).name


def real_path(path: str) -> str:
    """Return what is the same for two paths of the same file or folder."""
    return path if is_url(path) else os.path.realpath(path)


def _bucket() -> ModuleType:
    from tfprof_report.ingest.files import bucket_files  # noqa: PLC0415 (imports a large part of pyarrow)

    return bucket_files
