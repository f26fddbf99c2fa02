"""The examples of docs/python.md run, one after the other, and what it names is there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from command import WHEN, call, small_model
from messages import graph, node
from repository import ROOT

import tfprof_report as tr
from tfprof_report.api.arguments import LEFT_OUT
from tfprof_report.options import flag

TEXT = (ROOT / "docs" / "python.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
COMMIT = "c" * 40


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two models, a profile, a store with a report, and a list of commits."""
    monkeypatch.chdir(tmp_path)
    for name, width in (("profile", 4), ("base", 4), ("head", 5)):
        small_model(tmp_path / name, width=width)
    given = ("--out", "saved", "--commit", COMMIT, "--timestamp", WHEN)
    assert call("report", "profile", *given).code == 0
    assert call("baseline", "save", "baselines", "saved", "--model", "net").code == 0
    product = node("fc/MatMul", "MatMul", "x", "w", output_shapes=[[2, 4]])
    shapes = {"x": [2, 3], "w": [3, 4]}
    inputs = (node(name, "Placeholder", shape=shape, output_shapes=[shape]) for name, shape in shapes.items())
    (tmp_path / "graph.pb").write_bytes(graph(*inputs, product).SerializeToString())
    shutil.copy(tmp_path / "profile" / "run_meta_1", tmp_path)
    (tmp_path / "commits").write_text(f"{COMMIT}\n")
    return tmp_path


def test_the_examples_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for example in EXAMPLES:
        exec(example, names)
    assert len(EXAMPLES) == 7
    assert names["params"]["exact"].tolist() == [12]
    assert names["nodes"]["base_params"].sum() == 12
    assert (folder / "report" / "summary.json").exists()
    assert (folder / "history" / "history.html").exists()
    printed = capsys.readouterr()
    assert printed.out.startswith('--gate "params <= 105%": ')
    assert names["flops"].total_float_ops == 48
    assert "\n48 " in printed.out
    assert printed.err == ""


def test_names_that_the_page_mentions_are_there() -> None:
    assert {name for name in re.findall(r"\btr\.(\w+)", TEXT) if not hasattr(tr, name)} == set()
    public = {name for name in tr.__all__ if not name.startswith(("_", "load_ip", "unload_ip"))}
    results = {"ReportResult", "ReportsResult", "HistoryResult", "keras_callback"}
    assert public - results <= {*re.findall(r"\btr\.(\w+)", TEXT)}
    for name in re.findall(r"^\| `(\w+)` \|", TEXT, flags=re.MULTILINE):
        assert hasattr(tr.ReportsResult, name), name


def test_options_that_python_lacks_are_named() -> None:
    hosts = {flag(name) for name, why in LEFT_OUT.items() if why == "it is for a CI host"}
    assert hosts | {"--out", "--model"} <= {*re.findall(r"--[a-z-]+", TEXT)}
