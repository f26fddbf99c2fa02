"""Nodes of a graph that a trace ran: known where all ops have events, unknown, not 0, where cheap ones have none."""

from __future__ import annotations

import pytest
from traces import DATA

from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.semantics import CORRECTED


def run_counts(case: str, trace: str) -> dict[str, float | None]:
    paths = InputPaths(graph=str(DATA / case / "graph.pb.gz"), xplanes=(str(DATA / trace / "xplane.pb.gz"),))
    table = build_node_table(read_inputs(paths), semantics=CORRECTED)
    return dict(zip(*(table.column(name).to_pylist() for name in ("name", "run_count")), strict=True))


def test_a_whole_trace_knows_what_ran() -> None:
    found = run_counts("train", "train")
    assert None not in found.values()
    assert (found["hidden/MatMul"], found["Const"]) == (1.0, 1.0)  # per step


@pytest.mark.parametrize(("trace", "ran"), [("train_level_2", {"hidden/MatMul": 1.0}), ("train_level_1", {})])
def test_what_a_trace_leaves_out_is_unknown(trace: str, ran: dict[str, float]) -> None:
    found = run_counts("train", trace)
    assert {name: found[name] for name in ran} == ran
    assert found["Const"] is None
    assert 0 not in found.values()
