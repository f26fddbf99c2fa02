"""Asks git for the commits and tags of a repository."""

from __future__ import annotations

import os
import shutil
import subprocess

from tfprof_report.errors import InputError, OptionError, one_line

_OPTION = "--git"
_INSTEAD = "give --ancestors FILE"


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
    return git(folder, "rev-list", "--first-parent", "--timestamp", "HEAD", option=_OPTION, instead=_INSTEAD)


def read_tags(folder: str) -> bytes:
    """Return the tags of a repository, each with its commit; errors are those of `read_log`."""
    commit = "%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"  # that of an annotated tag, its own
    return git(folder, "for-each-ref", "refs/tags", f"--format={commit} %(refname)", option=_OPTION, instead=_INSTEAD)


def git(
    folder: str,
    *arguments: str,
    option: str,
    instead: str | None = None,
    advice: str = "give the folder of a repository",
) -> bytes:
    """Return what git prints of the repository that a folder is in, on behalf of an option.

    Raises
    ------
    InputError
        It ends with an error; `advice` says what to do.
    OptionError
        It is not installed; `instead` says what to do then.
    """
    if not shutil.which("git"):
        raise OptionError("git is not installed", option=option, advice=instead)
    run = subprocess.run(  # noqa: S603 (options of users are checked where they come from)
        ["git", "-C", folder, *arguments],  # noqa: S607
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=outside_of_git(),
    )
    if run.returncode:
        said = run.stderr.decode(errors="replace").strip().partition("\n")[0]
        words = one_line(said).removeprefix("fatal: ").rstrip(". ")
        raise InputError(f"git cannot read it ({words})", file=folder, option=option, advice=advice)
    return run.stdout


def outside_of_git() -> dict[str, str]:
    """Return the environment without what git sets for its hooks, which names another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
