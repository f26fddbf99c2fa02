"""The CI recipes pass their hosts' schemas and linters, and give no permissions to the code of a pull request."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tree_sitter_groovy
import yaml
from recipe_hosts import RECIPES, GitHub, GitLab, GitLabLoader, Jenkins
from tree_sitter import Language, Parser

ACTION = RECIPES / "github" / "actions" / "tfprof-report" / "action.yml"
WORKFLOWS = sorted((RECIPES / "github" / "workflows").glob("*.yml"))
GITLAB = RECIPES / "gitlab" / "tfprof-report.yml"
JENKINS = RECIPES / "jenkins" / "Jenkinsfile"
AZURE = RECIPES / "azure" / "tfprof-report.yml"
HISTORY = RECIPES / "github" / "workflows" / "tfprof-report-history.yml"
BIN = Path(sys.executable).parent


def yaml_of(path: Path) -> Any:
    return yaml.load(path.read_text(), GitLabLoader)


def check(*command: str | Path, stdin: str = "") -> None:
    done = subprocess.run([BIN / command[0], *command[1:]], input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def shell_steps() -> dict[str, tuple[str, str]]:
    """Return the dialect and text of each shell step, by the name of its recipe and its number."""
    steps = yaml_of(ACTION)["runs"]["steps"]
    for path in WORKFLOWS:
        steps += [step for job in yaml_of(path)["jobs"].values() for step in job["steps"]]
    github = [("bash", f"set -eo pipefail\n{step['run']}") for step in steps if "run" in step]
    gitlab = GitLab.read()
    jobs = [
        ("bash", "set -eo pipefail\n" + "\n".join(GitLab.script_of(gitlab, job)))
        for job in ("tfprof-report", "tfprof-baseline", "tfprof-history", "tfprof-week", "pages")
    ]
    azure = [("bash", step["bash"]) for step in yaml_of(AZURE)["steps"] if "bash" in step]
    jenkins = [("dash", f"set -e\n{script}") for script in Jenkins.scripts()]
    found = {"github": github, "gitlab": jobs, "azure": azure, "jenkins": jenkins}
    return {f"{host} {number}": step for host, steps in found.items() for number, step in enumerate(steps, 1)}


STEPS = shell_steps()


@pytest.mark.parametrize(
    ("schema", "paths", "options"),
    [
        ("github-actions", [ACTION], []),
        ("github-workflows", WORKFLOWS, []),
        ("gitlab-ci", [GITLAB], ["--data-transform", "gitlab-ci"]),
        ("azure-pipelines", [AZURE], ["--regex-variant", "python"]),
    ],
)
def test_a_recipe_is_valid_by_the_schema_of_its_host(schema: str, paths: list[Path], options: list[str]) -> None:
    check("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *options, *paths)


def with_posting(path: Path) -> str:
    """Return a recipe with its commented step, which posts the summary, as a step."""
    lines, found = path.read_text().splitlines(), False
    for number, line in enumerate(lines):
        step = re.fullmatch(r"( *)# ((?:- | ).*)", line)
        if found and step is not None:
            lines[number] = step[1] + step[2]
        found = line.strip().startswith("# To post it") or (found and step is not None)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("schema", "path", "options"),
    [
        ("github-workflows", HISTORY, []),
        ("gitlab-ci", GITLAB, ["--data-transform", "gitlab-ci"]),
        ("azure-pipelines", AZURE, ["--regex-variant", "python"]),
    ],
)
def test_the_step_that_posts_the_summary_is_valid_if_it_is_no_comment(
    tmp_path: Path, schema: str, path: Path, options: list[str]
) -> None:
    changed = tmp_path / path.name
    changed.write_text(with_posting(path))
    assert "--data-binary" in str(yaml_of(changed))
    assert "--data-binary" not in str(yaml_of(path))
    check("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *options, changed)


def test_zizmor_finds_nothing_in_the_workflows(tmp_path: Path) -> None:
    shutil.copytree(RECIPES / "github", tmp_path / ".github")
    check("zizmor", "--offline", "--no-progress", tmp_path)


@pytest.mark.parametrize("step", STEPS)
def test_shellcheck_finds_nothing_in_a_step(step: str) -> None:
    dialect, text = STEPS[step]
    # SC1091: the virtual environment is made by an earlier step. SC2016: $$ and backticks are text of Markdown.
    check("shellcheck", "--shell", dialect, "--exclude", "SC1091,SC2016", "-", stdin=text)


def test_every_recipe_has_steps_that_were_checked() -> None:
    assert {name.split()[0] for name in STEPS} == {"github", "gitlab", "azure", "jenkins"}
    assert len(Jenkins.scripts()) == len(re.findall(r"\bsh[ (]", Jenkins.text()))


def test_the_jenkinsfile_is_groovy() -> None:
    tree = Parser(Language(tree_sitter_groovy.language())).parse(JENKINS.read_bytes())
    assert not tree.root_node.has_error


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=lambda path: path.stem)
def test_actions_of_others_are_pinned_by_their_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)(.*)", path.read_text())
    for name, comment in used:
        if not name.startswith("./"):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment)


def test_code_of_a_pull_request_runs_with_a_token_that_only_reads() -> None:
    text = (RECIPES / "github" / "workflows" / "tfprof-report.yml").read_text()
    workflow = yaml_of(RECIPES / "github" / "workflows" / "tfprof-report.yml")
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in workflow["jobs"].values())
    assert not re.search(r"secrets\.|github\.token|pull_request_target", text + ACTION.read_text())
    assert workflow["jobs"]["model"]["steps"][0]["with"]["persist-credentials"] is False


def test_the_workflow_that_comments_runs_no_code_of_the_pull_request() -> None:
    workflow = yaml_of(RECIPES / "github" / "workflows" / "tfprof-report-comment.yml")
    assert workflow["permissions"] == {}
    (job,) = workflow["jobs"].values()
    assert all("uses" not in step for step in job["steps"])
    assert "tfprof-report " not in "".join(step["run"] for step in job["steps"]).replace("<!-- tfprof-report", "")


def test_the_history_runs_no_code_of_a_pull_request_and_only_the_page_may_be_deployed() -> None:
    workflow = yaml_of(HISTORY)
    assert set(workflow[True]) == {"schedule", "workflow_dispatch"}  # "on" is true in YAML 1.1
    assert workflow["permissions"] == {"contents": "read"}
    rights = {name: job.get("permissions") for name, job in workflow["jobs"].items()}
    assert rights == {"history": None, "pages": {"pages": "write", "id-token": "write"}}
    assert workflow["jobs"]["pages"]["if"] == "${{ vars.TFPROF_PAGES == 'true' }}"
    jobs = yaml_of(GITLAB)
    nightly = '$CI_PIPELINE_SOURCE == "schedule" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH'
    rules = {
        name: jobs[name]["rules"][0]["if"].removeprefix(nightly) for name in ("tfprof-history", "tfprof-week", "pages")
    }
    assert rules == {
        "tfprof-history": "",
        "tfprof-week": ' && $TFPROF_WEEKLY == "true"',
        "pages": ' && $TFPROF_PAGES == "true"',
    }


@pytest.mark.parametrize("path", [ACTION, GITLAB, JENKINS, AZURE], ids=lambda path: path.parent.name)
def test_every_recipe_thins_its_store_by_the_tags_that_it_has_fetched(path: Path) -> None:
    text = path.read_text()
    assert text.count("baseline prune") == 1
    assert re.search(r"--keep 20 --keep-daily 90 --keep-weekly 52 --keep-tagged --tags ", text)
    fetched = {ACTION: "", GITLAB: 'GIT_DEPTH: "0"', JENKINS: "git fetch --quiet --tags", AZURE: 'fetchTags: "true"'}
    assert fetched[path] in text
    assert all("fetch-depth: 0" in workflow.read_text() for workflow in (HISTORY, WORKFLOWS[-1]))


def test_a_run_of_a_pull_request_saves_no_baseline() -> None:
    step = yaml_of(RECIPES / "github" / "workflows" / "tfprof-report.yml")["jobs"]["model"]["steps"][-1]
    for event, saves in (("pull_request", False), ("push", True), ("schedule", True)):
        assert GitHub.evaluate(step["with"]["save"].strip("${} "), {"github.event_name": event}) is saves
    merge_request, baseline = yaml_of(GITLAB)["tfprof-report"], yaml_of(GITLAB)["tfprof-baseline"]
    assert "baseline save" not in str(merge_request["script"])
    assert baseline["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]
    saving = [step for step in yaml_of(AZURE)["steps"] if "baseline save" in step.get("bash", "")]
    assert all("ne(variables['Build.Reason'], 'PullRequest')" in step["condition"] for step in saving)
