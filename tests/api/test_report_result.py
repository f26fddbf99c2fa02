"""Reports and comparisons from Python: their tables, what they write, and what is read back."""

from __future__ import annotations

import builtins
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import WHEN, call, contents, small_model, summary_of
from repository import DATA

import tfprof_report as tr
from tfprof_report.api.facts import plain
from tfprof_report.api.report_result import ReportResult

GATES = ("params <= +0", "float_ops <= +50%", "device_peak_bytes <= 1MiB")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of two models, and of the comparison that the command writes of them."""
    folder = tmp_path_factory.mktemp("models")
    small_model(folder / "base")
    small_model(folder / "head", width=5, float_ops=30, micros=45)
    gates = [word for gate in GATES for word in ("--gate", gate)]
    sides = (folder / "base", folder / "head")
    outcome = call("diff", *sides, "--out", folder / "out", "--timestamp", WHEN, "--label", "net", *gates)
    assert outcome.code == 1, outcome
    return folder


@pytest.fixture(scope="module")
def change(models: Path) -> ReportResult:
    return tr.make_diff(models / "base", models / "head", timestamp=WHEN, label="net", gate=GATES)


@pytest.fixture(scope="module")
def stored(models: Path) -> ReportResult:
    loaded = tr.load(models / "out")
    assert isinstance(loaded, ReportResult)
    return loaded


def test_it_prints_and_writes_nothing(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    before = contents(models / "base")
    made = tr.make_report(models / "base", baseline=models / "head", gate="params <= 1", explain="fc", step=1)
    assert made.nodes.shape[0] == 3
    assert made._repr_html_()
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []
    assert contents(models / "base") == before


def test_the_folder_is_that_of_the_command_to_the_byte(models: Path, change: ReportResult, tmp_path: Path) -> None:
    change.write(tmp_path / "out")
    assert contents(tmp_path / "out") == contents(models / "out")


def test_a_report_without_a_base_and_one_of_which_nothing_changed_are_written_as_by_the_command(
    models: Path, tmp_path: Path
) -> None:
    given = ("--timestamp", WHEN, "--max-chars", "2000", "--leave-out", "savers", "--only-if-changed")
    assert call("report", models / "head", "--out", tmp_path / "a", *given[:6]).code == 0
    tr.make_report(models / "head", timestamp=WHEN, max_chars=2000, leave_out=["savers"]).write(tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    sides = (models / "head", models / "head")
    assert call("diff", *sides, "--out", tmp_path / "c", "--timestamp", WHEN, "--only-if-changed").code == 0
    tr.make_diff(*sides, timestamp=WHEN, only_if_changed=True).write(str(tmp_path / "d"))
    assert contents(tmp_path / "c") == contents(tmp_path / "d")
    assert list(contents(tmp_path / "d")) == ["verdict.json"]


def test_a_rules_file_is_found_as_by_the_command(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tfprof-report.toml").write_text('gates = ["params <= 3"]\n')
    assert tr.make_report(models / "base").outcome == "failed"
    assert tr.make_report(models / "base", config="none").outcome == "not judged"
    assert tr.load(models / "base").verdict["outcome"].tolist() == ["not judged"]
    Path("tfprof-report.toml").write_text('[models]\na = "x"\nb = "y"\n')
    with pytest.raises(tr.OptionError, match=r"^inputs: the rules file names several models \(a, b\); give the inputs"):
        tr.make_report()


@pytest.mark.parametrize("kind", ["change", "stored"])
def test_tables_have_the_values_of_the_parquet_files(models: Path, kind: str, request: pytest.FixtureRequest) -> None:
    result: ReportResult = request.getfixturevalue(kind)
    files = {path.stem: path for path in (models / "out").glob("*.parquet")}
    assert set(result.tables) == {*files, "totals", "gates", "verdict"}
    for name, path in files.items():
        wanted = pq.read_table(path)
        found = result.table(name)
        assert list(found.columns) == wanted.column_names
        assert pa.Table.from_pandas(found, preserve_index=False).to_pylist() == wanted.to_pylist(), name
        assert result.arrow(name).to_pylist() == wanted.to_pylist()
        assert plain(result.arrow(name)).schema.types == [dtype.pyarrow_dtype for dtype in found.dtypes]
    for name, attribute in {
        "nodes": "nodes",
        "layers": "layers",
        "scope": "scopes",
        "op": "ops",
        "steps": "steps",
    }.items():
        assert getattr(result, attribute) is result.table(name)


@pytest.mark.parametrize("kind", ["change", "stored"])
def test_totals_and_the_verdict_are_those_of_the_summary(
    models: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    result: ReportResult = request.getfixturevalue(kind)
    summary = summary_of(models / "out")
    totals = result.totals.set_index("metric")
    for total in summary["comparison"]["totals"]:
        row = totals.loc[total["stem"]]
        figures = {"exact": "head", "base_exact": "base", "delta_exact": "delta"}
        figures |= {"value": "head", "base_value": "base", "delta": "delta", "percent": "percent", "state": "state"}
        figures |= {"at_least": "head_at_least", "unknown": "head_unknown_nodes", "base_unknown": "base_unknown_nodes"}
        for column, key in figures.items():
            wanted = total[key]
            if column.endswith("exact") and not isinstance(wanted, int):
                wanted = None
            found = row[column]
            assert (None if found is None or found is result.nodes["op"].dtype.na_value else found) == wanted, column
    assert totals.loc["device_peak_bytes", "exact"] == summary["comparison"]["device_peak"]["head"] == 4096
    assert totals.loc["params", ["exact", "base_exact", "delta_exact", "unit"]].tolist() == [15, 12, 3, "elements"]
    assert totals.loc["wall_micros", "unit"] == "microseconds"
    (verdict,) = result.verdict.to_dict("records")
    assert verdict == {
        "outcome": "failed",
        "exit_code": 1,
        "gates": 3,
        "failed": 1,
        "text": summary["verdict"]["text"],
    }
    assert (result.outcome, result.exit_code, result.text) == ("failed", 1, summary["verdict"]["text"])
    assert result.why == json.loads((models / "out" / "verdict.json").read_text())["why"] != ""
    gates = result.gates
    assert gates["gate"].tolist() == list(GATES)
    assert gates["status"].tolist() == ["failed", "passed", "passed"]
    assert gates[["base", "head", "delta"]].values.tolist() == [[12, 15, 3], [32, 40, 8], [4096, 4096, 0]]
    assert gates["unit"].tolist() == ["elements", "FLOPs", "bytes"]
    assert gates["allowed"].tolist()[0] == "at most 12"


def test_a_total_that_is_not_wholly_known_is_a_lower_bound(tmp_path: Path) -> None:
    made = tr.make_report(small_model(tmp_path / "m"), rules="none", config="none")
    row = made.totals.set_index("metric").loc["float_ops"]
    assert (row["at_least"], row["unknown"], row["base_unknown"]) == (24, 1, made.nodes["op"].dtype.na_value)
    assert row["value"] is row["exact"] is made.nodes["op"].dtype.na_value


def test_figures_beyond_floats_are_exact(tmp_path: Path) -> None:
    big = 2**53 + 1
    made = tr.make_report(small_model(tmp_path / "m", float_ops=big), config="none", timestamp=WHEN)
    made.write(tmp_path / "out")
    for each in (made, tr.load(tmp_path / "out")):
        assert each.totals.set_index("metric").loc["float_ops", "exact"] == big + 8
        assert each.nodes["float_ops"].max() == big


def test_explained_lines_and_warnings_are_those_that_the_command_prints(models: Path, tmp_path: Path) -> None:
    given = ("--gate", "params <= +0", "--explain", "fc/kernel")
    outcome = call("diff", models / "base", models / "base", "--out", tmp_path / "o", *given)
    made = tr.make_diff(models / "base", models / "base", gate="params <= +0", explain=["fc/kernel"])
    assert made.explained
    assert all(line in outcome.out.splitlines() for line in made.explained)
    printed = [line for line in outcome.err.splitlines() if "warning: " in line]
    assert [f"tfprof-report: warning: {line}" for line in made.warnings] == printed
    assert made.warnings == ("base and head are the same files: this compares a model with itself",)


def test_a_stored_report_is_copied_as_it_is(models: Path, stored: ReportResult, tmp_path: Path) -> None:
    stored.write(tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(models / "out")


def test_a_file_that_was_changed_is_refused_when_it_is_asked_for(models: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(models / "out", tmp_path / "out")
    loaded = tr.load(folder)
    (folder / "steps.parquet").write_bytes(b"x")
    assert loaded.nodes.shape[0] == 3
    words = "is not the file that summary.json lists: the folder is incomplete or was changed; write the report again "
    with pytest.raises(tr.InputError) as error:
        _ = loaded.steps
    assert str(error.value) == f"{folder}/steps.parquet: {words}with this version"
    (folder / "verdict.json").write_bytes(b"{}")
    with pytest.raises(tr.InputError, match=r"verdict\.json: is not the file"):
        tr.load(folder)


def test_the_first_screen_of_a_stored_comparison_has_its_verdict_and_gates(stored: ReportResult) -> None:
    page = stored._repr_html_()
    assert "Do not merge yet: 1 of 3 gates fails" in page
    assert "params &lt;= +0: 12 -&gt; 15 (+3, +25.00 %), allowed at most 12" in page
    assert page.count('class="outcome"') == 3
    assert "nothing to compare with" not in page


def test_polars_frames_have_the_same_rows(change: ReportResult) -> None:
    frame = change.to_polars()
    assert isinstance(frame, pl.DataFrame)
    assert frame["name"].to_list() == change.nodes["name"].tolist()
    assert change.to_polars("totals").height == len(change.totals)


def test_without_polars_one_line_says_so(change: ReportResult, monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *others: Any, **more: Any) -> Any:
        if name == "polars":
            raise ModuleNotFoundError(name=name)
        return imported(name, *others, **more)

    monkeypatch.delitem(sys.modules, "polars")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(tr.OptionError) as error:
        change.to_polars()
    words = "polars is not installed; install it, as by pip install polars, or use the frames of pandas"
    assert str(error.value) == f"to_polars: {words}"


def test_an_unknown_table_is_one_line(change: ReportResult) -> None:
    with pytest.raises(tr.OptionError) as error:
        change.table("node")
    assert str(error.value) == 'table: "node" is not known; did you mean nodes?'


def test_a_result_is_shown_in_a_line(change: ReportResult, stored: ReportResult) -> None:
    assert repr(change) == repr(stored) == f"<report of net: {change.text}>"


def test_a_folder_that_cannot_be_written_is_an_error_and_leaves_it_as_it_is(
    change: ReportResult, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(tr.OutputError) as error:
        change.write(tmp_path / "file")
    assert str(error.value).startswith(f"{tmp_path}/file (--out): cannot be written (")
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.thorough
def test_the_folder_of_a_real_comparison_is_that_of_the_command(tmp_path: Path) -> None:
    sides = DATA / "resnet" / "base", DATA / "resnet" / "head"
    assert call("diff", *sides, "--out", tmp_path / "a", "--timestamp", WHEN, "--gate", "params <= +0").code == 1
    made = tr.make_diff(*sides, timestamp=WHEN, gate="params <= +0")
    made.write(tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert json.loads((tmp_path / "b" / "verdict.json").read_text())["status"] == made.outcome
