from __future__ import annotations

import pytest

from tfprof_report.cli.config import url_globs
from tfprof_report.cli.config.path_globs import GlobError
from tfprof_report.cli.config.url_globs import expand_url, is_url_glob
from tfprof_report.errors import InputError
from tfprof_report.ingest.files.folders import Listing
from tfprof_report.urls import bucket_of

OBJECTS = (
    "runs/a/profile/graph.pb",
    "runs/b/profile/graph.pb",
    "runs/b/old/profile/graph.pb",
    "runs/c d/graph.pb",
    "runs/.hidden/graph.pb",
    "runs/net.pb.gz",
    "one?.pb",
)


def list_objects(url: str) -> Listing:
    """Return what is directly below a URL, as a bucket with `OBJECTS` says it."""
    assert url.endswith("?region=x")
    path = bucket_of(url)[1]
    if path.startswith("denied"):
        raise OSError("AWS Error ACCESS_DENIED during ListObjectsV2 operation: Access Denied")
    start = path.partition("/")[2]
    below = [
        key.removeprefix(f"{start}/" if start else "") for key in OBJECTS if key.startswith(f"{start}/") or not start
    ]
    if not below:
        raise FileNotFoundError(path)
    return Listing(
        files=tuple(sorted({key for key in below if "/" not in key})),
        folders=tuple(sorted({key.partition("/")[0] for key in below if "/" in key})),
    )


@pytest.fixture(autouse=True)
def _bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_globs, "list_folder", list_objects)


def names(pattern: str) -> dict[str, str]:
    """Return the name of each object or folder that a glob matches, by its URL without the parameters."""
    found = expand_url(f"s3://bucket/{pattern}?region=x")
    return {match.path.removeprefix("s3://bucket/").removesuffix("?region=x"): match.name for match in found}


def test_a_match_is_called_after_what_the_glob_leaves_open() -> None:
    assert names("runs/*") == {"runs/a": "a", "runs/b": "b", "runs/c%20d": "c-d", "runs/net.pb.gz": "net"}
    assert names("runs/*/profile") == {"runs/a/profile": "a", "runs/b/profile": "b"}
    assert names("r*/[ab]/profile/") == {"runs/a/profile": "runs-a", "runs/b/profile": "runs-b"}
    assert names("runs/*/") == {"runs/a": "a", "runs/b": "b", "runs/c%20d": "c-d"}
    assert names("*.pb") == {"one%3F.pb": "one"}


def test_two_stars_are_any_number_of_folders() -> None:
    assert names("runs/**/profile") == {
        "runs/a/profile": "a",
        "runs/b/profile": "b",
        "runs/b/old/profile": "b-old",
    }


def test_hidden_folders_match_only_where_the_glob_says_so() -> None:
    assert names("runs/.h*") == {"runs/.hidden": "hidden"}


def test_only_a_path_of_a_url_is_a_glob() -> None:
    assert is_url_glob("s3://bucket/runs/*")
    assert not is_url_glob("s3://bucket/runs?endpoint_override=*")
    assert not is_url_glob("runs/*")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("runs/z*", "matches nothing"), ("nowhere/*", "matches nothing"), ("runs/*/x/y", "matches nothing")],
)
def test_a_glob_that_matches_nothing_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(GlobError, match=why):
        names(pattern)


def test_the_bucket_is_named() -> None:
    with pytest.raises(GlobError, match="leaves the bucket open"):
        expand_url("s3://b*/runs?region=x")


def test_too_many_matches_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_globs, "MOST_ENTRIES", 3)
    with pytest.raises(GlobError, match="matches more than 3 objects"):
        names("runs/*")


def test_what_cannot_be_listed_is_one_line() -> None:
    with pytest.raises(InputError, match=r"^s3://denied/runs: cannot be read \(Access Denied\); check the cred"):
        expand_url("s3://denied/runs/*?region=x")
