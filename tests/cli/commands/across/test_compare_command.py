"""The command `compare`: its columns, what it writes and prints, its exit codes and one-line errors."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from command import WHEN, Outcome, call, contents, small_model, write_model, write_report
from messages import graph, node
from s3_server import s3_server, s3_url
from strict_schema import checked

from tfprof_report import __version__

COMMITS = ("aaaa0123456789abcdef", "bbbb0123456789abcdef", "cccc0123456789abcdef")
SAVED = 1714638000
NAMES = ["compare.html", "compare.json", "compare.md", "compare.parquet"]


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with reports of models of three widths, and a store that has them, and one of another model."""
    folder = tmp_path_factory.mktemp("compare")
    for day, (width, commit) in enumerate(zip((4, 5, 6), COMMITS, strict=True)):
        report = folder / f"w{width}"
        branch = "main" if width < 6 else "next"
        source = small_model(folder / f"model-{width}", width=width)
        write_report(source, report, "--commit", commit, "--branch", branch, "--label", f"width {width}")
        with patch.dict(os.environ, {"SOURCE_DATE_EPOCH": str(SAVED + day)}):
            assert call("baseline", "save", folder / "store", report, "--model", "net").code == 0
    assert call("baseline", "save", folder / "store", folder / "w4", "--model", "other").code == 0
    return folder


@pytest.fixture(autouse=True)
def _there(top: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(top)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714638600")
    yield
    shutil.rmtree("out", ignore_errors=True)


def compare(*arguments: object) -> Outcome:
    return call("compare", *arguments, "--out", "out", "--timestamp", WHEN)


def written() -> Any:
    return checked("compare", json.loads(Path("out/compare.json").read_text()))


def names() -> list[str]:
    return [column["name"] for column in written()["columns"]]


def figure(stem: str, place: int) -> dict[str, Any]:
    (row,) = (row for row in written()["figures"] if row["figure"] == stem)
    found: dict[str, Any] = row["of_columns"][place]
    return found


def test_it_writes_four_files_and_prints_a_short_table() -> None:
    outcome = compare("w4", "w5")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0].split("  ")[0] == "model"
    assert lines[1].split()[:2] == ["w4", "12"]
    assert lines[2].split()[:4] == ["w5", "15", "(+25.00", "%)"]
    assert lines[-2].startswith("COMPARED: 1 report compared with w4: ")
    assert lines[-1] == "Compare   out/compare.html"
    assert sorted(path.name for path in Path("out").iterdir()) == NAMES


def test_figures_have_differences_to_the_first() -> None:
    compare("w4", "w5", "w6")
    assert figure("params", 0) == {
        "value": 12,
        "at_least": None,
        "unknown_nodes": 0,
        "standing": "first",
        "delta": None,
        "percent": None,
    }
    assert (figure("params", 2)["delta"], figure("params", 2)["percent"]) == (6, 50.0)
    assert written()["front"]["figures"] == ["float_ops", "params", "device_peak_bytes", "wall_micros"]


def test_two_runs_write_the_same_bytes_and_leave_other_files_alone() -> None:
    compare("w4", "w5")
    before = contents(Path("out"))
    Path("out/mine.txt").write_text("mine")
    compare("w4", "w5")
    assert contents(Path("out")) == {**before, "mine.txt": b"mine"}


def test_the_files_of_a_model_are_measured_as_report_measures_them() -> None:
    outcome = compare("w4", "measured=model-4")
    assert outcome.code == 0
    assert names() == ["w4", "measured"]
    assert all(row["of_columns"][1]["delta"] in (0, None) for row in written()["figures"])
    assert "measured has the same input files as w4." in outcome.out


def test_options_are_for_the_models_in_files_and_said() -> None:
    outcome = compare("w4", "model-5", "--leave-out", "training")
    assert outcome.code == 5
    assert "model-5 is counted with another --leave-out: no figure is subtracted." in outcome.out
    assert "INCONCLUSIVE: Not all can be compared: No figure can be compared of model-5." in outcome.out
    assert figure("params", 1)["standing"] == "counted otherwise"


def test_other_rules_concern_flops_alone() -> None:
    outcome = compare("w4", "model-5", "--rules", "none")
    assert outcome.code == 0
    assert "are not subtracted." in outcome.out
    assert (figure("float_ops", 1)["standing"], figure("params", 1)["delta"]) == ("counted otherwise", 3)


def test_the_options_of_a_rules_file_count_for_models_in_files() -> None:
    Path("rules.toml").write_text('[options]\nleave_out = ["training"]\n')
    outcome = compare("model-4", "model-5", "--config", "rules.toml")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "Rules     rules.toml"
    assert list(written()["columns"][0]["options"]) == ["leave_out"]


