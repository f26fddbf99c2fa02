"""What `load` takes a path or URL for, and the tables of several reports."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest.mock import patch

import pytest
from command import WHEN, call, small_model, write_report

import tfprof_report as tr
from tfprof_report.api.report_result import MadeReportResult, StoredReportResult
from tfprof_report.schema import compatible

FIRST, SECOND = "a" * 40, "b" * 40
DAYS = ("2024-05-02T08:30:00Z", "2024-05-03T08:30:00Z")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with two reports of the model `net`, one of which has a gate that failed, and one of `other`."""
    folder = tmp_path_factory.mktemp("store")
    small, large = small_model(folder / "small"), small_model(folder / "large", width=5, float_ops=30)
    for model, source, commit, day, gates in (
        ("net", small, FIRST, DAYS[0], ()),
        ("net", large, SECOND, DAYS[1], ("--gate", "params <= 14")),
        ("other", small, FIRST, DAYS[0], ()),
    ):
        given = ("--out", folder / "out", "--commit", commit, "--timestamp", day, *gates)
        assert call("report", source, *given).code in (0, 1)
        assert call("baseline", "save", folder / "store", folder / "out", "--model", model).code == 0
    return folder / "store"


@pytest.fixture(scope="module")
def reports(store: Path) -> tr.ReportsResult:
    loaded = tr.load(store)
    assert isinstance(loaded, tr.ReportsResult)
    return loaded


def test_a_store_gives_the_rows_of_all_reports_with_model_and_commit(reports: tr.ReportsResult) -> None:
    nodes = reports.nodes
    assert list(nodes.columns[:4]) == ["model", "commit", "timestamp", "node"]
    keys = nodes[["model", "commit", "timestamp"]].drop_duplicates().values.tolist()
    assert keys == [["net", FIRST, DAYS[0]], ["net", SECOND, DAYS[1]], ["other", FIRST, DAYS[0]]]
    params = nodes.groupby(["model", "commit"])["params"].sum()
    assert params.to_dict() == {("net", FIRST): 12, ("net", SECOND): 15, ("other", FIRST): 12}
    assert nodes.attrs["units"]["params"] == "elements"
    assert len(reports.steps) == 12
    assert len(reports.scopes) == 3 * 4
    assert reports.layers["layer"].dropna().drop_duplicates().tolist() == ["fc"]
    assert reports.ops.groupby(["model", "commit"])["total_float_ops"].sum().tolist() == [32, 40, 32]


def test_totals_and_verdicts_are_those_of_the_reports(store: Path, reports: tr.ReportsResult) -> None:
    totals = reports.totals
    params = totals[totals["metric"] == "params"]
    assert params[["model", "commit", "exact"]].values.tolist() == [
        ["net", FIRST, 12],
        ["net", SECOND, 15],
        ["other", FIRST, 12],
    ]
    assert reports.verdict["outcome"].tolist() == ["not judged", "failed", "not judged"]
    assert reports.gates[["commit", "gate", "head"]].values.tolist() == [[SECOND, "params <= 14", 15.0]]
    assert reports.warnings == ()
    assert repr(reports) == f"<3 reports in {store}>"
    assert reports.to_polars("totals").height == len(totals)


def test_a_url_is_a_store(store: Path, reports: tr.ReportsResult) -> None:
    assert tr.load(store.as_uri()).nodes.equals(reports.nodes)


def test_a_cell_lists_the_reports(reports: tr.ReportsResult) -> None:
    page = reports._repr_html_()
    assert page.count('scope="row"') == 3
    assert f'title="{SECOND}">{SECOND[:12]}<' in page
    assert all(text in page for text in ("NOT JUDGED", "FAILED", ">15<", "4.00 KiB"))


def test_reports_that_are_passed_over_are_named(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "store")
    shutil.rmtree(copy / "index")
    (broken,) = (copy / "other").iterdir()
    (broken / "summary.json").unlink()
    loaded = tr.load(copy)
    assert loaded.nodes["model"].drop_duplicates().tolist() == ["net"]
    assert isinstance(loaded, tr.ReportsResult)
    words = f"other: 1 report passed over, not finished, such as {copy}/other/{broken.name}: summary.json is missing"
    assert loaded.warnings == (words,)


