"""Simulate batches of millions of reports on a cluster, from task times that a batch recorded, for `docs/scale.md`.

    python ci/batch_scale.py out/batch.json                       # 10,000,000 reports, 200 workers
    python ci/batch_scale.py out/batch.json --workers 50 --batches 1 4

A discrete simulation: each batch has one process that gives out tasks and takes results, which takes `--each` seconds
of its time for a report, and an equal part of the workers, each of which makes one report at a time. Task times are
drawn from the column `seconds` of the reports that were written, in the same order each time; `--mean` scales them to
those of a machine without other work. 200,000 are simulated: then the rate is steady, and the hours follow from it.
"""

from __future__ import annotations

import argparse
import json
import random
from heapq import heappop, heappush
from pathlib import Path

SIMULATED = 200_000
SEED = 18


def recorded(file: Path) -> list[float]:
    """Return the seconds of each report that a batch wrote."""
    rows = json.loads(file.read_text())["entries"]
    return [row["seconds"] for row in rows if row["state"] == "written"]


def rate(times: list[float], workers: int, each: float, count: int = SIMULATED) -> tuple[float, float]:
    """Return reports per second of one batch, and the part of the time that its workers make reports."""
    rng = random.Random(SEED)  # noqa: S311 (a simulation, the same each time)
    free = [0.0] * workers
    given_out = busy = 0.0
    for _ in range(count):
        at = max(given_out, heappop(free))  # a task goes out when its sender and a worker are free
        given_out = at + each
        took = rng.choice(times)
        busy += took
        heappush(free, given_out + took)
    end = max(free)
    return count / end, busy / (end * workers)


def main() -> None:
    """Print a row for each number of batches that run at the same time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("outcome", type=Path)
    parser.add_argument("--reports", type=int, default=10_000_000)
    parser.add_argument("--workers", type=int, default=200)
    parser.add_argument("--each", type=float, default=0.012)
    parser.add_argument("--mean", type=float, help="mean seconds of a report, in place of the recorded ones")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 2, 4, 8])
    given = parser.parse_args()
    times = recorded(given.outcome)
    if given.mean is not None:
        times = [each * given.mean * len(times) / sum(times) for each in times]
    print(f"{len(times):,} recorded reports, {sum(times) / len(times):.3f} s each")
    print("batches  workers each  reports/s  busy  hours")
    for batches in given.batches:
        per_batch = given.workers // batches
        found, busy = rate(times, per_batch, given.each)
        total = found * batches
        print(f"{batches:7} {per_batch:13} {total:10.0f} {busy:5.0%} {given.reports / total / 3600:6.1f}")


if __name__ == "__main__":
    main()
