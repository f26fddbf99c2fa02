"""The commits of a range, the oldest first."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from commits import git, write_commits

from tfprof_report.errors import InputError, OptionError
from tfprof_report.history.git_range import read_commit, read_range, top_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def test_a_range_has_the_commits_after_its_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = write_commits(tmp_path / "repo", [{"f": str(number)} for number in range(4)])
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))  # as in a hook of another repository
    found = read_range(str(tmp_path / "repo"), f"{commits[0]}..HEAD")
    assert [each.commit for each in found] == commits[1:]
    assert [each.subject for each in found] == ["make step 2", "make step 3", "make step 4"]
    assert found[0].time.isoformat() == "2024-05-02T08:30:00+00:00"
    assert read_commit(str(tmp_path / "repo"), "HEAD~3").commit == commits[0]
    (tmp_path / "repo" / "inner").mkdir()
    assert Path(top_of(str(tmp_path / "repo" / "inner"))) == (tmp_path / "repo").resolve()


def test_a_merge_stands_for_the_commits_that_it_brought(tmp_path: Path) -> None:
    (first, main) = write_commits(tmp_path, [{"f": "1"}, {"f": "2"}])
    git(tmp_path, "checkout", "--quiet", "-b", "side", first)
    (tmp_path / "g").write_text("side")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "-m", "on the side")
    git(tmp_path, "checkout", "--quiet", main)
    git(tmp_path, "merge", "--quiet", "--no-edit", "side")
    assert [each.commit for each in read_range(str(tmp_path), f"{first}..HEAD")] == [
        main,
        git(tmp_path, "rev-parse", "HEAD"),
    ]


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("HEAD", OptionError, '--git-range "HEAD": is not a range of commits; write A..B, as v1.2..HEAD'),
        ("a...b", OptionError, '--git-range "a...b": is not a range of commits'),
        ("..b", OptionError, '--git-range "..b": is not a range of commits'),
        ("--all..b", OptionError, '--git-range "--all..b": is not a range of commits'),
        ("HEAD..HEAD", OptionError, '--git-range "HEAD..HEAD": has no commits; write the older commit first'),
        (
            "nosuch..HEAD",
            InputError,
            "(--git-range): git cannot read it (bad revision 'nosuch..HEAD'); fetch its commits",
        ),
    ],
)
def test_what_is_no_range_is_one_line(tmp_path: Path, text: str, kind: type[Exception], line: str) -> None:
    write_commits(tmp_path, [{"f": "1"}])
    with pytest.raises(kind, match=re.escape(line)):
        read_range(str(tmp_path), text)
