from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import WHEN, call, small_model, write_report

from tfprof_report.errors import InputError
from tfprof_report.report.store.reports_below import FoundReport, reports_below
from tfprof_report.schema.files import UNFINISHED


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a report, a report of two models, and folders that are neither."""
    folder = tmp_path_factory.mktemp("below")
    model = small_model(folder / "models" / "m")
    write_report(model, folder / "deep" / "er" / "one", "--commit", "abc1234", "--branch", "main")
    several = ("--model", f"x={model}", "--model", f"y={model}")
    assert call("report", *several, "--out", folder / "several", "--timestamp", WHEN).code == 0
    return folder


def paths(folder: Path) -> list[str]:
    return [found.path for found in reports_below(str(folder))]


def test_reports_at_any_depth_are_found_by_path(top: Path) -> None:
    found = list(reports_below(str(top)))
    assert [each.path for each in found] == ["deep/er/one", "several/x", "several/y"]
    row = found[0].row
    assert row is not None
    assert [row[name] for name in ("commit", "branch", "params", "outcome")] == ["abc1234", "main", 12, "not judged"]
    assert found[0].has_page


def test_a_report_itself_is_found(top: Path) -> None:
    assert paths(top / "deep" / "er" / "one") == ["."]


def test_what_is_wrong_with_a_report_is_said(top: Path, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        shutil.copytree(top / "deep" / "er" / "one", tmp_path / name)
    (tmp_path / "a" / "summary.json").write_text("{")
    (tmp_path / "b" / "summary.json").unlink()
    (tmp_path / "b" / UNFINISHED).mkdir()
    summary = json.loads((tmp_path / "c" / "summary.json").read_text())
    (tmp_path / "c" / "summary.json").write_text(json.dumps({**summary, "schema_version": 99}))
    found = list(reports_below(str(tmp_path)))
    assert [each.row for each in found] == [None] * 3
    assert found[0].problem == "its summary holds something else than any version writes"
    assert found[1].problem.startswith("is half written: ")
    assert "99" in found[2].problem


def test_hidden_folders_and_links_are_left_out(top: Path, tmp_path: Path) -> None:
    shutil.copytree(top / "deep", tmp_path / ".hidden")
    (tmp_path / "link").symlink_to(top / "deep")
    assert paths(tmp_path) == []


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(reports_below(str(tmp_path / "missing")))


def test_a_report_without_a_page_has_no_link(top: Path, tmp_path: Path) -> None:
    shutil.copytree(top / "deep" / "er" / "one", tmp_path / "a")
    (tmp_path / "a" / "report.html").unlink()
    (found,) = reports_below(str(tmp_path))
    assert isinstance(found, FoundReport)
    assert not found.has_page
