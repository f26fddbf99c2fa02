"""Reports of past commits: `batch --git-range`, and the commit that changed a figure."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from batches import Running, rows_of, states_of
from command import call, small_model, summary_of
from commits import git, write_commits

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

COMMAND = 'test -e models/$(cat width) || { echo "no width $(cat width)" >&2; exit 3; }; cp -r models/$(cat width) made'


@pytest.fixture
def commits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return commits of a model that becomes wider in the sixth, of which the third makes no profile."""
    repo = tmp_path / "repo"
    for width in (4, 5):
        small_model(repo / "models" / str(width), width=width)
    monkeypatch.chdir(repo)
    return write_commits(repo, [{"width": width, "step": str(at)} for at, width in enumerate("44044555")])


def words(*more: object, given: str = "HEAD~6..HEAD") -> list[object]:
    return ["--git-range", given, "--command", COMMAND, "--profile", "made", "--model", "net", *more]


def test_each_commit_has_a_report_or_a_row_that_says_why_not(tmp_path: Path, commits: list[str]) -> None:
    code, _, err = Running(tmp_path / "repo", *words("--store", tmp_path / "store", "--out", tmp_path / "out")).end()
    names = [f"net-{commit[:12]}" for commit in commits[2:]]
    assert code == 3, err
    assert states_of(tmp_path / "out") == {names[0]: "failed", **dict.fromkeys(names[1:], "written")}
    row = rows_of(tmp_path / "out")[names[0]]
    assert row["reason"] == f"{COMMAND} (--command): ended with exit code 3: no width 0"
    assert (row["messages"], row["commit"]) == (["no width 0"], commits[2])
    listed = json.loads(call("baseline", "list", tmp_path / "store", "--json").out)
    found = sorted((each["time"], each["commit"], each["figures"]["params"]) for each in listed)
    assert found == [
        (f"2024-05-0{day}T08:30:00Z", commits[day - 1], params)
        for day, params in ((4, 12), (5, 12), (6, 15), (7, 15), (8, 15))
    ]
    code, _, err = Running(tmp_path / "repo", *words("--store", tmp_path / "store", "--out", tmp_path / "out")).end()
    assert states_of(tmp_path / "out") == {names[0]: "failed", **dict.fromkeys(names[1:], "skipped")}, err


@pytest.mark.thorough
def test_a_worker_that_is_killed_leaves_no_worktree(
    tmp_path: Path, commits: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    kill_once = f"mkdir '{tmp_path}/once' 2>/dev/null && kill -9 $PPID; cp -r models/$(cat width) made"
    options = ["--git-range", "HEAD~2..HEAD", "--command", kill_once, "--profile", "made", "--out", tmp_path / "out"]
    code, _, err = Running(tmp_path / "repo", *options).end()
    assert (code, sorted(row["attempts"] for row in rows_of(tmp_path / "out").values())) == (0, [1, 2]), err
    assert git(tmp_path / "repo", "worktree", "list").count("\n") == 0
    assert list((tmp_path / "temporary").glob("tfprof-report-*")) == []
    assert len(states_of(tmp_path / "out")) == len(commits[-2:])


def test_every_third_commit_is_counted_from_the_last(tmp_path: Path, commits: list[str]) -> None:
    planned = call("batch", *words("--every", 3, "--out", tmp_path / "out", "--dry-run", given="HEAD~7..HEAD"))
    assert planned.code == 0
    lines = planned.out.splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"net-{commits[at][:12]}" for at in (1, 4, 7)]
    assert f"report made --commit={commits[7]} --timestamp=2024-05-08T08:30:00Z --config=none" in lines[2]


def test_a_gate_may_name_the_model(tmp_path: Path, commits: list[str]) -> None:
    assert commits
    given = words("--gate", "net: params <= 12", "--gate", "params <= 20", "--out", tmp_path / "out", "--dry-run")
    planned = call("batch", *given)
    assert planned.code == 0
    assert "'--gate=params <= 12' '--gate=params <= 20'" in planned.out.splitlines()[0]
    other = call("batch", *words("--gate", "other: params <= 12", "--out", tmp_path / "out", "--dry-run"))
    assert (other.code, other.err) == (
        2,
        'tfprof-report: --gate "other: params <= 12": "other" is not known; choose from net\n',
    )


@pytest.mark.parametrize("jobs", [2, pytest.param(1, marks=pytest.mark.thorough)])
def test_the_commit_that_changed_a_figure_is_found(tmp_path: Path, commits: list[str], jobs: int) -> None:
    options = words("--bisect", "params", "--jobs", jobs, "--out", tmp_path / "out", given=f"{commits[0]}..HEAD")
    code, out, err = Running(tmp_path / "repo", *options).end()
    assert out.splitlines()[0] == f"params changed from 12 to 15 in {commits[5][:12]} (2024-05-06, make step 6)", err
    states = states_of(tmp_path / "out")
    assert code == (3 if "failed" in states.values() else 0)
    assert {f"net-{commits[at][:12]}" for at in (0, 4, 5, 7)} <= states.keys()
    assert len(states) < len(commits)
    assert summary_of(tmp_path / "out" / f"net-{commits[5][:12]}")["side"]["timestamp"] == "2024-05-06T08:30:00Z"


@pytest.mark.thorough
def test_ends_that_are_equal_or_unknown_are_said(tmp_path: Path, commits: list[str]) -> None:
    same = words("--bisect", "params", "--out", tmp_path / "out", given="HEAD~2..HEAD")
    code, out, _ = Running(tmp_path / "repo", *same).end()
    ends = [f"{commits[at][:12]} (2024-05-0{at + 1}, make step {at + 1})" for at in (5, 7)]
    assert (code, out.splitlines()[0]) == (0, f"params is the same in {ends[0]} and {ends[1]}")
    failed = words("--bisect", "params", "--out", tmp_path / "out", given=f"{commits[2]}..HEAD")
    code, _, err = Running(tmp_path / "repo", *failed).end()
    assert code == 3
    assert f"--bisect: params of {commits[2][:12]} (2024-05-03, make step 3) is not known: " in err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "nothing to report on; name a manifest, inputs, or --git-range A..B"),
        (["x", "--command", "make"], "--command: is about past commits, and none are named; give --git-range A..B"),
        (["x", "--every", "2"], "--every: is about past commits, and none are named; give --git-range A..B"),
        (["x", *words()], "--git-range: makes the inputs of each commit; leave out x"),
        (["--git-range", "A..B", "--profile", "p"], "Missing option '--command'; name the command, and what it makes"),
        (words("--commit", "x"), "--commit: each report has the commit that it is of; leave it out"),
        (words("--every", "0"), "--every: 0 is no number of commits; give 1 or more"),
        (words("--bisect", "parms"), '--bisect: "parms" is not known; did you mean params?'),
        (words("--bisect", "micros"), "--bisect: micros differs from run to run; see where it moved with history"),
        (words("--command-limit", "soon"), '--command-limit "soon": is not a time above 0; write 90s, 30m or 2h'),
        (words(given="HEAD"), '--git-range "HEAD": is not a range of commits; write A..B, as v1.2..HEAD'),
        ([*words()[:-1], "a/b"], '--model "a/b": a name has letters, digits, _ - and . only'),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_started(
    tmp_path: Path, commits: list[str], arguments: list[object], line: str
) -> None:
    assert commits
    done = call("batch", *arguments, "--out", tmp_path / "out")
    assert (done.code, done.error[: len(line)]) == (2, line)
    assert not (tmp_path / "out").exists()
