"""How far a baseline is from head: in words, and whether it is far enough for the headline."""

from __future__ import annotations

import pytest

from tfprof_report.report.distance import Distance

HOUR, DAY = 3600, 86_400


@pytest.mark.parametrize(
    ("back", "seconds", "words", "is_large"),
    [
        (41, 23 * DAY + 5, "41 commits back, 23 days old", True),
        (1, None, "1 commit back", False),
        (0, 0, "0 commits back, less than an hour old", False),
        (10, 7 * DAY, "10 commits back, 7 days old", False),
        (11, 0, "11 commits back, less than an hour old", True),
        (None, 7 * DAY + 1, "7 days old", True),
        (None, HOUR, "1 hour old", False),
        (None, 2 * DAY - 1, "47 hours old", False),
        (1234, 1234 * DAY, "1,234 commits back, 1,234 days old", True),
        (None, None, "", False),
    ],
)
def test_words_and_what_is_large(back: int | None, seconds: int | None, words: str, *, is_large: bool) -> None:
    distance = Distance(commits_back=back, age_seconds=seconds)
    assert (distance.words, distance.is_large) == (words, is_large)
