"""Traces where the Python API takes run metadata, and in place of a graph."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from traces import DATA, message_of

from tfprof_report.errors import InputError
from tfprof_report.profiler import Profiler, profile

OPTIONS = {
    "account_type_regexes": [".*"],
    "show_name_regexes": [".*"],
    "max_depth": 20,
    "select": ["micros"],
    "order_by": "micros",
    "output": "none",
}
GRAPH, TRACE = DATA / "session" / "graph.pb.gz", DATA / "session" / "xplane.pb.gz"


def micros(root: Any) -> int:
    return int(root.total_exec_micros)


def test_a_trace_stands_for_run_metadata_as_a_path_bytes_or_message(tmp_path: Path) -> None:
    run = tmp_path / "plugins" / "profile" / "r"
    run.mkdir(parents=True)
    (run / "vm.xplane.pb").write_bytes(gzip.decompress(TRACE.read_bytes()))
    given = (TRACE, str(TRACE), TRACE.read_bytes(), message_of(TRACE), tmp_path)
    totals = {micros(profile(GRAPH, each, options=OPTIONS)) for each in given}
    assert len(totals) == 1
    assert totals.pop() > 0


def test_a_trace_alone_is_a_graph_of_its_ops(capsys: pytest.CaptureFixture[str]) -> None:
    trace = DATA / "made_gpu" / "xplane.pb.gz"
    root = profile(trace, cmd="op", options=OPTIONS)
    names, row = [], root
    while row.children:
        row = row.children[0]
        names.append(row.name)
    assert {"MatMul", "Relu", "AddN"} <= set(names)
    assert micros(profile(trace.read_bytes(), cmd="scope", options=OPTIONS)) == micros(root)
    assert capsys.readouterr().out == ""


def test_steps_of_a_trace_are_numbered_from_the_one_that_is_given() -> None:
    whole = Profiler(GRAPH)
    whole.add_step(5, TRACE)
    parts = [micros(whole.profile_name_scope({**OPTIONS, "step": step})) for step in (4, 5, 6, 7, 8)]
    assert [part > 0 for part in parts] == [False, True, True, True, False]


def test_a_trace_and_run_metadata_add_up() -> None:
    both = Profiler(GRAPH)
    both.add_step(0, DATA / "session" / "run_meta_0.gz")
    first = micros(both.profile_name_scope({**OPTIONS, "step": 0}))
    both.add_step(1, TRACE)
    both.add_step(9, TRACE)
    assert micros(both.profile_name_scope({**OPTIONS, "step": 0})) == first
    assert micros(both.profile_name_scope({**OPTIONS, "step": 9})) == micros(
        both.profile_name_scope({**OPTIONS, "step": 1})
    )


def test_a_broken_trace_leaves_the_profiler_as_it_was() -> None:
    kept = Profiler(GRAPH)
    with pytest.raises(InputError):
        kept.add_step(0, gzip.decompress(TRACE.read_bytes())[:-5])
    assert micros(kept.profile_name_scope(OPTIONS)) == 0


@pytest.mark.parametrize(
    ("data", "problem"),
    [(b"", "the trace has no ops; record it with"), (b"\x0a\xff", "is not an XSpace message: damaged, cut short")],
)
def test_a_broken_trace_is_one_by_its_name(tmp_path: Path, data: bytes, problem: str) -> None:
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(data)
    with pytest.raises(InputError, match=rf"vm\.xplane\.pb \(\w+\): {problem}"):
        profile(path, options=OPTIONS)
