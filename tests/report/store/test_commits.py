"""Reading lists of commits, as git and shells write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tfprof_report.errors import InputError
from tfprof_report.report.store.commits import Commits, parse_commits, places_meant


@pytest.mark.parametrize(
    "data",
    [b"aa\nbb\n", b"aa\r\nbb", b"\xef\xbb\xbfaa\n\nbb\n", "aa\r\nbb\r\n".encode("utf-16"), b" aa \n bb "],
    ids=["plain", "Windows", "with a mark", "PowerShell", "blanks"],
)
def test_a_list_of_commits_is_read_as_any_shell_writes_it(data: bytes) -> None:
    assert parse_commits(data, "f") == Commits(ids=("aa", "bb"), times=(None, None))


def test_times_are_read_where_git_was_asked_for_them() -> None:
    found = parse_commits(b"1714638600 aa\nbb\n0 cc\n", "f")
    assert found.ids == ("aa", "bb", "cc")
    assert found.times == (datetime(2024, 5, 2, 8, 30, tzinfo=UTC), None, datetime(1970, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "holds no commit"),
        (b"\n \n", "holds no commit"),
        (b"aa\ncommit bb\n", "line 2 holds more than a commit and its time"),
        (b"17 aa bb\n", "line 1 holds more than a commit and its time"),
        (b"999999999999 aa\n", "line 1 holds more than a commit and its time"),
        (b"\xff\x00\x80", "is not text"),
        (b"\xff\xfea", "is not text"),
    ],
)
def test_what_is_no_list_of_commits_is_one_line(data: bytes, words: str) -> None:
    with pytest.raises(InputError) as problem:
        parse_commits(data, "f")
    assert str(problem.value) == f"f (--ancestors): {words}; write it with git rev-list HEAD"


def test_a_text_means_the_commit_of_a_tag_else_those_that_begin_with_it() -> None:
    ids = ("abcdef01", "abcdef02", "1234567f", "abcdef01")
    commits = Commits(ids=ids, times=(None,) * 4)
    tags = {"1234567f": ("v1", "abcdef0"), "elsewhere": ("v2",)}

    def meant(text: str, named: dict[str, tuple[str, ...]]) -> tuple[int, ...]:
        return places_meant(text, commits, named)

    assert meant("v1", tags) == (2,)
    assert meant("abcdef0", tags) == (2,)  # a tag comes first
    assert meant("abcdef0", {}) == (0, 1)
    assert meant("abcdef01", {}) == (0,)
    assert meant("abcdef", {}) == ()  # six digits
    assert meant("v2", tags) == ()
    assert meant("2024-01-31", tags) == ()
