"""A comparison of the same files or the same commit is noticed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_builders import make_origin

from tfprof_report.ingest.origin import InputFile, Origin
from tfprof_report.report.build_report import same_sides

SIDE = make_origin()


def files(*digests: str) -> tuple[InputFile, ...]:
    return tuple(
        InputFile(role="graph", path=f"{at}/graph.pb", form="binary", size_bytes=9, sha256=digest)
        for at, digest in enumerate(digests)
    )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "base and head are the same files: this compares a model with itself"),
        ({"commit": "other"}, "base and head are the same files: this compares a model with itself"),
        ({"inputs": files("ab")}, "base and head are the same commit: this compares it with itself"),
        ({"inputs": ()}, "base and head are the same commit: this compares it with itself"),
        ({"inputs": files("ab"), "commit": "other"}, None),
        ({"inputs": files("ab"), "commit": None}, None),
    ],
)
def test_equal_files_or_equal_commits_are_warned_of(changes: dict[str, object], text: str | None) -> None:
    for base, head in ((SIDE, replace(SIDE, **changes)), (replace(SIDE, **changes), SIDE)):
        assert [warning.text for warning in same_sides(base, head)] == ([text] if text else [])


def test_sides_that_say_nothing_of_themselves_are_not_the_same() -> None:
    assert same_sides(Origin(inputs=()), Origin(inputs=())) == ()


def test_the_digest_of_a_side_is_that_of_what_its_files_hold_wherever_they_lie() -> None:
    one, two = files("ab", "cd")
    digest = Origin(inputs=(one, two)).digest
    assert digest is not None
    assert len(digest) == 64
    assert Origin(inputs=(two, replace(one, path="elsewhere", form="gzip binary"))).digest == digest
    others = ((one,), (one, one, two), (replace(one, step=1), two), (replace(one, role="op_log"), two))
    assert digest not in {Origin(inputs=each).digest for each in others}
    assert Origin(inputs=()).digest is None
