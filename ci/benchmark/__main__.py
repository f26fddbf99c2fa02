"""Run the lines of the benchmark and print each figure with its goal.

    make bench BENCH="scope-1m report-10" BENCH_TF_PYTHON=path/to/python BENCH_JSON=figures.json
    PYTHONPATH=ci python -m benchmark --list

Without names all lines run, which takes more than an hour. A name may have wildcards, such as ``growth-*``. Ours is the
whole process, except in ratios of real graphs, where it is a second call in one process; native is the call alone,
without the import of TensorFlow. The texts of both sides must be equal, byte by byte. Without a Python that has
TensorFlow there are no ratios. The exit code is 1 if a goal is missed or a line failed.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

from benchmark.inputs import InputMissingError, make
from benchmark.lines import Line, lines
from benchmark.measure import CommandFailedError, interleave
from benchmark.results import Result, header, rows, to_json
from benchmark.sides import OUT, Side


def choose(known: Sequence[Line], names: Sequence[str]) -> list[Line]:
    """Return the lines that the names or patterns stand for, in the order of the table; all without names.

    Raises
    ------
    SystemExit
        A name stands for no line.
    """
    unknown = [name for name in names if not any(fnmatchcase(line.name, name) for line in known)]
    if unknown:
        sys.exit(f"bench: no line is called {', '.join(unknown)}; --list shows them")
    return [line for line in known if not names or any(fnmatchcase(line.name, name) for name in names)]


def measure(line: Line, tf_python: str | None, times: int | None) -> Result:
    """Make the inputs of a line, run its sides in turn, and return its figures or what went wrong."""
    try:
        for side in line.sides.values():
            for given in side.inputs:
                make(given, tf_python)
        sides = interleave({name: side.command for name, side in line.sides.items()}, times or line.times)
    except (InputMissingError, CommandFailedError) as problem:
        return Result(name=line.name, what=line.what, problem=str(problem))
    if different := unlike(line.sides.values()):
        return Result(name=line.name, what=line.what, problem=different)
    sizes = {name: size(side) for name, side in line.sides.items()}
    return Result(name=line.name, what=line.what, figures=tuple(goal.judge(sides, sizes) for goal in line.goals))


def size(side: Side) -> float:
    """Return how much input a side has: its own count, else bytes."""
    return side.size if side.size is not None else sum(given.size for given in side.inputs)


def unlike(sides: Iterable[Side]) -> str:
    """Return which texts of a line differ, although they show the same view; else nothing."""
    texts = [side.text for side in sides if side.text]
    for one, other in pairwise(texts):
        if one.read_bytes() != other.read_bytes():
            return f"{one} and {other} differ"
    return ""


def main() -> int:
    """Print the table, each line as soon as it is measured; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="lines to run, such as scope-1m or 'growth-*' [default: all]")
    parser.add_argument("--tf-python", help="a Python with TensorFlow, for the native side and for real models")
    parser.add_argument("--times", type=int, help="how often each side runs, in place of the line's own number")
    parser.add_argument("--json", type=Path, help="also write all figures to this file")
    parser.add_argument("--list", action="store_true", help="show the lines and end")
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):  # so that the measured command ends too
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    chosen = choose(lines(arguments.tf_python), arguments.names)
    if arguments.list:
        print("\n".join(f"{line.name:<26} {line.what}" for line in chosen))
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    print(header(), flush=True)
    results: list[Result] = []
    for line in chosen:
        results.append(measure(line, arguments.tf_python, arguments.times))
        print("\n".join(rows(results[-1])), flush=True)
        if arguments.json:
            arguments.json.write_text(to_json(results))
    missed = any(result.problem or any(each.met is False for each in result.figures) for result in results)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
