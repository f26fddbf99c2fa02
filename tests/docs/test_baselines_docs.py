"""docs/baselines.md: its commands run in the order of the page, and it names all options and no others."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from command import call, small_model
from repository import ROOT

PAGE = (ROOT / "docs" / "baselines.md").read_text()
COMMANDS = [
    line for block in re.findall(r"^```\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE) for line in block.splitlines()
]


def git(*arguments: str) -> str:
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *identity, *arguments], capture_output=True, check=True, text=True).stdout.strip()


def test_the_commands_of_the_page_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "base")
    base = git("rev-parse", "HEAD")
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
    assert [outcome.out for outcome in pruned] == ["", ""]


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
