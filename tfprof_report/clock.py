"""The time that a report carries, which the environment can fix."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta

from tfprof_report.errors import OptionError

VARIABLE = "SOURCE_DATE_EPOCH"
_END_OF_YEAR_9999 = 253_402_300_799
_AGE = re.compile(r"(\d{1,5})\s*([hdw])", re.ASCII)
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


def fixed_time() -> int | None:
    """Return the seconds since 1970 in SOURCE_DATE_EPOCH, None if it is not set or empty.

    Raises
    ------
    OptionError
        It holds something else. Libraries that we import read it too, and fail with words of their own.
    """
    text = os.environ.get(VARIABLE, "")
    if not text:
        os.environ.pop(VARIABLE, None)
        return None
    if not (text.isascii() and text.isdigit() and int(text[:20]) <= _END_OF_YEAR_9999):
        raise OptionError(f'{VARIABLE} is "{text}", not a number of seconds')
    return int(text)


def now() -> str:
    """Return the time of a report in UTC: the fixed one, for the same bytes of the same input, or the clock's."""
    return in_utc(moment())


def moment() -> datetime:
    """Return the same time, to the second."""
    fixed = fixed_time()
    return datetime.now(UTC).replace(microsecond=0) if fixed is None else datetime.fromtimestamp(fixed, UTC)


def in_utc(time: datetime) -> str:
    """Return a time as reports and programs write it, such as ``2024-05-02T08:30:00Z``."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def time_of(text: str | None) -> datetime | None:
    """Return the time that a report carries, in UTC where it names no zone; None where it is no date."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def moment_of(text: str | None) -> datetime:
    """Return the time that a report carries, that of now where it is no date."""
    return time_of(text) or moment()


def parse_age(text: str, *, option: str) -> timedelta:
    """Return an age such as ``30d``, ``12h`` or ``4w``.

    Raises
    ------
    OptionError
        It is none.
    """
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise OptionError("is no age", option=f'{option} "{text}"', advice="write 30d, 12h or 4w")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def age_words(age: timedelta) -> str:
    """Return an age as people say it: in whole days, below two of them in whole hours."""
    hours = age // timedelta(hours=1)
    return f"{hours} hours" if age < timedelta(days=2) else f"{age.days:,} days"
