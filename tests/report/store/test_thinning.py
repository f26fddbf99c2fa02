"""Which reports a thinned history keeps, against a slow reference."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof_report.report.store.choice import to_prune
from tfprof_report.report.store.store import Entry, Held
from tfprof_report.report.store.thinning import Thinning

NOW = datetime(2024, 5, 2, 8, 30, tzinfo=UTC)  # a Thursday


def entry(commit: str, saved: datetime, digest: int = 0) -> Entry:
    return Entry(model="enc", commit=commit, saved=saved, digest=f"{digest:016x}")


def kept(thinning: Thinning, entries: list[Entry], times: dict[str, datetime] | None = None) -> set[str]:
    return {each.commit for each in thinning.keeps(entries, times or {}, NOW)}


HOURLY = [entry(f"{hours:03}", NOW - timedelta(hours=hours)) for hours in range(24 * 21)]
"""Three weeks of a report an hour, by its age in hours."""


def test_the_newest_of_each_day_and_of_each_week_from_monday() -> None:
    assert kept(Thinning(daily=3), HOURLY) == {"000", "009", "033"}  # 8:30 today, 23:30 of the two days before
    assert kept(Thinning(weekly=3), HOURLY) == {"000", "081", "249"}  # Sundays, 23:30
    assert kept(Thinning(daily=2, weekly=2), HOURLY) == {"000", "009", "081"}
    assert len(kept(Thinning(daily=90), HOURLY)) == 22
    assert kept(Thinning(tagged={"007", "100", "nosuch"}), HOURLY) == {"007", "100"}
    assert kept(Thinning(), HOURLY) == set()


def test_days_without_a_report_do_not_count() -> None:
    few = [entry("a", NOW - timedelta(days=400)), entry("b", NOW - timedelta(days=30)), entry("c", NOW)]
    assert kept(Thinning(daily=2), few) == {"b", "c"}
    assert kept(Thinning(weekly=3), few) == {"a", "b", "c"}


def test_the_week_of_a_year_is_that_of_the_calendar() -> None:
    year = [entry("a", datetime(2024, 12, 30, tzinfo=UTC)), entry("b", datetime(2025, 1, 3, tzinfo=UTC))]
    assert {each.commit for each in Thinning(weekly=9).keeps(year, {}, datetime(2025, 2, 1, tzinfo=UTC))} == {"b"}


def test_the_time_of_a_report_counts_rather_than_that_of_saving() -> None:
    one, two = entry("a", NOW), entry("b", NOW - timedelta(days=1))
    times = {one.path: NOW - timedelta(days=9), two.path: NOW - timedelta(days=9, hours=1)}
    assert kept(Thinning(daily=9), [one, two], times) == {"a"}


def test_times_in_the_future_say_nothing() -> None:
    wrong, ahead, real = entry("wrong", NOW), entry("ahead", datetime(9999, 1, 1, tzinfo=UTC)), entry("real", NOW, 1)
    times = {wrong.path: datetime(9999, 12, 31, tzinfo=UTC)}
    assert kept(Thinning(daily=1, weekly=1), [wrong, ahead, real], times) == {"real"}
    assert kept(Thinning(tagged={"ahead"}), [wrong, ahead, real], times) == {"ahead"}


_HOURS = st.integers(min_value=0, max_value=24 * 40)
_REPORTS = st.lists(st.tuples(st.sampled_from("abcdef"), _HOURS, st.none() | _HOURS), max_size=25)


@settings(max_examples=examples(300))
@given(
    reports=_REPORTS,
    keep=st.none() | st.integers(1, 4),
    days=st.none() | st.integers(0, 30),
    thinning=st.builds(
        Thinning, daily=st.integers(0, 5), weekly=st.integers(0, 5), tagged=st.sets(st.sampled_from("abcdef"))
    ),
)
def test_a_report_stays_if_any_rule_keeps_it(
    reports: list[tuple[str, int, int | None]],
    keep: int | None,
    days: int | None,
    thinning: Thinning,
) -> None:
    entries = [entry(commit, NOW - timedelta(hours=age), at) for at, (commit, age, _) in enumerate(reports)]
    ages = {each.path: age for each, (_, _, age) in zip(entries, reports, strict=True) if age is not None}
    times = {path: NOW - timedelta(hours=age) for path, age in ages.items()}
    entries.sort(key=lambda each: (each.saved, each.digest), reverse=True)
    held = [Held(entry=each, files=1, size_bytes=1, is_whole=True) for each in entries]
    chosen = thinning.keeps(entries, times, NOW)
    older_than = None if days is None else timedelta(days=days)
    going = {each.entry for each in to_prune(held, keep=keep, older_than=older_than, now=NOW, thinned=chosen)}

    def at(each: Entry) -> datetime:
        return times.get(each.path, each.saved)

    def is_newest(each: Entry, form: str, count: int) -> bool:
        of_period: dict[str, list[Entry]] = {}
        for other in entries:
            of_period.setdefault(at(other).strftime(form), []).append(other)
        own = of_period[at(each).strftime(form)]
        later = [period for period in of_period if period > at(each).strftime(form)]
        return each == max(own, key=lambda one: (at(one), one.saved, one.digest)) and len(later) < count

    for each in entries:
        newer_commits = {other.commit for other in entries[: entries.index(each)]}
        by_keep = each.commit not in newer_commits and len(newer_commits) < (keep or 0)
        by_age = days is not None and NOW - each.saved <= timedelta(days=days)
        stays = (
            by_keep
            or by_age
            or is_newest(each, "%Y-%m-%d", thinning.daily)
            or is_newest(each, "%G-%V", thinning.weekly)
            or each.commit in thinning.tagged
        )
        assert (each not in going) == stays
