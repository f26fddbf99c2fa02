"""The option ``--input-shape`` of reports and text views."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from command import call
from graph_nodes import op
from messages import graph


def model(folder: Path) -> str:
    path = folder / "graph.pb"
    nodes = graph(
        op("x", "Placeholder", shape=[-1, 4], output_shapes=[[-1, 4]]), op("y", "Neg", "x"), op("z", "Neg", "y")
    )
    path.write_bytes(nodes.SerializeToString())
    return str(path)


def test_a_report_counts_with_the_shape_that_is_named(tmp_path: Path) -> None:
    out = tmp_path / "report"
    done = call("report", model(tmp_path), "--rules", "tfprof", "--input-shape", "x=7,4", "--out", str(out))
    assert done.code == 0, done.err
    nodes = pq.read_table(out / "nodes.parquet", columns=["output_shapes", "shape_source", "float_ops"])
    assert nodes.to_pylist() == [
        {"output_shapes": [[7, 4]], "shape_source": "user", "float_ops": None},
        {"output_shapes": [[7, 4]], "shape_source": "inferred", "float_ops": 28},
        {"output_shapes": [[7, 4]], "shape_source": "inferred", "float_ops": 28},
    ]


def test_a_name_that_is_no_placeholder_is_a_usage_error(tmp_path: Path) -> None:
    done = call("scope", model(tmp_path), "--input-shape", "q=7,4")
    assert (done.code, done.err) == (
        2,
        'tfprof-report: --input-shape: there is no placeholder "q"; choose from x\n',
    )


def test_a_text_view_without_the_option_shows_the_graphs_own_shapes(tmp_path: Path) -> None:
    without = call("op", model(tmp_path), "--select", "input_shapes", "--account-type-regexes", ".*")
    named = call(
        "op", model(tmp_path), "--select", "input_shapes", "--account-type-regexes", ".*", "--input-shape", "x=7,4"
    )
    assert "7x4" not in without.out
    assert "7x4" in named.out


def report(folder: Path, name: str, *words: str) -> tuple[int, str, dict[str, Any]]:
    out = folder / name
    done = call("report", model(folder), "--rules", "extended", "--out", str(out), *words)
    return done.code, done.err, json.loads((out / "summary.json").read_text()) if done.code in {0, 1} else {}


def test_the_summary_tells_the_shapes_that_the_user_named(tmp_path: Path) -> None:
    _, _, summary = report(tmp_path, "head", "--input-shape", "x=7,4")
    assert summary["options"]["input_shape"] == ["x=7,4"]


def test_a_base_is_counted_with_the_shapes_of_head(tmp_path: Path) -> None:
    gate = ("--gate", "float_ops <= +0", "--base-graph", model(tmp_path))
    code, err, _ = report(tmp_path, "head", "--input-shape", "x=7,4", *gate)
    same = "warning: base and head are the same files: this compares a model with itself"
    assert (code, err) == (0, f"tfprof-report: {same}\n")


def test_a_base_with_shapes_of_its_own_is_said(tmp_path: Path) -> None:
    shapes = ("--input-shape", "x=7,4", "--base-graph", model(tmp_path), "--base-input-shape", "x=5,4")
    code, err, _ = report(tmp_path, "head", *shapes)
    assert code == 0
    assert "the base is counted with other input shapes than head: x=5,4" in err


def test_a_base_report_of_other_shapes_is_no_baseline(tmp_path: Path) -> None:
    report(tmp_path, "base", "--input-shape", "x=5,4")
    code, err, _ = report(tmp_path, "head", "--input-shape", "x=7,4", "--baseline", str(tmp_path / "base"))
    assert code == 4
    assert "was written with another --input-shape than head; write the report again with the same options" in err
