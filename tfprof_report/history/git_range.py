"""The commits of a range, as git names them."""

from __future__ import annotations

from datetime import UTC, datetime

from tfprof_report.errors import OptionError
from tfprof_report.history.git_log import git
from tfprof_report.record import record

_OPTION = "--git-range"
_HERE = "run the command in a repository"


@record
class Dated:
    """A commit, the time at which it was committed, and the first line of its message."""

    commit: str
    time: datetime
    subject: str


def read_range(folder: str, text: str) -> list[Dated]:
    """Return the commits after A up to B of a range ``A..B``, the oldest first; of a merge those of the first parent.

    Raises
    ------
    OptionError
        It is no range, or has no commits.
    InputError
        The folder is in no repository, which has no such commits.
    """
    first, dots, last = text.partition("..")
    if not (first and dots and last) or last.startswith(".") or text.startswith("-"):
        raise OptionError("is not a range of commits", option=f'{_OPTION} "{text}"', advice="write A..B, as v1.2..HEAD")
    found = _log(folder, "--first-parent", "--reverse", text)
    if not found:
        raise OptionError("has no commits", option=f'{_OPTION} "{text}"', advice="write the older commit first")
    return found


def read_commit(folder: str, name: str) -> Dated:
    """Return one commit; InputError if there is no such."""
    return _log(folder, "--max-count=1", name)[0]


def top_of(folder: str) -> str:
    """Return the folder of the repository that a folder is in; InputError if it is in none."""
    return (
        git(folder, "rev-parse", "--show-toplevel", option=_OPTION, advice=_HERE)
        .decode(errors="surrogateescape")
        .rstrip("\n")
    )


def _log(folder: str, *which: str) -> list[Dated]:
    printed = git(
        folder, "log", "--format=%H %ct %s", *which, "--", option=_OPTION, advice="fetch its commits, or name others"
    ).decode(errors="replace")
    lines = (line.split(" ", 2) for line in printed.splitlines())
    return [
        Dated(commit=commit, time=datetime.fromtimestamp(int(seconds), UTC), subject=subject)
        for commit, seconds, subject in lines
    ]
