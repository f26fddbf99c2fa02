"""Totals over all nodes, and the memory that devices really held."""

from __future__ import annotations

from dataclasses import dataclass

from tfprof_report.schema.metrics import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """The total of one metric over all nodes. `known` of `capable` nodes have a figure; None if none has."""

    stem: str
    value: Number | None
    known: int
    capable: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Nodes that a report leaves out on request: what they are called, and the totals of all metrics over them."""

    part: str
    totals: tuple[Total, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePeak:
    """The most memory in use on one device in one step, in bytes; None with a `reason` where the trace does not say."""

    device: str
    step: int
    device_peak_bytes: int | None
    source: str
