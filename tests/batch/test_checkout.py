"""The inputs of a commit are made in a worktree of its own, which leaves nothing behind."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

import pytest
from commits import git, write_commits

from tfprof_report.batch.checkout import CommandError, checked_out
from tfprof_report.batch.entry import Checkout
from tfprof_report.errors import InputError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture
def commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    return write_commits(tmp_path / "repo", [{"width": "4"}, {"width": "5"}])


def checkout(tmp_path: Path, commit: str, command: str, limit: float | None = None) -> Checkout:
    return Checkout(repository=str(tmp_path / "repo"), commit=commit, command=command, limit=limit)


def check_clean(tmp_path: Path) -> None:
    assert list((tmp_path / "temporary").iterdir()) == []
    assert git(tmp_path / "repo", "worktree", "list").count("\n") == 0
    assert git(tmp_path / "repo", "status", "--short") == ""


def test_a_command_runs_in_the_state_of_its_commit(tmp_path: Path, commits: list[str]) -> None:
    before = Path.cwd()
    for commit, width in zip(commits, "45", strict=True):
        with checked_out(checkout(tmp_path, commit, "mkdir made; cp width made/; echo done")):
            assert Path.cwd() != before
            assert Path("made/width").read_text() == width
        assert Path.cwd() == before
        check_clean(tmp_path)


def test_without_a_checkout_nothing_moves() -> None:
    before = Path.cwd()
    with checked_out(None):
        assert Path.cwd() == before


@pytest.mark.parametrize(
    ("command", "words", "output"),
    [
        ("echo one; echo two >&2; exit 3", "ended with exit code 3: two", ("one", "two")),
        ("exit 7", "ended with exit code 7", ()),
        ("kill -9 $$", "was ended by signal 9", ()),
        ("seq 30; false", "ended with exit code 1: 30", tuple(map(str, range(11, 31)))),
    ],
)
def test_a_command_that_fails_is_one_line_with_the_end_of_its_output(
    tmp_path: Path, commits: list[str], command: str, words: str, output: tuple[str, ...]
) -> None:
    with pytest.raises(CommandError) as problem, checked_out(checkout(tmp_path, commits[0], command)):
        raise AssertionError
    assert str(problem.value) == f"{command} (--command): {words}"
    assert problem.value.output == output
    check_clean(tmp_path)


def test_a_command_that_never_ends_is_ended_with_all_that_it_started(tmp_path: Path, commits: list[str]) -> None:
    command = "sleep 300 & echo $! > ../../../pid; echo started; wait"
    with (
        pytest.raises(CommandError, match=re.escape("took longer than --command-limit, 1 seconds: started")),
        checked_out(checkout(tmp_path, commits[0], command, limit=1.0)),
    ):
        raise AssertionError
    child = int((tmp_path / "pid").read_text())
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        if "Z" in Path(f"/proc/{child}/stat").read_text().split(")")[1][:3]:
            break
        time.sleep(0.05)
    else:
        raise AssertionError("it still runs")
    check_clean(tmp_path)


def test_a_commit_that_is_not_there_is_one_line(tmp_path: Path, commits: list[str]) -> None:
    assert commits
    words = r"repo \(--git-range\): git cannot read it \(invalid reference: 0000000\)"
    with pytest.raises(InputError, match=words), checked_out(checkout(tmp_path, "0000000", "true")):
        raise AssertionError
    check_clean(tmp_path)
