"""A batch at a real terminal: what it shows while it runs, and what is left when it ends or Ctrl-C ends it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pexpect
import pytest
from batches import SCRIPT, write_models

pytestmark = pytest.mark.thorough

_ESCAPES = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")
_SHOWN = re.compile(r"\d+\.\d/s, ([01]) failed.* (\d+)/12 +\d:\d\d:\d\d")
_OUTCOME = [
    "Outcome   out/batch.json, out/batch.parquet",
    "Index     out/index.html",
    "12 reports 11 written, 1 failed",
]


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """Return a folder with 12 models, one of which is damaged."""
    names = write_models(tmp_path / "runs", 12)
    (tmp_path / "runs" / names[3] / "graph.pb").write_bytes(b"\xff\xff")
    return tmp_path


def begin(folder: Path, columns: int, **environment: str) -> pexpect.spawn[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "COLUMNS"}}
    return pexpect.spawn(
        str(SCRIPT),
        ["batch", "runs/*", "--out", "out", "--jobs", "2"],
        cwd=folder,
        dimensions=(24, columns),
        env={**kept, "TERM": "xterm-256color", **environment},
        timeout=120,
        encoding="utf-8",
    )


@pytest.mark.parametrize("columns", [100, 40])
def test_rate_failures_and_time_left_are_shown_and_gone_at_the_end(models: Path, columns: int) -> None:
    batch = begin(models, columns)
    batch.expect(pexpect.EOF)
    batch.close()
    assert batch.exitstatus == 3
    frames = [_ESCAPES.sub("", frame) for frame in batch.before.split("\r\x1b[2K")]
    shown = [found.groups() for frame in frames if (found := _SHOWN.search(frame))]
    assert shown[-1] == ("1", "12")
    assert [int(done) for _, done in shown] == sorted(int(done) for _, done in shown)
    assert max(len(frame) for frame in frames if re.fullmatch(r".*/12 +\S+", frame)) == columns
    assert re.search(r"tfprof-report: m003: failed: [^\r\n]*graph\.pb[^\r\n]*\r\n", batch.before)
    left = batch.before[batch.before.rindex("\x1b[2K") + 4 :]  # what is written after the last row was erased
    assert left.splitlines() == _OUTCOME
    assert batch.before.rindex("\x1b[?25h") > batch.before.rindex("\x1b[?25l")


def test_ctrl_c_leaves_one_line(models: Path) -> None:
    batch = begin(models, 80)
    batch.expect("0/12")
    batch.sendintr()
    batch.expect(pexpect.EOF)
    batch.close()
    assert batch.exitstatus == 130
    assert batch.before[batch.before.rindex("\x1b[2K") + 4 :] == "tfprof-report: interrupted\r\n"
    assert batch.before.rindex("\x1b[?25h") > batch.before.rfind("\x1b[?25l")


def test_ci_has_lines_without_escapes_at_a_terminal_too(models: Path) -> None:
    batch = begin(models, 80, CI="true")
    batch.expect(pexpect.EOF)
    batch.close()
    assert batch.exitstatus == 3
    assert "\x1b" not in batch.before
    assert batch.before.splitlines()[-1] == "12 reports 11 written, 1 failed"
