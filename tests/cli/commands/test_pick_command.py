"""How `baseline pick` learns what the coming report is, and what it says about the reports that it passes over."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path

import pytest
from command import WHEN, Outcome, call, small_model
from repository import ROOT

from tfprof_report.report import folder as folder_module
from tfprof_report.report.folder import read_report_folder
from tfprof_report.schema import compatible
from tfprof_report.schema.metrics import COUNTING_VERSION

COMMITS = dict(zip(("default", "sum", "failed", "old"), ("a" * 40, "b" * 40, "c" * 40, "d" * 40), strict=True))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a report of each kind, and the folder of the model beside it."""
    top = tmp_path_factory.mktemp("store")
    model = small_model(top / "m")
    options: dict[str, tuple[str, ...]] = {
        "default": (),
        "sum": ("--cond", "sum"),
        "failed": ("--gate", "params <= 11"),
        "old": ("--timestamp", "2024-01-02"),
    }
    for name, commit in COMMITS.items():
        time = () if name == "old" else ("--timestamp", WHEN)
        written = call("report", model, "--out", top / name, "--config", "none", *time, *options[name])
        assert written.code == int(name == "failed"), written
        saved = call("baseline", "save", top / "store", top / name, "--model", "enc", "--commit", commit)
        failed = "tfprof-report: enc: gates of this report failed; pick --last-good passes over it\n"
        assert (saved.code, saved.err) == (0, failed if name == "failed" else "")
    return top / "store"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714638600")  # WHEN


def pick(store: Path, *options: object, history: tuple[str, ...] = tuple(COMMITS)) -> Outcome:
    Path("ancestors").write_text("".join(f"{COMMITS[name]}\n" for name in history))
    return call("baseline", "pick", store, "--model", "enc", "--ancestors", "ancestors", *options)


def picked(outcome: Outcome) -> str:
    assert outcome.code == 0, outcome
    return next((name for name, commit in COMMITS.items() if f"/{commit}_" in outcome.out), "")


@pytest.mark.thorough
def test_options_say_how_the_coming_report_is_counted(store: Path) -> None:
    for options, history, name in (
        ((), ("sum", "default"), "sum"),  # nothing says it: as the nearest report
        (("--config", "none"), ("sum", "default"), "default"),
        (("--cond", "max"), ("sum", "default"), "default"),
        (("--cond", "sum"), ("default", "sum"), "sum"),
        (("--batch", "8", "--baseline-missing", "warn"), ("default", "sum"), ""),
        (("--input-shape", "x=2", "--baseline-missing", "warn"), ("default", "sum"), ""),
        (("--last-good",), ("failed", "default"), "default"),
        ((), ("failed", "default"), "failed"),
        (("--max-baseline-age", "30d"), ("old", "default"), "default"),
        ((), ("old", "default"), "old"),
    ):
        assert picked(pick(store, *options, history=history)) == name, options


@pytest.mark.parametrize("name", ["tfprof-report.toml", "pyproject.toml", "other.toml"])
def test_the_rules_file_says_it_too(store: Path, name: str) -> None:
    prefix = "tool.tfprof_report." if name == "pyproject.toml" else ""
    Path(name).write_text(f'[{prefix}options]\ncond = "sum"\n[{prefix}baseline]\nmax_age = "30d"\n')
    config = ("--config", name) if name == "other.toml" else ()
    outcome = pick(store, *config, history=("default", "failed", "sum"))
    assert picked(outcome) == "sum"
    assert outcome.err.splitlines()[0] == (
        "tfprof-report: warning: enc: 2 reports passed over, counted otherwise, such as "
        f"{next((store / 'enc').glob('a*'))}: another --functions, --cond or --loops"
    )
    outcome = pick(store, *config, "--cond", "max", history=("old", "default"))
    assert picked(outcome) == "default"
    assert re.search(r"1 report passed over, too old, such as .*: 121 days old, 30 days are allowed\n", outcome.err)
    assert picked(pick(store, *config, "--cond", "max", "--max-baseline-age", "999d")) == "default"
    assert picked(pick(store, "--config", "none", history=("old",))) == "old"


def test_where_no_report_fits_it_says_why(store: Path) -> None:
    outcome = pick(store, "--cond", "none", "--max-baseline-age", "30d", "--json", "--baseline-missing", "warn")
    assert outcome[:2] == (0, "null\n")
    assert outcome.err.splitlines()[-1] == (
        f"tfprof-report: warning: {store}: has no usable baseline of the model enc; passed over: 4 counted otherwise; "
        "give the options that the coming report is counted with"
    )
    assert pick(store, "--cond", "none").code == 4
    assert pick(store, "--config", "nosuch.toml").code == 2


def test_a_report_of_the_schema_before_is_read_and_what_it_lacks_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report was written by the tool when its schema version was 2, of the model of `small_model`."""
    with tarfile.open(ROOT / "tests" / "data" / "reports" / "schema_2.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    base, model = tmp_path / "schema_2", small_model(tmp_path / "m")
    for module in (compatible, folder_module):
        monkeypatch.setattr(module, "SCHEMA_VERSION", 3)
    side = read_report_folder(str(base))
    assert side.nodes["name"].to_pylist() == ["fc/kernel", "fc/MatMul", "out"]
    assert side.nodes["params"].to_pylist() == [12, 0, 0]
    assert side.nodes["attrs_digest"].null_count == 3  # a column of version 3
    assert (side.walls, side.counting_version, side.rules) == ((), 2, "extended 2")
    saved = call("baseline", "save", tmp_path / "store", base, "--model", "enc")
    assert saved.code == 0, saved
    assert "the rules extended 2, not extended" in pick(tmp_path / "store", "--config", "none").err
    summary = base / "summary.json"  # as if figures still meant the same
    text = summary.read_text().replace('"counting_version": 2', f'"counting_version": {COUNTING_VERSION}')
    summary.write_text(text)
    gates = [word for gate in ("params <= +0", "bytes <= +0", "wall_micros <= +0%") for word in ("--gate", gate)]
    outcome = call("report", model, "--baseline", base, "--out", tmp_path / "o", "--timestamp", WHEN, *gates)
    assert outcome.code == 5, outcome
    verdict = json.loads((tmp_path / "o" / "verdict.json").read_text())
    assert [gate["status"] for gate in verdict["gates"]] == ["passed", "passed", "inconclusive"]
    for module in (compatible, folder_module):
        monkeypatch.setattr(module, "SCHEMA_VERSION", 4)
    outcome = call("report", model, "--baseline", base, "--out", tmp_path / "o", *gates)
    assert (outcome.code, "was written with schema version 2, this version reads 3 and 4" in outcome.err) == (4, True)
