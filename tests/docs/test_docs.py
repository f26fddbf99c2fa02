"""The README, its pages and the help are correct: commands run, options exist, and tables agree with the code."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from command import call, small_model
from repository import ROOT

from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.options import Options, flag
from tfprof_report.render.content.sections import SECTIONS

README = (ROOT / "README.md").read_text()
DOCS = ROOT / "docs"
WITH_COMMANDS = (
    *("command-line.md", "counting-flops.md", "leaving-out.md", "several-models.md"),
    *(f"how-to/{path.name}" for path in sorted((DOCS / "how-to").glob("*.md"))),
)
"""Pages whose commands are about the folders MODEL, BASE and HEAD."""
PAGES = {"README.md": README, **{name: (DOCS / name).read_text() for name in WITH_COMMANDS}}
SCRIPT = re.compile(r"```sh\n(.*?)```", re.DOTALL)
"""Commands that build on each other, unlike all others."""
COMMANDS = [
    pytest.param(command, id=f"{name}: {command}")
    for name, text in PAGES.items()
    for command in re.findall(r"^ *(?:tfprof-report) ((?:[^#\n\\]|\\\n)+)", SCRIPT.sub("", text), flags=re.MULTILINE)
]
OTHER_CODES = {'diff BASE HEAD --out DIR --gate "wall_micros <= +5%"': 5}
"""Exit codes of commands for which a model with one step is too little."""
OF_OTHERS = {"--first-parent"}
"""Options of git."""
HELP = {name: call(name, "--help").out for name in ("scope", "graph", "op", "code", "report", "diff")}


def flags_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def table(page: str, heading: str = "") -> dict[str, str]:
    """Return the first two columns of the first table of a page of docs, or of that under a heading."""
    text = (DOCS / page).read_text()
    section = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0] if heading else text
    first = section.split("| --- |", 1)[1].split("\n\n", 1)[0]
    return dict(re.findall(r"^\| (.+?) \| (.+?) \|", first, flags=re.MULTILINE))


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 1200


def test_the_pictures_of_the_readme_are_small() -> None:
    pictures = re.findall(r"docs/images/[\w.-]+", README)
    assert len(pictures) == 2
    assert all(0 < (ROOT / picture).stat().st_size <= 150_000 for picture in pictures)


def test_the_cell_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, width in (("BASE", 4), ("HEAD", 5)):
        small_model(Path(name), width=width)
    *_, cell = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(cell, names)
    change = names["change"]
    assert change.outcome == "failed"
    tables = re.findall(r"\.(\w+)", cell.split("# a table of pandas")[1])
    assert tables == ["nodes", "ops", "scopes", "steps", "totals"]
    assert all(len(getattr(change, name)) for name in ("layers", *tables))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_pages_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("MODEL", "BASE", "HEAD", "runs/MODEL", "profile"):
        small_model(Path(name))
    outcome = call(*shlex.split(command))
    assert outcome.code == OTHER_CODES.get(command.strip(), 0), outcome
    words = shlex.split(command)
    if "--out" in words:
        written = {"compare": "compare.html", "batch": "MODEL/summary.json"}.get(words[0], "summary.json")
        assert Path(words[words.index("--out") + 1], written).exists()


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_scripts_of_the_pages_build_on_each_other(tmp_path: Path) -> None:
    small_model(tmp_path / "profile")
    git = "git -c user.name=A -c user.email=a@example.org -c commit.gpgsign=false"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    def run(script: str) -> str:
        shell, environment = ["bash", "-c", f"set -e\n{script}"], {**os.environ, "PATH": path}
        done = subprocess.run(shell, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
        return done.stdout

    scripts = {name: found for name, text in PAGES.items() if (found := SCRIPT.findall(text))}
    assert sorted(scripts) == [
        "README.md",
        *(f"how-to/{name}.md" for name in ("compare-models", "gate-a-pull-request", "nightly-history")),
    ]
    (gate,) = scripts["how-to/gate-a-pull-request.md"]
    outcomes = [run(f"git init --quiet; {git} commit --quiet --allow-empty -m commit\n{gate}") for _ in range(2)]
    assert "NO BASELINE: " in outcomes[0]
    assert "OK: 3 rows matched (0 changed)" in outcomes[1], outcomes[1]
    (nightly,) = scripts["how-to/nightly-history.md"]
    assert run(nightly).count(": 2 reports from 20") == 2
    assert (tmp_path / "history" / "history.html").exists()
    assert (tmp_path / "week" / "chat.txt").exists()
    (readme,) = scripts["README.md"]
    assert ": 2 reports from 20" in run(readme)
    (many,) = scripts["how-to/compare-models.md"]
    printed = run(many)
    assert printed.count("COMPARED: 1 report compared with ") == 2
    assert "2 reports\nIndex     index.html\n" in printed


def test_the_pages_show_the_commands_that_there_are() -> None:
    listed = re.findall(r"^  ([a-z]+) ", call("--help").out.split("Commands:")[1], flags=re.MULTILINE)
    named = {str(command.values[0]).split()[0] for command in COMMANDS}
    assert {"scope", "op", "report", "diff", "compare", "batch", "init", "rules"} <= named <= set(listed)
    assert set(HELP) <= set(listed)


def test_every_option_of_the_pages_exists() -> None:
    of_stores = (("history",), *(("baseline", name) for name in ("save", "pick", "list", "prune")))
    others = (("rules",), ("init",), ("accept",), ("batch",), ("compare",), ("index",), *of_stores)
    helps = (*HELP.values(), *(call(*command, "--help").out for command in others))
    known = set().union(*map(flags_in, helps))
    more = ("reading-a-report", "output", "parameters", "verdict", "tutorial", "glossary")
    named = set().union(*map(flags_in, (*PAGES.values(), *((DOCS / f"{name}.md").read_text() for name in more))))
    assert named - known == OF_OTHERS


def test_the_pages_name_the_options_of_tfprof() -> None:
    minimums = {flag(name) for name in Options.__dataclass_fields__ if name.startswith("min_")}
    named = flags_in(PAGES["command-line.md"])
    assert {flag(name) for name in Options.__dataclass_fields__} - minimums <= named
    assert "--min-params" in named


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


def test_the_metrics_are_those_that_gates_take() -> None:
    named = {metric for cell in table("gates.md", "Metrics") for metric in re.findall(r"`(\w+)`", cell)}
    assert named == set(UNITS)


def test_the_files_of_a_report_are_those_that_are_written(tmp_path: Path) -> None:
    named = {file for cell in table("output.md") for file in re.findall(r"`([\w.]+)`", cell)}
    model = small_model(tmp_path / "m")
    assert call("diff", model, model, "--out", tmp_path / "o").code == 0
    written = {path.name for path in (tmp_path / "o").iterdir()}
    # "diff_scope.parquet ..." means one table per view; code view exists only with call stacks
    assert named - written == {"code.parquet"}
    assert written - named == {name for name in written if name.startswith("diff_")} - named


def queries(page: str) -> list[str]:
    found: list[str] = re.findall(r"```sql\n(.*?)```", (DOCS / page).read_text(), flags=re.DOTALL)
    return found


def test_the_query_of_a_report_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (query,) = queries("output.md")
    assert call("report", small_model(tmp_path / "m"), "--out", "demo").code == 0
    with duckdb.connect() as database:
        rows = database.sql(query).fetchall()
    assert rows[0] == ("MatMul", 1, 0, 24)
    assert sorted(rows[1:]) == [("Relu", 1, 0, 8), ("VariableV2", 1, 12, 0)]


def test_the_queries_of_the_how_to_pages_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    base, head = small_model(tmp_path / "b"), small_model(tmp_path / "h", width=5)
    assert call("diff", base, head, "--out", "report").code == 0
    by_op, changed = queries("how-to/query-the-tables.md")
    (unknown,) = queries("how-to/fix-unknown-flops.md")
    with duckdb.connect() as database:
        assert database.sql(by_op).fetchall()[0] == ("MatMul", 1, 24)
        assert database.sql(changed).fetchall() == [(None, 8, 10, 2)]
        assert database.sql(unknown).fetchall() == []
    (program,) = re.findall(r"```python\n(.*?)```", PAGES["how-to/query-the-tables.md"], flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(program, names)
    assert names["layers"]["delta_float_ops"].tolist() == [0, 2]
    assert names["layers"].attrs["units"]["delta_float_ops"] == "FLOPs"


def test_the_sections_that_the_how_to_pages_name_are_there() -> None:
    titles = {kind.title for kind in SECTIONS}
    named = {name for text in PAGES.values() for name in re.findall(r"(?<!\*)\*([A-Z][^*\n]+)\*(?!\*)", text)}
    assert {"Rates and bounds", "Waiting and moving", "What grew", "Not counted"} == named
    assert named <= titles


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
