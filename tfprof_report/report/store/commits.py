"""Reads lists of commits, as git prints them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from tfprof_report.errors import InputError
from tfprof_report.record import record
from tfprof_report.report.git_lines import git_lines

_OPTION = "--ancestors"
_REV_LIST = "write it with git rev-list HEAD"
_SECONDS = re.compile(r"\d{1,11}", re.ASCII)
ABBREVIATED = re.compile(r"[0-9a-f]{7,64}")
"""A commit, or as many of its first digits as may stand for it."""

_IN_A_LINE = 2
"""Most words of a line: the commit and its time."""


@record
class Commits:
    """Commits in the order of a list, and the time of each; None where the list does not say it."""

    ids: tuple[str, ...]
    times: tuple[datetime | None, ...]


def parse_commits(data: bytes, file: str) -> Commits:
    """Return the commits in the output of ``git rev-list``, the nearest first; with ``--timestamp`` it has times.

    Raises
    ------
    InputError
        The content is not such a list, or is empty.
    """
    lines = git_lines(data, file=file, option=_OPTION, advice=_REV_LIST)
    found = [_commit(line.split(), number, file) for number, line in enumerate(lines, start=1) if line.strip()]
    if not found:
        raise InputError("holds no commit", file=file, option=_OPTION, advice=_REV_LIST)
    ids, times = zip(*found, strict=True)
    return Commits(ids=ids, times=times)


def places_meant(text: str, commits: Commits, tags: Mapping[str, tuple[str, ...]]) -> tuple[int, ...]:
    """Return the places of the commits that a text means: those with a tag of this name, else those that begin so.

    tags : the names of tags by commit

    A commit that is in the list twice has its first place.
    """
    tagged = [commit for commit, names in tags.items() if text in names]
    if not tagged and not ABBREVIATED.fullmatch(text):
        return ()
    meant = dict.fromkeys(each for each in commits.ids if (each in tagged if tagged else each.startswith(text)))
    return tuple(map(commits.ids.index, meant))


def _commit(words: list[str], number: int, file: str) -> tuple[str, datetime | None]:
    """Return the commit and the time in a line such as ``1714638600 3f2a...``."""
    if len(words) == 1:
        return words[0], None
    if len(words) > _IN_A_LINE or not _SECONDS.fullmatch(words[0]):
        problem = f"line {number:,} holds more than a commit and its time"
        raise InputError(problem, file=file, option=_OPTION, advice=_REV_LIST)
    return words[1], datetime.fromtimestamp(int(words[0]), UTC)
