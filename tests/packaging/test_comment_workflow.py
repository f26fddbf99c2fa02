"""The workflow that comments on pull requests, run against a fake GitHub; the artifact is not trusted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from recipe_hosts import RECIPES

WORKFLOW = yaml.safe_load((RECIPES / "github" / "workflows" / "tfprof-report-comment.yml").read_text())
(STEP,) = WORKFLOW["jobs"]["comment"]["steps"]
MARKER = "<!-- tfprof-report -->"
SHA = "a" * 40
BOT, STRANGER = "github-actions[bot]", "stranger"

GH = f"""#!{sys.executable}
import argparse, json, os, sys
from pathlib import Path
import jq

parser = argparse.ArgumentParser()
parser.add_argument("api", choices=["api"])
parser.add_argument("path")
parser.add_argument("--method", default="GET")
parser.add_argument("--jq")
parser.add_argument("--paginate", action="store_true")
parser.add_argument("--silent", action="store_true")
parser.add_argument("-f", action="append", default=[])
parser.add_argument("-F", action="append", default=[])
given = parser.parse_args()
file = Path(os.environ["GITHUB_STATE"])
state = json.loads(file.read_text())
top = "repos/me/mine/"
assert given.path.startswith(top), given.path
what = given.path.removeprefix(top)
if what.endswith("/zip"):
    assert what == "actions/artifacts/5/zip"
    sys.stdout.buffer.write(Path(state["zip"]).read_bytes())
    sys.exit()
if given.method in ("POST", "PATCH"):
    body = Path(dict(pair.split("=@") for pair in given.F)["body"]).read_text()
    state["written"].append([given.method, what, body])
    file.write_text(json.dumps(state))
    sys.exit()
if what == "pulls":
    query = dict(pair.split("=", 1) for pair in given.f)
    answer = [pull for pull in state["pulls"] if [pull["label"], pull["state"]] == [query["head"], query["state"]]]
elif what.endswith("/comments"):
    answer = state["comments"]
    assert given.paginate
else:
    assert what == "actions/runs/9/artifacts"
    answer = {{"artifacts": state["artifacts"]}}
for each in jq.compile(given.jq).input_value(answer).all():
    print(each if isinstance(each, str) else json.dumps(each))
"""

pytestmark = pytest.mark.skipif(not all(map(shutil.which, ("bash", "unzip"))), reason="needs bash and unzip")


class GitHubFile:
    """A fake GitHub: a `gh` command that answers from a state file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "state"
        (folder / "bin").mkdir()
        (folder / "bin" / "gh").write_text(GH)
        (folder / "bin" / "gh").chmod(0o755)
        self.state: dict[str, Any] = {
            "artifacts": [{"name": "tfprof-report", "id": 4}, {"name": "tfprof-comment", "id": 5}],
            "zip": str(folder / "artifact.zip"),
            "pulls": [{"label": "fork:topic/x", "state": "open", "number": 3, "head": {"sha": SHA}}],
            "comments": [],
            "written": [],
        }
        self.hold(f"{MARKER}\n**OK**\n")

    def hold(self, text: str, **attributes: int) -> None:
        """Write the artifact with this comment."""
        with zipfile.ZipFile(self.folder / "artifact.zip", "w") as archive:
            member = zipfile.ZipInfo("comment.md")
            for name, value in attributes.items():
                setattr(member, name, value)
            archive.writestr(member, text)

    def run(self) -> subprocess.CompletedProcess[str]:
        """Run the step."""
        self.file.write_text(json.dumps(self.state))
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEP["run"]],
            env={
                "PATH": os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]]),
                "LANG": "C.UTF-8",
                "RUNNER_TEMP": str(self.folder),
                "GITHUB_STATE": str(self.file),
                "GH_TOKEN": "secret-token",
                "GH_REPO": "me/mine",
                "RUN": "9",
                "RUN_URL": "https://github.com/me/mine/actions/runs/9",
                "HEAD": "fork:topic/x",
                "SHA": SHA,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        self.state = json.loads(self.file.read_text())
        return done

    @property
    def written(self) -> list[list[str]]:
        return list(self.state["written"])


