"""Choosing the nearest ancestor and the entries to prune, without files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.report.store.choice import nearest, to_prune, why_nothing
from tfprof_report.report.store.store import Entry, Held, newest_first
from tfprof_report.report.store.usable import PassedOver, Unusable

NOW = datetime(2024, 5, 2, 8, 30, tzinfo=UTC)


def entry(commit: str, days_ago: float = 0, digest: str = "0" * 16) -> Entry:
    return Entry(model="enc", commit=commit, saved=NOW - timedelta(days=days_ago), digest=digest)


def held(commit: str, days_ago: float, *, is_whole: bool = True) -> Held:
    return Held(entry=entry(commit, days_ago), files=3, size_bytes=100, is_whole=is_whole)


def names(found: tuple[Held, ...]) -> list[str]:
    return [each.entry.commit for each in found]


def test_the_nearest_ancestor_comes_first_and_of_a_commit_the_newest_save() -> None:
    entries = newest_first([entry("b", 3), entry("c", 0), entry("b", 1, "1" * 16), entry("x"), entry("b", 1, "2" * 16)])
    found = [(back, each.commit, each.digest[0]) for back, each in nearest(entries, ["a", "b", "c", "b"])]
    assert found == [(1, "b", "2"), (1, "b", "1"), (1, "b", "0"), (2, "c", "0")]


@given(st.permutations([entry("a", 1), entry("b", 1), entry("b", 1, "1" * 16), entry("b", 2)]))
def test_which_one_is_picked_does_not_depend_on_the_order_of_a_listing(entries: list[Entry]) -> None:
    assert next(nearest(newest_first(entries), ["c", "b", "a"])) == (1, entry("b", 1, "1" * 16))


def test_the_reason_for_nothing_says_what_to_do() -> None:
    assert why_nothing("enc", [], ["a"]) == "holds no baseline of the model enc"
    assert why_nothing("enc", [entry("x")], ["a"]) == (
        "has 1 report of the model enc, none is of the only commit in the list; "
        "in a shallow clone the list is short, fetch more of the history"
    )
    assert why_nothing("enc", [entry("x"), entry("abc1234")], ["f", "abc12345"]) == (
        "has 2 reports of the model enc, none is of the 2 commits in the list; "
        "abc1234 abbreviates one of them, save under full ids"
    )


def test_what_to_do_depends_on_why_reports_were_passed_over() -> None:
    options = "; give the options that the coming report is counted with"
    save = "; write a report with this version and save it"
    for kinds, advice in (
        ([Unusable.COUNTED], options),
        ([Unusable.VERSION], save),
        ([Unusable.SCHEMA], save),
        ([Unusable.VERSION, Unusable.COUNTED], options),
        ([Unusable.OLD], ""),
    ):
        passed = [PassedOver(path="p", kind=kind, why="w") for kind in kinds]
        words = why_nothing("enc", [entry("a")], ["a"], passed)
        assert words.startswith("has no usable baseline of the model enc; passed over: 1 ")
        assert words.removesuffix(advice).endswith(kinds[-1])


HELD = [held("d", 1), held("c", 3, is_whole=False), held("c", 10), held("d", 20), held("b", 30), held("a", 99)]


@pytest.mark.parametrize(
    ("keep", "days", "removed"),
    [
        (1, None, ["c", "c", "d", "b", "a"]),
        (2, None, ["c", "d", "b", "a"]),
        (9, None, ["c", "d"]),
        (None, 25, ["c", "b", "a"]),
        (None, 30, ["c", "a"]),  # 30 days are not more than 30 days
        (3, 15, ["c", "d", "a"]),
        (None, 0, ["d", "c", "c", "d", "b", "a"]),
    ],
)
def test_what_is_beyond_the_newest_and_old_enough_goes(keep: int | None, days: int | None, removed: list[str]) -> None:
    age = None if days is None else timedelta(days=days)
    assert names(to_prune(HELD, keep=keep, older_than=age, now=NOW)) == removed


def test_a_save_that_goes_on_is_left_alone() -> None:
    going_on = [held("a", 0.9, is_whole=False), held("b", 0, is_whole=False)]
    assert to_prune(going_on, keep=1, older_than=timedelta(0), now=NOW) == ()


def test_a_save_from_a_clock_that_is_ahead_is_not_old() -> None:
    assert to_prune([held("a", -400)], keep=None, older_than=timedelta(days=1), now=NOW) == ()
