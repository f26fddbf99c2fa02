"""Asks git for the commits and tags of a repository."""

from __future__ import annotations

import shutil
import subprocess

from tfprof_report.errors import InputError, OptionError, one_line

_OPTION = "--git"


def read_log(folder: str) -> bytes:
    """Return the commits that lead to the checked-out one, as ``git rev-list --timestamp`` prints them.

    Of a merge the first parent is followed: what a branch was merged into moved by the merge, not by its commits.

    Raises
    ------
    InputError
        The folder is not in a repository, or has no commit.
    OptionError
        git is not installed.
    """
    return _git(folder, "rev-list", "--first-parent", "--timestamp", "HEAD")


def read_tags(folder: str) -> bytes:
    """Return the tags of a repository, each with its commit; errors are those of `read_log`."""
    commit = "%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"  # that of an annotated tag, its own
    return _git(folder, "for-each-ref", "refs/tags", f"--format={commit} %(refname)")


def _git(folder: str, *arguments: str) -> bytes:
    if not shutil.which("git"):
        raise OptionError("git is not installed", option=_OPTION, advice="give --ancestors FILE")
    run = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603, S607
    if run.returncode:
        said = run.stderr.decode(errors="replace").strip().partition("\n")[0]
        words = one_line(said).removeprefix("fatal: ").rstrip(". ")
        raise InputError(
            f"git cannot read it ({words})", file=folder, option=_OPTION, advice="give the folder of a repository"
        )
    return run.stdout
