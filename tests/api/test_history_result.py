"""Histories from Python."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import WHEN, call, contents
from histories import Repository

import tfprof_report as tr


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return a repository of four commits, the third of which widens the model."""
    made = Repository(tmp_path_factory.mktemp("four"))
    for number in range(4):
        made.commit(widths={"encoder": 16 if number < 2 else 20})
    return made


@pytest.fixture(scope="module")
def history(repository: Repository) -> tr.HistoryResult:
    return tr.make_history(repository.store, git=repository.folder, timestamp=WHEN, config="none")


def test_its_files_are_those_of_the_command_to_the_byte(
    repository: Repository, history: tr.HistoryResult, tmp_path: Path
) -> None:
    given = ("--git", repository.folder, "--timestamp", WHEN, "--config", "none")
    outcome = call("history", repository.store, "--out", tmp_path / "a", *given)
    assert outcome.code == 0, outcome
    history.write(tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert outcome.out.startswith(f"{history.text}\n")
    assert history.text.startswith("net: 4 reports from 2024-01-01 to 2024-01-04, 1 change; ")


def test_points_and_details_are_those_of_its_files(history: tr.HistoryResult, tmp_path: Path) -> None:
    history.write(tmp_path)
    assert history.arrow().equals(pq.read_table(tmp_path / "history.parquet"))
    params = history.points[history.points["figure"] == "params"]
    assert params["exact"].tolist() == [512, 512, 640, 640]
    assert params["is_step"].tolist() == [False, False, True, False]
    assert history.details == json.loads((tmp_path / "history.json").read_text())
    assert history.to_polars().height == len(history.points)
    assert (history.models, history.warnings) == (("net",), ())


def test_a_cell_shows_figures_and_lines_without_links_or_scripts(history: tr.HistoryResult) -> None:
    page = history._repr_html_()
    assert page.count("<svg") >= 4
    assert "net: 4 reports from 2024-01-01" in page
    assert "640" in page
    assert not {"<script", "href="} & set(page.split('"'))
    assert "<a " not in page


def test_errors_are_those_of_the_command(repository: Repository, history: tr.HistoryResult, tmp_path: Path) -> None:
    for words, given in (
        ((), {}),
        (("--git", repository.folder, "--last", "0"), {"git": repository.folder, "last": 0}),
    ):
        outcome = call("history", repository.store, "--out", tmp_path / "h", *words)
        with pytest.raises(tr.OptionError) as error:
            tr.make_history(repository.store, **given)
        assert str(error.value) == outcome.error
    with pytest.raises(tr.OptionError) as error:
        history.write(repository.store / "page")
    outcome = call("history", repository.store, "--out", repository.store / "page", "--git", repository.folder)
    assert str(error.value) == outcome.error
