"""A folder to write is one of this machine: a URL is refused, and makes no folder named after its scheme."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call, small_model, write_report

from tfprof_report.errors import ExitCode

LINE = (
    "s3://bucket/out (--out): is a URL, and folders are written on this machine; give a folder, and copy it with the "
    "tool of the store, or save reports in a store with baseline save"
)


@pytest.mark.parametrize(
    "command",
    [
        "report MODEL",
        "report --model a=MODEL --model b=MODEL",
        "diff MODEL MODEL",
        "batch MODEL",
        "batch MODEL --store STORE --commit c0ffee",
        "compare MODEL REPORT",
        "history STORE --model net --ancestors LIST",
        "baseline pick STORE --model net --ancestors LIST",
    ],
)
def test_a_url_to_write_to_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    write_report(small_model(Path("MODEL")), Path("REPORT"))
    assert call("baseline", "save", "STORE", "REPORT", "--model", "net", "--commit", "c0ffee").code == 0
    Path("LIST").write_text("c0ffee\n")
    before = sorted(Path().rglob("*"))
    outcome = call(*command.split(), "--out", "s3://bucket/out?region=eu")
    assert (outcome.code, outcome.err.splitlines()[-1]) == (ExitCode.INPUT, f"tfprof-report: {LINE}"), outcome
    assert sorted(Path().rglob("*")) == before


def test_a_rules_file_cannot_name_one_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small_model(Path("MODEL"))
    Path("tfprof-report.toml").write_text('[output]\nout = "s3://bucket/out"\n')
    assert call("report", "MODEL").err.splitlines()[-1] == f"tfprof-report: {LINE}"
