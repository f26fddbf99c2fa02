"""Stops the code under test at its k-th change of a folder: by an error, by a signal, or for good."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from unittest.mock import patch

CHANGES = ("rename", "replace", "link", "unlink", "rmdir", "mkdir")
"""The functions of `os` that change a folder."""


@contextmanager
def stopped_at(
    step: int, act: Callable[[], None], *, for_good: bool = False, first: str | None = None
) -> Iterator[list[int]]:
    """Call `act` before the change number `step` (from 0), or before all from there on; yield the numbers seen.

    Changes are counted from the first call of the function `first`, if it is given.
    """
    seen: list[int] = []
    numbers = count()

    def changing(real: Callable[..., Any]) -> Callable[..., Any]:
        def change(*arguments: Any, **options: Any) -> Any:
            if first not in (None, real.__name__) and not seen:
                return real(*arguments, **options)
            seen.append(next(numbers))
            if seen[-1] == step or (for_good and seen[-1] > step):
                act()
            return real(*arguments, **options)

        return change

    changes = {name: changing(getattr(os, name)) for name in CHANGES}
    with patch.multiple(os, **changes):
        yield seen


def fail() -> None:
    """Fail as a broken disk does."""
    raise OSError(5, "Input/output error")


@contextmanager
def signals_end() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise SystemExit, and SIGINT KeyboardInterrupt, as in the command line."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    earlier = [signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in numbers]
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in zip((*numbers, signal.SIGINT), (*earlier, interrupt), strict=True):
            signal.signal(number, handler)


def in_forks(*runs: Callable[[], None]) -> list[int]:
    """Run functions at once, each in a fork of this process; return their exit codes, negative for a signal."""
    children = [_fork(run) for run in runs]
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _fork(run: Callable[[], None]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads of this process: the fork uses none
        child = os.fork()
    if child:
        return child
    try:
        run()
    except BaseException:  # noqa: BLE001 the child must not go on as a second pytest
        os._exit(1)
    os._exit(0)


def kill_self() -> None:
    """End this process at once, as the kernel does when memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)


class Killed(BaseException):
    """Raised at every further change of a folder, the code under test is as good as killed, and the test goes on."""


def die() -> None:
    """Raise `Killed`."""
    raise Killed
