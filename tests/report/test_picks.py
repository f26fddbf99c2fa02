"""The output of `baseline pick --json`, read back: which baseline it is of, and what follows about its distance."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.origin import Origin
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.report.distance import Distance
from tfprof_report.report.picks import Pick, distance_of, read_picks

EMPTY = "e3b0c44298fc1c14"
"""The digest of a summary without content."""

FOUND = {"model": "enc", "commit": "c1", "saved": "2024-05-02T08:30:00Z", "digest": EMPTY, "commits_back": 41}
SAVED = datetime(2024, 5, 2, 8, 30, tzinfo=UTC)
PICK = Pick(model="enc", commit="c1", saved=SAVED, digest=EMPTY, commits_back=41)


def written(tmp_path: Path, *documents: Any, indent: int | None = 1) -> str:
    file = tmp_path / "picked.json"
    file.write_text("".join(f"{json.dumps(document, indent=indent)}\n" for document in documents))
    return str(file)


def test_a_pick_is_read_whatever_else_it_says(tmp_path: Path) -> None:
    assert read_picks(written(tmp_path, {**FOUND, "folder": "base", "new": [1]})).found == (PICK,)


@pytest.mark.parametrize("indent", [None, 1])
def test_the_picks_of_several_models_follow_one_another(tmp_path: Path, indent: int | None) -> None:
    picks = read_picks(written(tmp_path, FOUND, None, {**FOUND, "model": "dec", "commit": "c2"}, indent=indent))
    assert [pick.commit for pick in picks.found] == ["c1", "c2"]
    assert picks.of_model("enc").found == (PICK,)
    assert picks.of_model("gone").found == ()


@pytest.mark.parametrize("text", ["", "\n", "null\n", " null null\n"])
def test_nothing_was_found(tmp_path: Path, text: str) -> None:
    file = tmp_path / "picked.json"
    file.write_text(text)
    picks = read_picks(str(file))
    assert picks.found == ()
    assert picks.of_base("nosuch") is None


@pytest.mark.parametrize(
    "text",
    [
        "base\n",
        "[]",
        "7",
        "true",
        "{}",
        '{"model": "enc"',
        '"' + "[" * 9,
        "[" * 100_000,
        json.dumps({**FOUND, "commits_back": "41"}),
        json.dumps({**FOUND, "commits_back": True}),
        json.dumps({**FOUND, "commits_back": -1}),
        json.dumps({**FOUND, "digest": ""}),
        json.dumps({**FOUND, "digest": None}),
        json.dumps({**FOUND, "commit": 7}),
        json.dumps({**FOUND, "saved": 7}),
        json.dumps(FOUND) + "x",
        "\udcff",
    ],
)
def test_what_is_not_the_output_of_pick_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "picked.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=r"picked\.json \(--baseline-info\): is not what baseline pick --json prints;"):
        read_picks(str(file))


def test_a_pick_is_of_the_report_with_its_digest(tmp_path: Path) -> None:
    for name, text in (("base", ""), ("other", "{}")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").write_text(text)
    picks = read_picks(written(tmp_path, {**FOUND, "digest": "0" * 16}, FOUND))
    assert picks.of_base(str(tmp_path / "base")) == PICK
    with pytest.raises(OptionError, match=r"describes the report of commit c1, c1, the baseline .*other is"):
        picks.of_base(str(tmp_path / "other"))
    with pytest.raises(OptionError, match=r"the baseline graph\.pb is another one"):
        picks.of_base(InputPaths(graph="graph.pb"))


@pytest.mark.parametrize(
    ("base", "head", "pick", "age"),
    [
        ("2024-05-02T08:30:00Z", "2024-05-25T09:30:00Z", None, 23 * 86_400 + 3600),
        ("2024-05-02T08:30:00Z", "2024-05-02T08:30:01+02:00", None, None),  # the clock of base was ahead
        ("2024-05-02T08:30:00", "2024-05-02T10:30:01+02:00", PICK, 1),  # its own time, not that of saving
        ("nightly 7", "2024-05-02T08:30:09Z", PICK, 9),
        ("nightly 7", "2024-05-02T08:30:09Z", None, None),
        (None, "2024-05-02T08:30:09Z", None, None),
        ("2024-05-02T08:30:00Z", "nightly 8", PICK, None),
    ],
)
def test_the_age_is_the_time_between_the_reports(
    base: str | None, head: str, pick: Pick | None, age: int | None
) -> None:
    sides = (Origin(inputs=(), timestamp=time) for time in (base, head))
    back = pick.commits_back if pick else None
    assert distance_of(*sides, pick) == Distance(commits_back=back, age_seconds=age)
