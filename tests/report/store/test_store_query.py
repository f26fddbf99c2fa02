from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from indexed import DAY, index_of, index_row

from tfprof_report.errors import OptionError
from tfprof_report.report.store.store_query import Query, parse_query

NOW = datetime(2024, 3, 1, tzinfo=UTC)


def parse(text: str, last: int | None = 1) -> Query:
    return parse_query(text, option="--query", now=NOW, last=last)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", Query(last=1)),
        ("model=encoder, branch=main, last=5", Query(model=("encoder",), branch=("main",), last=5)),
        (" model = a ,model=b,, ", Query(model=("a", "b"), last=1)),
        ("since=2024-02-01", Query(since=datetime(2024, 2, 1, tzinfo=UTC))),
        ("since=30d, last=2", Query(since=NOW - timedelta(days=30), last=2)),
        ("since=99999w", Query(since=NOW - timedelta(weeks=99999))),
        ("commit=abc, label=x=y", Query(commit=("abc",), label=("x=y",), last=1)),
    ],
)
def test_queries(text: str, query: Query) -> None:
    assert parse(text) == query


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("encoder", '"encoder" is not KEY=VALUE; write KEY=VALUE, ..., such as'),
        ("model=", '"model=" is not KEY=VALUE'),
        ("modle=a", '"modle" is not known; did you mean model?'),
        ("last=0", "last=0 is no number of reports; give 1 or more"),
        ("last=-1", "last=-1 is no number of reports"),
        ("last=\N{SUPERSCRIPT TWO}", "is no number of reports"),
        ("last=1, last=2", "last is given twice"),
        ("since=soon", "soon is no day and no age"),
        (",", "says nothing"),
    ],
)
def test_wrong_queries(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=re.escape(words)):
        parse(text)


def test_an_age_before_all_dates_means_every_report() -> None:
    early = datetime(1000, 1, 1, tzinfo=UTC)
    found = parse_query("since=99999w", option="--query", now=early, last=1)
    assert found.since == datetime.min.replace(tzinfo=UTC)


def commits(query: Query) -> list[str]:
    rows = [
        index_row("aa1", saved=1, branch="main", label="x"),
        index_row("bb2", saved=2, branch="main", label="y"),
        index_row("aa1", saved=3, branch="main", label="z"),
        index_row("cc3", saved=4, branch="next", time=DAY - timedelta(days=9)),
    ]
    return [f"{row['commit']}/{row['label']}" for row in query.select(index_of(rows))]


def test_the_newest_report_of_each_commit_the_oldest_first() -> None:
    assert commits(Query()) == ["cc3/None", "bb2/y", "aa1/z"]
    assert commits(Query(last=2)) == ["bb2/y", "aa1/z"]
    assert commits(Query(last=99)) == commits(Query())


def test_reports_of_a_branch_a_commit_or_a_label() -> None:
    assert commits(Query(branch=("next",))) == ["cc3/None"]
    assert commits(Query(branch=("next", "main"), last=1)) == ["aa1/z"]
    assert commits(Query(commit=("aa", "c"))) == ["cc3/None", "aa1/z"]
    assert commits(Query(label=("x",))) == []
    assert commits(Query(since=DAY)) == ["bb2/y", "aa1/z"]
