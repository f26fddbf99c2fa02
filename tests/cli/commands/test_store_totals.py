"""What `baseline` says and keeps of the totals in a store, and the histories that `prune` leaves."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command import call, small_model, summary_of, write_report

A, B, C = ("a" * 40, "b" * 40, "c" * 40)
START = datetime(2024, 5, 2, 8, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a report with a run, one of the graph alone, and one on several models."""
    top = tmp_path_factory.mktemp("reports")
    model = small_model(top / "m")
    several = call("report", "--model", f"one={model}", "--out", top / "all", "--commit", A)
    assert several.code == 0
    return {
        "run": write_report(model, top / "run", "--branch", "main"),
        "graph": write_report(model / "graph.pb", top / "graph"),
        "all": top / "all",
    }


def edited(report: Path, folder: Path, **changes: Any) -> Path:
    """Return a copy of a report with other values in its summary."""
    shutil.copytree(report, folder)
    (folder / "summary.json").write_text(json.dumps({**summary_of(report), **changes}))
    return folder


def save(store: Path, report: Path, commit: str, monkeypatch: pytest.MonkeyPatch, *, days: float = 0) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int((START + timedelta(days=days)).timestamp())))
    assert call("baseline", "save", store, report, "--model", "enc", "--commit", commit).code == 0


