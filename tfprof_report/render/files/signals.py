"""Holds back the signals that end a program while something that must not stop half way runs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def without_signals() -> Iterator[None]:
    """Hold back SIGINT, SIGTERM and SIGHUP during the block; one that came is raised after it.

    Ignored signals stay ignored. Python runs handlers in the main thread only, so in others there is nothing to do.
    """
    came: list[int] = []
    handlers = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
                if signal.getsignal(number) not in (signal.SIG_IGN, None):  # None: a handler that is not Python's
                    handlers[number] = signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)
