"""Explains why the FLOPs of a node changed: its shapes, its op type, how often it runs, or the source of the figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.causes.movers import LISTED, count, largest
from tfprof_report.compare.comparison import Comparison, State
from tfprof_report.compare.delta import is_one_of
from tfprof_report.formatting import ARROW
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number

_COLUMNS = ("name", "op", "input_shapes", "output_shapes", "multiplicity", "single_float_ops", "float_ops_source")
_STEM = "float_ops"
_SHAPES = {"input_shapes": "input", "output_shapes": "output"}
_NONE = "none"

Shape = Sequence[int | None] | None


@record
class FlopReason:
    """A matched node whose FLOPs changed, and `why`, in words; empty if no known property differs."""

    name: str
    base: Number
    head: Number
    delta: Number
    why: tuple[str, ...]


@record
class FlopReasons:
    """The matched nodes whose FLOPs changed most: at most `LISTED` of `count`."""

    rows: tuple[FlopReason, ...]
    count: int


def find_flop_reasons(comparison: Comparison) -> FlopReasons | None:
    """Return why the FLOPs of matched nodes changed; None if none changed."""
    nodes = comparison.nodes
    if f"state_{_STEM}" not in nodes.column_names:
        return None
    is_changed = is_one_of(nodes[f"state_{_STEM}"], State.CHANGED, State.NEW_FROM_ZERO)
    total = count(is_changed)
    if not total:
        return None
    top = nodes.take(largest([pc.abs(nodes[f"delta_{_STEM}"])], is_changed, LISTED))
    old_names = top["base_name"].to_pylist()
    old = _facts(comparison.base.nodes, old_names)
    new = _facts(comparison.head.nodes, top["name"].to_pylist())
    figures = (top[f"{part}_{_STEM}"].to_pylist() for part in ("base", "head", "delta"))
    rows = zip(top["name"].to_pylist(), old_names, *figures, strict=True)
    return FlopReasons(
        rows=tuple(
            FlopReason(name=name, base=was, head=now, delta=delta, why=tuple(_reasons(old[old_name], new[name])))
            for name, old_name, was, now, delta in rows
        ),
        count=total,
    )


def _facts(nodes: pa.Table, names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the properties of some nodes, by name."""
    columns = [column for column in _COLUMNS if column in nodes.column_names]
    is_wanted = pc.is_in(nodes["name"], value_set=pa.array(names, nodes["name"].type))
    return {row["name"]: row for row in nodes.select(columns).filter(is_wanted).to_pylist()}


def _reasons(base: dict[str, Any], head: dict[str, Any]) -> Iterator[str]:
    """Yield what differs, causes first: output shapes only if no input shape differs, which would explain them."""
    if base["op"] != head["op"]:
        yield f"op type {base['op']}{ARROW}{head['op']}"
    sides = ((base.get(column) or (), head.get(column) or (), word) for column, word in _SHAPES.items())
    shapes = ([*_shape_changes(old, new, word)] for old, new, word in sides)
    yield from next((found for found in shapes if found), [])
    times = base.get("multiplicity"), head.get("multiplicity")
    if times[0] != times[1]:
        yield f"runs {_count(times[0])}{ARROW}{_count(times[1])} times"
    sources = base.get("float_ops_source"), head.get("float_ops_source")
    if sources[0] != sources[1]:
        yield f"counted by {sources[0] or _NONE}{ARROW}{sources[1] or _NONE}"
    elif sources[0] == "op_log" and base.get("single_float_ops") != head.get("single_float_ops"):
        yield "another figure in the op log"


def _shape_changes(base: Sequence[Shape], head: Sequence[Shape], word: str) -> Iterator[str]:
    missing = object()
    for place, (old, new) in enumerate(zip_longest(base, head, fillvalue=missing)):
        if old != new:
            words = (_NONE if shape is missing else _shape(shape) for shape in (old, new))
            yield f"{word} {place}: {ARROW.join(words)}"


def _shape(sizes: Any) -> str:
    if sizes is None:
        return "unknown"
    return "x".join("?" if size is None or size < 0 else str(size) for size in sizes) or "scalar"


def _count(times: int | None) -> str:
    return "an unknown number of" if times is None else f"{times:,}"
