"""The columns of the tables on what devices did: activity.parquet, transfers.parquet and waits.parquet."""

from __future__ import annotations

import pyarrow as pa

_WORD = pa.dictionary(pa.int32(), pa.string())

BUSY, IDLE, LAUNCH_GAP, NOT_TOLD = "busy", "idle", "launch_gap", "copy"
"""Kinds of `ACTIVITY` beside those of events (`ingest.activity.Activity`): what is made of them, and copies whose
direction is not told."""

KIND_ORDER = (
    *(BUSY, "compute", "collective", "host_to_device", "device_to_host", "device_to_device", NOT_TOLD),
    *(IDLE, "input_wait", "receive", "send", "launch", LAUNCH_GAP),
)
"""All kinds, in the order in which people read them: what keeps a device busy, then waiting."""


def rank_of(kind: str) -> int:
    """Return the place of a kind in `KIND_ORDER`; one that only a later version knows comes last."""
    return KIND_ORDER.index(kind) if kind in KIND_ORDER else len(KIND_ORDER)


ACTIVITY = pa.schema(
    [
        ("step", pa.int64()),
        ("device", pa.string()),
        ("kind", _WORD),
        ("count", pa.int64()),
        ("nanos", pa.int64()),
        ("exposed_nanos", pa.int64()),
        ("reason", pa.string()),
        ("timeline", pa.list_(pa.int8())),
    ]
)
"""Columns of activity.parquet: per step, device and kind, how long it did that."""

TRANSFERS = pa.schema(
    [
        ("step", pa.int64()),
        ("source", pa.string()),
        ("destination", pa.string()),
        ("kind", _WORD),
        ("count", pa.int64()),
        ("bytes", pa.int64()),
        ("unknown_bytes", pa.int64()),
        ("nanos", pa.int64()),
    ]
)
"""Columns of transfers.parquet: per step, pair of devices and kind, what was moved."""

WAITS = pa.schema(
    [
        ("step", pa.int64()),
        ("device", pa.string()),
        ("name", pa.string()),
        ("kind", _WORD),
        ("start_nanos", pa.int64()),
        ("nanos", pa.int64()),
        ("waited_for", pa.string()),
    ]
)
"""Columns of waits.parquet: the longest times in which a device was idle before an op."""


_SIDES = ("base", "head")

DIFF_ACTIVITY = pa.schema(
    [
        ("device", pa.string()),
        ("kind", pa.string()),
        *((f"{part}_nanos", pa.float64()) for part in (*_SIDES, "delta")),
        *((f"{side}_exposed_nanos", pa.float64()) for side in _SIDES),
        *((f"{side}_count", pa.float64()) for side in _SIDES),
        *((f"{side}_reason", pa.string()) for side in _SIDES),
    ]
)
"""Columns of diff_activity.parquet: means over steps."""

DIFF_TRANSFERS = pa.schema(
    [
        ("source", pa.string()),
        ("destination", pa.string()),
        ("kind", pa.string()),
        *((f"{side}_count", pa.float64()) for side in _SIDES),
        *((f"{part}_{stem}", pa.float64()) for stem in ("bytes", "nanos") for part in (*_SIDES, "delta")),
    ]
)
"""Columns of diff_transfers.parquet: means over steps."""

DIFF_WAITS = pa.schema(
    [
        ("device", pa.string()),
        ("name", pa.string()),
        ("waited_for", pa.string()),
        ("kind", pa.string()),
        *((f"{part}_nanos", pa.int64()) for part in (*_SIDES, "delta")),
    ]
)
"""Columns of diff_waits.parquet: the longest waits of any step; NULL for a side where it is none of the longest."""
