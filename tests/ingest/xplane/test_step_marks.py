"""Steps: what marks them, what belongs to them, and which of them prepare."""

from __future__ import annotations

import pytest
from traces import CASES, Line, Trace, read_case

from tfprof_report.arrays import to_ints
from tfprof_report.ingest.xplane.nesting import enclosing
from tfprof_report.ingest.xplane.ops import read_lines
from tfprof_report.ingest.xplane.runs import FIRST, OUTSIDE, RUNTIME
from tfprof_report.ingest.xplane.step_marks import StepMarks, mark_steps


def marked(trace: Trace) -> tuple[StepMarks, dict[str, int]]:
    """Return the steps, and the step of each event by its name."""
    space = trace.space()
    start, duration = space.times()
    found = mark_steps(space, read_lines(space, "/host"), enclosing(to_ints(space.events["line"]), start, duration))
    return found, dict(zip(space.names().to_pylist(), found.of_event.tolist(), strict=True))


def outside(trace: Trace) -> dict[tuple[str, str], int]:
    rows = trace.traced().run.outside.to_pylist()
    return {(row["input"], row["name"]): row["nanos"] for row in rows}


def test_a_step_is_an_event_with_a_number_and_has_what_is_in_it() -> None:
    trace = Trace()
    trace.line().event("train", 0, 50, step_num=7).event("a:Mul", 10, 5).event("b:Mul", 60, 5)
    steps, of = marked(trace)
    assert (steps.name, steps.number.tolist()) == (("train",), [7])
    assert (steps.start_ps.tolist(), steps.end_ps.tolist()) == ([0], [50_000])
    assert of == {"train": 0, "a:Mul": 0, "b:Mul": -1}


def test_a_marked_step_within_another_is_part_of_it() -> None:
    trace = Trace()
    trace.line().event("epoch", 0, 100, step_num=1).event("train", 10, 50, step_num=5).event("a:Mul", 20, 5)
    assert marked(trace)[0].number.tolist() == [1]


def test_other_threads_belong_to_the_step_that_handed_over() -> None:
    """Thread of an executor, and a pool's region, both at work while the next step already runs."""
    trace = Trace()
    trace.line("python").event("train", 0, 50, step_num=0).event("FunctionRun", 10, 5, _pt=2, _p=77).event(
        "train", 60, 100, step_num=1
    )
    executor = trace.line("executor").event("ExecutorState::Process", 70, 20, _ct=2, _c=77).event("a:Mul", 72, 5)
    executor.event("ThreadpoolListener::Record", 75, 0, _pt=15, _p=2**64 - 1)
    pool = trace.line("pool").event("ThreadpoolListener::StartRegion", 80, 0, _ct=15, _c=-1).event("b:Mul", 81, 5)
    pool.event("ThreadpoolListener::StopRegion", 90, 0).event("c:Mul", 95, 5)
    _, of = marked(trace)
    assert [of[name] for name in ("a:Mul", "b:Mul", "c:Mul")] == [0, 0, 1]


def test_kernels_belong_to_the_step_that_launched_them() -> None:
    trace = Trace()
    host = trace.line().event("train", 0, 50, step_num=0).event("cuLaunchKernel", 10, 2, correlation_id=5)
    host.event("train", 60, 50, step_num=1)
    trace.line("Stream #1", plane="/device:GPU:0").event("kernel", 70, 9, correlation_id=5, tf_op="a:Mul")
    assert marked(trace)[1]["kernel"] == 0


def test_links_in_a_circle_end() -> None:
    trace = Trace()
    trace.line().event("x", 0, 5, _pt=2, _p=1, _ct=2, _c=2).event("y", 10, 5, _pt=2, _p=2, _ct=2, _c=1)
    trace.line().event("train", 100, 5, step_num=0)
    assert marked(trace)[1] == {"x": -1, "y": -1, "train": 0}


