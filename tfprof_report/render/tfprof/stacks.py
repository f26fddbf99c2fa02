"""Views as call stacks with a weight per row, in two formats for flame graphs: folded stacks and speedscope."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Ints
from tfprof_report.errors import InputError, OptionError
from tfprof_report.model.values import Measure
from tfprof_report.options import Options
from tfprof_report.record import record
from tfprof_report.render.tfprof.text import chunks
from tfprof_report.schema.metrics import METRICS, ROOT, Unit
from tfprof_report.views.forest import Forest, sum_ancestors
from tfprof_report.views.layout import Layout
from tfprof_report.views.selection import Selection

ATTRIBUTES = (
    "bytes",
    "micros",
    "params",
    "float_ops",
    "accelerator_micros",
    "cpu_micros",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
)
"""Attributes of `select` that are an additive figure; tfprof accepts the same ones for pprof."""

MAX_STACK_BYTES = 2**32
"""Maximum bytes of folded stacks: each line repeats the names of all ancestors, which is quadratic in a deep graph."""

_SPEEDSCOPE_UNIT = {Unit.COUNT: "none", Unit.BYTES: "bytes", Unit.MICROS: "microseconds"}


@record
class Stacks:
    """Rows of a `tree` in display order, the root first, with `total` and `weight` of each.

    A row's weight is its total minus the totals of its shown children: its own figure and those of hidden rows. Weights
    add up to the root's total, whatever is shown.
    """

    names: pa.Array
    tree: Forest
    total: Measure
    weight: Measure


def stacks_of(layout: Layout, selection: Selection, stem: str) -> Stacks:
    """Return the shown rows of a tree view with the figure `stem`; unknown figures have weight 0.

    Raises
    ------
    OptionError
        The figure is not known for any node.
    """
    root, shown = selection.root[stem], selection.total_shown[stem]
    if not root.known.all():
        raise OptionError(f"no {stem} is known", option="--select", advice="select another, or give --run-meta")
    values = np.append(root.values, np.where(shown.known, shown.values, 0))
    everywhere = np.ones(len(values), dtype=bool)
    total = Measure.of_nodes(values, everywhere, divisor=root.divisor)
    tree = Forest.from_depths(np.append(0, selection.depth) + 1)
    weight = values.copy()
    np.subtract.at(weight, tree.parent[1:], values[1:])
    return Stacks(
        names=pa.concat_arrays([pa.array([ROOT]), layout.leaves.take(pa.array(selection.rows))]),
        tree=tree,
        total=total,
        weight=Measure.of_nodes(weight, everywhere, divisor=total.divisor),
    )


def one_attribute(options: Options) -> str:
    """Return the one figure that `select` asks for.

    Raises
    ------
    OptionError
        There are none or several, or it is not an additive figure.
    """
    if len(set(options.select)) != 1 or options.select[0] not in ATTRIBUTES:
        raise OptionError(
            "stacks show one figure",
            option="--select",
            advice=f"choose one of {', '.join(ATTRIBUTES)}",
        )
    return options.select[0]


def folded(stacks: Stacks) -> Iterator[bytes]:
    r"""Yield a line ``root;row;row WEIGHT`` per row of nonzero weight, in display order.

    In names ``\`` is doubled, ``;`` becomes ``\x3b``, a control character its escape, and an empty name ``\empty``, so
    that a line can be split and parsed.

    Raises
    ------
    InputError
        The lines would take more than `MAX_STACK_BYTES`.
    """
    names = [escape(name) for name in stacks.names.to_pylist()]
    length = np.array([len(name.encode()) + 1 for name in names])
    above = length + sum_ancestors(stacks.tree, length)
    heavy = np.flatnonzero(stacks.weight.values != 0)
    if above[heavy].astype(np.float64).sum() > MAX_STACK_BYTES:
        raise InputError(
            f"folded stacks would take more than {MAX_STACK_BYTES:,} bytes",
            option="--output",
            advice="give a smaller --max-depth, or write speedscope",
        )
    stack: list[str] = []  # names from the root to the row; a loop over rows, because lines are the output
    for piece in chunks(len(names)):
        lines = []
        depths = stacks.tree.depth[piece].tolist()
        weights = numbers(stacks.weight.take(piece))
        for name, depth, weight in zip(names[piece[0] : piece[-1] + 1], depths, weights, strict=True):
            del stack[depth - 1 :]
            stack.append(name)
            if weight:
                lines.append(f"{';'.join(stack)} {weight}\n")
        yield "".join(lines).encode()


def escape(name: str) -> str:
    """Return a name escaped for folded stacks."""
    text = name.replace("\\", "\\\\").replace(";", "\\x3b")
    text = "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in text)
    return text or "\\empty"


def numbers(measure: Measure) -> list[float]:
    """Return the figures as integers, and as floats where a mean is not whole."""
    return [
        value // measure.divisor if value % measure.divisor == 0 else value / measure.divisor
        for value in measure.values.tolist()
    ]


def speedscope(stacks: Stacks, *, view: str, stem: str) -> Iterator[bytes]:
    """Yield a speedscope file: rows as nested spans in display order, each as long as its total.

    Raises
    ------
    InputError
        A row's figure is negative, and a span cannot be.
    """
    values = stacks.total.values
    bad = np.flatnonzero((values < 0) | (stacks.weight.values < 0))
    if len(bad):
        row = stacks.names[int(bad[0])].as_py()
        raise InputError(f"{row} has less than 0 {stem} for itself", option="--output", advice="write folded stacks")
    head = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "activeProfileIndex": 0,
        "exporter": "tfprof-report",
        "name": f"{view}: {stem}",
    }
    encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
    frames = encode([{"name": each} for each in stacks.names.to_pylist()])
    unit, end = _SPEEDSCOPE_UNIT[METRICS[stem].unit], numbers(stacks.total.take(np.array([0])))[0]
    yield f'{encode(head)[:-1]},"shared":{{"frames":{frames}}},"profiles":[{{"type":"evented",'.encode()
    yield f'"name":"{stem}","unit":"{unit}","startValue":0,"endValue":{end},"events":['.encode()
    yield from _events(stacks)
    yield b"]}]}\n"


def _events(stacks: Stacks) -> Iterator[bytes]:
    """Yield the events that open and close each row, joined by commas. A loop, because the events are the output."""
    starts = span_starts(stacks.tree, stacks.total.values)
    opens, closes = (numbers(replace(stacks.total, values=values)) for values in (starts, starts + stacks.total.values))
    depths = stacks.tree.depth.tolist()
    is_open: list[int] = []
    for piece in chunks(len(depths)):
        events = []
        for row in piece.tolist():
            events += [
                f'{{"type":"C","frame":{done},"at":{closes[done]}}}' for done in reversed(is_open[depths[row] - 1 :])
            ]
            del is_open[depths[row] - 1 :]
            is_open.append(row)
            events.append(f'{{"type":"O","frame":{row},"at":{opens[row]}}}')
        yield ("," if piece[0] else "").encode() + ",".join(events).encode()
    yield "".join(f',{{"type":"C","frame":{done},"at":{closes[done]}}}' for done in reversed(is_open)).encode()


def span_starts(tree: Forest, lengths: Ints) -> Ints:
    """Return the start of each row of a forest, from 0: siblings are laid end to end from the start of their parent.

    The offset within the parent is a prefix sum over siblings; the start adds up the offsets of all ancestors.
    """
    order = np.argsort(tree.parent, kind="stable")
    parent = tree.parent[order]
    before = np.cumsum(lengths[order]) - lengths[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = parent[1:] != parent[:-1]
    offset = np.empty(len(order), dtype=np.int64)
    offset[order] = before - before[np.flatnonzero(first)][np.cumsum(first) - 1] if len(order) else before
    starts: Ints = offset + sum_ancestors(tree, offset)
    return starts
