"""Several models judged and written from Python, without the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call, small_model

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import BaselineError, InputError
from tfprof_report.ingest.paths import InputPaths, resolve_paths
from tfprof_report.job import Job
from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.models_job import ModelJob, write_models
from tfprof_report.report.explained import Explained
from tfprof_report.report.models import ModelStatus

TIME = "2026-01-01T00:00:00Z"
GATE = "params <= +0"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with two models; the second one has more parameters."""
    monkeypatch.chdir(tmp_path)
    small_model(tmp_path / "small")
    small_model(tmp_path / "large", width=5)
    return tmp_path


def job_of(path: str) -> Job:
    policy = Policy(gates=(parse_gate(GATE),))
    return Job(head=resolve_paths(path), base=None, policy=policy, measurement=AS_REPORTS)


def model(name: str, head: str, base: str | None = None) -> ModelJob:
    def find_base() -> InputPaths:
        return resolve_paths(base, side="base-")

    return ModelJob(
        name=name,
        status=ModelStatus.COMPARED if base else ModelStatus.NEW,
        job=lambda: job_of(head),
        find_base=find_base if base else None,
    )


def files_of(folder: str) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def test_a_program_writes_what_the_command_writes() -> None:
    seen = []
    written = write_models(
        [model("a", "small", "small"), model("b", "large", "small")],
        "mine",
        label="nightly",
        timestamp=TIME,
        explained=(explained := Explained(["fc"])),
        seen=lambda name, report, *_: seen.append((name, report.verdict.exit_code)),
    )
    assert (written.report.verdict.exit_code, seen) == (1, [("a", 0), ("b", 1)])
    assert explained.lines[0].startswith("a: scope fc")
    call(
        "report", "--model", "a=small", "--model", "b=large", "--base-model", "a=small", "--base-model", "b=small",
        "--gate", GATE, "--label", "nightly", "--timestamp", TIME, "--out", "theirs",
    )  # fmt: skip
    assert files_of("mine") == files_of("theirs")


def test_nothing_is_written_and_a_head_that_cannot_be_read_wins_over_a_base() -> None:
    with pytest.raises(BaselineError, match="--model a"):
        write_models([model("a", "small", "gone"), model("b", "large")], "out", timestamp=TIME)
    with pytest.raises(InputError, match="--model b"):
        write_models([model("a", "small", "gone"), model("b", "gone")], "out", timestamp=TIME)
    assert not Path("out").exists()
