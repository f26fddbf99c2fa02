"""What devices did in a traced step, event by event, whatever file recorded it: the table `ACTIVITY`."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pyarrow as pa

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
kind : a word of `Activity`
start_nanos, end_nanos : on one clock for all devices of a step; both NULL where the file has no time
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
