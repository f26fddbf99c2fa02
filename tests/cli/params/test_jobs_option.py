"""--jobs: a report is the same, to the byte, for any number of jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call
from repository import DATA

NOISE, PARTS = DATA / "memory_noise", DATA / "parts"


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        ("diff", NOISE / "base", NOISE / "head", "--config", "none"),
        ("report", "--model", f"one={PARTS / 'export.pb.gz'}", "--model", f"two={PARTS / 'nested_step.pb.gz'}"),
    ],
    ids=["diff", "models"],
)
def test_a_report_is_the_same_to_the_byte_for_any_number_of_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[object, ...]
) -> None:
    monkeypatch.setattr("tfprof_report.threads.FEW_ROWS", 0)  # else models this small have one thread
    written = []
    for jobs in (1, 2, 4):
        folder = tmp_path / str(jobs)
        assert call(*command, "--out", folder, "--timestamp", "2024-01-01", "--jobs", jobs).code == 0
        written.append(_files(folder))
    assert len(written[0]) > 15
    assert written[0] == written[1] == written[2]


@pytest.mark.parametrize("jobs", ["0", "-1"])
def test_less_than_one_job_is_refused(tmp_path: Path, jobs: str) -> None:
    outcome = call("report", PARTS / "export.pb.gz", "--out", tmp_path / "o", "--jobs", jobs)
    assert outcome.code == 2
    assert outcome.error == f"--jobs: {jobs} is no number of jobs; give 1 or more"
    assert not (tmp_path / "o").exists()


def test_the_rules_file_has_a_key_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tfprof-report.toml").write_text("[output]\njobs = 0\n")
    monkeypatch.chdir(tmp_path)
    outcome = call("report", PARTS / "export.pb.gz", "--out", tmp_path / "o")
    assert outcome.error == "tfprof-report.toml: --jobs: 0 is no number of jobs; give 1 or more"
