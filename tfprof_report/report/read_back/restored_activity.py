"""What devices did, read back from the tables and the summary of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from tfprof_report.model.totals import DeviceActivity, StepActivity
from tfprof_report.schema.compatible import known_fields


def restore_activity(tables: Mapping[str, pa.Table], steps: Iterable[Mapping[str, Any]]) -> DeviceActivity:
    """Return what devices did, from the tables of a report and the figures of steps in its summary.

    A malformed summary raises LookupError, TypeError or ValueError.
    """
    return DeviceActivity(
        by_device=tables["activity"],
        by_pair=tables["transfers"],
        waits=tables["waits"],
        steps=tuple(_step(step) for step in steps),
    )


def _step(written: Mapping[str, Any]) -> StepActivity:
    """Return the figures of a step from its JSON, in which large integers are strings."""
    numbers = {name: None if written[name] is None else int(written[name]) for name in ("idle_nanos", "transfer_bytes")}
    return StepActivity(**{**known_fields(StepActivity, written), **numbers, "step": int(written["step"])})
