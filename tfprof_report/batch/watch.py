"""What a worker measures of a task, the peak of its memory and its time, and the end of one that takes too long."""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

GRACE = 3.0
"""Seconds from the time limit until the worker ends, in which whoever waits gives the task up."""

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_PEAK = re.compile(r"VmHWM:\s*(\d+) kB")
_RESET_PEAK = "5"
"""What proc(5) says to write, so that the peak counts from now on."""


class Meter:
    """Measures from when it is made."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._has_peak = False
        with suppress(OSError):
            _CLEAR.write_text(_RESET_PEAK)
            self._has_peak = True

    @property
    def seconds(self) -> float:
        """The seconds since the start, to a millisecond."""
        return round(time.monotonic() - self._start, 3)

    @property
    def peak_bytes(self) -> int | None:
        """The most memory that the process had since the start; None where the system does not tell."""
        if not self._has_peak:
            return None
        with suppress(OSError):
            found = _PEAK.search(_STATUS.read_text())
            return int(found[1]) * 1024 if found else None
        return None


def host_name() -> str:
    """Return the name of this machine."""
    return socket.gethostname()


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """End this process, without more ado, if the block takes this long and `GRACE` more.

    Native code that runs without end cannot be stopped otherwise. Where it does not let Python's threads run either,
    the alarm of the system ends the process.
    """
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds + GRACE, os.kill, (os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM)))
    timer.daemon = True
    has_alarm = hasattr(signal, "setitimer")
    timer.start()
    if has_alarm:
        signal.setitimer(signal.ITIMER_REAL, seconds + 2 * GRACE)
    try:
        yield
    finally:
        timer.cancel()
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
