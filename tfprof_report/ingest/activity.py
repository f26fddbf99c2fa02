"""What devices did in a traced step, event by event, whatever file recorded it: the table `ACTIVITY`, and its times."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints
from tfprof_report.schema.metrics import NANOS_PER_MICRO

NAMES = pa.dictionary(pa.int32(), pa.string())
"""Names that repeat."""


class Activity(StrEnum):
    """What a device does in an event."""

    COMPUTE = "compute"
    INPUT_WAIT = "input_wait"  # for the input pipeline: IteratorGetNext, infeed
    HOST_TO_DEVICE = "host_to_device"
    DEVICE_TO_HOST = "device_to_host"
    DEVICE_TO_DEVICE = "device_to_device"
    SEND = "send"
    RECEIVE = "receive"
    COLLECTIVE = "collective"
    LAUNCH = "launch"  # of a kernel, on the host


CODES = {kind: code for code, kind in enumerate(Activity)}
"""The code of each kind: its place in `KINDS`."""

KINDS = pa.array([kind.value for kind in Activity], pa.string())
"""The dictionary of `kind`: a code is the place of a word in `Activity`."""

ACTIVITY = pa.schema(
    [
        ("device", NAMES),
        ("lane", pa.int64()),
        ("name", pa.string()),
        ("kind", pa.dictionary(pa.int8(), pa.string())),
        ("start_nanos", pa.int64()),
        ("end_nanos", pa.int64()),
        ("bytes", pa.int64()),
        ("source", NAMES),
        ("destination", NAMES),
        ("correlation", pa.int64()),
    ]
)
"""The columns of events, each of which is one row, however many lanes or lines of a file repeat it.

device : the full name in lower case, with job and task where the file has them; that of the GPU, not of its stream
lane : the thread, stream or line on which it ran, NULL if not told
name : the node or event that did it
kind : a word of `Activity`, NULL for a copy whose direction is not told
start_nanos, end_nanos : both NULL where the file has no time, the end alone where it is before the start
bytes : what was moved; NULL for other kinds, and where not recorded
source, destination : the devices between which it was moved, in lower case, NULL where not told; `destination` of a
    launch is the device that runs the kernel
correlation : equal for a launch and its kernels; NULL where not told
"""


def make_activity(count: int, **columns: Any) -> pa.Table:
    """Return `count` events from columns of `ACTIVITY`, NULL where a column is not given; texts may be plain."""
    return pa.table(
        [
            columns[field.name].cast(field.type) if field.name in columns else pa.nulls(count, field.type)
            for field in ACTIVITY
        ],
        schema=ACTIVITY,
    )


LATEST, LONGEST = 3 * 10**18, 10**18
"""Most nanoseconds of a start (the year 2065) and of a duration: two starts and a duration add up within int64."""


def exact_starts(micros: Ints, nanos: Ints, *, is_exact: Bools) -> Ints:
    """Return starts in nanoseconds, not negative: `nanos` where the trace has them (`is_exact`), else from `micros`.

    Nanoseconds that are further than a microsecond from the microseconds are not believed.
    """
    return _exact(micros, nanos, is_exact & (np.abs(nanos // NANOS_PER_MICRO - micros) <= 1), least=0, most=LATEST)


def exact_durations(micros: Ints, nanos: Ints, *, is_exact: Bools) -> Ints:
    """Return durations in nanoseconds, likewise: without nanoseconds an execution takes at least a microsecond."""
    return _exact(np.where(micros == 0, 1, micros), nanos, is_exact, least=-LONGEST, most=LONGEST)


def _exact(micros: Ints, nanos: Ints, is_exact: Bools, *, least: int, most: int) -> Ints:
    rounded = np.clip(micros, least // NANOS_PER_MICRO, most // NANOS_PER_MICRO) * NANOS_PER_MICRO
    return np.where(is_exact, np.clip(nanos, least, most), rounded)
