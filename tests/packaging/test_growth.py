"""The inputs and the arithmetic of `make growth`, without measuring any time."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED


@pytest.fixture(scope="module")
def growth() -> Any:
    """The script, which imports its neighbours by their names."""
    sys.path.insert(0, str(ROOT / "ci"))
    try:
        import growth  # noqa: PLC0415 (it is found only now)
    finally:
        sys.path.remove(str(ROOT / "ci"))
    return growth


@pytest.fixture(scope="module")
def kinds(growth: Any) -> Any:
    return growth.KINDS


@pytest.mark.thorough
def test_each_kind_has_a_report_of_all_its_nodes_and_the_same_bytes_again(kinds: Any, tmp_path: Path) -> None:
    for kind, each in kinds.items():
        for turn in ("one", "two"):
            each.make(2_000).write(tmp_path / kind / turn)
        first, second = (sorted((tmp_path / kind / turn).rglob("*")) for turn in ("one", "two"))
        assert [file.read_bytes() for file in first if file.is_file()] == [
            file.read_bytes() for file in second if file.is_file()
        ]


@pytest.mark.thorough
def test_what_grows_is_read(kinds: Any, tmp_path: Path) -> None:
    tables = {}
    for kind in ("functions", "traces", "devices", "executions", "steps", "dense", "scope_depth", "events"):
        kinds[kind].make(2_000).write(tmp_path / kind)
        tables[kind] = build_node_table(read_inputs(resolve_paths(str(tmp_path / kind))), functions=INLINED)
    assert tables["functions"].count == 1 + 200 + 200 * 10
    assert len(tables["traces"].traces.frame) == 1000 * 12
    assert len(set(tables["devices"].steps["device"].to_pylist())) == 2
    assert set(tables["executions"].steps["run_count"].to_pylist()) == {20}
    assert len(tables["steps"].step_numbers) == 2
    assert tables["events"].step_numbers == tuple(range(20))
    assert set(tables["events"].steps["run_count"].to_pylist()) == {1}
    assert tables["dense"].edges.num_rows == 200 * 199 // 2
    assert tables["scope_depth"].column("name")[0].as_py().startswith("s/" * 20 + "model/")


def test_an_exponent_is_the_slope_between_two_sizes_in_logarithms(growth: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert growth.exponents("nodes", [10, 100, 1000], [2, 20, 2000]) == pytest.approx([1, 2])
    sizes = {10: 100, 1000: 10_000}
    monkeypatch.setattr(growth, "inputs_of", lambda _, size: size)
    monkeypatch.setattr(growth, "size_of", sizes.__getitem__)
    assert growth.exponents("steps", list(sizes), [1, 1000]) == pytest.approx([1.5])  # in bytes


def test_growth_and_cost_are_checked(growth: Any) -> None:
    assert growth.problems("nodes", [1.0, 11.0], [1.05], {"nodes": 6.0}) == []
    assert growth.problems("nodes", [1.0, 12.1], [1.06], {"nodes": 6.0}) == [
        "nodes grows with exponent 1.06, more than 1.05",
        "nodes takes 12.1 loops, more than 12.0",
    ]
    assert growth.problems("wide", [1.0, 12.1], [1.0], {"nodes": 6.0}) == []


def test_the_checked_kinds_exist_and_have_recorded_times(growth: Any) -> None:
    recorded = growth.tomllib.loads(growth.RECORD.read_text())["loops"]
    assert tuple(recorded) == growth.CHECKED
    assert set(growth.CHECKED) <= set(growth.KINDS)