def test_without_marks_the_whole_trace_is_one_step() -> None:
    trace = Trace()
    trace.line().event("a:Mul", 0, 5).event("b:Mul", 10, 5)
    run = trace.traced().run
    assert run.steps == ()
    ((number, columns),) = run.run_metas
    assert (number, columns.wall_nanos) == (0, None)
    assert columns.executions["node_name"].to_pylist() == ["a", "b"]


def test_steps_of_a_device_are_marked_on_its_own_line() -> None:
    trace = Trace()
    trace.line("Steps", plane="/device:TPU:0").event("3", 0, 50).event("4", 50, 50)
    trace.line("XLA Ops", plane="/device:TPU:0").event("x", 10, 5, hlo_op="x", hlo_module="m", program_id=1).event(
        "y", 60, 5, hlo_op="y", hlo_module="m", program_id=1
    )
    assert [number for number, _ in trace.traced().run.run_metas] == [3, 4]


@pytest.mark.parametrize(
    ("name", "stats"),
    [
        ("XlaCompile", {}),
        ("Autotuning", {}),
        ("f", {"tf_function_call": "traced-nonXla"}),
    ],
)
def test_a_step_that_prepares_is_not_among_the_others(name: str, stats: dict[str, str]) -> None:
    trace = Trace()
    line = trace.line().event("train", 0, 50, step_num=0).event(name, 1, 2, **stats).event("a:Mul", 10, 5)
    line.event("train", 60, 20, step_num=1).event("a:Mul", 62, 3)
    traced = trace.traced()
    assert [number for number, _ in traced.run.run_metas] == [1]
    assert outside(trace)[FIRST, "a"] == 5
    (note,) = traced.diagnostics
    assert (note.severity, note.code) == ("note", "first_step")
    assert note.text == "step 0 is left out: traced, compiled or tuned functions, 0.05 us; the others take 0.02 us"


def test_many_steps_that_prepare_are_counted() -> None:
    trace = Trace()
    line = trace.line()
    for number in range(9):
        line.event("train", 100 * number, 50, step_num=number).event("a:Mul", 100 * number + 5, 5)
        if number < 8:
            line.event("XlaCompile", 100 * number + 1, 2)
    (note,) = trace.traced().diagnostics
    assert note.text.startswith(
        "steps 0, 1, 2, 3, 4 and 3 more are left out: traced, compiled or tuned functions, 0.40 us"
    )


def test_if_all_steps_prepare_they_are_all_there_is() -> None:
    trace = Trace()
    trace.line().event("train", 0, 50, step_num=0).event("XlaCompile", 1, 2).event("a:Mul", 10, 5)
    traced = trace.traced()
    assert [number for number, _ in traced.run.run_metas] == [0]
    assert [found.code for found in traced.diagnostics] == ["first_step_only"]


def test_what_belongs_to_no_step_and_to_no_op_is_named() -> None:
    trace = Trace()
    trace.line().event("train", 0, 50, step_num=0).event("a:Mul", 10, 5).event("b:Mul", 60, 7)
    assert outside(trace) == {(OUTSIDE, "b"): 7, (RUNTIME, "train"): 45}


def test_equal_numbers_are_numbered_by_their_start() -> None:
    trace = Trace()
    line: Line = trace.line()
    for place, number in enumerate((5, 5, -1)):
        line.event("train", 100 * place, 50, step_num=number).event("a:Mul", 100 * place, 5)
    assert [step.number for step in trace.traced().run.steps] == [0, 1, 2]


@pytest.mark.parametrize(
    ("case", "numbers", "left_out"),
    [
        ("train", [1, 2, 3], [0]),
        ("train_later", [0, 1, 2, 3], []),
        ("keras_fit", [1, 2, 3], []),
        ("jax_train", [1, 2], [0]),
        ("session", [0, 1, 2], []),
        ("made_gpu", [0, 1, 2], []),
    ],
)
def test_steps_of_recorded_traces(case: str, numbers: list[int], left_out: list[int]) -> None:
    run = read_case(case).run
    assert sorted({number for number, _ in run.run_metas}) == numbers
    assert [step.number for step in run.left_out] == left_out


def test_all_recorded_cases_are_covered() -> None:
    assert len(CASES) == 16
