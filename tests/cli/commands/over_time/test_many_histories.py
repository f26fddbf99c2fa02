"""The command `history` on many models: gates on the newest reports, models that fail, and workers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batches import content_of
from command import Outcome, call, spawn
from histories import Repository


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return a repository of four commits; the widths of the model grow at the second and at the last."""
    repository = Repository(tmp_path_factory.mktemp("many"))
    for number, width in enumerate((16, 20, 20, 22)):
        repository.commit(widths={"encoder": width})
        if number == 3:
            repository.save(repository.commits[-1], 3, model="net2")
    repository.tag("v1", repository.commits[0])
    return repository


@pytest.fixture(autouse=True)
def _fixed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714638600")


@pytest.fixture
def repository(made: Repository, tmp_path: Path) -> Iterator[Repository]:
    """Return the repository, whose store a test may change."""
    kept = made.store
    made.store = Path(shutil.copytree(kept, tmp_path / "store"))
    yield made
    made.store = kept


def history(repository: Repository, *arguments: object) -> Outcome:
    return call("history", repository.store, "--out", "h", "--git", repository.folder, "--config", "none", *arguments)


def written() -> Any:
    return json.loads(Path("h/history.json").read_text())


def verdicts() -> dict[str, Any]:
    return {model["name"]: model["verdict"] for model in written()["models"]}


def test_without_gates_nothing_is_judged(repository: Repository) -> None:
    assert history(repository).code == 0
    assert verdicts() == {"net": None, "net2": None}
    assert (written()["exit_code"], written()["failed"]) == (0, [])


def test_the_newest_report_is_judged_by_the_one_before_it_and_by_that_of_a_release(repository: Repository) -> None:
    # 32 x 16 = 512 at v1, 640 after it, 704 at last
    gates = ("--gate", "params <= +10%", "--gate", "params <= +37% since v1", "--gate", "net2: params <= 700")
    outcome = history(repository, *gates)
    assert outcome.code == 1
    found = verdicts()
    assert [(gate["gate"], gate["status"]) for gate in found["net"]["gates"]] == [
        ("params <= +10%", "passed"),
        ("params <= +37% since v1", "failed"),
    ]
    assert "512 -> 704" in found["net"]["gates"][1]["text"]
    assert found["net"]["gates"][1]["reference"].startswith(
        f"since v1 (commit {repository.commits[0][:12]}, 3 commits back"
    )
    # the other model has one report: nothing to compare it with, but a budget
    assert [(gate["gate"], gate["status"]) for gate in found["net2"]["gates"]] == [
        ("params <= +10%", "skipped"),
        ("params <= +37% since v1", "no reference"),
        ("params <= 700", "failed"),
    ]
    assert written()["exit_code"] == 1
    assert [line.split(": ")[:2] for line in outcome.out.splitlines()[1:4:2]] == [["net", "FAILED"], ["net2", "FAILED"]]
    for name in ("history.html", "history.md"):
        assert "FAILED: params" in Path("h", name).read_text()


def test_since_when_a_page_shows_changes_no_verdict(repository: Repository) -> None:
    gates = ("--gate", "params <= +10%", "--gate", "params <= +38% since v1", "--model", "net")
    assert history(repository, *gates, "--last", "1").code == 0
    assert verdicts()["net"]["outcome"] == "ok"


def test_gates_of_the_rules_file_are_judged_if_asked_for(repository: Repository) -> None:
    Path("rules.toml").write_text('gates = [{ gate = "params <= +5%", model = "net" }, "params <= 1k"]\n')
    command = ("history", repository.store, "--out", "h", "--git", repository.folder, "--config", "rules.toml")
    assert call(*command).code == 0
    assert call(*command, "--judge").code == 1
    assert {name: each["outcome"] for name, each in verdicts().items()} == {"net": "failed", "net2": "ok"}
    Path("accepted.toml").write_text(
        '[[acknowledged]]\nmetric = "params"\nvalue = 704\nreason = "wider"\nexpires = 2030-01-01\n'
    )
    assert call(*command, "--judge", "--acknowledged", "accepted.toml").code == 0
    refused = call(*command, "--acknowledged", "accepted.toml")
    assert (refused.code, refused.error) == (2, "--acknowledged: nothing is judged; give --judge or --gate")


def test_a_pruned_report_is_not_judged(repository: Repository) -> None:
    (newest,) = (repository.store / "net").glob(f"{repository.commits[3]}_*")
    shutil.rmtree(newest)
    assert history(repository, "--gate", "params <= 1k", "--model", "net").code == 5
    assert "was pruned" in verdicts()["net"]["text"]


def test_a_gate_that_starts_nowhere_is_a_usage_error(repository: Repository) -> None:
    outcome = history(repository, "--gate", "params <= +2% since v9")
    assert outcome.code == 2
    assert "v9" in outcome.error
    assert not Path("h").exists()


def damage(repository: Repository) -> None:
    """Make the newest report of net2 one that was changed after it was saved."""
    (report,) = (repository.store / "net2").iterdir()
    (report / "nodes.parquet").write_bytes(b"x")


def test_a_model_that_fails_is_a_line_and_the_rest_go_on(repository: Repository) -> None:
    damage(repository)
    outcome = history(repository, "--gate", "params <= 1k")
    assert outcome.code == 4
    assert outcome.error.startswith("net2: ")
    assert list(verdicts()) == ["net"]
    (failed,) = written()["failed"]
    assert (failed["name"], failed["exit_code"]) == ("net2", 4)
    assert failed["reason"] in Path("h/history.html").read_text().replace("&#39;", "'")
    assert "net2: " in Path("h/history.md").read_text()


def test_if_all_fail_nothing_is_written(repository: Repository) -> None:
    damage(repository)
    outcome = history(repository, "--gate", "params <= 1k", "--model", "net2")
    assert outcome.code == 4
    assert "nodes.parquet" in outcome.error
    assert not Path("h").exists()


def test_jobs_are_at_least_one(repository: Repository) -> None:
    assert history(repository, "--jobs", "0").error == "--jobs: 0 is too few; give 1 or more"


@pytest.mark.thorough
def test_workers_make_the_same(repository: Repository) -> None:
    damage(repository)
    gates = ("--gate", "params <= +10%", "--gate", "params <= +37% since v1")
    alone = history(repository, *gates)
    files = content_of(Path("h"))
    command = ("history", "store", "--out", "h", "--git", repository.folder, "--config", "none")
    together = spawn(*command, *gates, "--jobs", 2, folder=Path.cwd())
    assert (together.code, together.err) == (4, alone.err.replace(str(repository.store), "store"))
    again = history(repository, *gates)
    assert again == alone
    assert content_of(Path("h")) == files


@pytest.mark.thorough
def test_no_scheduler_is_one_line(repository: Repository) -> None:
    outcome = history(repository, "--scheduler", "tcp://127.0.0.1:1")
    assert outcome.code == 3
    assert outcome.error.startswith("--scheduler tcp://127.0.0.1:1: no scheduler answers")
