"""Measure how the CPU time of reports grows with their inputs.

    make growth GROWTH_KINDS="steps dense" GROWTH_SIZES="10k 100k 1m"    (by default all kinds, 10k and 100k)
    make growth-check    (what CI runs: a few kinds, and an error if one grows or costs too much)

Each line is a kind of inputs of `growth_inputs.py`. A figure is the CPU time, of user and system and all threads, that
one command takes in a process that has already made a report, less that of a report on ten nodes: neither start-up nor
what every report costs hides how the time grows. It is divided by the time of a fixed loop of numpy, which is measured
just before and after, so that the figures of a slower or busier machine stay about the same. The exponent between two
sizes is that of the time against the size, or for kinds of which that says little against the bytes of input: 1 is
linear, 2 quadratic.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import tomllib
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import numpy as np
from benchmark.goals import exponents as slopes
from build_bench_inputs import parse_size
from growth_inputs import KINDS

from tfprof_report.cli.main import main as run_command
from tfprof_report.errors import ExitCode

CI = Path(__file__).resolve().parent
FOLDER = CI.parent / "bench" / "growth"
OUT = FOLDER / f"out-{os.getpid()}"
"""What is measured writes there; several measurements can run side by side."""

RECORD = CI / "growth.toml"

RECORD_HEADER = "# CPU time of reports at size 100k, in the unit of growth.py; written by make growth-record\n"

VIEWS = ("scope", "graph", "op", "code")
CHECKED = ("nodes", "chain", "steps", "parallel", "dense", "traces", "functions", "renamed")
"""The kinds that CI measures."""

MOST_EXPONENT = 1.05
TIMES_OF_RECORD = 2.0
"""Most that a time may exceed the recorded one: machines differ in what a loop of numpy says of them."""

ANSWERS = (None, ExitCode.OK, ExitCode.INCONCLUSIVE)
"""Exit codes of reports, of comparisons too that find nothing in common."""

REPEATS, TRIES = 2, 4
"""How often a time is measured, of which the least counts; and again where a check fails, since noise only adds."""


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def timed(run: Callable[[], None]) -> float:
    """Return the CPU seconds of `run`."""
    gc.collect()
    started = cpu_seconds()
    run()
    return cpu_seconds() - started


def loop() -> None:
    """Do a fixed amount of what reports do most: sort, sum up and look up numbers. Takes about a tenth of a second."""
    numbers = np.random.default_rng(1).integers(0, 1 << 40, 300_000)
    for _ in range(3):
        order = np.argsort(numbers, kind="stable")
        sums = np.cumsum(numbers[order])
        np.searchsorted(sums, numbers)


def in_loops(run: Callable[[], None]) -> float:
    """Return the CPU time of `run` in units of the time of `loop`, measured on both sides of it."""
    before = timed(loop)
    seconds = timed(run)
    return 2 * seconds / (before + timed(loop))


def command(*arguments: object) -> None:
    """Run a command of the tool in this process; what it prints is dropped.

    Raises
    ------
    SystemExit
        It ended with an error, which is the message.
    """
    out, errors = (TextIOWrapper(BytesIO(), encoding="utf-8") for _ in range(2))
    try:
        with redirect_stdout(out), redirect_stderr(errors):
            run_command([str(argument) for argument in arguments])
    except SystemExit as stop:
        if stop.code not in ANSWERS:
            errors.seek(0)
            sys.exit(f"growth: {' '.join(map(str, arguments))} ended with {stop.code}\n{errors.read()}")


def inputs_of(kind: str, size: int) -> Path:
    """Return the folder of an input, after building it if it is missing."""
    folder = FOLDER / f"{kind}-{size}"
    if not folder.exists():
        KINDS[kind].make(size).write(folder.with_suffix(".part"))
        folder.with_suffix(".part").rename(folder)
    return folder


def size_of(folder: Path) -> int:
    """Return the bytes of all files of an input."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def run_of(folder: Path, view: str) -> Callable[[], None]:
    """Return what measures an input: the text of a view, or a report, with base if there is one.

    Reports are made on one thread: small ones are in any case, and threads that wait for each other cost CPU time.
    """
    if view:
        return lambda: command(view, folder, "--output", f"file:outfile={OUT / 'text'}")
    base = folder / "base"
    words = ("diff", base, folder) if base.exists() else ("report", folder)
    return lambda: command(*words, "--jobs", 1, "--out", OUT / "report")


