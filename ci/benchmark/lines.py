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
    layers, bare = (growth(kind, 100_000) for kind in ("layers", "layers_without_shapes"))
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
    trace = growth("events", 500_000)
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
        Line(
            name="trace",
            what="scope of a trace of 5m ops, 100 MB; its memory",
            times=3,
            sides={OURS: view("scope", trace), LESS: view("scope", TINY)},
            goals=(PerMegabyte(0.4), Within(5, "peak")),
        ),
    ]


NODES = (10_000, 100_000, 1_000_000, 2_000_000)
TENTHS = (1_000, 10_000, 100_000)
SIZES = (10_000, 100_000)

BY_COUNT = ("dense", "executions", "allocations", "events")
"""The kinds of `growth_inputs.py` whose growth is by their number, ten for each of a size of `TENTHS`; so is nodes'."""

BY_BYTES = (
    *("steps", "devices", "wide", "chain", "chain_without_shapes", "layers_without_shapes", "numbered", "parallel"),
    *("op_types", "traces", "functions", "calls", "nested", "scope_depth", "scope_chain"),
)
"""The kinds whose growth is by bytes of input, at `SIZES`."""


def _growth() -> list[Line]:
    found = {"nodes": {label(count): report(synthetic(count), size=count) for count in NODES}}
    for kind in BY_COUNT:
        found[kind] = {label(10 * size): report(growth(kind, size), size=10 * size) for size in TENTHS}
    for kind in BY_BYTES:
        found[kind] = {label(size): report(growth(kind, size)) for size in SIZES}
    return [
        Line(
            name=f"growth-{kind}",
            what=f"report of {', '.join(sides)} {kind}{', by bytes' if kind in BY_BYTES else ''}",
            times=1 if kind == "nodes" else 3,
            sides={**sides, LESS: report(TINY)},
            goals=(Growth(EXPONENT),),
        )
        for kind, sides in found.items()
    ]


def _without_native(line: Line) -> Line:
    sides = {name: side for name, side in line.sides.items() if not side.native}
    return Line(name=line.name, what=line.what, times=line.times, sides=sides, goals=line.goals)
