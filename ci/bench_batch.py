"""Measure what a batch takes beyond its reports, how it gains from a second core, and whether its workers stay small.

    python ci/bench_batch.py                          # 1,000 reports of 1,000 nodes, 20 of 100,000
    python ci/bench_batch.py --reports 200 --times 3

Batches with one job and with two run in turn; times are the least of all turns, since other work on the machine only
adds to them, and processor time is that of all processes. A plain report is one of many in one process, as a worker
makes them, without a worker. The exit code is 1 if a goal is missed. Inputs are kept in `bench/batch`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from build_bench_inputs import build

INPUTS = Path("bench/batch")
VARIANTS = 10
"""Models of a size that differ; the others are copies under other names."""

LESS_CPU, FASTER_SMALL, FASTER_LARGE, GROWTH = 0.060, 1.7, 1.8, 1.1
"""Goals: CPU seconds of a report beyond a plain one; gains with two jobs; last peak of memory by an early one."""

WARM = """
import sys, time
from tfprof_report.cli.call import call_quietly
models, out = sys.argv[2:], sys.argv[1]
call_quietly(["report", models[0], "--config=none", "--jobs=1", f"--out={out}/first"])
started = time.process_time()
for number, model in enumerate(models):
    assert call_quietly(["report", model, "--config=none", "--jobs=1", f"--out={out}/{number}"]).error is None
print((time.process_time() - started) / len(models))
"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a batch took: seconds from start to end, seconds of CPU, and the peak of memory of each report in turn."""

    wall: float
    cpu: float
    peaks: list[int]


def models(nodes: int, count: int) -> Path:
    """Return a folder with this many models, made at first use."""
    top = INPUTS / f"{count}-of-{nodes}"
    if not top.exists():
        for number in range(count):
            folder = top / f"m{number:05}"
            if number < VARIANTS:
                build(folder, nodes + number)
            else:
                shutil.copytree(top / f"m{number % VARIANTS:05}", folder)
    return top


def batch(top: Path, jobs: int) -> Run:
    """Run a batch of all models in a folder."""
    with tempfile.TemporaryDirectory() as out:
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-m", "tfprof_report", "batch", f"{top}/*", "--out", out, "--jobs", str(jobs)]
        subprocess.run([*command, "--config", "none"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        rows = json.loads(Path(out, "batch.json").read_text())["entries"]
    if {row["state"] for row in rows} != {"written"}:
        raise SystemExit("not all reports were written")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall=wall, cpu=cpu, peaks=[row["peak_bytes"] or 0 for row in rows])


def plain_cpu(top: Path, count: int) -> float:
    """Return the seconds of CPU that a report takes in a process that has made one before."""
    given = [str(each) for each in sorted(top.iterdir())[:count]]
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([sys.executable, "-c", WARM, out, *given], check=True, capture_output=True, text=True)
    return float(done.stdout)


def compare(nodes: int, count: int, times: int, faster: float) -> list[bool]:
    """Measure batches of a size and print what they took; return which goals are met."""
    top = models(nodes, count)
    print(f"\n{count:,} reports of {nodes:,} nodes, load {os.getloadavg()[0]:.1f}", flush=True)
    runs: dict[int, list[Run]] = {1: [], 2: []}
    plain = []
    for _ in range(times):
        plain.append(plain_cpu(top, min(count, 50)))
        for jobs, found in runs.items():
            found.append(batch(top, jobs))
            print(
                f"  --jobs {jobs}: {found[-1].wall:.1f} s, CPU {found[-1].cpu / count * 1000:.0f} ms each", flush=True
            )
    one, two = (min(run.wall for run in runs[jobs]) for jobs in runs)
    cpu = min(run.cpu for run in runs[1]) / count
    more = cpu - min(plain)
    peaks = runs[1][-1].peaks
    early, late = median(peaks[count // 10 : count // 5] or peaks), median(peaks[-count // 10 :] or peaks)
    print(
        f"  CPU of a report {min(plain) * 1000:.0f} ms, in a batch {more * 1000:+.0f} ms (goal {LESS_CPU * 1000:.0f})"
    )
    print(f"  two jobs are {one / two:.2f} times as fast as one (goal {faster}): {count / two:.2f} reports per second")
    print(
        f"  peak of the worker {early / 2**20:.0f} MiB early, {late / 2**20:.0f} MiB at the end (goal {GROWTH} times)"
    )
    return [more <= LESS_CPU or nodes > count, one / two >= faster, late / early <= GROWTH]


def main() -> None:
    """Measure both sizes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--reports", type=int, default=1000)
    parser.add_argument("--large", type=int, default=20)
    parser.add_argument("--times", type=int, default=1)
    given = parser.parse_args()
    met = compare(1000, given.reports, given.times, FASTER_SMALL)
    if given.large:
        met += compare(100_000, given.large, given.times, FASTER_LARGE)
    sys.exit(not all(met))


if __name__ == "__main__":
    main()
