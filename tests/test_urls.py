"""URLs of objects as text: nothing secret is shown, and names survive joining and taking apart."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof_report.errors import InputError
from tfprof_report.urls import (
    bucket_of,
    folder_of,
    has_credentials,
    is_object_url,
    is_url,
    join_url,
    last_part,
    name_of,
    show_names,
)


@pytest.mark.parametrize(
    ("text", "name", "is_secret"),
    [
        ("runs/a?b", "runs/a?b", False),
        ("C:/runs", "C:/runs", False),
        ("s3://bucket", "s3://bucket", False),
        ("s3://bucket/run/?region=x&endpoint_override=host:9000", "s3://bucket/run/", False),
        ("s3://bucket/a@b:c/graph.pb?x=y", "s3://bucket/a@b:c/graph.pb", False),
        ("S3://bucket/run", "S3://bucket/run", False),
        ("gs://anonymous@bucket/run", "gs://bucket/run", False),
        ("s3://KEY:SECRET@bucket/run?region=x", "s3://bucket/run", True),
        ("s3://KEY:SE/CR+ET@bucket/run", "s3://bucket/run", True),
        ("s3://KEY@bucket/run", "s3://bucket/run", True),
        ("s3://KEY:SECRET/bucket/run", "s3://", True),
        ("gs://anonymous:SECRET@bucket/run", "gs://bucket/run", True),
        ("hdfs://user:SECRET@host:8020/run?x", "hdfs://host:8020/run", True),
    ],
)
def test_the_name_of_a_url_has_neither_credentials_nor_parameters(text: str, name: str, *, is_secret: bool) -> None:
    assert name_of(text) == name
    assert has_credentials(text) == is_secret
    assert name_of(name) == name


def test_a_path_is_no_url() -> None:
    assert [is_url(text) for text in ("-", "a/b", "C://x", "x:/y", "://", "s3:/bucket")] == [False] * 6
    assert (is_url("https://host/x"), is_object_url("https://host/x")) == (True, False)
    assert is_object_url("gs://bucket")
    assert is_object_url("s3://bucket/x")


def test_the_parameters_stay_with_what_is_in_a_folder() -> None:
    url = join_url("s3://bucket/run/?endpoint_override=h:1", "graph.pb")
    assert url == "s3://bucket/run/graph.pb?endpoint_override=h:1"
    assert folder_of(url) == "s3://bucket/run?endpoint_override=h:1"
    assert bucket_of(url) == ("s3://bucket?endpoint_override=h:1", "bucket/run/graph.pb")
    assert bucket_of("s3://bucket/") == ("s3://bucket", "bucket")
    assert bucket_of("gs://anonymous@bucket/a%20b#c d") == ("gs://anonymous@bucket", "bucket/a b#c d")


@settings(max_examples=examples(60))
@given(st.text(min_size=1).filter(lambda name: "/" not in name and name.isprintable()))
def test_any_name_of_an_object_is_found_again(name: str) -> None:
    url = join_url("s3://bucket/run?region=x", name)
    assert last_part(url) == name
    assert bucket_of(url) == ("s3://bucket?region=x", f"bucket/run/{name}")
    assert name_of(url).startswith("s3://bucket/run/")
    assert last_part(name_of(url)) == name


def test_a_line_shows_names_only() -> None:
    line = 'twice, "s3://K:S/E@b/x?region=y" and gs://b/z?project=p; see https://host/x?y'
    assert show_names(line) == 'twice, "s3://b/x" and gs://b/z; see https://host/x?y'
    error = InputError(
        "is not s3://b/y?secret=1",
        file="s3://K:S@b/my run?secret=2",
        option='--model "s3://K:S@b"',
        details="s3://K:S@b",
    )
    assert str(error) == 's3://b/my run (--model "s3://b"): is not s3://b/y'
    assert error.details == "s3://b"
