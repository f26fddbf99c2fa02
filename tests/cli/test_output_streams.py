"""What cannot be printed changes no exit code and stops no command: a reader that went away, a full disk."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import broken_pipe, call, call_into, full_disk, small_model, write_model, write_report
from messages import graph, node

from tfprof_report.clock import VARIABLE

MODEL, STORE = "model", "store"
COMMANDS: dict[str, tuple[int, list[str]]] = {
    "help": (0, ["--help"]),
    "help of a command": (0, ["report", "--help"]),
    "help of baseline": (0, ["baseline", "prune", "-h"]),
    "no command": (2, []),
    "version": (0, ["--version"]),
    "schema": (0, ["schema"]),
    "rules": (0, ["rules", "--op", "MatMul"]),
    "snippet": (0, ["init", "--snippet", "keras"]),
    "init": (0, ["init", "--host", "gitlab"]),
    "scope": (0, ["scope", MODEL]),
    "graph": (0, ["graph", MODEL]),
    "op": (0, ["op", MODEL, "--frame"]),
    "code": (0, ["code", MODEL]),
    "advise": (0, ["advise", MODEL]),
    "timeline": (0, ["graph", MODEL, "--output", "timeline:outfile=t"]),
    "shell": (0, ["shell", MODEL]),
    "report": (0, ["report", MODEL, "--out", "o", "--junit", "junit.xml", "--annotations", "github"]),
    "failed gate": (1, ["report", MODEL, "--out", "o", "--gate", "params <= 1", "--explain", "fc/MatMul"]),
    "several models": (1, ["report", "--model", f"a={MODEL}", "--out", "o", "--gate", "params <= 1"]),
    "diff": (1, ["diff", MODEL, MODEL, "--out", "o", "--gate", "params <= -1"]),
    "accept": (0, ["accept", "failed", "--reason", "x", "--expires", "2027-01-31"]),
    "save": (0, ["baseline", "save", STORE, "failed", "--model", "m", "--commit", "c9"]),
    "pick": (0, ["baseline", "pick", STORE, "--model", "m", "--ancestors", "commits", "--out", "picked"]),
    "list": (0, ["baseline", "list", STORE]),
    "list as JSON": (0, ["baseline", "list", STORE, "--json"]),
    "prune": (0, ["baseline", "prune", STORE, "--keep", "1"]),
    "usage error": (2, ["scope", "--zork"]),
    "input error": (3, ["scope", "nosuch"]),
    "baseline error": (4, ["report", MODEL, "--out", "o", "--baseline", "nosuch"]),
}
WITHOUT_RESULT = ("code", "shell", "usage error", "input error", "baseline error")
"""Commands that print nothing on standard output here; there are no traces, and no line for the shell."""
FULL = "tfprof-report: standard output: cannot be written (No space left on device)"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model, a report whose gate failed, and a store of three reports."""
    folder = tmp_path_factory.mktemp("streams")
    small_model(folder / MODEL)
    wide = small_model(folder / "wide", width=8)
    write_report(wide, folder / "failed", "--baseline", folder / MODEL, "--gate", "params <= +0", code=1)
    for number in range(3):
        report = write_report(folder / MODEL, folder / "r", "--branch", f"b{number}")
        # Each is saved a second after the one before: within a second the store has no order of commits.
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv(VARIABLE, str(1714638600 + number))
            assert call("baseline", "save", folder / STORE, report, "--model", "m", "--commit", f"c{number}").code == 0
    (folder / "commits").write_text("c1\n")
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, a copy of what `made` has."""
    subprocess.run(["cp", "-r", f"{made}/.", tmp_path], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("code", "arguments"), COMMANDS.values(), ids=COMMANDS)
@pytest.mark.usefixtures("here")
def test_a_reader_that_went_away_changes_no_exit_code(code: int, arguments: list[str]) -> None:
    with broken_pipe() as out, broken_pipe() as err:
        assert call_into(out, err, *arguments) == code


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("here")
def test_a_full_disk_behind_standard_output_is_one_line_and_exit_code_3(name: str) -> None:
    code, arguments = COMMANDS[name]
    with full_disk() as out, io.TextIOWrapper(io.BytesIO(), encoding="utf-8") as err:
        found = call_into(out, err, *arguments)
        err.seek(0)
        lines = err.read().splitlines()
    assert (found, lines.count(FULL)) == ((code, 0) if name in WITHOUT_RESULT else (3, 1))


@pytest.mark.parametrize("stream", [broken_pipe, full_disk])
def test_pruning_goes_on_to_its_end(here: Path, stream: Callable[[], io.TextIOWrapper]) -> None:
    with stream() as out, stream() as err:
        call_into(out, err, "baseline", "prune", STORE, "--keep", "1")
    assert [path.name[:2] for path in (here / STORE / "m").iterdir()] == ["c2"]


@pytest.mark.parametrize("stream", [broken_pipe, full_disk])
def test_all_files_are_written(here: Path, stream: Callable[[], io.TextIOWrapper]) -> None:
    names = ["--junit", "j", "--openmetrics", "m", "--summary", "s", "--comment", "c"]
    with stream() as out, stream() as err:
        call_into(out, err, "report", MODEL, "--out", "o", "--annotations", "azure", *names)
        call_into(out, err, "graph", MODEL, "--output", "timeline:outfile=t", "--select", "micros")
        call_into(out, err, "scope", MODEL, "--output", "file:outfile=p")
    wanted = ["c", "j", "m", "o/summary.json", "p", "p.meta.json", "s", "t_1", "t_2"]
    assert [name for name in wanted if not (here / name).stat().st_size] == []


def test_a_view_that_is_cut_short_by_its_reader_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def pieces(*_: object, **__: object) -> object:
        for number in range(1000):
            made.append(number)
            yield "x" * 10_000

    monkeypatch.setattr("tfprof_report.cli.commands.text_view.answer", pieces)
    with broken_pipe() as out, io.TextIOWrapper(io.BytesIO()) as err:
        assert call_into(out, err, "scope", small_model(tmp_path)) == 0
    assert len(made) == 1


def test_the_installed_script_keeps_its_exit_code_when_its_reader_ends(tmp_path: Path) -> None:
    model = write_model(tmp_path / "m", graph(*(node(f"node_{row}", "Op") for row in range(20_000))))
    script = Path(sys.executable).with_name("tfprof-report")
    gate = f"{script} scope {model} --max-depth 9 | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", gate], capture_output=True, check=False)
    assert done.stdout == b"\n0\n"
    assert done.stderr.count(b"\n") == 1  # the note on the chosen files of the folder


def test_closed_standard_streams_do_not_matter(tmp_path: Path) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "out"
    script = Path(sys.executable).with_name("tfprof-report")
    command = f"{script} report {model} --out {out} --gate 'params <= 1' >&- 2>&- <&-"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 1
    assert (out / "summary.json").exists()
