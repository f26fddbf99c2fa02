"""The option --batch, from the command line and rules files to reports, comparisons and text."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import call, summary_of, write_model, write_report
from graph_nodes import const, op
from messages import graph, ran, run_meta, shape_proto
from queries import CPU

GATE = ("--gate", "float_ops <= +1%")


def model(folder: Path, *, stride: int = 2, batch: int = -1, size: int = 8, run: int | None = None) -> Path:
    """Write a convolution of 3 x 3 x 3 x 8 with an open batch, and a loss of its kernel, which needs none."""
    kernel = const("k", [0] * 4)
    kernel.attr["value"].tensor.tensor_shape.CopyFrom(shape_proto((3, 3, 3, 8)))
    strides = [1, stride, stride, 1]
    nodes = (
        op("x", "Placeholder", shape=[batch, size, size, 3]),
        kernel,
        op("conv", "Conv2D", "x", "k", strides=strides, padding="SAME", data_format="NHWC"),
        op("decay/loss", "L2Loss", "k"),
    )
    record = ran("x", outputs=[None])
    record.output[0].tensor_description.shape.CopyFrom(shape_proto((run or 0, size, size, 3)))
    return write_model(folder, graph(*nodes), {0: run_meta({CPU: [record]})} if run else None)


CONV, LOSS = 2 * 4 * 4 * 8 * 27, 3 * 216 - 1
"""FLOPs at batch 1 and stride 2."""


def test_a_stride_that_became_1_fails_though_the_batch_is_open(tmp_path: Path) -> None:
    base, head = model(tmp_path / "base"), model(tmp_path / "head", stride=1)
    outcome = call("diff", base, head, *GATE, "--out", tmp_path / "out")
    assert outcome.code == 1
    assert f"{CONV + LOSS:,} -> {4 * CONV + LOSS:,}" in outcome.out
    assert ", at batch 1 of x;" in outcome.out
    summary = summary_of(tmp_path / "out")
    assert summary["options"]["batch"] == 1
    text = (tmp_path / "out" / "report.md").read_text()
    assert "at batch 1 of x" in text.partition("\n\n")[2].partition("\n\n")[0]
    assert summary["float_ops_basis"] == {"batch": 1, "names": ["x"], "has_run": False}
    assert "FLOPs: at batch 1 of x." in (write_report(head, tmp_path / "alone") / "report.md").read_text()


@pytest.mark.thorough
def test_batches_that_differ_are_inconclusive_where_figures_rest_on_them(tmp_path: Path) -> None:
    base = write_report(model(tmp_path / "base"), tmp_path / "one", "--batch", "8")
    arguments = ("--baseline", base, *GATE, "--gate", "params <= +0", "--out", tmp_path / "out")
    outcome = call("report", model(tmp_path / "head"), *arguments)
    assert outcome.code == 5
    assert "FLOPs rest on unlike sizes: base is at batch 8 of x, head at batch 1 of x" in outcome.out
    totals = {total["stem"]: total for total in summary_of(tmp_path / "out")["comparison"]["totals"]}
    assert (totals["float_ops"]["delta"], totals["float_ops"]["state"]) == (None, "not comparable")
    rules = tmp_path / "rules.toml"
    rules.write_text('gates = [{ gate = "float_ops <= +0", scope = "decay" }]\n[options]\nbatch = 1\n')
    options = ("--baseline", base, "--config", rules, "--out", tmp_path / "scope")
    outcome = call("report", tmp_path / "head", *options)
    assert outcome.code == 0, outcome
    state = pq.read_table(tmp_path / "scope" / "diff_scope.parquet")
    states = dict(zip(state["name"].to_pylist(), state["state_float_ops"].to_pylist(), strict=True))
    assert (states["decay"], states["conv"]) == ("unchanged", "not comparable")


def test_a_batch_in_the_graph_is_compared(tmp_path: Path) -> None:
    base, head = model(tmp_path / "base", batch=32), model(tmp_path / "head", batch=64)
    outcome = call("diff", base, head, *GATE, "--out", tmp_path / "out")
    assert outcome.code == 1
    assert f"{32 * CONV + LOSS:,} -> {64 * CONV + LOSS:,}" in outcome.out


@pytest.mark.thorough
def test_a_run_of_one_side_only_leaves_what_rests_on_it_open(tmp_path: Path) -> None:
    base, head = model(tmp_path / "base", run=4), model(tmp_path / "head")
    outcome = call("diff", base, head, *GATE, "--out", tmp_path / "out")
    assert outcome.code == 5
    assert "only base has sizes from a run" in outcome.out
    both = call("diff", base, model(tmp_path / "other", run=4), *GATE, "--out", tmp_path / "both")
    assert both.code == 0
    warning = "Warning: FLOPs that rest on these sizes can't be compared: only base has sizes from a run"
    assert warning in (tmp_path / "out" / "report.md").read_text()


@pytest.mark.parametrize("arguments", [("--batch", "2"), ("--batch", "2", "--input-shape", "x=3,8,8,3")])
def test_a_batch_that_the_inputs_contradict_is_a_usage_error(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    outcome = call("report", model(tmp_path / "m", run=4), *arguments, "--out", tmp_path / "out")
    assert outcome.code == 2
    source = "3 in --input-shape" if "--input-shape" in arguments else "4 in run metadata"
    assert f"--batch: the batch is {source}" in outcome.err


def test_text_assumes_a_batch_under_corrected_semantics_only(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    arguments = ("op", folder, "--rules", "extended", "--select", "float_ops")
    figure = f"{CONV / 1000:.2f}k float_ops"
    native = call(*arguments)
    assert "at batch 1" not in native.err
    assert figure not in native.out
    corrected = call(*arguments, "--semantics", "corrected")
    assert "FLOPs are at batch 1 of x" in corrected.err
    assert figure in corrected.out
    assert figure in call(*arguments, "--batch", "1").out


def test_a_report_folder_keeps_its_batch(tmp_path: Path) -> None:
    folder = write_report(model(tmp_path / "m"), tmp_path / "one")
    outcome = call("report", folder, "--batch", "2", "--out", tmp_path / "out")
    assert outcome.code == 2
    assert "--batch" in outcome.error


def test_the_index_of_models_says_at_which_batch_flops_are(tmp_path: Path) -> None:
    models = [f"one={model(tmp_path / 'one')}", f"two={model(tmp_path / 'two', batch=2)}"]
    outcome = call("report", "--model", models[0], "--model", models[1], "--out", tmp_path / "out")
    assert outcome.code == 0
    one, two = (each["totals"] for each in summary_of(tmp_path / "out")["models"])
    found = [next(total for total in each if total["stem"] == "float_ops") for each in (one, two)]
    assert [(total["head"], total["basis"]) for total in found] == [
        (CONV + LOSS, "at batch 1 of x"),
        (2 * CONV + LOSS, ""),
    ]
    page = (tmp_path / "out" / "report.html").read_text()
    assert '<div class="note">at batch 1 of x</div>' in page
    assert ", at batch 1 of x" in (tmp_path / "out" / "report.md").read_text().replace("\N{NO-BREAK SPACE}", " ")
