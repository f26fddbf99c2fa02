"""Tasks on threads: what comes out is the same for any number of them."""

from __future__ import annotations

import threading

import pytest

from tfprof_report.threads import FEW_ROWS, Threads, usable_cores


def test_this_process_may_use_a_core() -> None:
    assert usable_cores() >= 1


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_results_and_errors_come_in_the_order_in_which_they_are_asked_for(jobs: int) -> None:
    def divide(by: int) -> int:
        return 12 // by

    with Threads(jobs) as threads:
        results = [threads.start(divide, by) for by in (3, 0, 2, 0)]
        assert results[0]() == 4
        with pytest.raises(ZeroDivisionError):
            results[1]()
        assert results[2]() == 6


def test_one_job_runs_a_task_when_it_is_called_on_the_thread_of_the_caller() -> None:
    with Threads(1) as threads:
        ran: list[threading.Thread] = []
        results = [threads.start(lambda: ran.append(threading.current_thread())) for _ in range(2)]
        assert ran == []
        results[1]()
        assert ran == [threading.current_thread()]


@pytest.mark.parametrize(("rows", "is_alone"), [(0, True), (FEW_ROWS - 1, True), (FEW_ROWS, False), (None, False)])
def test_tasks_about_few_rows_run_on_the_thread_of_the_caller(rows: int | None, *, is_alone: bool) -> None:
    with Threads(2, rows=rows) as threads:
        thread = threads.start(threading.current_thread)()
    assert (thread is threading.current_thread()) == is_alone


def test_two_jobs_run_at_the_same_time() -> None:
    both = threading.Barrier(2)
    with Threads(2) as threads:
        results = [threads.start(both.wait, 10) for _ in range(2)]
        assert sorted(result() for result in results) == [0, 1]  # alone, each would wait and raise


def test_an_error_cancels_tasks_that_have_not_begun() -> None:
    ran: list[int] = []
    begun, go_on = threading.Barrier(3), threading.Event()

    def wait() -> None:
        begun.wait(10)
        go_on.wait(10)

    def interrupted() -> None:
        with Threads(2) as threads:
            for _ in range(2):
                threads.start(wait)
            threads.start(ran.append, 1)
            begun.wait(10)
            threading.Timer(0.05, go_on.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ran == []
