"""Commits and tags as git gives them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from histories import START, Repository

from tfprof_report.errors import InputError, OptionError
from tfprof_report.history.git_log import read_log, read_tags
from tfprof_report.report.store.commits import parse_commits
from tfprof_report.report.tags import parse_tags


def test_commits_have_their_dates_and_annotated_tags_name_commits(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first, second = (repository.commit(report=None) for _ in range(2))
    repository.tag("v1", first)
    repository.git("tag", "light", second)
    found = parse_commits(read_log(str(repository.folder)), "")
    assert found.ids == (second, first)
    assert found.times == (START + timedelta(days=1), START)
    assert parse_tags(read_tags(str(repository.folder)), "") == {first: ("v1",), second: ("light",)}


def test_of_a_merge_the_first_parent_is_followed(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first = repository.commit(report=None)
    repository.git("switch", "--quiet", "--create", "side")
    repository.commit(report=None)
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "merge", "side", day=5)
    merged = repository.git("rev-parse", "HEAD")
    assert parse_commits(read_log(str(repository.folder)), "").ids == (merged, first)


def test_what_is_no_repository_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"git cannot read it \(not a git repository.*give the folder of a") as found:
        read_log(str(tmp_path))
    assert "\\n" not in str(found.value)
    with pytest.raises(InputError, match="git cannot read it") as found:
        read_log(str(Repository(tmp_path).folder))
    assert "\\n" not in str(found.value)


def test_without_git_a_list_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(OptionError, match="git is not installed; give --ancestors FILE"):
        read_log(".")
