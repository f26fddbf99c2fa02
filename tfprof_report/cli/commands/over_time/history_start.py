"""Where a history begins: the options --since and --last of the command `history`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.clock import age_words, parse_age, time_of
from tfprof_report.errors import OptionError
from tfprof_report.formatting import plural
from tfprof_report.record import record
from tfprof_report.report.store.commits import Commits, places_meant


@record
class Start:
    """Where a history begins.

    first : the number of the commit whose report the first one shown is compared with; of all commits the oldest is 0
    shown : the number of the first commit after it
    words : the stretch from there on, such as "in the last 7 days" or "since v1.2"; empty for all commits
    """

    first: int = 0
    shown: int = 0
    words: str = ""


def find_start(values: HistoryValues, commits: Commits, tags: Mapping[str, tuple[str, ...]]) -> Start:
    """Return where a history begins.

    Raises
    ------
    OptionError
        `--since` names no commit, or is a time and the commits have none.
    """
    if values.last is not None:
        shown = max(0, len(commits.ids) - values.last)
        return Start(first=max(0, shown - 1), shown=shown, words=f"in the last {plural(values.last, 'commit')}")
    if values.since is None:
        return Start()
    since = values.since
    named = places_meant(since, commits, tags)
    if len(named) == 1:
        return Start(first=named[0], shown=named[0] + 1, words=f"since {since}")
    option = f'--since "{since}"'
    if named:
        raise OptionError(f"means {plural(len(named), 'commit')}", option=option, advice="give more digits")
    return _start_of_time(since, commits, option)


def _start_of_time(since: str, commits: Commits, option: str) -> Start:
    """Return where a day or an age begins; ages run back from the newest commit."""
    day = time_of(since)
    known = [time for time in commits.times if time]
    words = f"since {since}"
    if day is None:
        try:
            age = parse_age(since, option=option)
        except OptionError as error:
            problem = "is no tag and no commit of the list, no day and no age"
            raise OptionError(problem, option=option, advice="give one, such as v1.2 or 30d") from error
        words = f"in the last {age_words(age)}"
        day = known[-1] - age if known else None
    if day is None or not known:
        raise OptionError(
            "the commits of the list have no dates",
            option=option,
            advice="write it with git rev-list --timestamp HEAD",
        )
    shown = next((number for number, time in enumerate(commits.times) if time and time > day), len(commits.ids))
    return Start(first=_first(day, commits, shown), shown=shown, words=words)


def _first(day: datetime, commits: Commits, shown: int) -> int:
    """Return the last commit up to a day; the number of all where the day is after the newest one."""
    if shown == len(commits.ids) and not any(time == day for time in commits.times):
        return shown
    return max(0, shown - 1)
