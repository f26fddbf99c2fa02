"""Measure how much memory a report takes for each byte of its inputs, which `tfprof_report/batch/need.py` estimates.

    python ci/batch_memory.py                    # every kind of input that grows in one respect, 100k
    python ci/batch_memory.py steps nodes --size 1m

Prints a row per kind: bytes of input, peak of the report alone, that less the peak of ten nodes by bytes of input, and
the estimate by the peak. Some kinds are made to take as much as possible. Inputs are kept in `bench/growth`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from build_bench_inputs import parse_size
from growth_inputs import KINDS

from tfprof_report.batch.need import Rate, estimate_need

INPUTS = Path("bench/growth")
MIB = 2**20
FEW = "10"


def folder_of(kind: str, size: int) -> Path:
    """Return the folder of inputs of a kind, made at first use; ``mixed`` has all that a profiler records."""
    folder = INPUTS / f"{kind}-{size}"
    if not folder.exists():
        # in a process of its own: the memory of this one counts towards the peak of those that it starts
        script = Path(__file__).with_name("build_bench_inputs.py" if kind == "mixed" else "growth_inputs.py")
        arguments = [folder, *([] if kind == "mixed" else [kind]), size]
        subprocess.run([sys.executable, str(script), *map(str, arguments)], check=True)
    return folder


def rate_of(file: str) -> Rate:
    """Return what a file takes, by its name."""
    name = Path(file).name
    return Rate.RUN_META if name.startswith("run_meta") else Rate.TRACE if name.endswith("xplane.pb") else Rate.GRAPH


def peak_of(*arguments: object) -> int:
    """Return the most bytes of memory that a command takes."""
    command = [sys.executable, "-m", "tfprof_report", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in {0, 1, 5}:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return usage.ru_maxrss * 1024


def main() -> None:
    """Measure the kinds that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    parser.add_argument("--size", default="100k", type=parse_size)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as out:
        fixed = peak_of("report", folder_of("mixed", 10), "--out", out, "--jobs", 1)
        print(f"ten nodes: {fixed / MIB:,.0f} MiB")
        print("kind                     input MiB   peak MiB   bytes per byte   estimate by peak")
        for kind in given.kinds or ("mixed", *KINDS):
            folder = folder_of(kind, given.size)
            base = ("--baseline", folder / "base") if (folder / "base").exists() else ()
            files = [str(file) for file in folder.rglob("*") if file.is_file() and file.suffix != ".pbtxt"]
            size = sum(Path(file).stat().st_size for file in files)
            peak = peak_of("report", folder, *base, "--out", out, "--jobs", 1)
            estimate = estimate_need((rate_of(file), file) for file in files)
            ratios = f"{(peak - fixed) / size:16.1f} {estimate / peak:18.2f}"
            print(f"{kind:24} {size / MIB:9.2f} {peak / MIB:10.0f} {ratios}", flush=True)


if __name__ == "__main__":
    main()
