"""docs/baselines.md: its commands run in the order of the page, and it names all options and no others."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from command import call, small_model, write_report
from repository import ROOT

PAGE = (ROOT / "docs" / "baselines.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [line for language, block in BLOCKS if not language for line in block.splitlines()]


def git(*arguments: str) -> str:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *identity, *arguments], capture_output=True, check=True, text=True).stdout.strip()


def test_the_commands_of_the_page_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "base")
    base = git("rev-parse", "HEAD")
    git("tag", "v1.0")
    git("commit", "-q", "--allow-empty", "-m", "head")
    small_model(Path("MODEL"))
    printed = []
    for command in COMMANDS:
        words = shlex.split(command.replace("$COMMIT", base))
        target = words[words.index(">") + 1] if ">" in words else None
        words = words[: words.index(">")] if target else words
        if words[0] == "git":
            Path(str(target)).write_text(git(*words[1:]))
            continue
        outcome = call(*words[1:])
        assert outcome.code == 0, outcome
        printed.append(outcome)
        if target:
            Path(target).write_text(outcome.out)
    _, saved, listed, picked, compared, *pruned = printed
    assert saved.out.startswith(f"Saved     STORE/resnet/{base}_")
    assert listed.out.splitlines()[1].startswith(f"resnet\t{base}\t")
    assert (json.loads(picked.out)["folder"], picked.err.count("0 commits back")) == ("base", 1)
    assert ", 0 commits back, less than an hour old, " in compared.out
    assert compared.out.splitlines()[-1].startswith("OK: 3 rows matched")
    assert [outcome.out for outcome in pruned] == ["", "", ""]


def blocks(language: str) -> list[str]:
    return [block for each, block in BLOCKS if each == language]


@pytest.mark.thorough
def test_the_store_is_a_data_set_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"pandas": pd, "Path": Path}
    saved = {("one", "a"): 12, ("two", "a"): 15, ("two", "b"): 18}
    for at, (model, commit) in enumerate(saved):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(1714638600 + at))
        out = write_report(small_model(Path(f"M{at}"), width=4 + at), Path(f"R{at}"))
        assert call("baseline", "save", "STORE", out, "--model", model, "--commit", commit).code == 0
    (totals, tables), (rows, nodes) = blocks("python"), blocks("sql")
    *first, last = tables.splitlines()
    for command in (("list", "STORE"), ("prune", "STORE", "--keep", "1")):
        assert call("baseline", *command).code == 0
        held = {key: value for key, value in saved.items() if command[0] == "list" or key != ("two", "a")}
        found = eval(totals.splitlines()[0], names)
        assert found.set_index(["model", "commit"])["params"].to_dict() == saved
        assert sorted(duckdb.sql(rows).fetchall()) == [("a", 32, 12), ("a", 34, 15), ("b", 36, 18)]
        exec("\n".join(first), names)
        found = eval(last, names)
        assert found.groupby(["model", "commit"])["params"].sum().to_dict() == held
        counts = f"select model, commit, count(*), sum(float_ops)::int from ({nodes}) group by all order by all"
        flops = {12: 32, 15: 34, 18: 36}
        assert duckdb.sql(counts).fetchall() == [(*key, 3, flops[value]) for key, value in held.items()]


def test_the_page_has_the_options_that_the_commands_have() -> None:
    own = {
        command: set(re.findall(r"--[a-z][a-z-]+", call("baseline", command, "--help").out)) - {"--help", "--verbose"}
        for command in ("save", "pick", "list", "prune")
    }
    for command, options in own.items():
        section = PAGE.split(f"### `{command} ")[1].split("\n##")[0]
        assert options <= set(re.findall(r"--[a-z][a-z-]+", section)), command
    of_reports = {"--baseline-missing", "--max-baseline-age", "--baseline-info", "--baseline", "--gate", "--timestamp"}
    assert set(re.findall(r"--[a-z][a-z-]+", PAGE)) <= set().union(*own.values(), of_reports)
