"""The op types, top-level nodes and lines of code that take most time, as tfprof's ExpensiveOperationChecker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tfprof_report.model.values import Measure
from tfprof_report.options import Options
from tfprof_report.schema.metrics import Number
from tfprof_report.semantics import Semantics
from tfprof_report.views.advice.findings import CheckerOptions, Finding, Topic
from tfprof_report.views.forest import Forest
from tfprof_report.views.layout import Layout
from tfprof_report.views.selection import Selection

OP_QUERY = Options(order_by="micros", min_micros=1, max_depth=3)
SCOPE_QUERY = Options(order_by="micros", min_micros=100, max_depth=100)
CODE_QUERY = Options(order_by="micros", min_micros=1, max_depth=100)
"""The query of the checker on each view, with tfprof's options."""

_DEEPEST_LEVEL = 3
_AVOIDS_ZERO = 1e-10


def expensive_ops(layout: Layout, found: Selection, options: CheckerOptions) -> Iterator[Finding]:
    """Yield the op types that take most time, with their percentage of the total."""
    whole = _value(found.root["micros"], 0)
    for place in range(min(options.top, len(found.rows))):
        finding = _finding(Topic.OPERATION_TYPE, layout, found, place, found.self_shown, rank=place + 1)
        if finding.micros is not None and whole is not None:
            finding = replace(finding, percent=100.0 * finding.micros / (whole + _AVOIDS_ZERO))
        yield finding


def expensive_nodes(
    layout: Layout, found: Selection, options: CheckerOptions, semantics: Semantics
) -> Iterator[Finding]:
    """Yield the top-level nodes and scopes that take most time. tfprof has their own time, which is 0 for a scope."""
    figures = found.self_shown if semantics.advise_own_time_of_scopes else found.total_shown
    tops = np.flatnonzero(found.depth == 1)[: options.top]
    for rank, place in enumerate(tops.tolist(), start=1):
        yield _finding(Topic.GRAPH_NODE, layout, found, place, figures, rank=rank)


def expensive_lines(layout: Layout, found: Selection, options: CheckerOptions) -> tuple[Finding, ...] | None:
    """Return the lines that take most time, below the frames common to all call stacks; None if there are none."""
    forest = Forest.from_depths(found.depth)
    top, size = -1, len(forest)  # row (-1 is the root) and its number of descendants
    while size and forest.size[top + 1] == size:
        top, size = top + 1, size - 1
    return tuple(_lines(layout, found, forest, (top, size), options)) if size else None


def _lines(
    layout: Layout, found: Selection, forest: Forest, start: tuple[int, int], options: CheckerOptions
) -> Iterator[Finding]:
    # An explicit stack instead of recursion: level, row, and number of descendants, which is -1 if the row is to be
    # listed and otherwise means that its children are to be visited.
    waiting = [(0, *start)]
    while waiting:
        level, row, size = waiting.pop()
        if size < 0:
            yield _finding(Topic.LINE, layout, found, row, found.total_shown, level=level)
            continue
        if level > _DEEPEST_LEVEL or not size or forest.size[row + 1] == size:
            continue
        for child in reversed(_children(forest, row, size, options.top)):
            micros = _value(found.total_shown["micros"], child)
            if micros is not None and micros >= options.min_line_micros:
                waiting += [(level + 1, child, int(forest.size[child]) - 1), (level, child, -1)]


def _children(forest: Forest, row: int, size: int, limit: int) -> list[int]:
    """Return the first children of a row with `size` descendants."""
    children: list[int] = []
    child = row + 1
    while child <= row + size and len(children) < limit:
        children.append(child)
        child += int(forest.size[child])
    return children


def _finding(
    topic: Topic,
    layout: Layout,
    found: Selection,
    place: int,
    figures: Mapping[str, Measure],
    *,
    rank: int = 0,
    level: int = 0,
) -> Finding:
    return Finding(
        topic=topic,
        name=layout.names[int(found.rows[place])].as_py(),
        rank=rank,
        level=level,
        cpu_micros=_value(figures["cpu_micros"], place),
        accelerator_micros=_value(figures["accelerator_micros"], place),
        micros=_value(figures["micros"], place),
    )


def _value(measure: Measure, place: int) -> Number | None:
    if not measure.known[place]:
        return None
    value = int(measure.values[place])
    return value / measure.divisor if value % measure.divisor else value // measure.divisor
