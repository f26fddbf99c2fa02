"""A report folder is written whole or not at all, and shows whether it is complete."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command import contents
from report_builders import make_comparison_report, make_report

import tfprof_report.render.write
from tfprof_report.errors import OutputError
from tfprof_report.render.content.first_screen import Screen, make_screen
from tfprof_report.render.files.staging import Staging
from tfprof_report.render.write import write_report
from tfprof_report.report.report import Report


def write(
    report: Report, folder: Path, progress: Callable[[str], None] | None = None, *, jobs: int = 1
) -> tuple[str, ...]:
    with Staging(str(folder)) as staging:
        return write_report(report, staging, progress=progress, jobs=jobs)


def test_the_summary_is_last_and_knows_all_other_files(tmp_path: Path) -> None:
    seen: list[str] = []
    names = write(make_comparison_report(), tmp_path, progress=seen.append)
    assert names == (*seen, "summary.json")
    files = contents(tmp_path)
    assert files.keys() == set(names)
    assert json.loads(files.pop("summary.json"))["files"] == {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in files.items()
    }


def test_the_files_of_an_earlier_report_that_are_not_written_again_go(tmp_path: Path) -> None:
    compared = set(write(make_comparison_report(), tmp_path))
    (tmp_path / "diff_mine.parquet").touch()
    alone = set(write(make_report(), tmp_path))
    assert {name for name in compared - alone if name.startswith("diff_")} == compared - alone
    assert contents(tmp_path).keys() == alone | {"diff_mine.parquet"}


def test_what_an_interrupted_run_left_is_cleaned_up_by_the_next(tmp_path: Path) -> None:
    write(make_comparison_report(), tmp_path)
    (tmp_path / "summary.json").unlink()
    names = write(make_report(), tmp_path)
    assert contents(tmp_path).keys() == set(names)


@pytest.mark.parametrize("at", range(4))
def test_an_error_anywhere_leaves_the_folder_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    write(make_comparison_report(), tmp_path)
    before = contents(tmp_path)
    calls = iter(range(100))

    def fail(*_: object) -> bytes:
        if next(calls) == at:
            raise KeyboardInterrupt
        return b"new"

    monkeypatch.setattr(tfprof_report.render.write, "render_parquet", fail)
    with pytest.raises(KeyboardInterrupt):
        write(make_comparison_report(), tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("jobs", [1, 4])
def test_the_first_screen_is_made_once_for_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    made: list[Screen] = []

    def make(report: Report) -> Screen:
        made.append(make_screen(report))
        return made[-1]

    monkeypatch.setattr(tfprof_report.render.write, "make_screen", make)
    write(make_comparison_report(), tmp_path, jobs=jobs)
    assert len(made) == 1
    assert "Do not merge yet" in (tmp_path / "report.md").read_text()


def test_a_folder_that_is_a_file_is_an_output_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OutputError, match=r"file \(--out\): cannot be written \(File exists\)"):
        write(make_report(), file)


def test_a_full_disk_is_an_output_error_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *_: object) -> None:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(OutputError, match=r"\(--out\): cannot be written \(No space left on device\)"):
        write(make_report(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_the_same_report_is_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(make_comparison_report(), tmp_path / name)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