def measure(kind: str, sizes: Sequence[int], fixed: float, view: str) -> list[float]:
    """Return per size the least of some measured times, in loops, without the fixed part."""
    runs = [run_of(inputs_of(kind, size), view) for size in sizes]
    rounds = [[in_loops(run) for run in runs] for _ in range(REPEATS)]
    return [max(min(found) - fixed, 0.01) for found in zip(*rounds, strict=True)]


def exponents(kind: str, sizes: Sequence[int], loops: Sequence[float]) -> list[float]:
    """Return the exponents between one size and the next."""
    amounts = [size_of(inputs_of(kind, size)) for size in sizes] if KINDS[kind].in_bytes else sizes
    return slopes(zip(amounts, loops, strict=True))


def problems(kind: str, loops: Sequence[float], found: Sequence[float], recorded: dict[str, float]) -> list[str]:
    """Return what a check has to say against the figures of a kind."""
    grown = (each for each in found if each > MOST_EXPONENT)
    said = [f"{kind} grows with exponent {each:.2f}, more than {MOST_EXPONENT}" for each in grown]
    if kind in recorded and loops[-1] > (most := recorded[kind] * TIMES_OF_RECORD):
        said.append(f"{kind} takes {loops[-1]:.1f} loops, more than {most:.1f}")
    return said


def row(kind: str, loops: Sequence[float], found: Sequence[float]) -> str:
    """Return the line of a kind."""
    return " ".join([f"{kind:<22}", *(f"{each:>9.2f}" for each in loops), *(f"{each:>9.2f}" for each in found)])


def main() -> None:
    """Print the table, each line as soon as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"of {', '.join(KINDS)}; by default all")
    parser.add_argument("--sizes", nargs="+", type=parse_size, default=[10_000, 100_000], help="such as 10k 100k 1m")
    parser.add_argument("--view", choices=VIEWS, default="", help="measure the text of a view instead of a report")
    parser.add_argument(
        "--check", action="store_true", help="the kinds of CI: end with 1 if one grows or costs too much"
    )
    parser.add_argument("--record", action="store_true", help=f"write the times of the kinds of CI to {RECORD.name}")
    arguments = parser.parse_args()
    kinds = arguments.kinds or (CHECKED if arguments.check or arguments.record else tuple(KINDS))
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    sizes, view = arguments.sizes, arguments.view
    recorded: dict[str, float] = tomllib.loads(RECORD.read_text())["loops"] if arguments.check else {}

    small = run_of(inputs_of("nodes", 10), view)
    OUT.mkdir(parents=True)
    small()
    fixed = min(in_loops(small) for _ in range(3))
    print(f"{'CPU time in loops':<22}", *(f"{size:>9,}" for size in sizes), *["exponent"] * (len(sizes) - 1))
    wrong, table = [], {}
    for kind in kinds:
        loops = measure(kind, sizes, fixed, view)
        for _ in range(TRIES - 1):
            if not arguments.check or not problems(kind, loops, exponents(kind, sizes, loops), recorded):
                break
            loops = [min(pair) for pair in zip(loops, measure(kind, sizes, fixed, view), strict=True)]
        found = exponents(kind, sizes, loops)
        wrong += problems(kind, loops, found, recorded) if arguments.check else []
        table[kind] = loops[-1]
        print(row(kind, loops, found), flush=True)
    shutil.rmtree(OUT)
    if arguments.record:
        lines = "".join(f"{kind} = {time:.1f}\n" for kind, time in table.items())
        RECORD.write_text(f"{RECORD_HEADER}[loops]\n{lines}")
    if wrong:
        sys.exit("growth: " + "; ".join(wrong))


if __name__ == "__main__":
    main()
