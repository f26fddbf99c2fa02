"""A store in a folder of this machine. Symbolic links in it are never followed, so nothing outside of it is touched."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tfprof_report.record import record

_REMOVALS = 100
"""Other jobs may remove files of a folder while it is removed here."""


class LinkError(OSError):
    """A path in the store leads through a symbolic link."""


@record
class LocalPlace:
    """A folder. Paths are relative to it, with slashes; all methods raise OSError.

    `root` may be a link itself, since the user named it. `name` is its name in messages.
    """

    root: Path
    name: str
    is_local = True
    jobs = 4  # files read at a time

    def shown(self, path: str) -> str:
        """Return the name of a path in messages."""
        return f"{self.name.rstrip('/')}/{path}" if path else self.name

    def folders(self, folder: str = "") -> list[str]:
        """Return the names of the subfolders of a folder, sorted; empty if it does not exist."""
        return sorted(each.name for each in self._listed(folder) if each.is_dir(follow_symlinks=False))

    def links(self, folder: str = "") -> list[str]:
        """Return the names of the symbolic links in a folder, sorted."""
        return sorted(each.name for each in self._listed(folder) if each.is_symlink())

    def sizes(self, folder: str) -> dict[tuple[str, ...], int]:
        """Return the sizes in bytes of all files below a folder, by the parts of their relative paths."""
        top = self._path(folder)
        found = {}
        for at, _, names in os.walk(top, onerror=_unless_gone):
            for file in (Path(at, name) for name in names):
                with suppress(FileNotFoundError):
                    if not file.is_symlink():
                        found[file.relative_to(top).parts] = file.lstat().st_size
        return found

    def read(self, path: str) -> bytes:
        """Return the content of a file."""
        return self._path(path).read_bytes()

    def write(self, path: str, data: bytes) -> None:
        """Write a file atomically, and create its parent folders."""
        target = self._path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
        try:
            temporary.write_bytes(data)
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def discard(self, path: str) -> None:
        """Remove a file; concurrent removal is fine."""
        self._path(path).unlink(missing_ok=True)

    def remove(self, folder: str, first: str) -> None:
        """Remove a folder with its content, the file `first` before all others; concurrent removal is fine.

        Raises
        ------
        PermissionError
            This is not allowed, for the folder named in it.
        """
        top = self._path(folder)
        try:
            _check_may_go(top)
            with suppress(FileNotFoundError, IsADirectoryError):
                (top / first).unlink()
            for _ in range(_REMOVALS):
                if not top.exists():
                    return
                with suppress(FileNotFoundError):
                    shutil.rmtree(top)
        except PermissionError as problem:
            raise PermissionError(problem.errno, problem.strerror, str(top)) from problem

    def _listed(self, folder: str) -> Iterator[os.DirEntry[str]]:
        with suppress(FileNotFoundError), os.scandir(self._path(folder)) as entries:
            yield from entries

    def _path(self, path: str) -> Path:
        """Return the full path.

        Raises
        ------
        LinkError
            A part of it below the root is a symbolic link.
        """
        full = self.root
        for part in filter(None, path.split("/")):
            full /= part
            if full.is_symlink():
                raise LinkError(f"{full.relative_to(self.root)} is a symbolic link, which no store follows")
        return full


def _check_may_go(folder: Path) -> None:
    """Raise OSError if the folder could be emptied, but not removed; the system says so of one that is not empty."""
    try:
        folder.rmdir()
    except OSError as problem:
        if problem.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
            raise


def _unless_gone(problem: OSError) -> None:
    if not isinstance(problem, FileNotFoundError):
        raise problem
