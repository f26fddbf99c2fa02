"""Independent tasks on several threads: Arrow, numpy and zlib compute without Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

FEW_ROWS = 50_000
"""Tables with fewer rows are done faster on one thread: tasks that are short mostly wait for Python's lock."""


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Threads:
    """Up to `jobs` threads for tasks whose results do not depend on each other.

    What comes out is the same for any number: results are taken in the order in which the caller asks for them, and so
    are errors. Leaving the ``with`` block by an error cancels tasks that have not begun. Where the tasks are about
    `rows` rows, and those are few, there is one thread.
    """

    def __init__(self, jobs: int, *, rows: int | None = None) -> None:
        is_worth_it = jobs > 1 and (rows is None or rows >= FEW_ROWS)
        self._pool = ThreadPoolExecutor(jobs) if is_worth_it else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def start(self, task: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Callable[[], T]:
        """Return a function, to be called once, that returns what the task does, or raises its error.

        With one thread the task runs when it is called, so that no result waits in memory.
        """
        if self._pool:
            return self._pool.submit(task, *args, **kwargs).result
        return partial(task, *args, **kwargs)
