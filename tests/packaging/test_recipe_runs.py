"""The first steps of a new user on each CI host: no baseline, a regression, an accepted change. All shell steps run."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from forked_command import forked_command
from recipe_hosts import Azure, GitHub, GitLab, Host, Jenkins, Repository

ACCEPTED = """[[acknowledged]]
metric = "{metric}"
value = {value}
reason = "wider on purpose"
expires = 2999-12-31
"""

pytestmark = pytest.mark.skipif(not all(map(shutil.which, ("git", "bash", "curl"))), reason="needs git, bash and curl")


@pytest.fixture(scope="module")
def command() -> Iterator[Path]:
    """Return the command, without the time that it takes to start."""
    with TemporaryDirectory() as folder, forked_command(Path(folder)) as client:  # a socket needs a short path
        yield client


@pytest.fixture
def repository(tmp_path: Path, command: Path) -> Repository:
    """Return a repository with a model of 100 parameters on main and 110 on the branch `change`."""
    made = Repository(tmp_path)
    (made.temporary / "bin" / "tfprof-report").symlink_to(command)
    made.git("checkout", "--quiet", "-b", "change")
    made.commit(width=110)
    return made


@pytest.mark.thorough
@pytest.mark.parametrize(
    "kind", [GitHub, *(pytest.param(kind, marks=pytest.mark.recipes) for kind in (GitLab, Jenkins, Azure))]
)
def test_a_regression_fails_until_it_is_accepted(repository: Repository, kind: type[Host]) -> None:
    host = kind(repository)
    report = repository.folder / "tfprof-report" / "report.md"
    assert host.run(is_pull_request=False) == 0, host.log
    assert "NO BASELINE" in report.read_text()

    assert host.run(is_pull_request=True) == 1, host.log
    assert "params" in report.read_text()
    assert repository.git("rev-parse", "main")[:7] in report.read_text()
    assert "0 commits back, less than an hour old" in report.read_text()
    assert re.search(r"\[full report\]\(<https?://[^>@]+/7\b", report.read_text()) or "buildId=7>" in report.read_text()
    assert len(re.findall(r"\]\(<https?://[^>@]+/commit/[0-9a-f]{40}>\)", report.read_text())) == 2

    repository.git("checkout", "--quiet", "change")
    (repository.folder / "tfprof-acknowledged.toml").write_text(ACCEPTED.format(metric="params", value=110))
    repository.commit()
    assert host.run(is_pull_request=True) == 0, host.log
    assert "wider on purpose" in report.read_text()


@pytest.mark.recipes
def test_a_commit_of_main_is_saved_also_if_it_fails_and_stands_in_for_those_that_follow(repository: Repository) -> None:
    host = GitHub(repository)
    assert host.run(is_pull_request=False) == 0, host.log
    repository.git("checkout", "--quiet", "main")
    repository.commit(width=120)
    assert host.run(is_pull_request=False) == 1, host.log
    repository.commit()
    repository.git("branch", "--force", "change")
    repository.git("checkout", "--quiet", "change")
    repository.commit()
    assert host.run(is_pull_request=True) == 0, host.log
    assert "1 commit back" in host.log


@pytest.mark.recipes
@pytest.mark.parametrize("kind", [GitHub, GitLab, Jenkins, Azure])
@pytest.mark.parametrize("code", [3, 4])
def test_a_report_that_was_written_is_saved_whatever_the_exit_code(
    repository: Repository, command: Path, kind: type[Host], code: int
) -> None:
    client = repository.temporary / "bin" / "tfprof-report"
    client.unlink()
    client.write_text(f'#!/bin/sh\n{command} "$@" || exit\nif [ "$1" = report ]; then exit {code}; fi\n')
    client.chmod(0o755)
    host = kind(repository)
    assert host.run(is_pull_request=False) == code, host.log
    assert host.log.count("Saved ") == 1


@pytest.mark.recipes
def test_a_pull_request_on_github_leaves_a_summary_a_comment_and_a_report(repository: Repository) -> None:
    host = GitHub(repository)
    assert host.run(is_pull_request=True) == 0, host.log
    assert "NO BASELINE" in host.summary.read_text()
    assert (host.artifacts / "tfprof-comment" / "comment.md").read_text().startswith("<!-- tfprof-report")
    assert (host.artifacts / "tfprof-report" / "summary.json").is_file()
    assert not host.cache.exists()  # a pull request writes nothing that another run reads


@pytest.mark.recipes
def test_a_night_without_a_change_saves_nothing_where_only_changes_are_reported(repository: Repository) -> None:
    host = GitHub(repository)
    repository.git("checkout", "--quiet", "main")
    rules = repository.folder / "tfprof-report.toml"
    rules.write_text(f"only_if_changed = true\n{rules.read_text()}")
    repository.commit()
    assert host.run(is_pull_request=False) == 0, host.log
    assert host.log.count("Saved ") == 1
    assert host.run(is_pull_request=False) == 0, host.log
    assert host.log.count("Saved ") == 0
    assert not (repository.folder / "tfprof-report" / "summary.json").exists()


def test_a_profile_that_cannot_be_read_is_no_verdict(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "main")
    (repository.folder / "profile_model.py").write_text("import os, sys\nos.makedirs(sys.argv[1])\n")
    repository.commit()
    host = GitHub(repository)
    assert host.run(is_pull_request=False) == 3, host.log
    assert not host.artifacts.exists()
    assert not host.cache.exists()


@pytest.mark.recipes
def test_on_gitlab_a_failed_gate_of_main_is_saved_and_shown_in_orange(repository: Repository) -> None:
    host = GitLab(repository)
    assert host.run(is_pull_request=False) == 0, host.log
    repository.git("checkout", "--quiet", "main")
    repository.commit(width=120)
    assert host.run(is_pull_request=False) == 1, host.log  # the job fails and the pipeline does not
    assert host.jobs["tfprof-baseline"]["allow_failure"]["exit_codes"] == [1, 5]
    assert host.run(is_pull_request=False) == 0, host.log
    assert "0 commits back" in host.log


@pytest.mark.recipes
def test_a_store_behind_a_url_needs_no_artifact(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    host = GitLab(repository)
    store = repository.temporary / "bucket"
    monkeypatch.setitem(host.jobs[".tfprof-settings"]["variables"], "TFPROF_STORE", store.as_uri())
    assert host.run(is_pull_request=False) == 0, host.log
    assert host.run(is_pull_request=True) == 1, host.log
    assert host.tokens == []
    assert sorted(path.name for path in store.iterdir()) == ["index", "model"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "kind", [GitHub, *(pytest.param(kind, marks=pytest.mark.recipes) for kind in (GitLab, Jenkins, Azure))]
)
def test_a_night_writes_the_history_and_a_week_its_summary(repository: Repository, kind: type[Host]) -> None:
    host = kind(repository)
    repository.git("checkout", "--quiet", "main")
    assert host.run(is_pull_request=False) == 0, host.log
    newest = repository.commit(width=120)
    repository.git("tag", "v1.0")
    assert host.run(is_pull_request=False) == 1, host.log
    assert "names no tag" not in host.log

    assert host.run_history(is_weekly=False) == 0, host.log
    (page,) = repository.folder.glob("tfprof-history/history.html")
    assert re.search(f'href="https?://[^"@]+/commit/{newest}"', page.read_text())
    assert "tfprof-baselines/" not in page.read_text()  # the store is not published, so nothing leads into it
    badge = {"schemaVersion": 1, "label": "parameters", "message": "120", "color": "blue"}
    assert json.loads(page.with_name("params.json").read_text()) == badge
    assert json.loads(page.with_name("float_ops.json").read_text())["label"] == "FLOPs"
    assert not [*repository.folder.glob("tfprof-*/chat.txt")]

    assert host.run_history(is_weekly=True) == 0, host.log
    (chat,) = repository.folder.glob("tfprof-*/chat.txt")
    text = chat.read_text()
    assert "Moved in the last 7 days:\nmodel: Parameters +20 (+20.00 %) to 120\n" in text
    assert re.search(rf"\n{newest[:12]}, \S+, model: Parameters \+20 .* https?://\S+/commit/{newest}\n", text)
    (summary,) = (
        repository.folder.glob("tfprof-*/**/history.md") if kind is GitLab else chat.parent.glob("week/history.md")
    )
    assert "In the last 7 days: Parameters +20 (+20.00 %) at" in summary.read_text()


@pytest.mark.thorough
def test_on_github_a_week_is_in_the_job_summary_and_a_page_is_uploaded(repository: Repository) -> None:
    host = GitHub(repository)
    assert host.run(is_pull_request=False) == 0, host.log
    assert host.run_history(is_weekly=False) == 0, host.log
    assert host.summary.read_text() == ""
    assert (host.artifacts / "pages" / "index.html").read_text() == (
        host.artifacts / "tfprof-history" / "history.html"
    ).read_text()
    assert host.run_history(is_weekly=True) == 0, host.log
    assert "in the last 7 days, in the order of git." in host.summary.read_text()


@pytest.mark.recipes
def test_where_no_baseline_was_saved_the_history_says_so(repository: Repository) -> None:
    host = GitHub(repository)
    assert host.run_history(is_weekly=False) == 4, host.log
    assert "holds no baselines" in host.log
    assert not host.artifacts.exists()
