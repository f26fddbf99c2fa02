"""The time that a report carries, which the environment can fix."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from tfprof_report.errors import OptionError

VARIABLE = "SOURCE_DATE_EPOCH"
_END_OF_YEAR_9999 = 253_402_300_799


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
    fixed = fixed_time()
    time = datetime.now(UTC) if fixed is None else datetime.fromtimestamp(fixed, UTC)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")
