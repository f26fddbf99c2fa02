"""The pictures of a report. The text of each says what it leaves out; an unknown figure has no picture."""

from __future__ import annotations

from tfprof_report.compare.causes.scope_sizes import sizes_of
from tfprof_report.render.content.takers import Takers
from tfprof_report.render.html.bars import op_bars
from tfprof_report.render.html.device_lanes import device_lanes
from tfprof_report.render.html.device_pictures import device_memory, device_time, memory_curves, step_spread
from tfprof_report.render.html.icicle import draw_icicle, draw_layers
from tfprof_report.render.html.roofline import roofline
from tfprof_report.render.html.svg import Picture
from tfprof_report.report.report import Report

_MOST_LAYERS = 100
"""Most layers of a picture of the first screen, which has one for each figure."""


def pictures_of(report: Report) -> tuple[Picture, ...]:
    """Return the pictures that a report has data for; changes come first."""
    icicles = {"picture-changes": report.changed_sizes, "picture-scope": report.sizes}
    drawn = (
        *(
            draw_icicle(sizes, anchor=anchor, lacks=report.unknown.get(sizes.stem, 0))
            for anchor, sizes in icicles.items()
            if sizes
        ),
        *(op_bars(report, stem) for stem in ("float_ops", "micros")),
        device_memory(report),
        device_time(report),
        step_spread(report),
        memory_curves(report),
        device_lanes(report),
        roofline(report),
    )
    return tuple(picture for picture in drawn if picture is not None)


def layers_picture(takers: Takers) -> Picture | None:
    """Return the picture of the layers that take a figure; None if none takes any."""
    sizes = None if takers.tree is None else sizes_of(takers.tree, takers.stem, _MOST_LAYERS)
    if sizes is None:
        return None
    return draw_layers(sizes, anchor=f"taken-{takers.stem}-picture", figure=takers.label)
