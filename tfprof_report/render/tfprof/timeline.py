"""Timelines as Chrome trace events: scope and code view as nested boxes. Graph view is in `graph_timeline`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from tfprof_report.render.tfprof.stacks import span_starts
from tfprof_report.schema.metrics import ROOT
from tfprof_report.views.forest import Forest, sum_ancestors
from tfprof_report.views.layout import Layout
from tfprof_report.views.selection import Selection

Event = dict[str, Any]
"""One trace event: a JSON object."""


_EVENTS_AT_ONCE = 1000


def process(pid: int, name: str) -> Event:
    """Return the event that names a process, which a viewer shows as a group of tracks."""
    return {"args": {"name": name}, "name": "process_name", "ph": "M", "pid": pid}


def region(name: str, *, pid: int, tid: int, start: float, micros: float, args: dict[str, str]) -> Event:
    """Return a box on track `tid` of a process."""
    return {"args": args, "cat": "Op", "dur": micros, "name": name, "ph": "X", "pid": pid, "tid": tid, "ts": start}


def flow(name: str, *, number: int, phase: str, pid: int, tid: int, at: float) -> Event:
    """Return one end of arrow `number`: `phase` is ``s`` where it starts, ``t`` where it ends."""
    return {"cat": "DataFlow", "id": number, "name": name, "ph": phase, "pid": pid, "tid": tid, "ts": at}


def counter(name: str, *, pid: int, at: float, args: dict[str, Any]) -> Event:
    """Return values at one moment, which a viewer draws as a curve."""
    return {"args": args, "cat": "Memory", "name": name, "ph": "C", "pid": pid, "tid": 0, "ts": at}


def trace_json(events: Iterable[Event]) -> Iterator[bytes]:
    """Yield the file in pieces: keys sorted, no spaces, non-ASCII characters escaped."""
    encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
    texts = map(encode, events)
    yield b'{"traceEvents":['
    yield from (text.encode() for text in islice(texts, 1))
    while piece := list(islice(texts, _EVENTS_AT_ONCE)):  # an encoder call per event, which is the output
        yield "".join(chain.from_iterable((",", text) for text in piece)).encode()
    yield b"]}\n"


def tree_events(layout: Layout, selection: Selection) -> Iterator[Event]:
    """Yield the boxes of a tree, as long as their total time; children are laid end to end from their parent's start.

    Times are microseconds from 0, the start of the root. A row without time is left out with its subtree. Each depth is
    a process; the root's is 0.
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
    ):  # a loop over rows, because each event is an object
        if depth > deepest:
            deepest = depth
            yield process(depth, f"Scope:{depth}")
        yield _box(name, depth, start, length, divisor)


def _box(name: str, depth: int, start: int, micros: int, divisor: int) -> Event:
    at, length = (value if divisor == 1 else value / divisor for value in (start, micros))
    return region(name, pid=depth, tid=0, start=at, micros=length, args={"name": name, "op": name})
