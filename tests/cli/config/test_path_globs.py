"""Globs that name many inputs: what they match, the names of matches, and those that lead in circles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report.cli.config.path_globs import GlobError, expand, is_glob, name_of


@pytest.fixture(autouse=True)
def _runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("runs/b/profile", "runs/a/profile", "runs/.hidden/profile", "runs/x y/profile"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("net.pb", "net2.pbtxt.gz"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)


def names(pattern: str, out: str | None = None) -> dict[str, str]:
    """Return the name of each path that a glob matches, for a batch that writes to `out`."""
    return {match.path: match.name for match in expand(pattern, out)}


def test_a_match_is_called_after_what_the_glob_leaves_open() -> None:
    assert names("runs/*") == {"runs/a": "a", "runs/b": "b", "runs/x y": "x-y"}
    assert names("runs/*/profile") == {"runs/a/profile": "a", "runs/b/profile": "b", "runs/x y/profile": "x-y"}
    assert names("r*/[ab]/profile") == {"runs/a/profile": "runs-a", "runs/b/profile": "runs-b"}
    assert names("*/") == {"runs": "runs"}
    assert names("*.pb*") == {"net.pb": "net", "net2.pbtxt.gz": "net2"}
    assert names("runs/**/profile")["runs/a/profile"] == "a"


def test_hidden_folders_match_only_where_the_glob_says_so() -> None:
    assert names("runs/.h*") == {"runs/.hidden": "hidden"}


def test_what_is_there_is_no_glob(tmp_path: Path) -> None:
    (tmp_path / "a[1]").mkdir()
    assert not is_glob("a[1]")
    assert is_glob("a[2]")
    assert not is_glob("s3://bucket/*")
    assert name_of("runs/a/") == "a"
    assert name_of(".") == tmp_path.name


@pytest.mark.parametrize("pattern", ["runs/z*", "nowhere/*"])
def test_a_glob_that_matches_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(GlobError, match="matches nothing"):
        expand(pattern, None)


@pytest.mark.parametrize("out", ["runs", "runs/a", "runs/b/reports/new", "runs/new"])
def test_a_glob_must_not_match_the_output(out: str) -> None:
    with pytest.raises(GlobError, match="where the batch writes"):
        names("runs/*", out)
    assert len(expand("runs/*", "reports")) == 3


def test_links_that_lead_back_or_to_another_match_are_refused(tmp_path: Path) -> None:
    (tmp_path / "runs/c").symlink_to("a")
    with pytest.raises(GlobError, match="matches runs/a and runs/c, which are the same through a symbolic link"):
        expand("runs/*", None)
    (tmp_path / "runs/c").unlink()
    (tmp_path / "runs/a/up").symlink_to("..")
    with pytest.raises(GlobError, match="matches runs/a/up, which leads back to a folder above it"):
        expand("runs/a/*", None)


def test_two_stars_do_not_follow_links_in_circles(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"runs/a/back{number}").symlink_to("..")
    assert names("runs/**/profile").keys() == {"runs/a/profile", "runs/b/profile", "runs/x y/profile"}
