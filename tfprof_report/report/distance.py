"""How far the baseline is from head: commits and time between them."""

from __future__ import annotations

from datetime import timedelta

from tfprof_report.clock import age_words
from tfprof_report.formatting import plural
from tfprof_report.record import record

FAR = 10
"""More commits than these between base and head are named in the headline."""

OLD = timedelta(days=7)
"""So is more time: a branch that works every week has a newer baseline."""


@record
class Distance:
    """How far the baseline is from head; what is not known is None.

    commits_back : the place of its commit in the list of ancestors that it was picked from; 0 is the first
    age_seconds : the time from base to head; unknown without two dates, and if base is the later one
    """

    commits_back: int | None = None
    age_seconds: int | None = None

    @property
    def is_large(self) -> bool:
        """Whether it belongs in the headline: more than `FAR` commits, or older than `OLD`."""
        return (self.commits_back or 0) > FAR or timedelta(seconds=self.age_seconds or 0) > OLD

    @property
    def words(self) -> str:
        """Both in words, such as ``41 commits back, 23 days old``; empty if neither is known."""
        back = [] if self.commits_back is None else [f"{plural(self.commits_back, 'commit')} back"]
        age = [] if self.age_seconds is None else [f"{_age_words(timedelta(seconds=self.age_seconds))} old"]
        return ", ".join(back + age)


def _age_words(age: timedelta) -> str:
    few = {0: "less than an hour", 1: "1 hour"}
    return few.get(age // timedelta(hours=1)) or age_words(age)
