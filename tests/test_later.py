"""A value is computed once, when it is first asked for, and then what it is computed from is freed."""

from __future__ import annotations

import gc
import weakref
from threading import Barrier, Thread

from tfprof_report.later import Later


class Source:
    """Something that is kept in memory to compute a value."""


def test_a_value_is_computed_once_and_frees_its_source() -> None:
    source, calls = Source(), []
    alive = weakref.ref(source)

    def compute(source: Source = source) -> int:
        calls.append(source is not None)
        return 7

    value = Later(compute)
    assert calls == []
    assert (value(), value()) == (7, 7)
    assert len(calls) == 1
    del source, compute
    gc.collect()
    assert alive() is None


def test_threads_that_ask_at_the_same_time_compute_once() -> None:
    calls, start = [], Barrier(4)
    value = Later(lambda: calls.append(1) or len(calls))

    def ask() -> None:
        start.wait()
        assert value() == 1

    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == [1]
