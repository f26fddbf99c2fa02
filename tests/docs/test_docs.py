"""The README and the help are correct: commands run, options exist, and tables agree with the code."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from command import call, small_model
from repository import ROOT

from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.errors import ExitCode
from tfprof_report.options import Options, flag

README = (ROOT / "README.md").read_text()
SCRIPT = re.compile(r"```sh\n(.*?)```", re.DOTALL)
"""Commands that build on each other, unlike all others."""
OF_GIT = {"--first-parent"}
COMMANDS = re.findall(r"^(?:tfprof-report) ((?:[^#\n\\]|\\\n)+)", SCRIPT.sub("", README), flags=re.MULTILINE)
HELP = {name: call(name, "--help").out for name in ("scope", "graph", "op", "code", "report", "diff")}


def flags_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def table(heading: str) -> dict[str, str]:
    """Return the first two columns of the first table under a heading of the README."""
    section = README.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|", section, flags=re.MULTILINE)
    return dict(rows[2:] if rows[1][0].startswith("---") else rows)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("MODEL", "BASE", "HEAD", "runs/MODEL"):
        small_model(Path(name))
    Path("nightly.toml").write_text('[[entry]]\ninputs = "runs/*"\ncommit = "abc"\n')
    outcome = call(*shlex.split(command))
    assert outcome.code == 0, outcome
    words = shlex.split(command)
    if "--out" in words:
        written = {"compare": "compare.html", "batch": "MODEL/summary.json"}.get(words[0], "summary.json")
        assert Path(words[words.index("--out") + 1], written).exists()


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_script_of_the_readme_finds_the_baseline_that_it_saved(tmp_path: Path) -> None:
    small_model(tmp_path / "profile")
    git = "git -c user.name=A -c user.email=a@example.org -c commit.gpgsign=false"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    script, history, many = SCRIPT.findall(README)
    outcomes = []
    for _ in range(2):
        commit = f"git init --quiet; {git} commit --quiet --allow-empty -m commit; set -e\n"
        done = subprocess.run(
            ["bash", "-c", commit + script],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            check=True,
            capture_output=True,
            text=True,
        )
        outcomes.append(done.stdout)
    assert "NO BASELINE: " in outcomes[0]
    assert "OK: 3 rows matched (0 changed)" in outcomes[1], outcomes[1]
    shell, environment = ["bash", "-c", f"set -e\n{history}"], {**os.environ, "PATH": path}
    done = subprocess.run(shell, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert b": 2 reports from 20" in done.stdout
    assert (tmp_path / "history" / "history.html").exists()
    shell = ["bash", "-c", f"set -e\n{many}"]
    done = subprocess.run(shell, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert done.stdout.count(b"COMPARED: 1 report compared with ") == 2
    assert b"2 reports\nIndex     index.html\n" in done.stdout


def test_the_readme_shows_the_commands_that_there_are() -> None:
    listed = re.findall(r"^  ([a-z]+) ", call("--help").out.split("Commands:")[1], flags=re.MULTILINE)
    assert {"scope", "op", "report", "diff"} <= {command.split()[0] for command in COMMANDS} <= set(listed)
    assert set(HELP) <= set(listed)


def test_every_option_of_the_readme_exists() -> None:
    of_stores = (("history",), *(("baseline", name) for name in ("save", "pick", "list", "prune")))
    others = (("rules",), ("init",), ("accept",), ("batch",), ("compare",), ("index",), *of_stores)
    helps = (*HELP.values(), *(call(*command, "--help").out for command in others))
    known = set().union(*map(flags_in, helps))
    assert flags_in(README) - known == OF_GIT


def test_the_readme_names_the_options_of_tfprof() -> None:
    minimums = {flag(name) for name in Options.__dataclass_fields__ if name.startswith("min_")}
    assert {flag(name) for name in Options.__dataclass_fields__} - minimums <= flags_in(README)
    assert "--min-params" in flags_in(README)


@pytest.mark.parametrize("of", [(), ("baseline",)])
def test_the_list_of_commands_is_without_cuts(of: tuple[str, ...]) -> None:
    assert "..." not in call(*of, "--help").out.split("Commands:")[1]


@pytest.mark.parametrize("name", HELP)
def test_the_help_of_a_command_lists_tfprofs_options_at_80_columns_without_cuts(name: str) -> None:
    text = HELP[name]
    assert {flag(option) for option in Options.__dataclass_fields__} <= flags_in(text)
    assert {"--graph" if name != "diff" else "--head-graph", "--semantics", "--verbose", "--help"} <= flags_in(text)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_only_reports_have_gates_and_a_folder() -> None:
    with_gates = {name for name, text in HELP.items() if {"--gate", "--out"} <= flags_in(text)}
    assert with_gates == {"report", "diff"}
    assert {name for name, text in HELP.items() if "--frame" in flags_in(text)} == HELP.keys() - with_gates
    assert {name for name, text in HELP.items() if "--baseline" in flags_in(text)} == {"report"}
    assert {name for name, text in HELP.items() if "--base-graph" in flags_in(text)} == with_gates


def test_the_exit_codes_of_the_readme_are_those_of_the_code() -> None:
    codes = table("Exit codes")
    assert {int(code) for code in codes if code.isdigit()} == {int(code) for code in ExitCode}
    assert "3, 4, 1, 5, 0" in README


def test_the_metrics_of_the_readme_are_those_that_gates_take() -> None:
    named = {metric for cell in table("Gates") for metric in re.findall(r"`(\w+)`", cell)}
    assert named == set(UNITS)


def test_the_files_of_the_readme_are_those_that_are_written(tmp_path: Path) -> None:
    named = {file for cell in table("Output") for file in re.findall(r"`([\w.]+)`", cell)}
    model = small_model(tmp_path / "m")
    assert call("diff", model, model, "--out", tmp_path / "o").code == 0
    written = {path.name for path in (tmp_path / "o").iterdir()}
    # "diff_scope.parquet ..." means one table per view; code view exists only with call stacks
    assert named - written == {"code.parquet"}
    assert written - named == {name for name in written if name.startswith("diff_")} - named


def test_the_query_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    query = re.search(r"```sql\n(.*?)```", README, flags=re.DOTALL)
    assert query is not None
    assert call("report", small_model(tmp_path / "m"), "--out", "demo").code == 0
    with duckdb.connect() as database:
        rows = database.sql(query[1]).fetchall()
    assert rows[0] == ("MatMul", 1, 0, 24)
    assert sorted(rows[1:]) == [("Relu", 1, 0, 8), ("VariableV2", 1, 12, 0)]


def test_the_demo_of_the_readme_compares_the_shipped_models_and_ends_well_though_a_gate_fails(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    given = [f"BIN={Path(sys.executable).parent}", f"DEMO={out}"]
    done = subprocess.run(
        ["make", "--no-print-directory", "-o", ".venv/package.stamp", *given, "demo"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    *_, verdict, last = done.stdout.splitlines()
    assert verdict.startswith("FAILED: float_ops <= +10%: ")
    assert verdict.endswith(", 2 of 3 gates passed, 1 gate informs.")
    assert last.startswith("The demo ended well: as intended, one gate failed (exit code 1). ")
    totals = {
        total["stem"]: (total["base"], total["head"])
        for total in json.loads((out / "summary.json").read_text())["comparison"]["totals"]
    }
    assert totals["params"] == (930_581, 1_536_277)
