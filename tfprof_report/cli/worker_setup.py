"""Sets up a worker process of this machine: memory as in a command, Ctrl-C left to the parent, no output.

distributed loads this module before the worker takes tasks (its option ``preload``).
"""

from __future__ import annotations

import os
import signal
from typing import Any

from tfprof_report.cli.memory import keep_freed_memory


def dask_setup(worker: Any) -> None:
    """Set up the process of a worker."""
    del worker
    keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
