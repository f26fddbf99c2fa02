"""The tags of commits, from lists that git writes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tfprof_report.errors import InputError
from tfprof_report.report.tags import parse_tags

A, B, T = ("a" * 40, "b" * 40, "7" * 40)
SHOWN = f"{A} refs/tags/v1.0\n{T} refs/tags/v1.1\n{B} refs/tags/v1.1^{{}}\n{A} refs/tags/stable\n"
WITH = f"{A} v1.0\n{B} v1.1\n{A} stable\n"
FOUND = {A: ("v1.0", "stable"), B: ("v1.1",)}


@pytest.mark.parametrize(
    "text", [SHOWN, WITH, SHOWN.replace(" ", "\t"), SHOWN.upper().replace("REFS/TAGS/", "refs/tags/")]
)
def test_the_commit_of_an_annotated_tag_counts_not_its_object(text: str) -> None:
    names = {commit: tuple(name.lower() for name in names) for commit, names in parse_tags(text.encode(), "f").items()}
    assert names == FOUND


@pytest.mark.parametrize(
    "data",
    [
        SHOWN.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + SHOWN.encode(),
        SHOWN.encode("utf-16"),
        b"\n" + SHOWN.encode(),
    ],
    ids=["Windows", "with a mark", "PowerShell", "blank line"],
)
def test_a_list_of_tags_is_read_as_any_shell_writes_it(data: bytes) -> None:
    assert parse_tags(data, "f") == FOUND


def test_branches_are_no_tags_and_a_tag_may_have_slashes() -> None:
    text = f"{A} refs/heads/main\n{A} refs/tags/release/1\n{B} refs/remotes/origin/main\n{B} refs/stash\n"
    assert parse_tags(text.encode(), "f") == {A: ("release/1",)}
    assert parse_tags(b"", "f") == {}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (f"{A}\n".encode(), "line 1 is not a commit and a tag"),
        (f"{A} v1\nv2 {B}\n".encode(), "line 2 is not a commit and a tag"),
        (f"{A} v1 more\n".encode(), "line 1 is not a commit and a tag"),
        (b"\xff\x00\x80", "is not text"),
    ],
)
def test_what_is_no_list_of_tags_is_one_line(data: bytes, words: str) -> None:
    with pytest.raises(InputError) as problem:
        parse_tags(data, "f")
    assert str(problem.value) == f"f (--tags): {words}; write it with git show-ref --tags --dereference"


def test_what_git_lists_is_read(tmp_path: Path) -> None:
    def git(*words: str) -> bytes:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main")
        return subprocess.run(["git", *identity, *words], cwd=tmp_path, capture_output=True, check=True).stdout

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    git("tag", "light")
    git("tag", "-a", "heavy", "-m", "words")
    commit = git("rev-parse", "HEAD").decode().strip()
    assert parse_tags(git("show-ref", "--tags", "--dereference"), "f") == {commit: ("heavy", "light")}
    each = "%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end) %(refname:short)"
    assert parse_tags(git("for-each-ref", "refs/tags", f"--format={each}"), "f") == {commit: ("heavy", "light")}
    plain = parse_tags(git("for-each-ref", "refs/tags", "--format=%(objectname) %(refname:short)"), "f")
    assert plain[commit] == ("light",)  # git names no commit of the other
