"""Pictures of devices: peak memory, time per step, the spread of step times, and memory over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from tfprof_report.formatting import ARROW, format_exact, format_number
from tfprof_report.model.totals import DevicePeak
from tfprof_report.render.html.bars import draw_bars
from tfprof_report.render.html.svg import BLUE, ORANGE, Picture, fit, label, picture, shape, width_of
from tfprof_report.report.report import Report
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import NANOS, NANOS_PER_MICRO, Number, Unit

MOST_DEVICES = 6
MOST_DOTS = 100
"""Maximum dots on a line; of more steps, a sample spread evenly over the sorted times is drawn."""

_WIDTH, _BASE_LINE, _TOP, _GAP = 360, 12, 17, 14
_LINE, _RADIUS = 18, 4
_CURVE, _AXIS = 90, 18

Times = dict[str, dict[int, float]]
"""Microseconds by device and step."""


def device_memory(report: Report) -> Picture | None:
    """Return the peak memory of each device over all steps; None if no trace has it."""
    return draw_bars(
        _by_device([_peaks(side.devices) for side in report.sides], pa.int64()),
        anchor="picture-device-memory",
        title="Peak memory by device",
        unit=Unit.BYTES,
        kind="devices",
        file=table_file("devices"),
    )


def device_time(report: Report) -> Picture | None:
    """Return the mean time per step of the nodes on each device; None if no time is known."""
    return draw_bars(
        _by_device([_means(side) for side in _times(report)], pa.float64()),
        anchor="picture-device-time",
        title="Time per step by device",
        unit=Unit.MICROS,
        kind="devices",
        file=table_file("steps"),
    )


def step_spread(report: Report) -> Picture | None:
    """Return the time of every step as a dot on a line per device; None if no device has two steps on a side."""
    sides = _times(report)
    devices = sorted({device for side in sides for device in side}, key=lambda device: -_longest(sides, device))
    if all(len(steps) < 2 for side in sides for steps in side.values()):  # noqa: PLR2004 (a spread is between two)
        return None
    height = _TOP + len(sides) * _LINE + _GAP
    drawn = devices[:MOST_DEVICES]
    shapes = [
        each
        for place, device in enumerate(drawn)
        for each in _dots(device, [side.get(device, {}) for side in sides], y=place * height)
    ]
    text = "A dot is a step, the line across is their median; every device has its own scale, which begins at 0. "
    text += "Filled: head. Outlined: base. " if len(sides) > 1 else ""
    text += f"{_left_out(len(devices), max(len(steps) for side in sides for steps in side.values()))} "
    text += "steps.parquet has the figures."
    full_height = len(drawn) * height - _GAP
    return picture(
        shapes, anchor="picture-steps", title="Time of each step", text=text, width=_WIDTH, height=full_height
    )


def memory_curves(report: Report) -> Picture | None:
    """Return the memory that each device held over time, in its peak step; None without allocation records."""
    peaks = report.head.memory.group_by(["device", "step"]).aggregate([("bytes", "max")])
    ranked = peaks.sort_by([("bytes_max", "descending"), ("step", "ascending"), ("device", "ascending")]).to_pylist()
    highest = {row["device"]: row["step"] for row in reversed(ranked)}  # later items overwrite: the highest wins
    devices = list(dict.fromkeys(row["device"] for row in ranked))
    if not devices:
        return None
    height = _TOP + _CURVE + _AXIS + _GAP
    drawn = devices[:MOST_DEVICES]
    shapes = [
        each
        for place, device in enumerate(drawn)
        for each in _curve(report.head.memory, device, highest[device], y=place * height)
    ]
    text = (
        "What a device allocated and did not release yet, from the start of the step with the highest peak; what it "
        f"held before is not included. {_left_out(len(devices), 0)} memory.parquet has all steps."
    )
    full_height = len(drawn) * height - _GAP
    return picture(
        shapes, anchor="picture-memory", title="Memory over time", text=text, width=_WIDTH, height=full_height
    )


def _times(report: Report) -> list[Times]:
    """Return the time of all nodes by device and step, base first; without devices and steps whose time is unknown."""
    sides: list[Times] = []
    for steps in (side.steps for side in report.sides):
        side: Times = {}
        if NANOS["micros"] in steps.column_names:
            nanos = steps[NANOS["micros"]]
            plain = pa.table({"device": steps["device"].cast(pa.string()), "step": steps["step"], "sum": nanos})
            plain = plain.append_column("is_known", nanos.is_valid())
            sums = plain.group_by(["device", "step"]).aggregate([("sum", "sum"), ("is_known", "all")])
            known = pc.and_(pc.greater(sums["sum_sum"], 0), sums["is_known_all"])
            for row in sums.filter(known).sort_by([("step", "ascending")]).to_pylist():
                side.setdefault(row["device"], {})[row["step"]] = row["sum_sum"] / NANOS_PER_MICRO
        sides.append(side)
    return sides


def _peaks(devices: Sequence[DevicePeak]) -> dict[str, Number]:
    largest: dict[str, Number] = {}
    for peak in devices:
        if peak.device_peak_bytes is not None:
            largest[peak.device] = max(peak.device_peak_bytes, largest.get(peak.device, 0))
    return largest


def _means(times: Times) -> dict[str, Number]:
    return {device: fmean(steps.values()) for device, steps in times.items()}


def _by_device(sides: Sequence[Mapping[str, Number]], kind: pa.DataType) -> pa.Table:
    devices = sorted({device for side in sides for device in side})
    figures = {str(at): pa.array([side.get(device) for device in devices], kind) for at, side in enumerate(sides)}
    return pa.table({"name": pa.array(devices, pa.string()), **figures})


def _dots(device: str, sides: Sequence[Mapping[int, float]], *, y: float) -> Iterator[Markup]:
    """Yield a device with its median and, below it, a line of dots per side."""
    middles = [median(steps.values()) if steps else None for steps in sides]
    amount = ARROW.join(dict.fromkeys(format_number(middle, Unit.MICROS) for middle in middles))
    yield from _heading(device, f"median {amount}", y=y)
    full = max(micros for steps in sides for micros in steps.values())
    for place, (steps, middle) in enumerate(zip(sides, middles, strict=True)):
        centre = y + _TOP + (place + 0.5) * _LINE
        yield shape("path", d=f"M0 {centre:g}H{_WIDTH}", stroke="currentColor", stroke_opacity=0.35)
        if middle is None:
            continue
        ordered = sorted(steps.items(), key=lambda item: item[1])
        some = [ordered[at] for at in np.linspace(0, len(ordered) - 1, min(len(ordered), MOST_DOTS)).astype(int)]
        look = {"fill": BLUE} if place == len(sides) - 1 else {"fill": "none", "stroke": "currentColor"}
        for step, micros in some:
            title = f"step {step}: {format_number(micros, Unit.MICROS)}"
            yield shape("circle", title, cx=_x(micros / full), cy=centre, r=_RADIUS, **look)
        yield shape("path", d=f"M{_x(middle / full):.1f} {centre - 7:g}v14", stroke="currentColor", stroke_width=2)


def _curve(memory: pa.Table, device: str, step: int, *, y: float) -> Iterator[Markup]:
    """Yield a device with its peak, and the area chart of the memory that it held."""
    mine = memory.filter(pc.and_(pc.equal(memory["device"], device), pc.equal(memory["step"], step)))
    micros, held = (mine[name].to_numpy() for name in ("micros", "bytes"))
    last, highest, lowest = max(int(micros[-1]), 1), int(held.max()), min(int(held.min()), 0)
    at = int(held.argmax())
    yield from _heading(device, f"step {step}, peak {format_number(highest, Unit.BYTES)}", y=y)
    top, scale = y + _TOP, _CURVE / max(highest - lowest, 1)
    zero = top + highest * scale
    # One point per pixel column, the highest, so that no peak is lost.
    places = np.round(micros / last * _WIDTH).astype(np.int64)
    xs, first = np.unique(places, return_index=True)
    heights = np.maximum.reduceat(held, first)
    steps = "".join(
        f"H{x}V{top + (highest - value) * scale:.1f}" for x, value in zip(xs, heights.tolist(), strict=True)
    )
    outline = f"M0 {zero:.1f}{steps}H{_WIDTH}V{zero:.1f}Z"
    yield shape("path", d=outline, fill=BLUE, fill_opacity=0.6, stroke=BLUE)
    yield shape("path", d=f"M0 {zero:.1f}H{_WIDTH}", stroke="currentColor", stroke_opacity=0.35)
    title = f"{format_exact(highest, Unit.BYTES)} after {format_number(int(micros[at]), Unit.MICROS)}"
    yield shape("circle", title, cx=_x(float(micros[at]) / last), cy=top, r=_RADIUS, fill=ORANGE)
    yield label(0, top + _CURVE + _BASE_LINE + 2, "0")
    yield label(_WIDTH, top + _CURVE + _BASE_LINE + 2, format_number(last, Unit.MICROS), text_anchor="end")


def _heading(device: str, amount: str, *, y: float) -> Iterator[Markup]:
    yield label(0, y + _BASE_LINE, fit(device, _WIDTH - width_of(amount) - _GAP))
    yield label(_WIDTH, y + _BASE_LINE, amount, text_anchor="end")


def _x(share: float) -> float:
    """Return the x coordinate of a dot, for a share of the width; the whole dot stays within the picture."""
    return _RADIUS + share * (_WIDTH - 2 * _RADIUS)


def _longest(sides: Sequence[Times], device: str) -> float:
    return max(micros for side in sides for micros in side.get(device, {}).values())


def _left_out(devices: int, steps: int) -> str:
    """Return a sentence on what is not drawn."""
    missing = [
        *([f"{devices - MOST_DEVICES:,} smaller devices"] if devices > MOST_DEVICES else []),
        *([f"all but {MOST_DOTS} of {steps:,} steps"] if steps > MOST_DOTS else []),
    ]
    return f"Left out: {' and '.join(missing)}." if missing else "All devices are drawn."
