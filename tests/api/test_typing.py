"""A program of a user passes mypy's strict mode, and its mistakes do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

PROGRAM = '''
import os
from pathlib import Path

import tfprof_report as tr


def totals_of(model: Path, commit: str | None) -> dict[str, float]:
    """Return the totals of a model."""
    report = tr.make_report(model, batch=8, rules="extended", gate=["params <= +0"], commit=commit, select=("params",))
    report.write(Path("out"))
    frame = report.totals
    units: dict[str, str] = report.nodes.attrs["units"]
    print(units["params"], report.outcome.upper(), report.exit_code + 1, *report.warnings, *report.explained)
    return dict(zip(frame["metric"], frame["value"]))


def main() -> int:
    """Compare two models."""
    try:
        change = tr.make_diff("base", Path("head"), head_graph=[Path("graph.pb")], baseline_missing="warn", jobs=None)
        history = tr.make_history("s3://bucket/path", git=".", last=10, metric=["params", "float_ops"])
        loaded = tr.load(os.environ.get("MODEL", "profile"))
    except tr.BaselineError as error:
        print(error, error.exit_code)
        return int(error.exit_code)
    except tr.TfprofReportError as error:
        print(error.details)
        return 1
    print(loaded.nodes.shape, loaded.to_polars("layers"), history.points.shape, history.text)
    if isinstance(loaded, tr.ReportResult):
        print(loaded.text)
    results: list[tr.ReportResult | tr.ReportsResult | tr.HistoryResult] = [change, loaded, history]
    return len(results)
'''
MISTAKES = """
import tfprof_report as tr

tr.make_report("m", batches=8)
tr.make_report("m", rules="all")
tr.make_report("m", gate=3)
tr.make_diff("a", "b", head_graph=3)
tr.make_history("s", last="10")
tr.load(3)
tr.load("m").node
"""


def checked(text: str, folder: Path) -> list[str]:
    """Return the findings of mypy."""
    (folder / "program.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary", "program.py"]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}  # mypy does not see an editable install
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if ": error: " in line]


@pytest.mark.thorough
def test_a_program_of_a_user_is_typed(tmp_path: Path) -> None:
    assert checked(PROGRAM, tmp_path) == []
    lines = [line.partition(":")[2].partition(":")[0] for line in checked(MISTAKES, tmp_path)]
    assert sorted(set(lines), key=int) == ["4", "5", "6", "7", "8", "9", "10"]
