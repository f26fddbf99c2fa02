"""What is at a path of an object store, and below it. A bucket that does not exist is an error, not an empty one."""

from __future__ import annotations

from pyarrow import fs

from tfprof_report.buckets.patience import ask
from tfprof_report.buckets.reasons import is_denied


def kind_at(files: fs.FileSystem, path: str) -> fs.FileType:
    """Return whether there is an object at a path, a folder with objects in it, or nothing.

    Who may list a part of a bucket only is told of a folder there, as an object, that access to it is denied.

    Raises
    ------
    OSError
        The server does not answer, denies access, or has no such bucket.
    """
    try:
        kind = ask(lambda: files.get_file_info(path)).type
    except OSError as problem:
        if is_denied(problem) and _may_be_listed(files, path):
            return fs.FileType.Directory
        raise
    if kind == fs.FileType.NotFound:
        check_bucket(files, path)
    return kind


def list_at(files: fs.FileSystem, folder: str) -> list[fs.FileInfo]:
    """Return the objects and folders directly in a folder, by name; none if it does not exist.

    Raises
    ------
    OSError
        As in `kind_at`.
    """
    selector = fs.FileSelector(folder, allow_not_found=True)
    found: list[fs.FileInfo] = ask(lambda: files.get_file_info(selector))
    if not found:
        check_bucket(files, folder)
    return sorted(found, key=lambda each: each.base_name)


def _may_be_listed(files: fs.FileSystem, folder: str) -> bool:
    """Return whether there are objects in a folder that we are let to see."""
    try:
        return bool(list_at(files, folder))
    except OSError:
        return False


def check_bucket(files: fs.FileSystem, path: str) -> None:
    """Raise OSError if the bucket of a path does not exist; Arrow lists it like an empty one."""
    bucket = path.partition("/")[0]
    try:
        is_there = ask(lambda: files.get_file_info(bucket)).type != fs.FileType.NotFound
    except OSError as problem:
        if not is_denied(problem):
            raise
        return  # a job that may list objects need not be allowed to ask for the bucket itself
    if not is_there:
        raise OSError("The specified bucket does not exist")
