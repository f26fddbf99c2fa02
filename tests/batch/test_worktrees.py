"""A worktree goes with its block; one whose process was killed goes with the next look for such."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commits import git, write_commits

from tfprof_report.batch.worktrees import without_leftovers, worktree
from tfprof_report.errors import InputError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

HOLD = """
import sys, time
from tfprof_report.batch.worktrees import worktree
with worktree(*sys.argv[1:]) as tree:
    print(tree, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    return write_commits(tmp_path / "repo", [{"width": "4"}, {"width": "5"}])


def trees(tmp_path: Path) -> list[Path]:
    """Return the worktrees that git knows beside that of the repository."""
    listed = git(tmp_path / "repo", "worktree", "list", "--porcelain").splitlines()
    return [Path(line.split(" ", 1)[1]) for line in listed if line.startswith("worktree ")][1:]


def held(tmp_path: Path, commit: str) -> tuple[subprocess.Popen[str], Path]:
    """Return a process that has a worktree, and this."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "repo"), commit], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        return process, Path(process.stdout.readline().strip())


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(tmp_path: Path, commits: list[str]) -> None:
    repository = str(tmp_path / "repo")
    (killed, left), (living, kept) = (held(tmp_path, commit) for commit in commits)
    own = tmp_path / "temporary" / "users" / "tree"
    git(tmp_path / "repo", "worktree", "add", "--detach", str(own), commits[0])
    try:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert sorted(trees(tmp_path)) == sorted([left, kept, own])
        with without_leftovers(repository):
            assert sorted(trees(tmp_path)) == sorted([kept, own])
            assert ((kept / "width").read_text(), left.parent.exists()) == ("5", False)
            living.send_signal(signal.SIGKILL)
            living.wait()
            assert kept.exists()
        assert trees(tmp_path) == [own]
        assert [each.name for each in (tmp_path / "temporary").iterdir()] == ["users"]
    finally:
        living.kill()
        living.wait()


def test_a_worktree_whose_folder_is_not_on_this_machine_is_left_to_git(tmp_path: Path, commits: list[str]) -> None:
    with worktree(str(tmp_path / "repo"), commits[0]) as tree:
        moved = tree.parent.rename(tmp_path / "elsewhere")
        with without_leftovers(str(tmp_path / "repo")):
            assert trees(tmp_path) == [tree]
        moved.rename(tree.parent)
        assert (tree / "width").read_text() == "4"
    assert trees(tmp_path) == []


def test_a_folder_without_a_repository_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\(--git-range\): git cannot read it"), without_leftovers(str(tmp_path)):
        raise AssertionError
