"""The CI recipes parse, and the script that they call compares two commits of a repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ("github-actions.yml", "gitlab-ci.yml", "azure-pipelines.yml", "Jenkinsfile")
MODEL = """node {{ name: "w" op: "VariableV2" attr {{ key: "shape" value {{ shape {{
dim {{ size: {size} }} }} }} }} }}"""


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository of two commits, whose model grows from 10 to 12 parameters."""
    git(tmp_path, "init", "--quiet")
    for size in (10, 12):
        (tmp_path / "model.pbtxt").write_text(MODEL.format(size=size))
        git(tmp_path, "add", "model.pbtxt")
        git(tmp_path, "commit", "--quiet", "-m", f"{size} parameters")
    return tmp_path


def compare(repository: Path, *options: str) -> subprocess.CompletedProcess[str]:
    profile = 'copy() { mkdir -p "$1" && cp model.pbtxt "$1/graph.pbtxt"; }; copy'
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    command = ["bash", str(ROOT / "ci" / "compare.sh"), "HEAD~1", profile, *options]
    environment = {**os.environ, "PATH": path}
    return subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", [name for name in RECIPES if name.endswith(".yml")])
def test_a_recipe_is_valid_yaml(name: str) -> None:
    assert isinstance(yaml.safe_load((ROOT / "ci" / name).read_text()), dict)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_calls_the_script_with_gates(name: str) -> None:
    text = (ROOT / "ci" / name).read_text()
    assert "bash ci/compare.sh " in text
    assert '--gate "params <= +0"' in text


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize(("gate", "code"), [("params <= +2", 0), ("params <= +10%", 1)])
def test_the_script_ends_with_the_verdict_and_leaves_a_report(repository: Path, gate: str, code: int) -> None:
    done = compare(repository, "--gate", gate)
    assert done.returncode == code, done.stdout + done.stderr
    assert (repository / "tfprof-report" / "report.md").is_file()
    assert not (repository / "tfprof-profiles" / "checkout").exists()
    summary = json.loads((repository / "tfprof-report" / "summary.json").read_text())
    commits = [summary["comparison"]["base"]["commit"], summary["side"]["commit"]]
    log = subprocess.run(["git", "log", "--format=%H"], cwd=repository, check=True, capture_output=True, text=True)
    assert commits == log.stdout.split()[::-1]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_the_script_can_run_twice_in_one_checkout(repository: Path) -> None:
    first, second = compare(repository), compare(repository)
    assert (first.returncode, second.returncode) == (0, 0), second.stderr
