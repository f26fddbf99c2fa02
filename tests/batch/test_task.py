"""What a worker does with a task: the report, the figures of its making, and what goes wrong."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from command import write_model
from messages import graph, node

from tfprof_report.batch.entry import Entry, Target, Task
from tfprof_report.batch.outcome import Result, State
from tfprof_report.batch.task import run_task
from tfprof_report.batch.watch import Meter, limited
from tfprof_report.cli.call import Ended, call_quietly

EPOCH = "1700000000"


def task(folder: Path, *options: str, store: str | None = None, commit: str | None = None) -> Task:
    """Return the task of a model in `folder`, in the batch `one`."""
    model = write_model(folder / "model", graph(node("x", "Placeholder", shape=[2]), node("y", "Relu", "x")))
    command = ("report", str(model), *options)
    entry = Entry(number=0, model="net", name="net", command=command, commit=commit, inputs=(str(model / "graph.pb"),))
    target = Target(folder=None if store else "out", store=store)
    return Task(entry=entry, target=target, batch="one", cwd=str(folder), fixed_time=EPOCH)


def later(made: Task) -> Task:
    """Return the same task in another batch."""
    return replace(made, batch="two")


@pytest.fixture(autouse=True)
def _own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")  # what a worker elsewhere may have


def test_a_report_is_made_in_the_folder_of_the_batch_and_then_found(tmp_path: Path) -> None:
    made = task(tmp_path)
    before = Path.cwd()
    result = run_task(made, call_quietly)
    assert (result.state, result.exit_code, result.verdict, result.reason) == (State.WRITTEN, 0, "not judged", None)
    assert (result.report, Path.cwd()) == ("out/net", before)
    assert b"2023-11-14T22:13:20Z" in (tmp_path / "out" / "net" / "summary.json").read_bytes()
    again = run_task(later(made), never_called)
    assert (again.state, again.exit_code, again.report, again.messages) == (State.SKIPPED, 0, "out/net", ())


def test_a_report_whose_worker_was_lost_after_it_counts_as_written(tmp_path: Path) -> None:
    made = task(tmp_path)
    run_task(made, call_quietly)
    assert run_task(made, never_called).state is State.WRITTEN


def test_entries_that_differ_by_name_only_have_a_report_each(tmp_path: Path) -> None:
    made = task(tmp_path)
    other = replace(made, entry=replace(made.entry, model="other", name="other"))
    first, second = run_task(made, call_quietly), run_task(other, call_quietly)
    assert (first.report, second.report, second.state) == ("out/net", "out/other", State.WRITTEN)
    own, others = ((tmp_path / "out" / name / "summary.json").read_bytes() for name in ("net", "other"))
    assert own == others


def never_called(_: Sequence[str]) -> Ended:
    """Fail: the report is there."""
    raise AssertionError


def test_a_failed_gate_stays_one_when_the_report_is_found(tmp_path: Path) -> None:
    made = task(tmp_path, "--gate=definition_count <= 1")
    first, again = run_task(made, call_quietly), run_task(later(made), never_called)
    assert (first.state, first.exit_code, first.verdict) == (State.WRITTEN, 1, "failed")
    assert (again.state, again.exit_code, again.verdict, again.reason) == (State.SKIPPED, 1, "failed", first.reason)
    assert first.reason is not None


def test_an_error_of_the_report_is_its_line(tmp_path: Path) -> None:
    made = task(tmp_path, "--gate=nonsense")
    result = run_task(made, call_quietly)
    assert (result.state, result.exit_code) == (State.FAILED, 2)
    assert result.reason is not None
    assert result.reason.startswith("--gate")


def test_an_error_that_nobody_foresaw_is_a_line_too(tmp_path: Path) -> None:
    def broken(_: Sequence[str]) -> Ended:
        raise ZeroDivisionError("by zero")

    result = run_task(task(tmp_path), broken)
    assert (result.state, result.exit_code) == (State.FAILED, 3)
    assert result.reason == "internal error (ZeroDivisionError: by zero); run its command alone, with --verbose"


def test_a_store_that_cannot_be_written_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    result = run_task(task(tmp_path, store="store", commit="abc"), call_quietly)
    assert (result.state, result.exit_code) == (State.FAILED, 3)
    assert result.reason == "store (STORE): cannot be read (Not a directory)"


def test_a_report_is_saved_in_a_store_once(tmp_path: Path) -> None:
    made = task(tmp_path, "--commit=abc", store="store", commit="abc")
    first, again = run_task(made, call_quietly), run_task(later(made), never_called)
    assert (first.state, again.state) == (State.WRITTEN, State.SKIPPED)
    assert first.report == again.report
    assert first.report is not None
    assert first.report.startswith("store/net/abc_20231114T221320Z_")
    assert (tmp_path / first.report / "summary.json").is_file()


def test_the_peak_of_memory_is_that_of_the_task_alone() -> None:
    big = bytearray(200 * 2**20)
    big[::4096] = b"x" * len(big[::4096])
    del big
    meter = Meter()
    before = meter.peak_bytes
    if before is None:
        pytest.skip("this system does not tell")
    part = bytearray(64 * 2**20)
    part[::4096] = b"x" * len(part[::4096])
    assert 60 * 2**20 < (meter.peak_bytes or 0) - before < 100 * 2**20
    del part


def test_a_task_within_its_limit_leaves_no_alarm() -> None:
    with limited(30.0):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 30
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert os.getpid() > 0


def test_results_without_a_report_have_the_exit_code_of_bad_input() -> None:
    assert Result(state=State.LOST).exit_code == 3
