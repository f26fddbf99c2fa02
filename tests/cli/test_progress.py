"""Progress of long commands: on standard error, at a terminal, and not in CI."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
from command import call_into, write_model
from messages import graph, node

from tfprof_report.cli.console import finishing, in_ci, progress, say

ESCAPES = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "m", graph(node("a", "Add"), node("b", "Add", "a")))


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")


@contextmanager
def error_terminal(pieces: list[bytes]) -> Iterator[io.TextIOWrapper]:
    """Yield a terminal, as a stream for standard error; what is written to it is added to `pieces`."""
    ours, theirs = os.openpty()
    reader = Thread(target=lambda: pieces.extend(_until_closed(ours)))
    reader.start()
    try:
        with open(theirs, "w", encoding="utf-8") as stream:  # noqa: PTH123 (a descriptor)
            yield stream
    finally:
        reader.join(timeout=10)
        os.close(ours)


def _until_closed(terminal: int) -> Iterator[bytes]:
    with suppress(OSError):  # EIO, when the other end is closed
        while piece := os.read(terminal, 1 << 16):
            yield piece


def shown_by(*arguments: object) -> tuple[str, str]:
    """Return what a command writes to standard output, and to standard error if that is a terminal."""
    pieces: list[bytes] = []
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with error_terminal(pieces) as err:
        assert call_into(out, err, *arguments) in (0, 5)
    out.seek(0)
    return out.read(), b"".join(pieces).decode()


@pytest.mark.parametrize("command", ["report", "diff", "scope", "advise"])
def test_a_long_command_shows_what_it_does_how_many_steps_and_the_time_left(
    tmp_path: Path, model: Path, command: str
) -> None:
    sides = [model] * (2 if command == "diff" else 1)
    out, err = shown_by(command, *sides, *(("--out", tmp_path / "o") if command in ("report", "diff") else ()))
    text = ESCAPES.sub("", err)
    steps = re.findall(r"(\d+)/(\d+) +(?:-:--:--|\d:\d\d:\d\d)", text)
    assert steps, text
    assert all(int(done) < int(total) for done, total in steps)
    assert "reading " in text or "joining nodes" in text or "writing " in text
    assert "\x1b" not in out


def test_the_bar_is_gone_at_the_end(tmp_path: Path, model: Path) -> None:
    _, err = shown_by("report", model, "--out", tmp_path / "o")
    left = ESCAPES.sub("", err[err.rindex("\x1b[2K") :])  # what comes after the last time that a line was erased
    assert not re.search(r"\d+/\d+", left)
    assert err.rindex("\x1b[?25h") > err.rindex("\x1b[?25l")  # the cursor is back


@pytest.mark.parametrize("value", ["true", "1", "woodpecker"])
def test_there_is_none_in_ci(tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CI", value)
    assert in_ci()
    assert "\x1b" not in shown_by("report", model, "--out", tmp_path / "o")[1]


@pytest.mark.parametrize("value", ["", "0", "false", "False"])
def test_a_variable_that_says_no_is_no_ci(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CI", value)
    assert not in_ci()


def test_there_is_none_where_standard_error_is_no_terminal(tmp_path: Path, model: Path) -> None:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    call_into(out, err, "report", model, "--out", tmp_path / "o")
    err.seek(0)
    assert "\x1b" not in err.read()


def test_a_name_with_control_characters_or_markup_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[bytes] = []
    with error_terminal(pieces) as err:
        monkeypatch.setattr(sys, "stderr", err)
        with progress(2) as begin:
            begin("reading [red]a\x1b]0;title\x07b")
        monkeypatch.undo()
    text = b"".join(pieces).decode()
    assert "[red]a" in text
    assert "\x07" not in text
    assert "\x1b]0" not in text


def test_more_steps_than_expected_are_counted() -> None:
    pieces: list[bytes] = []
    with error_terminal(pieces) as err, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", err)
        with progress(1) as begin:
            for words in ("one", "two", "three"):
                begin(words)
    assert "2/3" in ESCAPES.sub("", b"".join(pieces).decode())


def finished_at(columns: int, patch: pytest.MonkeyPatch) -> str:
    """Return what two steps that end show at a terminal of so many columns, with a line in between."""
    pieces: list[bytes] = []
    patch.setenv("COLUMNS", str(columns))
    with error_terminal(pieces) as err, patch.context() as inner:
        inner.setattr(sys, "stderr", err)
        with finishing(2) as finish:
            finish("0.5/s, 0 failed")
            say(f"m001: failed: {'why ' * 30}")
            finish("1.0/s, 1 failed")
    return b"".join(pieces).decode()


def test_steps_that_end_are_counted_when_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    text = ESCAPES.sub("", finished_at(100, monkeypatch))
    assert re.search(r"1.0/s, 1 failed +━+ +2/2 ", text)
    assert "3" not in text


def test_a_narrow_terminal_shows_rate_failures_and_time_in_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    text = ESCAPES.sub("", finished_at(40, monkeypatch))
    assert re.search(r"1.0/s, 1 failed +2/2 +\d:\d\d:\d\d", text)
    assert "━" not in text
    rows = [row for row in re.split(r"[\r\n]+", text) if row and "why" not in row]
    assert {len(row) for row in rows} <= {40}


def test_a_line_above_the_bar_is_one_line_however_narrow_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"tfprof-report: m001: failed: {'why ' * 30}\r\n" in finished_at(40, monkeypatch)


def test_a_command_without_a_terminal_does_not_import_the_library() -> None:
    program = (
        "import sys\nfrom tfprof_report.cli.console import progress\n"
        "with progress(1) as begin:\n    begin('x')\nassert 'rich.progress' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stderr=subprocess.PIPE)
