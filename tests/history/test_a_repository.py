"""A repository of 60 commits with known changes: each is found at its commit, and none is invented."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command import call
from histories import Repository, sixty_commits
from strict_schema import checked

pytestmark = pytest.mark.thorough

Made = tuple[Repository, dict[int, tuple[str, ...]], Path]
"""A repository, the figures that move at its commits by number, and the folder of its history."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Return a repository, the figures that move at its commits by number, and the folder of its history."""
    top = tmp_path_factory.mktemp("sixty")
    repository, known = sixty_commits(top)
    about = ("--git", repository.folder, "--out", top / "history", "--config", "none")
    outcome = call("history", repository.store, *about)
    assert outcome.code == 0, outcome
    assert outcome.err == ""
    return repository, dict(known), top / "history"


def model_of(folder: Path) -> Any:
    return checked("history", json.loads((folder / "history.json").read_text()))["models"][0]


def test_every_known_change_is_found_at_its_commit_and_none_is_invented(
    made: Made,
) -> None:
    repository, known, folder = made
    model = model_of(folder)
    found = {each["at"]["number"]: tuple(step["figure"] for step in each["steps"]) for each in model["changes"]}
    assert found == known
    assert [each["at"]["commit"] for each in model["changes"]] == [repository.commits[number] for number in known]
    assert [each["commits"] for each in model["changes"]] == [
        1,
        1,
        1,
        1,
        1,
        2,
        1,
    ]  # one before the sixth has none


def test_each_change_of_the_graph_has_its_cause(made: Made) -> None:
    changes = model_of(made[2])["changes"]
    assert [each["sentence"] for each in changes] == [
        "encoder got wider (16 to 24).",
        "middle is new.",
        "",
        "",
        "decoder got wider (8 to 12).",
        "middle was removed.",
        "",
    ]
    assert changes[0]["layers"] == [
        {"name": "encoder", "stem": "float_ops", "delta": 2048},
        {"name": "decoder", "stem": "float_ops", "delta": 512},
    ]


def test_points_are_in_the_table_with_gaps_where_no_report_is(
    made: Made,
) -> None:
    repository, _, folder = made
    table = pq.read_table(folder / "history.parquet").to_pandas()
    params = table[table["figure"] == "params"]
    assert list(params["commit"]) == [each for number, each in enumerate(repository.commits) if number not in (40, 55)]
    assert list(params["exact"])[:8] == [640] * 7 + [960]
    assert list(params[params["is_step"]]["commit_number"]) == [7, 15, 31, 41]
    assert [list(tags) for tags in params["tags"] if len(tags)] == [["v1.0"], ["v1.1"]]


def test_two_runs_give_the_same_bytes(made: Made) -> None:
    repository, _, folder = made
    outs = folder.parent / "one", folder.parent / "other"
    for out in outs:
        about = ("--git", repository.folder, "--out", out, "--config", "none", "--timestamp", "x")
        assert call("history", repository.store, *about).code == 0
    names = [sorted(path.name for path in out.iterdir()) for out in outs]
    assert names == [["history.html", "history.json", "history.md", "history.parquet"]] * 2
    for name in names[0]:
        assert (outs[0] / name).read_bytes() == (outs[1] / name).read_bytes()


def test_the_net_since_a_release_and_over_days(made: Made) -> None:
    stretches = {each["words"]: each for each in model_of(made[2])["stretches"]}
    assert list(stretches) == ["in the last 7 days", "in the last 30 days", "since v1.1", "since the first report"]
    moved = {
        words: {net["figure"]: net["delta"] for net in each["nets"] if net["figure"] in ("params", "device_peak_bytes")}
        for words, each in stretches.items()
    }
    assert moved == {
        "in the last 7 days": {"params": 0, "device_peak_bytes": 0},
        "in the last 30 days": {"params": -480, "device_peak_bytes": 1 << 19},
        "since v1.1": {"params": -576, "device_peak_bytes": 0},
        "since the first report": {"params": 416, "device_peak_bytes": 1 << 19},
    }


def test_a_pruned_report_leaves_its_totals(made: Made, tmp_path: Path) -> None:
    repository, known, _ = made
    store = tmp_path / "store"
    shutil.copytree(repository.store, store)
    assert call("baseline", "prune", store, "--keep", "20").code == 0
    assert call("history", store, "--git", repository.folder, "--out", tmp_path / "h", "--config", "none").code == 0
    changes = model_of(tmp_path / "h")["changes"]
    assert {each["at"]["number"]: tuple(step["figure"] for step in each["steps"]) for each in changes} == known
    assert changes[0]["problem"] == (
        f"the reports of {repository.commits[6][:12]} and {repository.commits[7][:12]} were pruned: totals only"
    )
    assert changes[-1]["problem"] is None