def test_reports_of_a_schema_that_is_no_longer_read_are_passed_over(store: Path) -> None:
    with patch.object(compatible, "SCHEMA_VERSION", 9):
        loaded = tr.load(store)
    assert isinstance(loaded, tr.ReportsResult)
    assert [line.partition(", such as")[0] for line in loaded.warnings] == [
        "net: 2 reports passed over, of another schema version",
        "other: 1 report passed over, of another schema version",
    ]


def test_a_damaged_file_is_an_error_when_it_is_asked_for(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "store")
    (broken,) = (copy / "other").iterdir()
    (broken / "nodes.parquet").write_bytes(b"x")
    loaded = tr.load(copy)
    assert len(loaded.totals)
    with pytest.raises(tr.BaselineError) as error:
        _ = loaded.nodes
    words = "is damaged (nodes.parquet is not the file that summary.json lists); remove it from the store, and save"
    assert str(error.value) == f"{copy}/other/{broken.name}: {words} the report again"


def test_a_store_whose_reports_were_pruned_has_tables_without_rows(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "store")
    for folder in copy.glob("*/*_*"):
        if folder.parent.name != "index":
            shutil.rmtree(folder)
    loaded = tr.load(copy)
    for name in ("nodes", "layers", "scope", "op", "steps", "totals", "gates", "verdict"):
        assert len(loaded.table(name)) == 0
    assert loaded.nodes["params"].dtype == "int64[pyarrow]"
    shown = loaded._repr_html_()
    assert shown is not None
    assert 'scope="row"' not in shown


def test_a_store_without_anything_is_an_error_in_the_words_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "commits").write_text(FIRST)
    given = ("--ancestors", tmp_path / "commits", "--out", tmp_path / "h")
    outcome = call("history", (tmp_path / "empty").as_uri(), *given)
    with pytest.raises(tr.BaselineError) as error:
        tr.load((tmp_path / "empty").as_uri())
    assert str(error.value) == outcome.error == f"{tmp_path}/empty: holds no baselines; check the name of the store"


def test_a_folder_of_several_models_gives_all_of_them(tmp_path: Path) -> None:
    small, large = small_model(tmp_path / "small"), small_model(tmp_path / "large", width=5)
    given = ("--model", f"a={small}", "--model", f"b={large}", "--commit", FIRST, "--timestamp", WHEN)
    assert call("report", "--out", tmp_path / "out", *given).code == 0
    loaded = tr.load(tmp_path / "out")
    assert loaded.nodes.groupby("model")["params"].sum().to_dict() == {"a": 12, "b": 15}
    assert loaded.nodes["commit"].drop_duplicates().tolist() == [FIRST]
    (tmp_path / "out" / "b" / "nodes.parquet").unlink()
    with pytest.raises(tr.InputError, match=r"out/b/nodes.parquet: cannot be read \(No such file or directory\)"):
        _ = tr.load(tmp_path / "out").nodes


def test_the_files_of_a_model_and_a_report_folder_are_told_apart(tmp_path: Path) -> None:
    model = small_model(tmp_path / "model")
    report = write_report(model, tmp_path / "report", "--label", "net")
    assert isinstance(tr.load(model), MadeReportResult)
    assert isinstance(tr.load(str(model / "graph.pb")), MadeReportResult)
    assert isinstance(tr.load(report), StoredReportResult)
    assert tr.load(report).nodes.equals(tr.load(model).nodes)


@pytest.mark.parametrize("name", ["gone", "empty", "text"])
def test_errors_are_those_of_report(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("x")
    outcome = call("report", tmp_path / name, "--out", tmp_path / "out")
    with pytest.raises(tr.InputError) as error:
        tr.load(tmp_path / name)
    assert str(error.value) == outcome.error


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("", "path_or_url: the value is empty; is a variable unset?"),
        ("ftp://x/y", "ftp://x/y (STORE): cannot be opened (Unrecognized filesystem type in URI: ftp://x/y); "),
    ],
)
def test_a_url_that_no_store_can_have_is_one_line(url: str, line: str) -> None:
    with pytest.raises(tr.OptionError) as error:
        tr.load(url)
    assert str(error.value).startswith(line)
