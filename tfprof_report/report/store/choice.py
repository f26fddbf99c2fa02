"""Which entries of a store are meant: the nearest ancestor to compare with, and what is old enough to go."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from tfprof_report.errors import InputError
from tfprof_report.formatting import plural
from tfprof_report.report.store.store import Entry, Held

UNFINISHED = timedelta(days=1)
"""What takes longer to save is not being saved any more."""

_ANCESTORS = "--ancestors"
_REV_LIST = "write it with git rev-list HEAD"


def parse_ancestors(data: bytes, file: str) -> list[str]:
    """Return the commits of a list as ``git rev-list`` prints it, the nearest first.

    Windows PowerShell writes what it redirects as UTF-16.

    Raises
    ------
    InputError
        It holds something else, or nothing.
    """
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        lines = data.decode("utf-16" if is_wide else "utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError("is not text", file=file, option=_ANCESTORS, advice=_REV_LIST) from error
    for number, line in enumerate(lines, start=1):
        if len(line.split()) > 1:
            problem = f"line {number:,} is more than a commit"
            raise InputError(problem, file=file, option=_ANCESTORS, advice=_REV_LIST)
    commits = [line.strip() for line in lines if line.strip()]
    if not commits:
        raise InputError("holds no commit", file=file, option=_ANCESTORS, advice=_REV_LIST)
    return commits


def nearest(entries: Sequence[Entry], ancestors: Sequence[str]) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of ancestors and how many commits back each is, the nearest first, of a commit the newest."""
    of_commit: dict[str, list[Entry]] = {}
    for entry in entries:
        of_commit.setdefault(entry.commit, []).append(entry)
    for back, commit in enumerate(ancestors):
        for entry in of_commit.pop(commit, ()):
            yield back, entry


def why_nothing(model: str, entries: Sequence[Entry], ancestors: Sequence[str]) -> str:
    """Return why no ancestor has a baseline, in words that say what to do about it."""
    if not entries:
        return f"holds no baseline of the model {model}"
    listed = f"{len(ancestors):,} commits" if len(ancestors) > 1 else "only commit"
    words = f"has {plural(len(entries), 'report')} of the model {model}, none is of the {listed} of the list"
    short = [entry.commit for entry in entries if any(commit.startswith(entry.commit) for commit in ancestors)]
    if short:
        return f"{words}; {short[0]} is short for one of them, save under whole ids"
    return f"{words}; of a shallow clone it has few, fetch more of the history"


def to_prune(
    held: Sequence[Held], *, keep: int | None, older_than: timedelta | None, now: datetime
) -> tuple[Held, ...]:
    """Return what is to be removed of one model, given the newest first.

    keep : commits whose newest report stays whatever its age
    older_than : of the others, only what was saved before that goes

    Saves that were interrupted go after a day.
    """
    kept: dict[str, Entry] = {}
    for each in held:
        if each.is_whole and len(kept) < (keep or 0):
            kept.setdefault(each.entry.commit, each.entry)
    limit = timedelta.min if older_than is None else older_than
    return tuple(
        each
        for each in held
        if each.entry not in kept.values() and now - each.entry.saved > (limit if each.is_whole else UNFINISHED)
    )
