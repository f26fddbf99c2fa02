"""Timestamps of reports, which SOURCE_DATE_EPOCH can fix, and ages such as ``30d``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from tfprof_report.errors import OptionError

VARIABLE = "SOURCE_DATE_EPOCH"
_END_OF_YEAR_9999 = 253_402_300_799
_SPAN = re.compile(r"(\d{1,5})\s*([a-z])", re.ASCII)
_AGES = {"h": "hours", "d": "days", "w": "weeks"}
_DURATIONS = {"s": "seconds", "m": "minutes", "h": "hours"}


def fixed_time() -> int | None:
    """Return the seconds since 1970 in SOURCE_DATE_EPOCH, None if it is not set or empty.

    Raises
    ------
    OptionError
        It is not a number of seconds.
    """
    text = os.environ.get(VARIABLE, "")
    if not text:
        # Imported libraries read the variable too, and would fail on an empty value with a message of their own.
        os.environ.pop(VARIABLE, None)
        return None
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= _END_OF_YEAR_9999):
        raise OptionError(f'{VARIABLE} is "{text}", not a number of seconds')
    return int(text)


def now() -> str:
    """Return the time for a new report in UTC: SOURCE_DATE_EPOCH if set, so that output is reproducible, else now."""
    return in_utc(moment())


def moment() -> datetime:
    """Return the same time as a datetime, to the second."""
    fixed = fixed_time()
    return datetime.now(UTC).replace(microsecond=0) if fixed is None else datetime.fromtimestamp(fixed, UTC)


def in_utc(time: datetime) -> str:
    """Return a time in ISO 8601 format in UTC, such as ``2024-05-02T08:30:00Z``."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_of(text: str | None) -> datetime | None:
    """Parse the timestamp of a report, as UTC if it has no time zone; None if it is not a date."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def moment_of(text: str | None) -> datetime:
    """Parse the timestamp of a report, as `time_of` does; the current time if it is not a date."""
    return time_of(text) or moment()


def parse_age(text: str, *, option: str) -> timedelta:
    """Parse an age such as ``30d``, ``12h`` or ``4w``.

    Raises
    ------
    OptionError
        `text` is not an age.
    """
    found = _parse_span(text, _AGES)
    if found is None:
        raise OptionError("is not an age", option=f'{option} "{text}"', advice="write 30d, 12h or 4w")
    return found


def parse_duration(text: str, *, option: str) -> timedelta:
    """Parse how long something takes, such as ``90s``, ``30m`` or ``2h``; it is more than nothing.

    Raises
    ------
    OptionError
        `text` is not a time above 0.
    """
    found = _parse_span(text, _DURATIONS)
    if not found:
        raise OptionError("is not a time above 0", option=f'{option} "{text}"', advice="write 90s, 30m or 2h")
    return found


def _parse_span(text: str, units: Mapping[str, str]) -> timedelta | None:
    found = _SPAN.fullmatch(text.strip())
    return timedelta(**{units[found[2]]: int(found[1])}) if found and found[2] in units else None


def age_words(age: timedelta) -> str:
    """Return an age in words: in whole hours below two days, else in whole days."""
    hours = age // timedelta(hours=1)
    return f"{hours} hours" if age < timedelta(days=2) else f"{age.days:,} days"
