"""The lines of the benchmark: what each measures, how often, and what it is held to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmark.goals import LESS, NATIVE, OURS, WARM, Extra, Faster, Goal, Growth, PerMegabyte, Within
from benchmark.inputs import growth, label, real, synthetic
from benchmark.sides import OUT, Side, native_view, ours, report, view, warm_view

MILLION = 1_000_000
TINY = synthetic(10)
EXPONENT = 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the benchmark: its sides by name, run in turn `times` times, and its goals."""

    name: str
    what: str
    times: int
    sides: Mapping[str, Side]
    goals: tuple[Goal, ...]


def lines(tf_python: str | None) -> list[Line]:
    """Return all lines; native sides need an interpreter with TensorFlow, and are left out without one."""
    python = tf_python or ""
    found = [
        _text("scope", MILLION, Faster(12), python, times=3),
        _text("op", MILLION, Faster(12), python, times=3),
        _text("graph", 500_000, Faster(8), python, times=3),
        _text("scope", 100_000, Faster(5), python, times=5),
        _text("graph", 100_000, Faster(5), python, times=5),
        _text("op", 100_000, Faster(8), python, times=5),
        *(
            line
            for model, seconds in (("efficientnet", 0.7), ("transformer", 0.9), ("lstm", 1.7))
            for line in (
                *(_real(model, name, seconds, python) for name in ("scope", "graph", "op")),
                _real(model, "scope", seconds, python, graph="graph.pb"),
            )
        ),
        *_reports(),
        *_commands(),
        *_growth(),
    ]
    return [_without_native(line) if tf_python is None else line for line in found]


def _text(name: str, count: int, goal: Goal, tf_python: str, *, times: int) -> Line:
    given, size = synthetic(count), label(count)
    return Line(
        name=f"{name}-{size}",
        what=f"{name} text, {size} nodes",
        times=times,
        sides={OURS: view(name, given), NATIVE: native_view(name, given, tf_python)},
        goals=(goal,),
    )


def _real(model: str, name: str, seconds: float, tf_python: str, graph: str = "") -> Line:
    given = real(model, graph=graph)
    return Line(
        name=f"{model}-{name}{'-no-runs' if graph else ''}",
        what=f"{name} text{' of the graph alone' if graph else ''}; warm, whole process",
        times=3,
        sides={
            OURS: view(name, given),
            WARM: warm_view(name, given, TINY),
            NATIVE: native_view(name, given, tf_python),
        },
        goals=(Faster(2, warm=True), Within(seconds)),
    )


def _reports() -> list[Line]:
    million, changed = synthetic(MILLION), synthetic(MILLION, changed=True)
    layers, bare = (growth(kind, 100_000) for kind in ("layers", "layers-without-shapes"))
    return [
        Line(
            name="report-1m",
            what="report, 1m nodes: wall, memory",
            times=3,
            sides={OURS: report(million)},
            goals=(Within(12, "wall"), Within(3, "peak")),
        ),
        Line(
            name="diff-1m",
            what="diff, 1m nodes on each side: wall, memory",
            times=3,
            sides={OURS: ours("diff", "--out", str(OUT / "diff"), inputs=(million, changed))},
            goals=(Within(25, "wall"), Within(5, "peak")),
        ),
        Line(
            name="report-shapes-100k",
            what="report without _output_shapes, 100k nodes",
            times=5,
            sides={OURS: report(bare), LESS: report(layers)},
            goals=(Extra(1.5),),
        ),
    ]


def _commands() -> list[Line]:
    text, binary = (growth("text", 100_000, graph=name) for name in ("graph.pbtxt", "graph.pb"))
    return [
        Line(
            name="report-10",
            what="report, ten nodes",
            times=7,
            sides={OURS: report(TINY)},
            goals=(Within(0.7),),
        ),
        Line(
            name="scope-10", what="scope, ten nodes", times=7, sides={OURS: view("scope", TINY)}, goals=(Within(0.5),)
        ),
        Line(
            name="rules-conv2d",
            what="rules --op Conv2D",
            times=7,
            sides={OURS: ours("rules", "--op", "Conv2D")},
            goals=(Within(0.3),),
        ),
        Line(
            name="pbtxt",
            what="scope of a text graph, more than of a binary one",
            times=5,
            sides={OURS: view("scope", text), LESS: view("scope", binary)},
            goals=(PerMegabyte(0.08),),
        ),
    ]


BY_COUNT = {
    "nodes": (10_000, 100_000, 1_000_000, 2_000_000),
    "edges": (10_000, 100_000, 1_000_000),
    "executions": (10_000, 100_000, 1_000_000),
    "allocations": (10_000, 100_000, 1_000_000),
}
"""The kinds whose growth is by their number, with the numbers to measure."""

BY_BYTES = {
    "steps": (10, 40, 160),
    "devices": (10, 40, 160),
    "wide": (10_000, 40_000, 160_000),
    "chain": (10_000, 40_000, 160_000),
    "layers-without-shapes": (10_000, 40_000, 160_000),
    "unrolled": (500, 2_000, 8_000),
    "towers": (500, 2_000, 8_000),
    "op-types": (5_000, 20_000, 80_000),
    "traces": (5_000, 20_000, 80_000),
    "functions": (1_000, 4_000, 16_000),
    "calls": (1_000, 4_000, 16_000),
    "scope-depth": (10, 40, 160),
    "scope-chain": (250, 500, 1_000),
}
"""The kinds whose growth is by bytes of input: a count of each, which only says how large the input gets."""


def _growth() -> list[Line]:
    found: dict[str, dict[str, Side]] = {}
    for kind, counts in BY_COUNT.items():
        made = {count: synthetic(count) if kind == "nodes" else growth(kind, count) for count in counts}
        found[kind] = {label(count): report(given, size=count) for count, given in made.items()}
    for kind, counts in BY_BYTES.items():
        found[kind] = {label(count): report(growth(kind, count)) for count in counts}
    return [
        Line(
            name=f"growth-{kind}",
            what=f"report of {', '.join(sides)} {kind}{'' if kind in BY_COUNT else ', by bytes'}",
            times=1 if kind == "nodes" else 3,
            sides={**sides, LESS: report(TINY)},
            goals=(Growth(EXPONENT),),
        )
        for kind, sides in found.items()
    ]


def _without_native(line: Line) -> Line:
    sides = {name: side for name, side in line.sides.items() if not side.native}
    return Line(name=line.name, what=line.what, times=line.times, sides=sides, goals=line.goals)
