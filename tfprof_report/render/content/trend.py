"""How a figure moved over the reports before this one, where a store is given. Plain data for sparklines."""

from __future__ import annotations

from tfprof_report.formatting import format_number, label_of, plural, unit_of
from tfprof_report.record import record
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import Number


@record
class Trend:
    """The figure in the reports of earlier commits, the oldest first, and in this one; `text` says it in words."""

    values: tuple[Number | None, ...]
    text: str


def trend_of(report: Report, stem: str) -> Trend | None:
    """Return the trend of a figure; None if no report before this one knows it."""
    earlier = report.trends.get(stem, ())
    known = [value for value in earlier if value is not None]
    if not known:
        return None
    now = None if report.unknown.get(stem) else report.values.get(stem)
    unit = unit_of(stem)
    low, high = (format_number(value, unit) for value in (min(known), max(known)))
    span = f"always {low}" if low == high else f"{low} to {high}"
    text = f"{label_of(stem)} in {plural(len(earlier), 'earlier report')}: {span}; now {format_number(now, unit)}"
    return Trend(values=(*earlier, now), text=text)
