"""A run of several hosts, and what a reader has to know of a run."""

from __future__ import annotations

import pytest
from traces import Trace, instruction, program, read_case, space_of

from tfprof_report.diagnostics import Severity
from tfprof_report.ingest.xplane.runs import OUTSIDE, join_runs
from tfprof_report.ingest.xplane.traced import read_traces


def host(*steps: tuple[int, int], begin: int) -> Trace:
    trace = Trace()
    trace.plane("Task Environment").stat("profile_start_time", 10**18 + begin)
    line = trace.line()
    for number, start in steps:
        line.event("train", start, 50, step_num=number).event("a:Mul", start + 5, 10)
    return trace


def test_steps_of_several_hosts_are_the_same_by_their_number() -> None:
    first, second = host((3, 0), (4, 100), begin=0), host((3, 0), (4, 110), begin=20)
    run = read_traces({"A": first.space(), "b": second.space()}, is_graph=False).run
    assert [(step.name, step.number, step.nanos) for step in run.steps] == [("train", 3, 70), ("train", 4, 80)]
    rows = [(number, each.devices, (each.wall_start or 0) - 10**18, each.wall_nanos) for number, each in run.run_metas]
    a, b = (f"/job:{name}/replica:0/task:0/device:cpu:0" for name in "ab")
    assert rows == [(3, (a,), 0, 70), (3, (b,), 0, 70), (4, (a,), 100, 80), (4, (b,), 100, 80)]


def test_a_host_without_marks_has_the_steps_of_the_first_by_the_clock() -> None:
    second = host(begin=20)
    second.line().event("b:Mul", 0, 5).event("c:Mul", 85, 5).event("d:Mul", 500, 5)
    run = read_traces({"a": host((3, 0), (4, 100), begin=0).space(), "b": second.space()}, is_graph=False).run
    names = {(number, *columns.executions["node_name"].to_pylist()) for number, columns in run.run_metas}
    assert names == {(3, "a"), (3, "b"), (4, "a"), (4, "c")}
    assert {row["name"] for row in run.outside.to_pylist() if row["input"] == OUTSIDE} == {"d"}


def test_two_recorded_hosts_are_one_run() -> None:
    run = read_case("two_hosts").run
    assert sorted(number for number, _ in run.run_metas) == [10, 10, 11, 11, 12, 12, 13, 13]
    assert {name for _, columns in run.run_metas for name in columns.devices} == {
        f"/job:localhost_{port}.xplane.pb.gz/replica:0/task:0/device:cpu:0" for port in (33295, 54855)
    }


def test_runs_are_joined_by_names() -> None:
    runs = [host((number, 0), begin=0).traced().run for number in (0, 1)]
    both = join_runs(runs)
    assert [number for number, _ in both.run_metas] == [0, 1]
    assert both.ops["name"].to_pylist() == ["a"]
    assert both.outside.to_pylist() == [{"input": "runtime", "name": "train", "records": 2, "nanos": 80, "bytes": None}]


def codes(trace: Trace) -> list[tuple[str, str]]:
    return [(found.severity, found.code) for found in trace.traced().diagnostics]


def test_a_whole_trace_has_nothing_to_say() -> None:
    trace = Trace()
    trace.line().event("a:Mul", 0, 5)
    assert codes(trace) == []
    assert trace.traced().run.run_metas[0][1].has_all_ops


def test_a_trace_that_does_not_tell_its_level_may_lack_ops() -> None:
    trace = Trace(level=None)
    trace.line().event("a:Mul", 0, 5)
    (found,) = trace.traced().diagnostics
    assert (found.code, found.severity) == ("trace_level", Severity.WARNING)
    assert found.text.startswith(
        "the trace does not tell the level of the host's tracer, which may leave out cheap ops:"
    )
    assert trace.traced(is_graph=True).diagnostics == ()
    assert not trace.traced().run.run_metas[0][1].has_all_ops


def test_events_that_only_level_3_has_tell_it() -> None:
    trace = Trace(level=None)
    trace.line().event("a:Mul", 0, 5).event("ExecutorPropagateOutputs", 5, 1, kernel_name="a")
    assert codes(trace) == []
    assert trace.traced().run.run_metas[0][1].has_all_ops


def test_one_host_that_lacks_cheap_ops_is_enough() -> None:
    spaces = {}
    for level in (3, 2, None):
        trace = Trace(level=level)
        trace.line().event("a:Mul", 0, 5)
        spaces[str(level)] = trace.space()
    assert read_traces(spaces, is_graph=False).level is None
    assert read_traces({name: spaces[name] for name in "32"}, is_graph=False).level == 2


def test_a_trace_of_level_2_lacks_cheap_ops() -> None:
    trace = Trace(level=2)
    trace.line().event("a:Mul", 0, 5)
    assert codes(trace) == [(Severity.WARNING, "trace_level")]
    assert not trace.traced().run.run_metas[0][1].has_all_ops


def test_a_trace_without_ops_says_why() -> None:
    (found,) = Trace(level=1).traced().diagnostics
    assert found.code == "no_ops"
    assert found.text == (
        "the trace has no ops: it is of level 1 of the host's tracer, which records only what the user marked; "
        "record it with tfprof_report.capture, which asks for level 3"
    )
    assert [each.code for each in Trace(level=3).traced().diagnostics] == ["no_ops"]


@pytest.mark.parametrize("level", [None, 1, 3])
def test_a_trace_without_ops_does_not_tell_that_none_ran(level: int | None) -> None:
    trace = Trace(level=level)
    trace.line().event("train", 0, 50, step_num=1)
    ((number, columns),) = trace.traced().run.run_metas
    assert (number, columns.wall_nanos, columns.has_all_ops) == (1, 50, False)


def test_lost_events_and_other_problems_are_told() -> None:
    trace = Trace(errors=["Tracer stopped.", "buffer is full"], warnings=["7 events were dropped"])
    trace.line().event("a:Mul", 0, 5)
    trace.plane("/device:GPU:0").stat("dropped_traces", 1234)
    trace.plane("/device:GPU:1").stat("dropped_traces", 0)
    lost, others = trace.traced().diagnostics
    assert (lost.code, lost.count) == ("dropped_events", 3)
    assert lost.examples == ("/device:GPU:0 dropped 1,234", "buffer is full", "7 events were dropped")
    assert (others.code, others.examples) == ("profiler_messages", ("Tracer stopped.",))


def test_programs_that_cannot_be_read_are_told() -> None:
    trace = Trace()
    trace.line().event("x", 0, 5, hlo_op="x", hlo_module="f", program_id=1)
    metadata = trace.plane("/host:metadata")
    metadata.kind("f(1)", **{"Hlo Proto": b"\x0a\xff"})
    metadata.kind("g(2)", **{"Hlo Proto": program([instruction("y", "add", 1, [2])])})
    (found,) = trace.traced().diagnostics
    assert (found.code, found.examples) == ("unreadable_programs", ("f(1)",))


@pytest.mark.parametrize("options", [b"", b"\x10", b"\x10\xff\xff", b"\xff", b"\x12\x7f", b"\x08\x01"])
def test_options_of_another_form_tell_no_level(options: bytes) -> None:
    trace = Trace(level=None)
    trace.plane("Task Environment").stat("profile_options", options)
    trace.line().event("a:Mul", 0, 5)
    assert trace.traced().level is None


def test_an_empty_file_has_no_ops() -> None:
    traced = read_traces({"host": space_of(b"")}, is_graph=False)
    assert [found.code for found in traced.diagnostics] == ["no_ops"]
    assert sum(columns.executions.num_rows for _, columns in traced.run.run_metas) == 0
