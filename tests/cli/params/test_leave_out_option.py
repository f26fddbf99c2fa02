"""--leave-out and --outputs: what is left out is reported with its totals, and adds up to the input with the rest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command import CPU, WHEN, call, contents, spawn, summary_of, write_model, write_report
from markdown_it import MarkdownIt
from messages import entry, graph, node, op_log, ran, run_meta
from repository import DATA

from tfprof_report.render.tables.cells import ABSENT
from tfprof_report.schema.metrics import METRICS

RESNET = DATA / "resnet"
STEMS = ("definition_count", "params", "float_ops", "bytes", "micros")


def trained(folder: Path, *, width: int = 4) -> Path:
    """Write a layer, its gradient and its optimizer; they took 30, 20 and 10 us in one step, 5, 6 and 8 in another."""
    nodes = [
        node("x", "Placeholder"),
        node("w", "VariableV2", shape=[3, width]),
        node("y", "MatMul", "x", "w", output_shapes=[[2, width]]),
        node("loss", "Mean", "y"),
        node("gradients/y", "MatMul", "x", "loss"),
        node("slot", "VariableV2", shape=[3, width]),
        node("apply", "ApplyMomentum", "w", "slot", "gradients/y"),
        node("train", "NoOp", "^apply"),
        node("unused", "Const"),
    ]
    ran_for = {1: {"y": 30, "gradients/y": 20, "apply": 10}, 2: {"y": 5, "gradients/y": 6, "apply": 8}}
    steps = {
        step: run_meta({CPU: [ran(name, micros=micros) for name, micros in times.items()]})
        for step, times in ran_for.items()
    }
    log = op_log(entry("y", float_ops=24), entry("gradients/y", float_ops=48))
    return write_model(folder, graph(*nodes), steps, log)


def totals(summary: Any) -> dict[str, Any]:
    return {total["stem"]: total["value"] for total in summary["totals"]}


def known_sums(summary: Any) -> dict[str, Any]:
    """Return the totals that are sums over nodes."""
    sums = (total for total in summary["totals"] if total["stem"] in METRICS)
    return {total["stem"]: total["value"] or total["at_least"] or 0 for total in sums}


def left_out(parts: Sequence[Any]) -> dict[str, tuple[Any, ...]]:
    return {part["part"]: tuple(totals(part)[stem] for stem in STEMS) for part in parts}


def test_parts_are_in_the_report_with_their_totals_and_in_no_table(tmp_path: Path) -> None:
    out = write_report(trained(tmp_path / "m"), tmp_path / "o", "--leave-out", "optimizer,gradients")
    summary = summary_of(out)
    assert summary["options"]["leave_out"] == ["gradients", "optimizer"]
    assert summary["options"]["outputs"] == []
    assert left_out(summary["left_out"]) == {
        "gradients": (1, 0, 48, None, 13),  # (20 + 6) / 2
        "optimizer": (3, 12, None, None, 9),
    }
    kept = ["x", "w", "y", "loss", "unused"]
    assert pq.read_table(out / "nodes.parquet")["name"].to_pylist() == kept
    assert sorted(pq.read_table(out / "graph.parquet")["name"].to_pylist()) == sorted(kept)
    assert pq.read_table(out / "steps.parquet")["node"].to_pylist() == [2, 2]


def test_pages_say_what_is_left_out(tmp_path: Path) -> None:
    out = write_report(trained(tmp_path / "m"), tmp_path / "o", "--leave-out", "training", "--leave-out", "savers")
    text = (out / "report.md").read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert "| gradients | head | 1 | 0 | 48 | unknown | 13 us |" in text
    assert "| optimizer | head | 3 | 12 | unknown | unknown | 9 us |" in text
    assert f"| savers | head | 0 |{4 * f' {ABSENT.text} |'}" in text
    assert MarkdownIt("gfm-like", {"linkify": False}).render(text).count("<summary>Left out</summary>") == 1
    page = (out / "report.html").read_text()
    assert "Left out (--signature, --outputs, --leave-out)" in page
    assert '["savers", "gradients", "optimizer"]' in page.replace("&#34;", '"').replace("&quot;", '"')


def test_nothing_is_left_out_unless_asked(tmp_path: Path) -> None:
    out = write_report(trained(tmp_path / "m"), tmp_path / "o")
    assert summary_of(out)["left_out"] == []
    assert totals(summary_of(out))["definition_count"] == 9
    assert "Left out" not in (out / "report.md").read_text()


@pytest.mark.thorough
def test_totals_and_what_is_left_out_add_up_to_the_input(tmp_path: Path) -> None:
    whole = known_sums(summary_of(write_report(RESNET / "base", tmp_path / "whole")))
    for asked in (("--leave-out", "all"), ("--outputs", "costs/add", "--leave-out", "initializers")):
        summary = summary_of(write_report(RESNET / "base", tmp_path / "part", *asked))
        parts = [known_sums(part) for part in (summary, *summary["left_out"])]
        assert {stem: sum(part[stem] for part in parts) for stem in whole} == whole
        assert 464_154 <= totals(summary)["params"] < whole["params"] / 1.9


def test_a_resnet_without_what_trains_it(tmp_path: Path) -> None:
    summary = summary_of(write_report(RESNET / "base", tmp_path / "o", "--leave-out", "all", "--rules", "tfprof"))
    assert totals(summary)["params"] == 464_154 + 2272
    assert totals(summary)["definition_count"] == 1347
    assert {part: figures[:2] for part, figures in left_out(summary["left_out"]).items()} == {
        "savers": (0, 0),
        "summaries": (0, 0),
        "initializers": (727, 0),
        "gradients": (2352, 0),
        "optimizer": (292, 464_155),
    }


def test_only_what_feeds_the_outputs_is_kept(tmp_path: Path) -> None:
    out = write_report(trained(tmp_path / "m"), tmp_path / "o", "--outputs", "loss:0")
    assert pq.read_table(out / "nodes.parquet")["name"].to_pylist() == ["x", "w", "y", "loss"]
    assert left_out(summary_of(out)["left_out"]) == {"does not feed the outputs": (5, 12, None, None, 22)}
    (part,) = summary_of(out)["left_out"]
    float_ops = next(total for total in part["totals"] if total["stem"] == "float_ops")
    assert (float_ops["at_least"], float_ops["unknown_nodes"]) == (48, 1)
    assert summary_of(out)["options"]["outputs"] == ["loss:0"]


def test_a_node_that_is_no_output_is_a_usage_error(tmp_path: Path) -> None:
    outcome = call("report", trained(tmp_path / "m"), "--out", tmp_path / "o", "--outputs", "los")
    assert (outcome.code, outcome.err.splitlines()[-1]) == (
        2,
        'tfprof-report: --outputs: no node is called "los"; did you mean loss?',
    )


def test_a_part_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    outcome = call("report", trained(tmp_path / "m"), "--out", tmp_path / "o", "--leave-out", "slots")
    assert outcome.code == 2
    assert outcome.error.startswith('--leave-out: "slots" is not known; choose from all, gradients, initializers')


def test_both_sides_of_a_comparison_leave_out_the_same_and_say_how_much(tmp_path: Path) -> None:
    base, head = trained(tmp_path / "b"), trained(tmp_path / "h", width=5)
    asked = ("--leave-out", "training", "--gate", "params <= +0")
    outcome = call("diff", base, head, "--out", tmp_path / "d", "--timestamp", WHEN, *asked)
    assert outcome.code == 1
    summary = summary_of(tmp_path / "d")
    assert left_out(summary["comparison"]["base_left_out"])["optimizer"][1] == 12
    assert left_out(summary["left_out"])["optimizer"][1] == 15
    text = (tmp_path / "d" / "report.md").read_text()
    assert "| optimizer | base | 3 | 12 |" in text
    assert "| optimizer | head | 3 | 15 |" in text


@pytest.mark.parametrize("asked", [("--leave-out", "training"), ("--outputs", "loss")])
def test_a_baseline_of_other_nodes_is_incompatible(tmp_path: Path, asked: Sequence[str]) -> None:
    model = trained(tmp_path / "m")
    base = write_report(model, tmp_path / "base")
    outcome = call("report", model, "--baseline", base, "--out", tmp_path / "o", *asked)
    assert outcome.code == 4
    assert f"was written with another {asked[0]} than head; write the report again" in outcome.err


def test_a_report_folder_brings_what_it_left_out(tmp_path: Path) -> None:
    model = trained(tmp_path / "m")
    asked = ("--leave-out", "training", "--outputs", "loss")
    first = write_report(model, tmp_path / "first", *asked)
    assert contents(write_report(first, tmp_path / "again")) == contents(first)
    assert call("diff", first, model, "--out", tmp_path / "d", *asked).code == 0
    outcome = call("diff", model, first, "--out", tmp_path / "e")  # the options of head apply to base too
    assert outcome.code == 0
    assert left_out(summary_of(tmp_path / "e")["comparison"]["base_left_out"]).keys() == {
        "gradients",
        "optimizer",
        "does not feed the outputs",
    }
    outcome = call("report", first, "--out", tmp_path / "f", "--leave-out", "savers")
    assert outcome.code == 2
    assert "--leave-out or --outputs" in outcome.err


def test_a_base_without_the_output_is_no_baseline(tmp_path: Path) -> None:
    base = write_model(tmp_path / "b", graph(node("x", "Placeholder"), node("losses", "Mean", "x")))
    outcome = call("diff", base, trained(tmp_path / "h"), "--out", tmp_path / "d", "--outputs", "loss")
    assert outcome.code == 4
    assert outcome.err.splitlines()[-1] == (
        f'tfprof-report: {base / "graph.pb"}: --outputs: no node is called "loss"; did you mean losses?'
    )


def test_leaving_out_everything_is_inconclusive(tmp_path: Path) -> None:
    model = write_model(tmp_path / "m", graph(node("gradients/x", "Const")))
    assert call("report", model, "--out", tmp_path / "o", "--leave-out", "all").code == 5


def test_a_model_that_is_built_twice_is_said_on_standard_error(tmp_path: Path) -> None:
    nodes = [node(f"{scope}/n{place}", "Mul", "x") for scope in ("m", "m_1") for place in range(20)]
    model = write_model(tmp_path / "m", graph(node("x", "Placeholder"), *nodes))
    outcome = call("report", model, "--out", tmp_path / "o")
    assert "warning: nodes are a copy of m; totals have both; --outputs keeps one: 20, such as m_1\n" in outcome.err
    assert "built_twice" in [found["code"] for found in summary_of(tmp_path / "o")["diagnostics"]]


def test_views_of_text_leave_out_too_and_say_so(tmp_path: Path) -> None:
    model = trained(tmp_path / "m")
    outcome = call("op", model, "--leave-out", "training", "--select", "params", "--semantics", "corrected")
    assert outcome.code == 0
    assert "ApplyMomentum" not in outcome.out
    assert "VariableV2" in outcome.out
    assert outcome.err.splitlines()[1:] == [
        "tfprof-report: left out, gradients: 1",
        "tfprof-report: left out, optimizer: 3",
    ]
    file = tmp_path / "scope.txt"
    assert call("scope", model, "--outputs", "loss", "--output", f"file:outfile={file}").code == 0
    said = json.loads(Path(f"{file}.meta.json").read_text())
    assert (said["leave_out"], said["outputs"]) == ([], ["loss"])
    assert "unused" not in file.read_text()


def test_a_shell_leaves_out_what_it_was_started_without(tmp_path: Path) -> None:
    asked = ("--leave-out", "training", "--semantics", "corrected")
    outcome = spawn("shell", trained(tmp_path / "m"), *asked, stdin=b"op -select params\n")
    assert outcome.code == 0
    assert "VariableV2" in outcome.out
    assert "ApplyMomentum" not in outcome.out
    assert outcome.err.count("left out, gradients: 1\n") == 1
