"""Timelines: scope and code view as nested boxes, graph view as what ran when and where (`graph_timeline`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof_report.model.schema import ROOT
from tfprof_report.render.stacks import span_starts
from tfprof_report.render.trace_events import Event, process, region
from tfprof_report.views.forest import Forest, sum_ancestors
from tfprof_report.views.layout import Layout
from tfprof_report.views.selection import Selection


def tree_events(layout: Layout, selection: Selection) -> Iterator[Event]:
    """Yield the boxes of a tree: as long as the total time, children end to end from the start of their parent.

    Times are microseconds from 0, where the root begins; what took no time is left out with all below it. Each depth is
    a process of its own, the root's is 0.
    """
    (root,), divisor = selection.root["micros"].values.tolist(), selection.root["micros"].divisor
    yield process(0, "Scope:0")
    yield _box(ROOT, 0, 0, root, divisor)
    shown = Forest.from_depths(selection.depth)
    total = selection.total_shown["micros"]
    took_time = total.known & (total.values > 0)
    kept = np.flatnonzero(took_time & (sum_ancestors(shown, (~took_time).astype(np.int64)) == 0))
    names = layout.names.take(selection.rows[kept]).to_pylist()
    tree = Forest.from_depths(selection.depth[kept])
    micros = total.values[kept]
    starts = span_starts(tree, micros)
    deepest = 0
    for name, depth, start, length in zip(
        names, tree.depth.tolist(), starts.tolist(), micros.tolist(), strict=True
    ):  # the events themselves: one object each, whatever one does
        if depth > deepest:
            deepest = depth
            yield process(depth, f"Scope:{depth}")
        yield _box(name, depth, start, length, divisor)


def _box(name: str, depth: int, start: int, micros: int, divisor: int) -> Event:
    at, length = (value if divisor == 1 else value / divisor for value in (start, micros))
    return region(name, pid=depth, tid=0, start=at, micros=length, args={"name": name, "op": name})
