"""A view beyond a limit is left out of a report, which has all the rest and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command import call, contents, summary_of, write_model, write_report
from messages import entry, graph, node, op_log
from queries import table_of

from tfprof_report.options import Options
from tfprof_report.semantics import CORRECTED
from tfprof_report.threads import Threads
from tfprof_report.views import code, scope
from tfprof_report.views.build_views import build_views

STACK = [(10, 1, 2), (20, 1, 3), (30, 1, 4)]
STRINGS = {1: "train.py", 2: "main", 3: "build", 4: "layer"}
GRADIENT = "gradients/s/a_grad/b"
NODES = graph(node("s/a", "MatMul"), node(GRADIENT, "Mul"))
LOG = op_log(entry("s/a", float_ops=7, traces=STACK), entry(GRADIENT, traces=STACK), strings=STRINGS)

LIMITS = [
    (code, "MAX_FRAMES", "code", "gradient nodes repeat the call stacks"),
    (code, "MAX_PATH_BYTES", "code", "call stacks whose paths take"),
    (scope, "MAX_IMPLIED_BYTES", "scope", "node names imply scopes"),
    (scope, "MAX_IMPLIED_PARTS", "scope", "node names imply scopes"),
]
"""Every limit of a view: its module and name, the view, and what is said."""


@pytest.fixture(params=LIMITS, ids=lambda limit: limit[1])
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """One of the limits, set so low that the model is beyond it."""
    module, name, view, words = request.param
    monkeypatch.setattr(module, name, 1)
    monkeypatch.setattr(code, "_TIMES", 0)
    monkeypatch.setattr(code, "_BYTES_OF_FRAME", 0)
    return view, words


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "model", NODES, log=LOG)


def test_a_report_has_all_other_views_and_says_what_is_missing(limit: Any, model: Path, tmp_path: Path) -> None:
    view, words = limit
    out = write_report(model, tmp_path / "out")
    assert [name for name in ("scope", "graph", "op", "code") if not (out / f"{name}.parquet").exists()] == [view]
    summary = summary_of(out)
    [said] = [found for found in summary["diagnostics"] if found["code"] == "views_left_out"]
    assert (said["severity"], said["count"], said["examples"]) == ("warning", 1, [view])
    assert f"{view} view: {words}" in said["text"]
    for page in ("report.html", "report.md"):
        assert words in (out / page).read_text()
    assert [total["value"] for total in summary["totals"] if total["stem"] == "float_ops"] == [None]
    assert [total["at_least"] for total in summary["totals"] if total["stem"] == "float_ops"] == [7]


def test_the_text_command_of_that_view_still_fails_and_the_others_do_not(limit: Any, model: Path) -> None:
    view, words = limit
    for command in ("scope", "graph", "op", "code"):
        outcome = call(command, model, "--semantics", "corrected", "--output", f"file:outfile={model}/{command}.txt")
        if command != view or words.startswith("call stacks"):
            assert outcome.code == 0, outcome
        else:
            assert outcome.code == 3
            assert words in outcome.err, outcome
            assert "Traceback" not in outcome.err


@pytest.mark.parametrize("limit", [LIMITS[1], LIMITS[2]], indirect=True, ids=lambda limit: limit[1])
def test_a_report_without_a_view_is_read_and_compared(limit: Any, model: Path, tmp_path: Path) -> None:
    view, _ = limit
    base = write_report(model, tmp_path / "base")
    outcome = call("diff", base, model, "--out", tmp_path / "out", "--gate", "float_ops <= +0")
    assert outcome.code in (0, 5), outcome
    codes = [found["code"] for found in summary_of(tmp_path / "out")["diagnostics"]]
    assert [codes.count(code) for code in ("views_left_out", "base_views_left_out")] == [1, 1]
    assert f"diff_{view}.parquet" not in contents(tmp_path / "out")
    assert "diff_op.parquet" in contents(tmp_path / "out")


@pytest.mark.parametrize("name", ["MAX_IMPLIED_BYTES", "MAX_IMPLIED_PARTS"])
def test_a_gate_on_scopes_that_cannot_be_built_is_inconclusive(
    name: str, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scope, name, 1)
    rules = tmp_path / "rules.toml"
    rules.write_text('gates = [{ gate = "params <= 10", scope = "**" }]')
    out = write_report(model, tmp_path / "out", "--config", rules, code=5)
    [gate] = summary_of(out)["verdict"]["gates"]
    assert gate["status"] == "inconclusive"
    assert gate["text"].startswith("scopes cannot be judged: node names imply scopes")


def test_without_a_view_beyond_a_limit_nothing_is_said() -> None:
    built = build_views(table_of(NODES, op_log=LOG), Options(), CORRECTED, threads=Threads(1))
    assert (list(built.views), list(built.layouts), built.diagnostics) == (
        ["scope", "graph", "op", "code"],
        ["scope", "graph", "op", "code"],
        (),
    )


def test_paths_may_grow_with_the_frames_of_the_op_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "MAX_PATH_BYTES", 1)
    table = table_of(NODES, op_log=LOG)
    frames = len(table.traces.frame)
    built = build_views(table, Options(), CORRECTED, threads=Threads(1)).views["code"].rows["path"].to_pylist()
    paths = sum(len(path) + len(" > ") for path in built)
    monkeypatch.setattr(code, "_BYTES_OF_FRAME", -(-paths // frames))
    assert "code" in build_views(table, Options(), CORRECTED, threads=Threads(1)).views
    monkeypatch.setattr(code, "_BYTES_OF_FRAME", (paths - 1) // frames)
    assert "code" not in build_views(table, Options(), CORRECTED, threads=Threads(1)).views
