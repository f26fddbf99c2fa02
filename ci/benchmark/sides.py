"""The commands that lines measure: ours, ours in a warm process, and the native profiler's."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmark.inputs import BENCH, CI, Input

OUT = BENCH / "out"
VIEW_OPTIONS = (
    *("--max-depth", "100", "--step", "-1", "--order-by", "name"),
    *("--account-type-regexes", ".*", "--start-name-regexes", ".*", "--show-name-regexes", ".*"),
    *("--select", "bytes,micros,params,float_ops,occurrence"),
)
"""Those of `native_view.py`: every row, and the columns that both sides have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A command, the inputs it reads, and the text it writes if that can be compared with the native one.

    `native` says that it needs an interpreter with TensorFlow. `size` is that of its first input in the unit of growth:
    bytes unless given.
    """

    command: tuple[str, ...]
    inputs: tuple[Input, ...] = ()
    text: Path | None = None
    native: bool = False
    size: float | None = None


def ours(*arguments: str, inputs: tuple[Input, ...] = (), size: float | None = None) -> Side:
    """Return our command as a process of its own; its inputs come after its first word."""
    tool = str(Path(sys.executable).with_name("tfprof-report"))
    command, *options = arguments
    return Side(command=(tool, command, *(str(each.path) for each in inputs), *options), inputs=inputs, size=size)


def report(given: Input, *, size: float | None = None) -> Side:
    """Return the whole report of an input."""
    return ours("report", "--out", str(OUT / "report"), inputs=(given,), size=size)


def view(name: str, given: Input) -> Side:
    """Return one of our text views, written to a file."""
    text = OUT / f"ours-{name}.txt"
    side = ours(name, *VIEW_OPTIONS, "--output", f"file:outfile={text}", inputs=(given,))
    return Side(command=side.command, inputs=side.inputs, text=text)


def warm_view(name: str, given: Input, tiny: Input) -> Side:
    """Return the same view as the second call of a process, whose first one reads `tiny`."""
    text = OUT / f"warm-{name}.txt"
    script = str(CI / "benchmark" / "warm_view.py")
    output = f"file:outfile={text}"
    command = (sys.executable, script, str(tiny.path), str(given.path), name, *VIEW_OPTIONS, "--output", output)
    return Side(command=command, inputs=(given, tiny), text=text)


def native_view(name: str, given: Input, tf_python: str) -> Side:
    """Return the same view of the native profiler, written to a file."""
    text = OUT / f"native-{name}.txt"
    script = str(CI / "benchmark" / "native_view.py")
    return Side(command=(tf_python, script, name, str(given.path), str(text)), inputs=(given,), text=text, native=True)
