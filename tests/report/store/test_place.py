"""A store is a folder or a URL; credentials in a URL appear in no message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report.errors import BaselineError, OptionError, OutputError
from tfprof_report.report.store.place import open_place, refused


@pytest.mark.parametrize("end", ["", "/", "//"])
def test_a_slash_at_the_end_is_the_same_folder(tmp_path: Path, end: str) -> None:
    open_place(str(tmp_path / "s")).write("a/b/file", b"1")
    for text in (f"{tmp_path}/s{end}", f"file://{tmp_path}/s{end}"):
        place = open_place(text)
        assert place.is_local
        assert place.read("a/b/file") == b"1"
        assert place.folders() == ["a"]
        assert place.sizes("a") == {("b", "file"): 1}
        assert place.shown("a/b").replace("//", "/") == f"{tmp_path}/s/a/b"


def test_a_path_is_relative_to_where_the_command_runs_and_shown_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = open_place("./s")
    place.write("x", b"1")
    assert (tmp_path / "s" / "x").read_bytes() == b"1"
    assert place.shown("x") == "./s/x"
    assert place.sizes("") == {("x",): 1}


def test_what_is_not_there_is_empty_and_cannot_be_read(tmp_path: Path) -> None:
    place = open_place(str(tmp_path / "nosuch"))
    assert (place.folders(), place.sizes("a")) == ([], {})
    with pytest.raises(FileNotFoundError):
        place.read("x")
    place.remove("a", first="x")
    assert not (tmp_path / "nosuch").exists()


def test_a_file_that_is_written_again_has_its_new_bytes_and_leaves_no_others(tmp_path: Path) -> None:
    place = open_place(str(tmp_path))
    place.write("a/x", b"1")
    place.write("a/x", b"22")
    assert place.sizes("") == {("a", "x"): 2}


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    place = open_place(str(tmp_path))
    (tmp_path / "x").mkdir()
    with pytest.raises(OSError, match="x"):
        place.write("x", b"1")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "the name of the store is empty; is a variable unset?"),
        ("nosuch://x/y", "nosuch://x/y (STORE): cannot be opened (Unrecognized filesystem type in URI: nosuch://x/y)"),
        ("s3://bucket/p?regoin=x", "s3://bucket/p (STORE): cannot be opened (Unexpected query parameter"),
        ("s3://KEY:SECRET@bucket/p?regoin=x", "s3://bucket/p (STORE): cannot be opened; give"),
        ("s3://KEY:SEC/RET+x@bucket/p?regoin=x", "s3://bucket/p (STORE): cannot be opened; give"),
    ],
)
def test_a_store_that_cannot_be_opened_is_one_line_without_secrets(text: str, line: str) -> None:
    with pytest.raises(OptionError) as problem:
        open_place(text)
    assert str(problem.value).startswith(line)
    assert not any(secret in str(problem.value) for secret in ("KEY", "SEC", "RET"))


def test_keys_and_parameters_are_not_in_the_name_of_a_store() -> None:
    place = open_place("s3://KEY:SECRET@bucket/some/path/?region=us-east-1")
    assert (place.name, place.root, place.is_local) == ("s3://bucket/some/path", "bucket/some/path", False)
    with pytest.raises(BaselineError) as problem, refused("s3://KEY:SECRET@bucket/p?x=y", BaselineError, "read"):
        raise OSError("When it ran: AWS Error ACCESS_DENIED during ListObjectsV2 operation: No (Request ID: 7)")
    assert str(problem.value) == "s3://bucket/p (STORE): cannot be read (No)"
    assert problem.value.details is not None
    assert "SECRET" not in problem.value.details


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("No (Request ID: 7)", "No"),
        ("The specified bucket does not exist", "The specified bucket does not exist"),
        ("curlCode: 7, Could not connect; Details: Failed to connect to 10.0.0.1:80", "Could not connect"),
    ],
)
def test_a_reason_of_an_object_store_is_without_what_is_for_its_developers(words: str, reason: str) -> None:
    with pytest.raises(BaselineError) as problem, refused("s3://b", BaselineError, "read"):
        raise OSError(f"When listing: AWS Error NETWORK_CONNECTION during ListObjectsV2 operation: {words}")
    assert str(problem.value) == f"s3://b (STORE): cannot be read ({reason})"


def test_a_reason_is_one_short_line(tmp_path: Path) -> None:
    with pytest.raises(OutputError) as problem, refused(str(tmp_path), OutputError, "written"):
        (tmp_path / "nosuch" / "x").write_bytes(b"")
    assert str(problem.value) == f"{tmp_path} (STORE): cannot be written (No such file or directory)"
    with pytest.raises(OutputError) as problem, refused("x", OutputError, "written"):
        raise OSError("first line.\nsecond line")
    assert str(problem.value) == "x (STORE): cannot be written (first line)"
