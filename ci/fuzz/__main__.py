"""Run random commands on broken inputs, and keep the cases that show a fault.

    make fuzz [FUZZ_COMMANDS=2000] [FUZZ_SEED=1] [FUZZ_SECONDS=240]
    PYTHONPATH=ci python -m fuzz --case SEED:NUMBER --keep DIR    # the case again, with its files
    PYTHONPATH=ci python -m fuzz --shrink SEED:NUMBER --keep DIR  # the case with as few files and fields as show it

A case is made from its seed and number alone. The exit code is 1 if there was any fault.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import math
import multiprocessing
import os
import pkgutil
import shlex
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import tfprof_report
from fuzz.cases import Command, make_case
from fuzz.judge import judge
from fuzz.options import commands
from fuzz.run import Result, remove, run_case
from fuzz.seeds import Seeds, load_seeds
from fuzz.shrink import shrink
from tfprof_report.cli.main import main as product

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
_ROUND = 64
"""Cases that are handed out at once; the number of commands is counted in between."""

_PROGRESS = 1000
_KEPT = 2
"""Cases that are kept of each kind of fault."""

_MEMORY = Path("/dev/shm")  # noqa: S108 - where there is one, cases are written without a disk


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of a command of a case."""

    key: str
    theme: str
    arguments: tuple[str, ...]
    code: int
    faults: tuple[str, ...]
    stderr: str

    @classmethod
    def of(cls, key: str, theme: str, result: Result, folder: Path) -> Judged:
        """Judge a command that just ended."""
        text = result.stderr.decode("utf-8", "replace")
        faults = judge(result, folder)
        return cls(
            key=key, theme=theme, arguments=result.command.arguments, code=result.code, faults=faults, stderr=text
        )

    @property
    def command(self) -> str:
        """The name of the command, which may have two words."""
        words = self.arguments
        return " ".join(next((words[:size] for size in (2, 1) if words[:size] in commands()), words[:1]))


def main() -> int:
    """Run what the arguments say; return 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commands", type=int, default=2000, help="commands to run, at least [default: 2000]")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--seconds", type=float, default=math.inf, help="start no more cases after so long")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes [default: processors]")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-faults"), help="where cases with a fault are kept")
    parser.add_argument("--case", metavar="SEED:NUMBER", help="make and run one case")
    parser.add_argument("--shrink", metavar="SEED:NUMBER", help="make one case small")
    options = parser.parse_args()
    _import_all()
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as work:
        _warm_up(Path(work) / "first")
        if options.shrink:
            return shrink(options.shrink, _seeds(), Path(work), options.keep / _folder_of(options.shrink, "_small"))
        if options.case:
            return _run_one(options.case, options.keep.absolute() / _folder_of(options.case))
        return _run_many(options, Path(work))


def _folder_of(key: str, end: str = "") -> str:
    return key.replace(":", "_") + end


def _import_all() -> None:
    """Import whatever commands import, so that forks need not."""
    for module in pkgutil.walk_packages(tfprof_report.__path__, "tfprof_report."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


@cache
def _seeds() -> Seeds:
    return load_seeds(DATA)


def _warm_up(folder: Path) -> None:
    """Compare a model in this process: what that caches, such as templates and rules, forks need not make again."""
    folder.mkdir()
    (folder / "graph.pb").write_bytes(_seeds().models[0].graph)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            product(["diff", str(folder), str(folder), "--out", str(folder / "o")])
        except SystemExit as stop:
            code = stop.code
    if code:
        sys.exit(f"a comparison of valid graphs ends with {code}:\n{errors.getvalue()}")


def _run_one(key: str, folder: Path) -> int:
    remove(folder)
    theme, steps = make_case(key, _seeds(), folder)
    found = 0
    for result in run_case(steps, folder):
        judged = Judged.of(key, theme, result, folder)
        print(f"{theme}: tfprof-report {shlex.join(judged.arguments)}")
        print(f"exit code {result.code}, {result.cpu_s:.1f} s, {result.rss >> 20} MB\n{judged.stderr}", end="")
        for fault in judged.faults:
            print(f"FAULT {fault}")
        found += len(judged.faults)
    return int(found > 0)


def _run_many(options: argparse.Namespace, work: Path) -> int:
    started, counts, kinds = time.monotonic(), Counter[tuple[str, int]](), Counter[str]()
    # The command that warmed this process up has set a handler for SIGTERM, with which a pool ends its processes.
    default = (signal.SIGTERM, signal.SIG_DFL)
    with multiprocessing.get_context("fork").Pool(options.jobs, signal.signal, default) as pool:
        for judged in _judged(pool, options.commands, started + options.seconds, options.seed, work):
            counts[judged.command, judged.code] += 1
            if counts.total() % _PROGRESS == 0:
                print(f"{counts.total()} commands, {time.monotonic() - started:.0f} s", flush=True)
            for fault in judged.faults:
                kind = f"{judged.command}: {fault}"
                kinds[kind] += 1
                if kinds[kind] <= _KEPT:
                    print(f"{judged.key} {kind}\n  tfprof-report {shlex.join(judged.arguments)[:300]}", flush=True)
                    _write_again(judged.key, options.keep / _folder_of(judged.key))
        pool.close()
        pool.join()
    seconds = time.monotonic() - started
    print(_summary(counts))
    total = sum(counts.values())
    speed = f"{seconds:.0f} s, {total / seconds:.1f} commands/s"
    print(f"{total} commands, seed {options.seed}: {len(kinds)} kinds of faults, {speed}")
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
    return int(bool(kinds))


def _judged(pool: multiprocessing.pool.Pool, least: int, end: float, seed: str, work: Path) -> Iterator[Judged]:
    """Yield the commands of cases 1, 2, 3 ... of a seed, until there were `least`, and the rest of the round.

    No round begins once the clock says `end`.
    """
    done, first = 0, 1
    while done < least and time.monotonic() < end:
        keys = [f"{seed}:{number}" for number in range(first, first + _ROUND)]
        for case in pool.imap(partial(_run_in, work), keys):
            done += len(case)
            yield from case
        first += _ROUND


def _run_in(work: Path, key: str) -> list[Judged]:
    folder = work / str(os.getpid()) / "case"
    remove(folder)
    theme, steps = make_case(key, _seeds(), folder)
    return [Judged.of(key, theme, result, folder) for result in run_case(steps, folder)]


def _write_again(key: str, folder: Path) -> None:
    """Write the files of a case as its first command finds them, and its commands."""
    remove(folder)
    _, steps = make_case(key, _seeds(), folder)
    lines = [
        f"tfprof-report {shlex.join(step.arguments)}" if isinstance(step, Command) else f"# {step}" for step in steps
    ]
    (folder / "COMMANDS").write_bytes("\n".join([*lines, ""]).encode("utf-8", "surrogateescape"))


def _summary(counts: Counter[tuple[str, int]]) -> str:
    """Return how often each command ended with each exit code, a line per command."""
    lines = []
    for command in sorted({command for command, _ in counts}):
        ends = ", ".join(f"{code}: {counts[command, code]}" for name, code in sorted(counts) if name == command)
        lines.append(f"{command:16} {ends}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