def test_the_models_of_a_report_of_several_are_columns() -> None:
    call("report", "--model", "a=model-4", "--model", "b=model-5", "--out", "several", "--timestamp", WHEN)
    assert compare("several").code == 0
    assert names() == ["a", "b"]
    assert compare("x=several", "w6").code == 0
    assert names() == ["x/a", "x/b", "w6"]


def test_a_name_is_the_part_of_the_path_that_differs() -> None:
    for folder in ("x", "y"):
        shutil.copytree("w4", f"{folder}/report", dirs_exist_ok=True)
    assert compare("x/report", "y/report").code == 0
    assert names() == ["x/report", "y/report"]


def test_a_path_with_an_equals_sign_is_a_path() -> None:
    shutil.copytree("w4", "lr=1", dirs_exist_ok=True)
    assert compare("lr=1", "named=lr=1").code == 0
    assert names() == ["lr=1", "named"]


def test_a_query_brings_reports_of_a_store() -> None:
    outcome = compare("--store", "store", "--query", "model=net, branch=main, last=5")
    assert outcome.code == 0
    assert names() == ["net@aaaa01234567", "net@bbbb01234567"]
    assert figure("params", 1)["delta"] == 3
    assert [row["layer"] for row in written()["layers"]["rows"]] == ["fc", None]


def test_without_a_query_the_newest_report_of_each_model_is_a_column() -> None:
    assert compare("w5", "--store", "store").code == 0
    assert names() == ["w5", "net@cccc01234567", "other@aaaa01234567"]


def test_queries_are_in_order_and_a_report_that_two_mean_is_one_column() -> None:
    outcome = compare("--store", "store", "--query", "commit=cccc", "--query", "model=net, last=2")
    assert outcome.code == 0
    assert names() == ["net@cccc01234567", "net@bbbb01234567"]


def test_a_pruned_report_has_its_totals_and_no_layers(tmp_path: Path) -> None:
    shutil.copytree("store", tmp_path / "store")
    assert call("baseline", "prune", tmp_path / "store", "--model", "net", "--keep", "1").code == 0
    assert compare("--store", tmp_path / "store", "--query", "model=net, last=3").code == 0
    assert figure("params", 2)["delta"] == 6
    reasons = [column["no_layers"] for column in written()["columns"]]
    assert reasons == ["its report was pruned; only its totals are kept"] * 2 + [None]


def test_a_damaged_report_of_the_store_is_said_and_has_its_totals(tmp_path: Path) -> None:
    shutil.copytree("store", tmp_path / "store")
    (layers,) = (tmp_path / "store" / "net").glob("aaaa*/layers.parquet")
    layers.write_bytes(b"x")
    outcome = compare("--store", tmp_path / "store", "--query", "model=net, last=3")
    assert outcome.code == 0
    assert "is damaged (layers.parquet is not the file that summary.json lists)" in outcome.err
    assert figure("params", 1)["delta"] == 3


def test_names_lead_to_the_pages_of_reports() -> None:
    compare("w4", "--store", "store", "--query", "model=net, commit=bbbb")
    page = Path("out/compare.html").read_text()
    assert 'href="../w4/report.html"' in page
    (folder,) = Path("store/net").glob("bbbb*")
    assert f'href="../store/net/{folder.name}/report.html"' in page
    compare("w4", "--store", "store", "--query", "model=net, commit=bbbb", "--store-url", "none")
    assert "../store" not in Path("out/compare.html").read_text()


def test_a_model_of_no_nodes_is_inconclusive() -> None:
    write_model(Path("empty"), graph())
    outcome = compare("w4", "empty")
    assert outcome.code == 5
    assert "There are no nodes in empty." in outcome.out


def test_a_hostile_name_is_text() -> None:
    name = "</script><b>|`x`"
    write_model(Path("hostile"), graph(node(name, "VariableV2", shape=[2])))
    assert compare(f"{name}=w4", "b=hostile").code == 0
    page = Path("out/compare.html").read_text()
    assert "<b>|" not in page
    assert "&lt;/script&gt;&lt;b&gt;|`x`" in page


def test_a_path_that_is_not_utf8_is_shown_and_linked() -> None:
    folder = os.fsdecode(b"caf\xe9")
    shutil.copytree("w4", folder, dirs_exist_ok=True)
    assert compare(folder, "w5").code == 0
    assert names() == ["caf\\xe9", "w5"]
    assert 'href="../caf%E9/report.html"' in Path("out/compare.html").read_text()


