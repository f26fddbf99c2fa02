"""Waiting and moving in whole reports: of workers and a parameter server, and where nothing is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command import call, summary_of, write_model, write_report
from messages import graph, node, ran, run_meta

PS, FIRST, SECOND = ("/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1")
CPU = "/device:CPU:0"
TITLE = "Waiting and moving"


def workers(*, size: int = 4800) -> Any:
    """Return a step in which two workers receive a variable of a parameter server and multiply by it."""

    def received(worker: str, start: int) -> Any:
        label = f"[{size}B] [1.0Mb/s] edge_1_w/read from {PS}{CPU} to {worker}{CPU}"
        return ran("RecvTensor", start=start, micros=30, label=label, outputs=[(size, 0)])

    return run_meta(
        [
            (f"{PS}{CPU}", [ran("w/read", start=100, micros=10)]),
            (f"{FIRST}{CPU}", [received(FIRST, 105), ran("a", start=140, micros=60)]),
            (f"{SECOND}{CPU}", [received(SECOND, 110), ran("b", start=140, micros=20)]),
        ]
    )


def model(folder: Path, **changes: int) -> Path:
    nodes = [node("w/read", "Identity"), node("a", "MatMul", "w/read"), node("b", "MatMul", "w/read")]
    return write_model(folder, graph(*nodes), {0: workers(**changes)})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("workers")
    return write_report(model(top / "m"), top / "r")


def rows(folder: Path, table: str, *columns: str) -> list[tuple[Any, ...]]:
    found = pq.read_table(folder / f"{table}.parquet", columns=list(columns)).to_pylist()
    return [tuple(row[column] for column in columns) for row in found]


def test_workers_and_parameter_servers_keep_their_names(report: Path) -> None:
    ps, first, second = (f"{task}{CPU}".lower() for task in (PS, FIRST, SECOND))
    times = {(device, kind): nanos for device, kind, nanos in rows(report, "activity", "device", "kind", "nanos")}
    assert times == {
        (ps, "compute"): 10_000,
        (ps, "busy"): 10_000,
        (ps, "idle"): 90_000,
        (first, "compute"): 60_000,
        (first, "receive"): 30_000,
        (first, "busy"): 60_000,
        (first, "idle"): 40_000,
        (second, "compute"): 20_000,
        (second, "receive"): 30_000,
        (second, "busy"): 20_000,
        (second, "idle"): 80_000,
    }
    assert rows(report, "transfers", "source", "destination", "kind", "bytes", "nanos") == [
        (ps, first, "receive", 4800, 30_000),
        (ps, second, "receive", 4800, 30_000),
    ]
    assert rows(report, "waits", "device", "name", "kind", "waited_for", "nanos") == [
        (first, "a", "receive", "w/read", 40_000),
        (second, "b", "receive", "w/read", 40_000),
    ]
    (step,) = summary_of(report)["activity"]
    assert (step["idle_nanos"], step["transfer_bytes"]) == (210_000, 9600)


def test_page_and_markdown_have_the_section_and_the_page_the_lanes(report: Path) -> None:
    page, markdown = ((report / name).read_text() for name in ("report.html", "report.md"))
    assert f">{TITLE}<" in page
    assert 'id="picture-lanes"' in page
    assert TITLE in markdown
    assert f"{PS}{CPU}".lower() in markdown


def test_a_comparison_has_both_sides_and_a_gate_on_what_is_moved(tmp_path: Path, report: Path) -> None:
    gate = ("--gate", "transfer_bytes <= +0")
    out = tmp_path / "o"
    outcome = call("report", model(tmp_path / "m", size=4900), "--baseline", report, "--out", out, *gate)
    assert outcome.code == 1
    assert "9,600 -> 9,800 (+200, +2.08 %)" in summary_of(out)["verdict"]["gates"][0]["text"]
    assert rows(out, "diff_transfers", "base_bytes", "head_bytes", "delta_bytes") == [(4800.0, 4900.0, 100.0)] * 2
    assert rows(out, "diff_waits", "delta_nanos") == [(0,), (0,)]
    assert summary_of(out)["comparison"]["activity"]["transfer_bytes"]["delta"] == 200
    assert call("report", model(tmp_path / "same"), "--baseline", report, "--out", out, *gate).code == 0


def test_a_report_without_run_metadata_has_no_section_and_empty_tables(tmp_path: Path) -> None:
    out = write_report(write_model(tmp_path / "m", graph(node("a", "MatMul"))), tmp_path / "o")
    assert TITLE not in (out / "report.html").read_text() + (out / "report.md").read_text()
    assert "picture-lanes" not in (out / "report.html").read_text()
    assert rows(out, "activity", "step") == rows(out, "waits", "step") == []
    assert summary_of(out)["activity"] == []


def test_a_report_of_a_report_has_the_same_section(tmp_path: Path, report: Path) -> None:
    again = write_report(report, tmp_path / "o")
    for name in ("activity", "transfers", "waits"):
        assert pq.read_table(again / f"{name}.parquet").equals(pq.read_table(report / f"{name}.parquet"))
    assert TITLE in (again / "report.md").read_text()
