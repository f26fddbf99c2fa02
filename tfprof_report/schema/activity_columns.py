"""The columns of the tables on what devices did: activity.parquet, transfers.parquet and waits.parquet."""

from __future__ import annotations

import pyarrow as pa

_WORD = pa.dictionary(pa.int32(), pa.string())

BUSY, IDLE, LAUNCH_GAP, NOT_TOLD = "busy", "idle", "launch_gap", "copy"
"""Kinds of `ACTIVITY` beside those of events (`ingest.activity.Activity`): what is made of them, and copies whose
direction is not told."""

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
