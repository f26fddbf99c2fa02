"""Record step times of real work over many nights into tests/data/history/nights.json.

    python ci/record_nights.py [FILE]      takes ten minutes

A night is a program of its own that times a few steps of one kind of work with numpy and keeps their median time, by
the clock on the wall and of the processor, as a nightly job would. From a known night on each step does so many percent
more work: those are the changes to find. Nights are timed in random order: what else runs on the machine for some
minutes would be a step itself otherwise, and nobody knows its truth.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np

NIGHTS = Path(__file__).resolve().parents[1] / "tests" / "data" / "history" / "nights.json"

UNITS, STEPS = 100, 7
"""Units of work in a step before any change, and the steps of a night."""

CHANGES: tuple[dict[int, int], ...] = ({}, {60: 20}, {70: 10}, {50: 5}, {80: 3}, {60: 2}, {30: 10, 70: -5, 100: 5})
"""Percent of the first night's work that each step does more from a night on."""

LENGTH = 120


def _works() -> dict[str, Callable[[], object]]:
    draws = np.random.default_rng(7)
    square, flat = draws.normal(size=(96, 96)), draws.normal(size=12_000)
    wide = draws.normal(size=200_000)
    return {"matmul": lambda: square @ square, "sort": lambda: np.sort(flat), "add": lambda: wide + wide}


def one_night(work: str, units: int) -> None:
    """Print the median times of a step in microseconds, by the clock on the wall and of the processor."""
    do = _works()[work]
    times = []
    for _ in range(STEPS + 1):
        start = time.perf_counter_ns(), time.process_time_ns()
        for _ in range(units):
            do()
        times.append((time.perf_counter_ns() - start[0], time.process_time_ns() - start[1]))
    print(*(round(statistics.median(clock) / 1000) for clock in zip(*times[1:], strict=True)))


def _timed(work: str, changes: dict[int, int], night: int) -> list[int]:
    units = UNITS + sum(percent for first, percent in changes.items() if first <= night) * UNITS // 100
    command = [sys.executable, __file__, "--night", work, str(units)]
    one_thread = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=one_thread).stdout
    return [int(each) for each in found.split()]


def record() -> list[dict[str, object]]:
    """Return the series of each work and change by each clock, in microseconds."""
    kinds = list(product(_works(), CHANGES))
    micros = np.empty((2, len(kinds), LENGTH), dtype=np.int64)
    for each in np.random.default_rng(16).permutation(len(kinds) * LENGTH).tolist():
        kind, night = divmod(each, LENGTH)
        work, changes = kinds[kind]
        micros[:, kind, night] = _timed(work, changes, night)
    return [
        {"work": work, "clock": clock, "changes": [*changes.items()], "micros": micros[which, kind].tolist()}
        for which, clock in enumerate(("wall", "processor"))
        for kind, (work, changes) in enumerate(kinds)
    ]


def main(arguments: list[str]) -> None:
    """Record one night, or all of all kinds."""
    if arguments[:1] == ["--night"]:
        one_night(arguments[1], int(arguments[2]))
        return
    rows = [json.dumps(series) for series in record()]
    target = Path(arguments[0]) if arguments else NIGHTS
    target.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