def test_the_page_says_how_each_report_is_counted() -> None:
    compare("model-4", "model-5", "--leave-out", "training", "--batch", "8")
    text = Path("out/compare.md").read_text()
    assert "`--batch 8, --leave-out gradients,optimizer`" in text
    assert "corrected, version 3" in text
    assert f"Put side by side by tfprof-report {__version__}, `{WHEN}`" in text


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        ((), 2, "[NAME=]SOURCE: 0 columns: nothing to compare; give two or more, or --store STORE"),
        (("w4",), 2, "[NAME=]SOURCE: 1 column: nothing to compare; give two or more, or --store STORE"),
        (("w4", "w4"), 2, "[NAME=]SOURCE: the name w4 is given twice; give each column its own, as NAME=SOURCE"),
        (("a=w4", "a=w5"), 2, "[NAME=]SOURCE: the name a is given twice; give each column its own, as NAME=SOURCE"),
        (("=w4", "w5"), 2, "=w4 ([NAME=]SOURCE): is not NAME=SOURCE; write a name, = and a path"),
        (("w4", "w5", "--query", "last=1"), 2, "--query: asks no store; name one with --store STORE"),
        (("w4", "w5", "--batch", "8"), 2, "--batch: reports keep the options that they were written with; leave"),
        (("w4", "w5", "--max-chars", "9"), 2, "--max-chars: 9 is too few; give 1000 or more"),
        (("w4", "--store", "store", "--query", "nets=1"), 2, '--query: "nets" is not known; '),
        (("w4", "--store", "store", "--query", "model=nets"), 4, "store: holds no baseline of the model nets; did"),
        (
            ("w4", "w5", "--store", "store", "--query", "branch=x"),
            4,
            'store (--query "branch=x"): holds no report that is meant',
        ),
        (
            ("--store", "store", "--query", "model=net, last=1"),
            4,
            "store (--query): brings 1 column: nothing to compare; ask for more, such as last=5",
        ),
        (("w4", "w5", "--store", "nowhere"), 4, "nowhere: holds no baselines; check the name of the store"),
        (("w4", "missing"), 3, "missing (--graph): no such file; check the path"),
        (("w4", "half"), 3, "half/nodes.parquet: is not the file that summary.json lists"),
        (("w4", "w5", "--store-url", "javascript:x"), 2, '--store-url "javascript:x": is not an address'),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(arguments: tuple[str, ...], code: int, error: str) -> None:
    if "half" in arguments:
        shutil.copytree("w4", "half", dirs_exist_ok=True)
        Path("half/nodes.parquet").write_bytes(b"")
    outcome = compare(*arguments)
    assert outcome.code == code, outcome
    assert outcome.error.startswith(error)
    assert not Path("out").exists()


def test_too_many_columns_are_refused() -> None:
    outcome = compare(*(f"m{number}=w4" for number in range(51)))
    assert (outcome.code, outcome.error) == (2, "[NAME=]SOURCE: 51 columns are too many; give 50 at most")


def test_the_store_is_no_place_for_the_comparison() -> None:
    outcome = call("compare", "w4", "--store", "store", "--out", "store/x")
    assert (outcome.code, outcome.error[:34]) == (2, "store/x (--out): is in the store; ")


def test_an_output_is_required() -> None:
    assert call("compare", "w4", "w5").error.startswith("Missing option '--out'; name the folder to write")


@pytest.mark.thorough
def test_reports_of_an_object_store_are_columns_and_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    with s3_server() as address:
        store = s3_url(address, "store")
        for width in (4, 5):
            assert call("baseline", "save", store, f"w{width}", "--model", "net").code == 0
        assert compare("w6", "--store", store, "--query", "last=2").code == 0
        assert names() == ["w6", "net@aaaa01234567", "net@bbbb01234567"]
        assert [column["no_layers"] for column in written()["columns"]] == [None] * 3
        assert all(b"secret" not in data for data in contents(Path("out")).values())
        few = call("compare", "--store", store, "--query", "last=1", "--out", "few")
        assert few.error.startswith("s3://bucket/store (--query): brings 1 column: nothing to compare; ")
        assert (
            call("index", store, "--out", "index.html", "--store-url", "https://example.org/s").out[:9] == "2 reports"
        )
        assert 'href="https://example.org/s/net/aaaa' in Path("index.html").read_text()
        Path("index.html").unlink()


def test_a_glob_stands_for_all_that_it_matches() -> None:
    assert compare("w[45]", "mine=model-[56]").code == 0
    assert names() == ["w4", "w5", "mine/model-5", "mine/model-6"]
    outcome = compare("w4", "nothing-*")
    assert (outcome.code, outcome.error) == (2, "nothing-* ([NAME=]SOURCE): matches nothing; check the path")


def test_a_query_may_mean_models_by_a_glob() -> None:
    assert compare("--store", "store", "--query", "model=*e*, last=1").code == 0
    assert names() == [f"net@{COMMITS[2][:12]}", f"other@{COMMITS[0][:12]}"]
