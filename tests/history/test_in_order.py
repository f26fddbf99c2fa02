"""Reports in the order of git: one for each commit, and ways of counting kept apart."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from indexed import commits_of, index_of, index_row, reversed_commits

from tfprof_report.history.in_order import Ordered, oldest_first, put_in_order
from tfprof_report.report.store.commits import Commits


def ordered(*rows: dict[str, Any], count: int = 10) -> Ordered:
    return put_in_order(index_of(rows).sort_by("saved"), commits_of(count))


def shown(found: Ordered) -> list[tuple[str, int]]:
    return list(zip(found.rows["commit"].to_pylist(), found.rows["era"].to_pylist(), strict=True))


def test_commits_are_turned_round_and_the_nearest_of_a_repeated_one_stays() -> None:
    commits = Commits(ids=("c", "b", "a", "b"), times=(None, None, None, None))
    assert oldest_first(commits).ids == ("a", "b", "c")
    assert oldest_first(reversed_commits(3)) == commits_of(3)


def test_the_order_is_that_of_git_and_not_of_saving() -> None:
    found = ordered(index_row("c3", saved=1), index_row("c1", saved=2), index_row("c7", saved=0))
    assert found.rows["commit"].to_pylist() == ["c1", "c3", "c7"]
    assert found.rows["commit_number"].to_pylist() == [1, 3, 7]


def test_of_a_commit_the_report_saved_last_is_shown() -> None:
    found = ordered(index_row("c1", saved=5, params=1), index_row("c1", saved=9, params=2), index_row("c1", params=3))
    assert found.rows["params"].to_pylist() == [2]
    assert found.earlier == 2


def test_reports_of_other_commits_are_counted() -> None:
    found = ordered(index_row("c1"), index_row("x"), index_row("c"))
    assert (shown(found), found.elsewhere) == ([("c1", 0)], 2)


def test_an_era_ends_where_figures_are_counted_otherwise() -> None:
    found = ordered(*(index_row(f"c{number}", counting="aabbb"[number]) for number in range(5)))
    assert shown(found) == [("c0", 0), ("c1", 0), ("c2", 1), ("c3", 1), ("c4", 1)]
    assert found.recounted == ()


def test_what_is_counted_otherwise_between_two_alike_is_left_out_and_named() -> None:
    found = ordered(*(index_row(f"c{number}", counting="abacc"[number]) for number in range(5)))
    assert shown(found) == [("c0", 0), ("c2", 0), ("c3", 1), ("c4", 1)]
    assert [each.path.partition("_")[0] for each in found.recounted] == ["m/c1"]
    assert found.recounted[0].kind == "counted otherwise"


def test_of_a_commit_counted_in_two_ways_the_newer_one_is_shown_once() -> None:
    rows = [
        index_row("c0", counting="a"),
        index_row("c1", counting="a"),
        index_row("c1", counting="b", saved=1),
        index_row("c2", counting="b"),
    ]
    assert shown(ordered(*rows)) == [("c0", 0), ("c1", 1), ("c2", 1)]


def test_nothing_is_nothing() -> None:
    assert shown(ordered()) == []


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from("abc"), st.integers(0, 5)), max_size=30))
def test_every_report_is_shown_or_counted(drawn: list[tuple[int, str, int]]) -> None:
    rows = [index_row(f"c{number}", counting=way, saved=saved) for number, way, saved in drawn]
    found = ordered(*rows)
    numbers, eras = found.rows["commit_number"].to_pylist(), found.rows["era"].to_pylist()
    assert numbers == sorted(set(numbers))
    assert eras == sorted(eras)
    assert not eras or set(eras) == set(range(eras[-1] + 1))
    assert len(numbers) + found.elsewhere + found.earlier + len(found.recounted) == len(rows)
    ways = found.rows["counting"].to_pylist()
    assert all((ways[at] == ways[at + 1]) == (eras[at] == eras[at + 1]) for at in range(len(ways) - 1))
    listed = [row for row in rows if int(row["commit"][1:]) < 10]
    if listed:  # the newest report is always there
        newest = max(int(row["commit"][1:]) for row in listed)
        assert numbers[-1] == newest
