"""Replaces several files of a folder as one: all of them, or none.

New files are written into a hidden folder of the folder, the *state*. To replace, the old files are moved into it and
the new ones out of it; a journal, written before the first move, says which. Moving within a folder works for any kind
of folder (current one, mount point, link, one with other files), and never copies. Renaming the journal is the moment
from which the new files count: whoever finds a journal moves the old files back, be it the same run after an error or
a signal, or the next run after a kill. A lock in the state keeps others out.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path, PurePosixPath

from tfprof_report.record import record
from tfprof_report.render.files.lock import drop_lock, take_lock
from tfprof_report.render.files.signals import without_signals

_LOCK, _NEW, _OLD = "lock", "new", "old"
_FRESH = "fresh"
"""An empty file: the folder was created for the new files."""

_PART, _JOURNAL, _DONE = "journal.part", "journal", "done"
"""The journal while it is written, from then on, and once the new files count."""


class JournalError(Exception):
    """The journal that a killed run left is not one of this version."""


@record
class _Journal:
    """Paths relative to the folder, with slashes.

    old : files that are moved away, those that are replaced included
    new : files that are moved in
    made : folders that are created for them, outer ones first
    emptied : folders that lose their last file, and are removed unless others have files in them
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    made: tuple[str, ...]
    emptied: tuple[str, ...]


class Replacement:
    """New files for `folder`, and their exchange for old ones; `state` is the hidden folder, of a fixed name.

    `is_ours` says which relative paths a journal may name: those that such a replacement can have. Methods raise
    OSError, and those that read a journal JournalError.
    """

    def __init__(self, folder: Path, state: str, is_ours: Callable[[str], bool]) -> None:
        self._folder = folder
        self._state = folder / state
        self._is_ours = is_ours
        self._lock: int | None = None
        self._made: list[Path] = []
        self._staged: list[str] = []

    @property
    def is_open(self) -> bool:
        """Whether `open` was called, and `close` was not."""
        return self._lock is not None

    def open(self) -> None:
        """Create the folder, lock it, and clean up after a killed run.

        Raises
        ------
        BlockingIOError
            Another process replaces files of the folder.
        """
        if self._state.is_symlink():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(self._state))
        with without_signals():
            self._made = [folder for folder in self._state.parents if not folder.exists()]
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = take_lock(self._state / _LOCK)
            self._settle()
            if self._folder in self._made:
                (self._state / _FRESH).touch()

    def stage(self, path: str, pieces: Iterable[bytes]) -> None:
        """Write a new file into the state."""
        target = self._state / _NEW / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            file.writelines(pieces)
        self._staged.append(path)

    def discard(self) -> None:
        """Remove the new files."""
        shutil.rmtree(self._state / _NEW, ignore_errors=True)
        self._staged = []

    def commit(self, earlier: Sequence[str], emptied: Sequence[str] = ()) -> None:
        """Exchange those of the `earlier` files that are there for the new ones, in the order in which they were added.

        After an exception, `close` moves the old files back.
        """
        journal = self._plan(earlier, emptied)
        for path in journal.old:
            (self._state / _OLD / path).parent.mkdir(parents=True, exist_ok=True)
        (self._state / _PART).write_text(json.dumps(asdict(journal)))
        (self._state / _PART).rename(self._state / _JOURNAL)
        for path in journal.old:
            (self._folder / path).rename(self._state / _OLD / path)
        for path in journal.made:
            (self._folder / path).mkdir()
        for path in journal.new:
            (self._state / _NEW / path).rename(self._folder / path)
        (self._state / _JOURNAL).rename(self._state / _DONE)

    def close(self) -> None:
        """Move old files back unless `commit` ended, and remove the state, and folders that were created in vain."""
        with without_signals():
            if self._lock is None:
                return
            try:
                self._settle()
            finally:
                with suppress(OSError):
                    drop_lock(self._state / _LOCK, self._lock)
                self._lock, self._staged = None, []
                for folder in (self._state, *self._made):
                    with suppress(OSError):  # not empty
                        folder.rmdir()

    def _plan(self, earlier: Sequence[str], emptied: Sequence[str]) -> _Journal:
        for path in self._staged:
            target = self._folder / path
            if target.is_dir() and not target.is_symlink():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
        parents = (PurePosixPath(path).parents for path in self._staged)
        folders = dict.fromkeys(str(folder) for inner_first in parents for folder in reversed(inner_first))
        return _Journal(
            old=tuple(path for path in dict.fromkeys(earlier) if _is_file(self._folder / path)),
            new=tuple(self._staged),
            made=tuple(path for path in folders if not (self._folder / path).exists()),
            emptied=tuple(emptied),
        )

    def _settle(self) -> None:
        """Finish what a journal tells of, or undo it, and empty the state."""
        if (self._state / _FRESH).exists():
            self._made.insert(0, self._folder)
        if (self._state / _JOURNAL).exists():
            self._undo(self._read(_JOURNAL))
            (self._state / _JOURNAL).unlink()
        elif (self._state / _DONE).exists():
            for path in self._read(_DONE).emptied:
                with suppress(OSError):  # not empty
                    (self._folder / path).rmdir()
        for name in (_NEW, _OLD):
            shutil.rmtree(self._state / name, ignore_errors=True)
        for name in (_PART, _DONE, _FRESH):
            with suppress(OSError):
                (self._state / name).unlink(missing_ok=True)

    def _undo(self, journal: _Journal) -> None:
        """Move the old files back; may be done again after it was interrupted."""
        for path in journal.new:
            if path not in journal.old and not (self._state / _NEW / path).exists():
                (self._folder / path).unlink(missing_ok=True)
        for path in journal.old:
            if os.path.lexists(self._state / _OLD / path):
                (self._state / _OLD / path).replace(self._folder / path)
        for path in reversed(journal.made):
            with suppress(OSError):
                (self._folder / path).rmdir()

    def _read(self, name: str) -> _Journal:
        file = self._state / name
        try:
            lists = {key: tuple(map(str, paths)) for key, paths in json.loads(file.read_bytes()).items()}
            journal = _Journal(**lists)
        except (AttributeError, RecursionError, TypeError, ValueError) as problem:
            raise JournalError(str(file)) from problem
        folders = (f"{folder}/" for folder in (*journal.made, *journal.emptied))
        if not all(map(self._is_ours, (*journal.old, *journal.new, *folders))):
            raise JournalError(str(file))
        return journal


def _is_file(path: Path) -> bool:
    """Return whether there is anything but a folder."""
    return os.path.lexists(path) and not (path.is_dir() and not path.is_symlink())
