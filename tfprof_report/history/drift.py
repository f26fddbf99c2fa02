"""Slow drift of a noisy figure."""

from __future__ import annotations

from tfprof_report.arrays import Floats
from tfprof_report.record import record


@record
class Drift:
    """A drift."""

    change: float


def drift(values: Floats) -> Drift | None:
    """Placeholder until merged."""
    return None