@pytest.fixture
def store(tmp_path: Path, reports: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a store with three reports of the model enc, a day apart."""
    for days, (commit, name) in enumerate(((A, "graph"), (B, "run"), (C, "graph"))):
        save(tmp_path / "store", reports[name], commit, monkeypatch, days=days)
    return tmp_path / "store"


def commits(store: Path) -> list[str]:
    """Return the first letters of the commits whose reports are in the store."""
    return sorted(path.name[0] for path in (store / "enc").iterdir())


@pytest.mark.thorough
def test_the_reports_of_a_store_are_listed_with_their_figures(store: Path) -> None:
    outcome = call("baseline", "list", store)
    rows = [line.split("\t") for line in outcome.out.splitlines()]
    assert rows[0] == ["model", "commit", "saved", "size", "FLOPs", "parameters", "device peak", "step time"]
    assert [row[1][0] for row in rows[1:]] == ["c", "b", "a"]
    assert rows[2][4:] == ["32", "12", "4.00 KiB", "45 us"]
    assert rows[1][4:] == ["72", "12", "unknown", "unknown"]


def test_lists_for_programs_have_all_figures(store: Path) -> None:
    found = json.loads(call("baseline", "list", store, "--json").out)[1]
    assert (found["time"], found["branch"], found["steps"]) == ("2024-05-02T08:30:00Z", "main", 2)
    assert (found["outcome"], found["options"], len(found["counting"])) == ("not judged", "{}", 16)
    figures = found["figures"]
    assert [figures[f"params{end}"] for end in ("", "_at_least", "_unknown")] == [12, None, 0]
    assert (figures["wall_micros"], figures["wall_micros_high"], figures["micros"]) == (45.0, 60.0, 50.0)


def test_a_lower_bound_and_a_large_number_are_shown_as_such(
    tmp_path: Path, reports: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = {"stem": "params", "value": str(2**53 + 1), "known": 3, "capable": 3}
    bound = {"stem": "float_ops", "value": None, "at_least": 5000, "unknown_nodes": 2, "known": 1, "capable": 3}
    report = edited(reports["graph"], tmp_path / "r", totals=[exact, bound])
    save(tmp_path / "store", report, A, monkeypatch)
    assert call("baseline", "list", tmp_path / "store").out.splitlines()[1].split("\t")[4:6] == [
        "at least 5.00 k",
        "9.01 P",
    ]
    figures = json.loads(call("baseline", "list", tmp_path / "store", "--json").out)[0]["figures"]
    assert [figures[f"float_ops{end}"] for end in ("", "_at_least", "_unknown")] == [None, 5000, 2]
    assert figures["params"] == "9007199254740993"


def test_a_damaged_report_is_listed_without_figures(store: Path) -> None:
    shutil.rmtree(store / "index")
    (folder,) = (store / "enc").glob(f"{B}*")
    (folder / "summary.json").write_text("{}")
    outcome = call("baseline", "list", store)
    words = f"1 report passed over, damaged, such as {folder}: summary.json is not the one that was saved"
    assert outcome.err == f"tfprof-report: warning: enc: {words}\n"
    assert outcome.out.splitlines()[2].split("\t")[4:] == ["unknown"] * 4
    assert json.loads(call("baseline", "list", store, "--json").out)[1]["figures"]["params"] is None
    pruned = call("baseline", "prune", store, "--keep", "1")
    assert (pruned.code, pruned.err) == (0, f"tfprof-report: warning: enc: {words}\n")
    assert commits(store) == ["c"]


def test_prune_keeps_the_totals_of_what_it_removes(store: Path) -> None:
    before = {path: path.read_bytes() for path in (store / "index").rglob("*.parquet")}
    assert len(before) == 3
    dry = call("baseline", "prune", store, "--keep", "1", "--dry-run")
    assert dry.out.count("Would remove") == 2
    assert {path: path.read_bytes() for path in (store / "index").rglob("*.parquet")} == before
    assert call("baseline", "prune", store, "--keep", "1").out.count("Removed") == 2
    (file,) = (store / "index" / "enc").iterdir()
    rows = pq.read_table(file)
    assert rows["commit"].to_pylist() == [A, B, C]
    assert rows["device_peak_bytes"].to_pylist() == [None, 4096, None]
    assert rows.schema.equals(pq.read_table(store / "index" / "enc").schema)
    again = file.read_bytes()
    assert call("baseline", "prune", store, "--keep", "1").out == ""
    assert file.read_bytes() == again


def test_a_thinned_history_has_days_weeks_and_releases(
    tmp_path: Path, reports: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    for days, commit in enumerate("abcdefghijkl"):  # saved at the same time, of twelve days from a Thursday on
        side = summary_of(reports["graph"])["side"] | {"timestamp": (START + timedelta(days=days)).isoformat()}
        save(store, edited(reports["graph"], tmp_path / f"r{days}", side=side), commit * 40, monkeypatch)
    tags = tmp_path / "tags"
    tags.write_text(f"{'7' * 40} refs/tags/v1\n{B} refs/tags/v1^{{}}\n")
    options = ("--keep-daily", "2", "--keep-weekly", "3", "--keep-tagged", "--tags", tags)
    dry = call("baseline", "prune", store, *options, "--dry-run")
    assert dry.out.count("Would remove") == 8
    assert call("baseline", "prune", store, *options).out == dry.out.replace("Would remove", "Removed")
    assert commits(store) == [
        "b",
        "d",
        "k",
        "l",
    ]  # the release, two Sundays, and the last day
    assert call("baseline", "prune", store, *options, "--older-than", "1h").out == ""
    tags.write_text("")
    pruned = call("baseline", "prune", store, "--keep-tagged", "--tags", tags, "--keep", "1", "--dry-run")
    assert f"warning: {tags} names no tag, so no report is kept for one" in pruned.err
    alone = call("baseline", "prune", store, "--keep-tagged", "--tags", tags)
    words = f"--tags: {tags} names no tag: it would keep nothing; git fetch --tags gets those of a clone"
    assert (alone.code, alone.out, alone.error) == (2, "", words)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--keep-daily", "0"), "--keep-daily: 0 would keep nothing; give 1 or more"),
        (("--keep-weekly", "-1"), "--keep-weekly: -1 would keep nothing; give 1 or more"),
        (("--keep-tagged",), "--keep-tagged: needs --tags FILE; give both or none"),
        (("--keep", "1", "--tags", "T"), "--tags: needs --keep-tagged; give both or none"),
    ],
)
def test_options_that_say_nothing_are_refused(store: Path, options: tuple[str, ...], line: str) -> None:
    outcome = call("baseline", "prune", store, *options)
    assert (outcome.code, outcome.error) == (2, line)
    assert commits(store) == ["a", "b", "c"]


def test_a_list_of_tags_that_cannot_be_read_removes_nothing(tmp_path: Path, store: Path) -> None:
    (tmp_path / "tags").write_text("no tags\n")
    outcome = call("baseline", "prune", store, "--keep-tagged", "--tags", tmp_path / "tags")
    assert outcome.code == 3
    assert "(--tags): line 1 is not a commit and a tag; write it with git show-ref" in outcome.error
    assert call("baseline", "prune", store, "--keep-tagged", "--tags", tmp_path / "nosuch").code == 3
    assert commits(store) == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["index", "Index", "INDEX"])
def test_no_model_can_have_the_name_of_the_index(tmp_path: Path, reports: dict[str, Path], name: str) -> None:
    why = "a store keeps the totals of its reports under this name"
    for command in (("save", "S", reports["run"], "--commit", A), ("list", "S"), ("prune", "S", "--keep", "1")):
        outcome = call("baseline", *command, "--model", name)
        assert (outcome.code, outcome.error.partition(";")[0]) == (2, f'--model "{name}": {why}')
    outcome = call("report", "--model", f"{name}={tmp_path}", "--out", tmp_path / "o")
    assert (outcome.code, why in outcome.error) == (2, True)


def test_a_store_of_an_earlier_version_may_have_a_model_of_that_name(store: Path, reports: dict[str, Path]) -> None:
    (folder,) = (store / "enc").glob(f"{A}*")
    moved = shutil.copytree(folder, store / "index" / folder.name)
    words = f"1 report of a model called index, such as {moved}: a store keeps its totals under this name"
    listed, pruned = call("baseline", "list", store), call("baseline", "prune", store, "--keep", "9")
    assert words in listed.err
    assert words in pruned.err
    assert (listed.code, pruned.code, listed.out.count("\n")) == (0, 0, 4)
    assert moved.exists()
    saved = call("baseline", "save", store, reports["run"], "--model", "dec", "--commit", A)
    assert (saved.code, words in saved.err) == (0, True)


def test_an_earlier_report_on_a_model_of_that_name_is_read(tmp_path: Path, reports: dict[str, Path]) -> None:
    report = shutil.copytree(reports["all"], tmp_path / "all")
    (report / "one").rename(report / "index")
    text = (report / "summary.json").read_text()
    (report / "summary.json").write_text(text.replace('"name": "one"', '"name": "index"'))
    outcome = call("baseline", "save", tmp_path / "store", report)
    assert (outcome.code, outcome.error.partition(":")[0]) == (2, '--model "index"')
    assert call("baseline", "save", tmp_path / "store", report / "index", "--model", "one").code == 0


def test_a_row_that_cannot_be_written_is_one_line(tmp_path: Path, reports: dict[str, Path]) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "index").write_text("")
    outcome = call("baseline", "save", tmp_path / "store", reports["run"], "--model", "enc", "--commit", A)
    assert (outcome.code, outcome.error) == (3, f"{tmp_path}/store (STORE): cannot be written (Not a directory)")


def test_a_report_without_what_its_row_needs_is_saved_and_named(
    tmp_path: Path, reports: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    save(tmp_path / "store", edited(reports["run"], tmp_path / "r", tool_version=None), A, monkeypatch)
    save(tmp_path / "store", edited(reports["run"], tmp_path / "s", tool_version=7), B, monkeypatch)
    listed = call("baseline", "list", tmp_path / "store")
    assert "1 report passed over, damaged, such as" in listed.err
    assert [line.split("\t")[4] for line in listed.out.splitlines()[1:]] in (["32", "unknown"], ["unknown", "32"])


def test_an_index_behind_a_link_is_one_line(tmp_path: Path, store: Path) -> None:
    outside = (store / "index").rename(tmp_path / "outside")
    (store / "index").symlink_to(outside, target_is_directory=True)
    for command in (("list",), ("prune", "--keep", "1")):
        outcome = call("baseline", command[0], store, *command[1:])
        words = f"{store} (STORE): cannot be read (index is a symbolic link, which no store follows)"
        assert (outcome.code, outcome.error) == (4, words)
    assert commits(store) == ["a", "b", "c"]
