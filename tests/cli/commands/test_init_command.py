"""`tfprof-report init` writes the rules file and the recipe of the detected host; only --force replaces files."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest
from command import Outcome, call
from repository import ROOT

from tfprof_report.cli.commands.init import RECIPES, read_recipe
from tfprof_report.cli.config.file import read_rules_file
from tfprof_report.cli.params.small_commands import Host, Snippet
from tfprof_report.compare.gates.grammar import DEFAULT_GATES

RULES = {"tfprof-report.toml", "tfprof-acknowledged.toml"}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the top of an empty repository, which is the current folder."""
    git(tmp_path, "init", "--quiet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def written_in(folder: Path) -> set[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(path) for path in found if path.parts[0] != ".git"}


def lines_of(outcome: Outcome, word: str) -> list[str]:
    return [line.split()[1].rstrip(",") for line in outcome.out.splitlines() if line.startswith(f"{word} ")]


@pytest.mark.parametrize("host", Host)
def test_a_host_gets_its_recipe_and_the_rules_file(repository: Path, host: Host) -> None:
    outcome = call("init", "--host", host)
    assert outcome.code == 0, outcome
    assert written_in(repository) == RULES | set(RECIPES[host].files)
    assert set(lines_of(outcome, "Written")) == RULES | set(RECIPES[host].files)
    for target, name in RECIPES[host].files.items():
        assert (repository / target).read_bytes() == (ROOT / "ci" / "recipes" / name).read_bytes()


@pytest.mark.parametrize(
    ("mark", "host"),
    [
        (".github/workflows/test.yml", Host.GITHUB),
        (".gitlab-ci.yml", Host.GITLAB),
        ("Jenkinsfile", Host.JENKINS),
        ("azure-pipelines.yml", Host.AZURE),
    ],
)
def test_a_host_is_told_by_its_files(repository: Path, mark: str, host: Host) -> None:
    (repository / mark).parent.mkdir(parents=True, exist_ok=True)
    (repository / mark).write_text("mine\n")
    git(repository, "remote", "add", "origin", "https://github.com/me/mine.git")  # files take precedence
    outcome = call("init")
    assert outcome.code == 0, outcome
    assert outcome.out.startswith(f"Host      {RECIPES[host].title} (")
    assert set(RECIPES[host].files) < written_in(repository)
    assert (repository / mark).read_text() == "mine\n"


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://me:secret@github.com/me/mine.git", Host.GITHUB),
        ("git@github.com:me/gitlab-mirror.git", Host.GITHUB),
        ("ssh://git@gitlab.example.org:2222/me/mine.git", Host.GITLAB),
        ("https://me@dev.azure.com/me/mine/_git/mine", Host.AZURE),
    ],
)
def test_a_host_is_told_by_the_server_of_the_remote(repository: Path, address: str, host: Host) -> None:
    git(repository, "remote", "add", "origin", address)
    outcome = call("init")
    assert outcome.code == 0, outcome
    assert set(RECIPES[host].files) < written_in(repository)
    assert "secret" not in outcome.out


def test_the_server_of_a_hostile_remote_stays_on_its_line(repository: Path) -> None:
    git(repository, "config", "remote.origin.url", "https://github.com\x1b[31m\nHost/x")
    outcome = call("init")
    assert outcome.code == 0, outcome
    assert outcome.out.startswith("Host      GitHub Actions (github.com\\x1b[31m\\nhost)\n")


def test_a_link_to_nowhere_is_a_file_that_is_there(repository: Path) -> None:
    (repository / "tfprof-report.Jenkinsfile").symlink_to("nowhere")
    assert "tfprof-report.Jenkinsfile" in lines_of(call("init", "--host", "jenkins"), "Kept")
    assert (repository / "tfprof-report.Jenkinsfile").is_symlink()


@pytest.mark.parametrize("marks", [[], ["Jenkinsfile", ".gitlab-ci.yml"]])
def test_a_host_that_is_not_certain_is_asked_for(repository: Path, marks: list[str]) -> None:
    for mark in marks:
        (repository / mark).touch()
    outcome = call("init")
    assert outcome.code == 2
    assert outcome.error.startswith("--host: ")
    assert "choose from github, gitlab, jenkins, azure" in outcome.error
    assert all(mark in outcome.error for mark in marks)
    assert written_in(repository) == set(marks)


def test_a_repository_without_git_is_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("init", "--host", "azure").code == 0
    assert (tmp_path / ".azure-pipelines" / "tfprof-report.yml").is_file()


def test_files_go_to_the_top_of_the_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "deep" / "down").mkdir(parents=True)
    monkeypatch.chdir(repository / "deep" / "down")
    assert call("init", "--host", "github").code == 0
    assert written_in(repository) == RULES | set(RECIPES[Host.GITHUB].files)


def test_a_file_that_is_there_stays_unless_forced(repository: Path) -> None:
    (repository / "tfprof-report.toml").write_text("gates = []\n")
    (repository / "tfprof-report.Jenkinsfile").write_text("mine\n")
    outcome = call("init", "--host", "jenkins")
    assert outcome.code == 0, outcome
    assert lines_of(outcome, "Kept") == ["tfprof-report.toml", "tfprof-report.Jenkinsfile"]
    assert (repository / "tfprof-report.Jenkinsfile").read_text() == "mine\n"
    forced = call("init", "--host", "jenkins", "--force")
    assert set(lines_of(forced, "Replaced")) == RULES | {"tfprof-report.Jenkinsfile"}
    assert (repository / "tfprof-report.Jenkinsfile").read_text() == read_recipe("jenkins/Jenkinsfile")


def test_a_rules_file_in_pyproject_is_not_hidden_by_a_second_one(repository: Path) -> None:
    (repository / "pyproject.toml").write_text("[tool.tfprof_report]\ngates = []\n")
    outcome = call("init", "--host", "gitlab", "--force")
    assert outcome.code == 0, outcome
    assert lines_of(outcome, "Kept") == ["pyproject.toml"]
    assert not (repository / "tfprof-report.toml").exists()


def test_a_folder_that_cannot_be_made_is_one_line(repository: Path) -> None:
    (repository / ".gitlab").write_text("a file")
    outcome = call("init", "--host", "gitlab")
    assert outcome.code == 3
    assert ".gitlab" in outcome.error


def test_a_program_that_is_there_is_not_to_be_written_over(repository: Path) -> None:
    written = "--snippet keras > profile_model.py"
    assert written in call("init", "--host", Host.GITHUB).out
    (repository / "profile_model.py").touch()
    assert written not in call("init", "--host", Host.GITHUB).out


@pytest.mark.parametrize("snippet", Snippet)
def test_a_snippet_is_a_program_on_standard_output(repository: Path, snippet: Snippet) -> None:
    outcome = call("init", "--snippet", snippet)
    assert outcome.code == 0, outcome
    assert "python profile_model.py FOLDER" in (ast.get_docstring(ast.parse(outcome.out)) or "")
    assert written_in(repository) == set()


def test_the_first_rules_file_has_the_gates_of_a_file_without_any(repository: Path) -> None:
    assert call("init", "--host", "azure").code == 0
    gates = [of_models.item for of_models in read_rules_file("tfprof-report.toml", None).gates]

    def facts(of: list[object]) -> set[tuple[object, ...]]:
        return {(gate.text, gate.level, gate.is_optional, gate.subject, gate.limits) for gate in of}

    assert facts([*gates]) == facts([*DEFAULT_GATES])
    assert len(gates) == len(DEFAULT_GATES)
    assert (repository / "tfprof-acknowledged.toml").is_file()
