"""The workflow that publishes a release, and the file of the image for CI hosts: what can be checked without a host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from repository import ROOT

from tfprof_report import __version__

BIN = Path(sys.executable).parent
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
JOBS: dict[str, Any] = yaml.safe_load(WORKFLOW.read_text("utf-8"))["jobs"]
SCRIPTS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize(
    "command",
    [
        ("check-jsonschema", "--builtin-schema", "vendor.github-workflows", WORKFLOW),
        ("zizmor", "--offline", "--no-progress", WORKFLOW),
        ("hadolint", ROOT / "ci" / "container" / "Containerfile"),
    ],
    ids=lambda command: command[0],
)
def test_a_checker_finds_nothing(command: tuple[str | Path, ...]) -> None:
    done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_shellcheck_finds_nothing_in_its_steps() -> None:
    assert len(SCRIPTS) == 4
    for script in SCRIPTS:
        subprocess.run([BIN / "shellcheck", "--shell=bash", "-"], input=script, text=True, check=True)


def test_only_the_job_that_publishes_has_a_token_of_pypi_and_it_runs_no_code_of_the_repository() -> None:
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "build": {"contents": "read"},
        "pypi": {"id-token": "write"},
        "github": {"contents": "write"},
    }
    assert [step["uses"].partition("@")[0] for step in JOBS["pypi"]["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]
    assert (JOBS["pypi"]["needs"], JOBS["github"]["needs"]) == ("build", "pypi")


def test_actions_are_pinned_by_their_commit() -> None:
    used = re.findall(r"uses: (\S+)(.*)", WORKFLOW.read_text("utf-8"))
    assert len(used) == 7
    for name, comment in used:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment)


@pytest.mark.parametrize(("tag", "code"), [(f"v{__version__}", 0), (__version__, 1), ("v99.0", 1)])
def test_a_tag_that_is_not_the_version_ends_the_release(tag: str, code: int) -> None:
    variables = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "GITHUB_REF_NAME": tag}
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", SCRIPTS[0]], cwd=ROOT, env=variables, check=False)
    assert done.returncode == code


def test_an_image_is_built_from_all_that_the_wheel_needs() -> None:
    taken = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert taken == {
        *("tfprof_report", "report_templates", "ci/recipes", "docs/man"),
        *("pyproject.toml", "README.md", "LICENSE"),
    }
    assert all((ROOT / name).exists() for name in taken)
