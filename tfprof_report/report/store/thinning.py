"""Which reports of a model a thinned history keeps: one a day, then one a week, and those of releases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from datetime import datetime

from tfprof_report.record import record
from tfprof_report.report.store.store import Entry, is_ahead


@record
class Thinning:
    """What a thinned history keeps.

    daily, weekly : the number of days and of weeks, from Monday and in UTC, whose newest report is kept; days and weeks
        without a report do not count
    tagged : the commits whose reports are all kept
    """

    daily: int = 0
    weekly: int = 0
    tagged: Collection[str] = frozenset()

    def keeps(self, entries: Sequence[Entry], times: Mapping[str, datetime], now: datetime) -> frozenset[Entry]:
        """Return the entries that are kept.

        The time of an entry is that in `times`, by its path; that of saving if it has none there, or one from more than
        a day in the future. Entries that were saved in the future are of no day.
        """

        def time_of(entry: Entry) -> datetime:
            time = times.get(entry.path, entry.saved)
            return entry.saved if is_ahead(time, now) else time

        dated = {entry: time_of(entry) for entry in entries if not entry.is_ahead(now)}
        ordered = sorted(dated, key=lambda entry: (dated[entry], entry.saved, entry.digest), reverse=True)

        def newest(count: int, period: Callable[[datetime], Hashable]) -> set[Entry]:
            found: dict[Hashable, Entry] = {}
            for entry in ordered:
                found.setdefault(period(dated[entry]), entry)
            return set(list(found.values())[:count])

        return frozenset(
            newest(self.daily, datetime.date)
            | newest(self.weekly, lambda time: time.isocalendar()[:2])
            | {entry for entry in entries if entry.commit in self.tagged}
        )
