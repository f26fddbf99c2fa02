"""Sets up a worker process of this machine: Ctrl-C is left to the parent, and there is no output.

distributed loads this module before the worker takes tasks (its option ``preload``).
"""

from __future__ import annotations

import os
import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Set up the process of a worker."""
    del worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
