"""How the GitLab recipe fetches the store: which host gets a token, what an archive may write, what is an outage."""

from __future__ import annotations

import shutil
import stat
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest
from recipe_hosts import GitLab, Repository

pytestmark = pytest.mark.skipif(not all(map(shutil.which, ("git", "bash", "curl"))), reason="needs git, bash and curl")
JOB, OWN = {"JOB-TOKEN": "token"}, {"PRIVATE-TOKEN": "own"}


def archive(**files: str) -> bytes:
    data = BytesIO()
    with ZipFile(data, "w") as written:
        for name, content in files.items():
            written.writestr(name, content)
    return data.getvalue()


STORE = archive(**{"tfprof-baselines/model/x": "kept", "tfprof-report/report.md": "other"})


@pytest.fixture
def host(tmp_path: Path) -> GitLab:
    """Return GitLab with a store."""
    made = GitLab(Repository(tmp_path))
    made.artifact = STORE
    return made


def fetched(host: GitLab) -> dict[str, str]:
    store = host.repository.folder / "tfprof-baselines"
    return {str(path.relative_to(store)): path.read_text() for path in store.rglob("*") if path.is_file()}


def test_the_store_is_fetched_with_the_token_of_the_job(host: GitLab) -> None:
    assert host.fetch() == 0, host.log
    assert fetched(host) == {"model/x": "kept"}
    assert host.tokens == [("api", JOB)]
    assert not (host.repository.folder / "tfprof-report").exists()  # nothing else of the artifact is used


def test_a_file_storage_that_gitlab_redirects_to_gets_no_token(host: GitLab) -> None:
    host.answers = [302]
    assert host.fetch() == 0, host.log
    assert fetched(host) == {"model/x": "kept"}
    assert host.tokens == [("api", JOB), ("storage", {})]
    host.answers = [302]
    assert host.fetch(TFPROF_TOKEN="own") == 0, host.log
    assert host.tokens == [("api", OWN), ("storage", {})]


def test_without_the_right_to_read_a_public_project_is_asked_without_a_token(host: GitLab) -> None:
    host.answers = [404]
    assert host.fetch() == 0, host.log
    assert fetched(host) == {"model/x": "kept"}
    assert host.tokens == [("api", JOB), ("api", {})]


def test_a_first_run_finds_no_artifact(host: GitLab) -> None:
    host.artifact = None
    assert host.fetch() == 0, host.log
    assert "There are no baselines yet." in host.log
    assert not (host.repository.folder / "tfprof-baselines").exists()


@pytest.mark.parametrize("answers", [[500], [401], [403], [404, 404]])
def test_an_outage_is_no_first_run(host: GitLab, answers: list[int]) -> None:
    host.answers = list(answers)
    assert host.fetch() == 4, host.log
    assert f"The baselines cannot be read: GitLab answered {answers[0]};" in host.log


def test_a_file_storage_that_lost_the_artifact_is_an_outage(host: GitLab) -> None:
    host.answers, host.artifact = [302], None
    assert host.fetch() == 4, host.log
    assert "The baselines cannot be read: GitLab answered 404 from the file storage" in host.log


def test_a_host_that_cannot_be_reached_is_an_outage(host: GitLab) -> None:
    assert host.fetch(CI_API_V4_URL="http://127.0.0.1:9/api/v4") == 4
    assert "The baselines cannot be read: GitLab cannot be reached." in host.log


def test_a_damaged_artifact_is_an_outage(host: GitLab) -> None:
    host.artifact = STORE[:40]
    assert host.fetch() == 4
    assert "The baselines cannot be read: the artifact is damaged." in host.log


def link(archive: ZipFile, name: str, target: str) -> None:
    info = ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    archive.writestr(info, target)


def test_a_hostile_archive_stays_in_a_folder_of_its_own(host: GitLab, tmp_path: Path) -> None:
    checkout, outside = host.repository.folder, tmp_path / "outside"
    outside.mkdir()
    data = BytesIO()
    with ZipFile(data, "w") as hostile:
        for name in ("../../outside/a", f"{outside}/b", "../profile_model.py", ".git/hooks/c", "tfprof-report.toml"):
            hostile.writestr(name, "hostile")
        link(hostile, "tfprof-baselines/link", str(outside))
        hostile.writestr("tfprof-baselines/link/d", "hostile")
        link(hostile, "tfprof-baselines/model", "../../../outside")
        hostile.writestr("tfprof-baselines/../../e", "hostile")
    host.artifact = data.getvalue()
    before = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file()}
    host.fetch()  # it may refuse the archive or not
    download = checkout / "tfprof-download"
    after = {path: path.read_bytes() for path in checkout.rglob("*") if path.is_file() and download not in path.parents}
    added = {path.relative_to(checkout).parts[0] for path in after.keys() - before.keys()}
    assert {path: after[path] for path in before} == before
    assert added <= {"tfprof-baselines", "tfprof-download.zip"}
    assert not any(path.is_symlink() for path in checkout.rglob("*"))
    assert list(outside.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkout", "host", "outside"]


def test_a_hostile_link_in_a_store_is_a_file(host: GitLab) -> None:
    data = BytesIO()
    with ZipFile(data, "w") as hostile:
        link(hostile, "tfprof-baselines", "/etc")
    host.artifact = data.getvalue()
    assert host.fetch() == 0, host.log
    assert not (host.repository.folder / "tfprof-baselines").exists()


def test_what_an_earlier_job_left_is_not_used(host: GitLab) -> None:
    left = host.repository.folder / "tfprof-baselines" / "old"
    left.mkdir(parents=True)
    (host.repository.folder / "tfprof-report").mkdir()
    assert host.fetch() == 0, host.log
    assert fetched(host) == {"model/x": "kept"}
    assert not left.exists()


def test_a_store_of_the_user_is_neither_fetched_nor_removed(host: GitLab, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "x").touch()
    assert host.fetch(TFPROF_STORE=str(own)) == 0, host.log
    assert (own / "x").exists()
    assert host.tokens == []


def test_no_token_is_given_to_a_merge_request_that_could_write_the_store() -> None:
    jobs = GitLab.read()
    text = (str(jobs[".tfprof-report"]) + str(jobs["tfprof-report"])).lower()
    for way in ("--upload-file", "--request", "-x put", "packages/generic", "'cache'", "baseline save"):
        assert way not in text
    assert jobs["tfprof-baseline"]["rules"] == [{"if": "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"}]
    assert "tfprof-baselines/" not in jobs[".tfprof-report"]["artifacts"]["paths"]
