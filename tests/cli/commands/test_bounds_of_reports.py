"""Rates and bounds from files and a rules file to a report, and from an earlier report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from command import call, write_model, write_report
from messages import graph, run_meta
from rated import CPU, product, took, typed

from tfprof_report.compare.bounds.find_bounds import find_bounds
from tfprof_report.report.folder import read_report_folder

RULES = """gates = []
[devices."cpu:0"]
float_ops_per_second = "1T"
bytes_per_second = "100G"
"""


def model(folder: Path, inner: int, nanos: int) -> Path:
    """Write a product of 2 `inner` x 5000 FLOPs that took so many nanoseconds."""
    nodes = [
        typed("fc/w", "VariableV2", shape=[inner, 50]),
        typed("fc/read", "Identity", "fc/w", shape=[inner, 50]),
        typed("fc/x", "Placeholder", shape=[100, inner]),
        product("fc/y", "fc/x", "fc/read", shape=[100, 50]),
    ]
    return write_model(folder, graph(*nodes), {1: run_meta({CPU: [took("fc/y", nanos)]})})


def rows(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / "bounds.parquet").to_pylist()
    return found


def test_the_rules_file_names_peaks_for_both_sides(tmp_path: Path) -> None:
    config = tmp_path / "rules.toml"
    config.write_text(RULES)
    old = write_report(model(tmp_path / "base", 200, 10_000), tmp_path / "old", "--config", "none")
    assert [row["share_of_peak"] for row in rows(old)] == [None] * 3
    new = tmp_path / "new"
    outcome = call("diff", old, model(tmp_path / "head", 20, 8000), "--out", new, "--config", config)
    assert outcome.code == 0, outcome
    assert [(row["level"], row["bound"]) for row in rows(new)] == [(word, "memory") for word in ("op", "layer", "step")]
    text = (new / "report.md").read_text()
    assert "1 layer became memory-bound." in text
    assert "became memory-bound, was arithmetic-bound" in text
    assert 'id="picture-roofline"' in (new / "report.html").read_text()


def test_a_report_of_a_version_without_bytes_has_rates_only(tmp_path: Path) -> None:
    side = read_report_folder(str(write_report(model(tmp_path / "m", 200, 10_000), tmp_path / "r")))
    place = side.nodes.column_names.index("moved_bytes")
    nodes = side.nodes.set_column(place, "moved_bytes", pa.nulls(side.nodes.num_rows, pa.int64()))
    side = replace(side, nodes=nodes)
    op = find_bounds(side, []).to_pylist()[0]
    assert (op["float_ops_per_second"], op["run_moved_bytes"], op["bound"]) == (2e11, None, None)
