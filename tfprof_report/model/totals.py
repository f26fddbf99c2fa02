"""Totals over all nodes, and peak memory of devices."""

from __future__ import annotations

from dataclasses import field

import pyarrow as pa

from tfprof_report.record import record
from tfprof_report.schema.activity_columns import ACTIVITY, TRANSFERS, WAITS
from tfprof_report.schema.metrics import Number


@record
class Total:
    """The total of one metric over all nodes; None if none of those that could have a figure has one.

    `known` of `capable` nodes have a figure. If they are not all, the value is a lower bound.
    """

    stem: str
    value: Number | None
    known: int
    capable: int

    @property
    def unknown(self) -> int:
        """How many nodes could have a figure but have none."""
        return self.capable - self.known


@record
class LeftOut:
    """A part that a report leaves out on request: its name, and the totals of all metrics over its nodes."""

    part: str
    totals: tuple[Total, ...]


@record
class DevicePeak:
    """Peak memory in use on one device in one step, in bytes; None where the trace does not record it.

    `source` names the figure in the trace that it comes from, or says why there is none.
    """

    device: str
    step: int
    device_peak_bytes: int | None
    source: str


@record
class StepWall:
    """The wall time of a step: from its first start to its last end over all devices, in nanoseconds.

    None where it is unknown, for a `reason`, which is empty otherwise.
    """

    step: int
    nanos: int | None
    reason: str


@record
class PeakEstimate:
    """An estimate of the peak memory of a graph, in bytes; None if it is more than an integer holds.

    It rests on the `known` of `capable` nodes that hold memory. If they are not all, it is a lower bound.
    """

    bytes: int | None
    known: int
    capable: int


@record
class StepActivity:
    """Over all devices, the idle time of a step in nanoseconds, and the bytes that were moved in it.

    None where it is unknown, for a reason, which is empty otherwise.
    """

    step: int
    idle_nanos: int | None
    idle_reason: str
    transfer_bytes: int | None
    transfer_reason: str


@record
class DeviceActivity:
    """What devices did in all steps; empty for a report without run metadata, or of a version that did not measure it.

    by_device : per step, device and kind how long it did that (`activity_columns.ACTIVITY`)
    by_pair : per step, pair of devices and kind what was moved (`TRANSFERS`)
    waits : the longest times in which a device was idle before an op (`WAITS`)
    steps : the figures of each step
    """

    by_device: pa.Table = field(default_factory=ACTIVITY.empty_table)
    by_pair: pa.Table = field(default_factory=TRANSFERS.empty_table)
    waits: pa.Table = field(default_factory=WAITS.empty_table)
    steps: tuple[StepActivity, ...] = ()
