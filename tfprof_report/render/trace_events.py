"""Chrome's trace event format, as tfprof writes it: one line of JSON, metadata and regions first, then the rest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

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
    while piece := list(islice(texts, _EVENTS_AT_ONCE)):  # one call of the encoder for each event: this is the output
        yield "".join(chain.from_iterable((",", text) for text in piece)).encode()
    yield b"]}\n"
