"""Timestamps of reports and ages on the command line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tfprof_report.clock import age_words, in_utc, moment, now, parse_age, time_of
from tfprof_report.errors import OptionError


def test_a_time_is_read_back_as_it_was_written() -> None:
    time = datetime(2024, 5, 2, 8, 30, 1, tzinfo=UTC)
    assert in_utc(time) == "2024-05-02T08:30:01Z"
    assert time_of(in_utc(time)) == time


def test_the_environment_fixes_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714638600")
    assert now() == "2024-05-02T08:30:00Z"
    assert moment() == time_of(now())


@pytest.mark.parametrize("text", [None, "", "later", "2024", "2024-13-01", "1714638600x"])
def test_what_is_no_date_is_no_time(text: str | None) -> None:
    assert time_of(text) is None


def test_a_time_without_a_zone_is_in_utc_and_others_keep_theirs() -> None:
    assert time_of("2024-05-02 08:30:00") == datetime(2024, 5, 2, 8, 30, tzinfo=UTC)
    assert time_of("2024-05-02T08:30:00+02:00") == datetime(2024, 5, 2, 8, 30, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("text", "age", "words"),
    [
        ("30d", timedelta(days=30), "30 days"),
        (" 12 h ", timedelta(hours=12), "12 hours"),
        ("4w", timedelta(weeks=4), "28 days"),
        ("0d", timedelta(0), "0 hours"),
        ("47h", timedelta(hours=47), "47 hours"),
        ("99999w", timedelta(weeks=99999), "699,993 days"),
    ],
)
def test_an_age_has_a_unit(text: str, age: timedelta, words: str) -> None:
    assert parse_age(text, option="--older-than") == age
    assert age_words(age) == words


@pytest.mark.parametrize("text", ["", "30", "d", "-1d", "1.5d", "30m", "30 days", "100000d", "³d"])
def test_what_is_no_age_is_one_line(text: str) -> None:
    with pytest.raises(OptionError) as problem:
        parse_age(text, option="--older-than")
    assert str(problem.value) == f'--older-than "{text}": is not an age; write 30d, 12h or 4w'
