"""The pictures of a report. Each says what it leaves out; what is not known has no picture."""

from __future__ import annotations

from tfprof_report.render.html.bars import op_bars
from tfprof_report.render.html.device_pictures import device_memory, device_time, memory_curves, step_spread
from tfprof_report.render.html.icicle import change_icicle, scope_icicle
from tfprof_report.render.html.svg import Picture
from tfprof_report.report.report import Report


def pictures_of(report: Report) -> tuple[Picture, ...]:
    """Return the pictures that a report has something for, where it changed first."""
    drawn = (
        change_icicle(report),
        scope_icicle(report),
        *(op_bars(report, stem) for stem in ("float_ops", "micros")),
        device_memory(report),
        device_time(report),
        step_spread(report),
        memory_curves(report),
    )
    return tuple(picture for picture in drawn if picture is not None)


def main_picture(report: Report, anchor: str) -> Picture | None:
    """Return the picture that says most of a report, for a page that shows those of several."""
    return change_icicle(report, anchor=anchor) or scope_icicle(report, anchor=anchor)