@pytest.fixture
def github(tmp_path: Path) -> GitHubFile:
    return GitHubFile(tmp_path)


def test_a_first_comment_is_created(github: GitHubFile) -> None:
    github.state["comments"] = [
        {"id": 1, "user": {"login": STRANGER}, "body": f"{MARKER}\nsame marker"},
        {"id": 2, "user": {"login": BOT}, "body": f"of another tool, which cites {MARKER}"},
    ]
    done = github.run()
    assert done.returncode == 0, done.stderr
    ((method, path, body),) = github.written
    assert (method, path) == ("POST", "issues/3/comments")
    assert body.startswith(f"{MARKER}\n<sub>Measured by [this run](https://github.com/me/mine/actions/runs/9)")
    assert body.endswith("**OK**\n")


def test_an_earlier_comment_is_updated(github: GitHubFile) -> None:
    github.state["comments"] = [
        {"id": 1, "user": {"login": BOT}, "body": "<!-- tfprof-report of another model -->\n"},
        {"id": 2, "user": {"login": BOT}, "body": f"{MARKER}\nfirst"},
        {"id": 3, "user": {"login": BOT}, "body": f"{MARKER}\nsecond"},
    ]
    assert github.run().returncode == 0
    assert [entry[:2] for entry in github.written] == [["PATCH", "issues/comments/2"]]


@pytest.mark.parametrize("change", ["no artifact", "newer commit", "closed", "other branch"])
def test_nothing_is_written_without_an_open_pull_request_at_that_commit(github: GitHubFile, change: str) -> None:
    match change:
        case "no artifact":
            github.state["artifacts"].pop()
        case "newer commit":
            github.state["pulls"][0]["head"]["sha"] = "b" * 40
        case "closed":
            github.state["pulls"][0]["state"] = "closed"
        case "other branch":
            github.state["pulls"][0]["label"] = "fork:topic"
    done = github.run()
    assert done.returncode == 0, done.stderr
    assert github.written == []


@pytest.mark.parametrize(
    "text",
    [
        "no marker",
        "",
        f" {MARKER}\n",
        "<!-- another-tool -->\n",
        "<!-- tfprof-report --> <script>\n",
        '<!-- tfprof-report $(touch hacked) " -->\n',
    ],
)
def test_a_comment_without_the_marker_is_refused(github: GitHubFile, text: str) -> None:
    github.hold(text)
    done = github.run()
    assert done.returncode == 1
    assert "::error::" in done.stdout
    assert github.written == []


def test_text_of_a_stranger_is_no_code_and_no_mention(github: GitHubFile) -> None:
    hostile = f"{MARKER}\n@everyone $(touch hacked) `touch hacked` %s \\n ${{GH_TOKEN}} 'x' \"y\"\n"
    github.hold(hostile)
    assert github.run().returncode == 0
    ((_, _, body),) = github.written
    assert "@\u200beveryone $(touch hacked) `touch hacked` %s \\n ${GH_TOKEN} 'x' \"y\"" in body
    assert "secret-token" not in body
    assert not list(github.folder.rglob("hacked"))


def test_a_link_in_the_archive_is_not_followed(github: GitHubFile) -> None:
    github.hold("/proc/self/environ", external_attr=0o120777 << 16, create_system=3)
    assert github.run().returncode == 1
    assert github.written == []


def test_a_comment_that_is_too_long_is_cut(github: GitHubFile) -> None:
    github.hold(MARKER + "\n" + "ü" * 100_000)
    assert github.run().returncode == 0
    ((_, _, body),) = github.written
    assert len(body) < 65_536
    assert body.count("ü") == 65_000


def test_an_archive_that_never_ends_is_not_read_to_its_end(github: GitHubFile) -> None:
    github.hold(MARKER + "\n" + "x" * 50_000_000)
    assert github.run().returncode != 0
    assert github.written == []
    assert (github.folder / "untrusted.md").stat().st_size <= 262_144
