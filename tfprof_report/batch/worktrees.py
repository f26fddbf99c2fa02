"""Adds git worktrees in temporary folders, and removes those whose process was killed before it could."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tfprof_report.errors import InputError
from tfprof_report.history.git_log import git
from tfprof_report.render.files.lock import drop_lock, take_lock

RANGE = "--git-range"
_FOLDER = "tfprof-report-worktree-"
_TREE, _LOCK = "tree", "lock"
"""What is in the folder of a worktree: itself, and the lock that its process has as long as it lives."""


@contextmanager
def worktree(repository: str, commit: str) -> Iterator[Path]:
    """Yield a worktree of a commit, in a folder that has room for other files too; both go with the block.

    Raises
    ------
    InputError
        git cannot check the commit out.
    """
    folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
    held = take_lock(folder / _LOCK)  # before git knows the worktree, so that one without its lock was left behind
    try:
        git(repository, "worktree", "add", "--detach", str(folder / _TREE), commit, option=RANGE)
        yield folder / _TREE
    finally:
        _remove(repository, folder)
        os.close(held)


@contextmanager
def without_leftovers(repository: str) -> Iterator[None]:
    """Remove worktrees that killed processes left behind, before and after a block.

    Those of processes on other machines are not seen here: git removes what it knows of them by itself, in time.
    """
    _remove_leftovers(repository)
    try:
        yield
    finally:
        _remove_leftovers(repository)


def _remove_leftovers(repository: str) -> None:
    listed = os.fsdecode(git(repository, "worktree", "list", "--porcelain", option=RANGE)).splitlines()
    trees = [Path(line.removeprefix("worktree ")) for line in listed if line.startswith("worktree ")]
    for folder in [tree.parent for tree in trees if tree.name == _TREE and tree.parent.name.startswith(_FOLDER)]:
        if not folder.is_dir():
            continue
        with suppress(OSError):  # its process lives, or it is another user's
            held = take_lock(folder / _LOCK)
            try:
                _remove(repository, folder)
            finally:
                drop_lock(folder / _LOCK, held)


def _remove(repository: str, folder: Path) -> None:
    with suppress(InputError):  # who removes the folder only leaves what git clears away by itself
        git(repository, "worktree", "remove", "--force", "--force", str(folder / _TREE), option=RANGE)
    shutil.rmtree(folder, ignore_errors=True)
