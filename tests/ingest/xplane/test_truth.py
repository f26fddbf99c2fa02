"""Recorded traces against the truth: xprof's figures of the same traces, and run metadata of the same steps."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import xprof_differences
from traces import CASES, DATA, case_files, message_of, read_case

from tfprof_report.ingest.activity import ACTIVITY
from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.run_meta import read_run_meta
from tfprof_report.ingest.sniff import Kind
from tfprof_report.ingest.xplane import host_trace, stats
from tfprof_report.ingest.xplane.runs import Run
from tfprof_report.ingest.xplane.traced import Traced
from tfprof_report.later import Later

NO_ACTIVITY = Later(ACTIVITY.empty_table)


def truth_of(case: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress((DATA / case / "xprof.json.gz").read_bytes()))
    return found


@pytest.mark.parametrize("case", CASES)
def test_ops_steps_and_peaks_are_those_of_xprof(case: str) -> None:
    assert xprof_differences.differences(truth_of(case), case_files(case)) == []


def test_a_difference_is_told() -> None:
    truth = truth_of("train_memory")
    row = next(row for row in truth["framework_op_stats"]["without_idle"] if row[2] == "hidden/MatMul")
    row[5] += 0.001
    truth["memory_profile"]["hosts"]["host.xplane.pb"]["bfc_cpu_allocator_for_gpu"]["summary"]["peakStats"][
        "peakBytesInUse"
    ] = "7"
    truth["steps"]["rows"][0][-1] += 0.000001
    op, allocator, step = xprof_differences.differences(truth, case_files("train_memory"))
    assert op == ("op hidden/MatMul: ours ('_MklMatMul', 8, 84021, 84021), xprof's ('_MklMatMul', 8, 84021, 84022)")
    assert allocator == "allocator xplane.pb.gz bfc_cpu_allocator_for_gpu: ours 140288, xprof's 7"
    assert step == "step train 0: ours 1816209, xprof's 1816210"


def test_ops_that_a_full_list_of_xprof_lacks_are_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = truth_of("train_memory")
    table = truth["framework_op_stats"]
    listed = sorted((row for row in table["without_idle"] if row[1]), key=lambda row: row[5])
    assert listed[0][5] < listed[1][5]
    table["without_idle"].remove(listed[0])
    table["with_idle"].remove(listed[0])
    (lacking,) = xprof_differences.differences(truth, case_files("train_memory"))
    assert lacking.endswith("xprof's None")
    monkeypatch.setattr(xprof_differences, "LISTED", len(table["with_idle"]))
    assert xprof_differences.differences(truth, case_files("train_memory")) == []
    table["without_idle"].remove(listed[2])
    (lacking,) = xprof_differences.differences(truth, case_files("train_memory"))
    assert lacking.startswith(f"op {listed[2][2]}: ")


@pytest.mark.parametrize("step", [0, 1, 2])
def test_the_same_session_has_the_same_nodes_and_counts_as_its_run_metadata(step: int) -> None:
    file = DATA / "session" / f"run_meta_{step}.gz"
    run_meta = read_run_meta(decode(file.read_bytes(), Kind.RUN_META, file="FILE", option=""))
    number, traced = read_case("session").run.run_metas[step]
    assert number == step
    ours, theirs = Counter[str](), Counter(run_meta.executions["node_name"].to_pylist())
    for name, count in zip(*(traced.executions[each].to_pylist() for each in ("node_name", "run_count")), strict=True):
        ours[name] += count
    assert len(theirs) == 73
    assert ours == theirs


def total_nanos(run: Run) -> int:
    """Return the time of all executions and of what is in none."""
    tables = [columns.executions for _, columns in run.run_metas]
    return sum(pc.sum(table["nanos"]).as_py() or 0 for table in (*tables, run.outside))


def busy_nanos(case: str) -> int:
    """Return in how many picoseconds each thread, stream and core of a case was busy, summed, in nanoseconds."""
    total = 0
    for file in case_files(case):
        for plane in message_of(file).planes:
            for line in plane.lines:
                last = -(2**63)
                for event in sorted(line.events, key=lambda each: each.offset_ps):
                    if event.num_occurrences:
                        total += event.duration_ps
                        continue
                    end = event.offset_ps + event.duration_ps
                    total += max(0, end - max(last, event.offset_ps))
                    last = max(last, end)
    return total // 1000


@pytest.mark.parametrize("case", CASES)
def test_all_time_is_somewhere(case: str) -> None:
    assert total_nanos(read_case(case).run) == busy_nanos(case)


@pytest.mark.parametrize("case", CASES)
def test_two_reads_are_the_same(case: str) -> None:
    first, second = (read_case(case, is_graph=True) for _ in range(2))
    assert first.diagnostics == second.diagnostics
    assert first.run.ops.equals(second.run.ops)
    assert first.run.outside.equals(second.run.outside)
    for (step, mine), (other, its) in zip(first.run.run_metas, second.run.run_metas, strict=True):
        assert step == other
        assert mine.executions.equals(its.executions)
        assert pa.concat_tables([mine.allocations]).equals(its.allocations)


@pytest.mark.parametrize("case", CASES)
def test_a_trace_that_is_read_in_small_parts_is_the_same(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = without_activity(read_case(case))
    for module in (host_trace, stats):
        monkeypatch.setattr(module, "_PART", 3)
    assert without_activity(read_case(case)) == at_once


def without_activity(traced: Traced) -> tuple[Traced, list[pa.Table]]:
    """Return a trace without what devices did, which is computed later, and that by step."""
    run_metas = tuple((step, replace(columns, activity=NO_ACTIVITY)) for step, columns in traced.run.run_metas)
    activity = [columns.activity() for _, columns in traced.run.run_metas]
    return replace(traced, run=replace(traced.run, run_metas=run_metas)), activity
