"""The lanes of devices: when in a step each of them computes, copies, moves and waits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from tfprof_report.compare.side import Side
from tfprof_report.formatting import ARROW, format_number, plural
from tfprof_report.record import record
from tfprof_report.render.html.svg import BLUE, GREY, ORANGE, Picture, fit, label, picture, shape
from tfprof_report.render.tables.activity_tables import kind_words
from tfprof_report.report.report import Report
from tfprof_report.schema.activity_columns import BUSY, IDLE, KIND_ORDER, rank_of
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import NANOS_PER_MICRO, Unit

MOST_DEVICES = 6

_WIDTH, _LABELS, _BASE_LINE, _TOP, _LANE, _GAP, _AXIS = 360, 116, 12, 18, 16, 12, 18
_TALL = 12
"""Height of a lane's drawing; the rest of `_LANE` is space."""

_WAITING = KIND_ORDER[KIND_ORDER.index(IDLE) + 1 :]
_OF_HOST = ("launch",)


@record
class _Step:
    """The step of a side that has timelines: its number, its time in nanoseconds, and its lanes by device and kind."""

    step: int
    span: int
    lanes: dict[tuple[str, str], list[int]]


def device_lanes(report: Report) -> Picture | None:
    """Return what each device does over the step of median length, of both sides in a comparison; None if unknown."""
    sides = [_drawn_step(side) for side in report.sides]
    known = [side for side in sides if side is not None]
    if not known:
        return None
    devices = _ranked(sides[-1] or known[0], known)[:MOST_DEVICES]
    traced = {name for side in report.sides for name in pc.unique(side.activity.by_device["device"]).to_pylist()}
    longest = max(side.span for side in known)
    shapes: list[Markup] = []
    y = 0.0
    for device in devices:
        kinds = sorted({kind for side in known for mine, kind in side.lanes if mine == device}, key=rank_of)
        shapes.append(label(0, y + _BASE_LINE, fit(device, _WIDTH)))
        y += _TOP
        for kind in kinds:
            shapes += _lane(device, kind, sides, y=y, longest=longest)
            y += _LANE
        y += _GAP
    y -= _GAP
    end = format_number(longest / NANOS_PER_MICRO, Unit.MICROS)
    shapes += (label(_LABELS, y + _AXIS - 4, "0"), label(_WIDTH, y + _AXIS - 4, end, text_anchor="end"))
    text = f"Of the step of median length ({_words(sides)}): how much of each moment a lane's kind takes. "
    text += "Filled: head. Outlined: base. " if len(sides) > 1 else ""
    left = len(traced) - len(devices)
    text += f"Left out: {plural(left, 'device')} that did less. " if left > 0 else "All devices are drawn. "
    text += f"{table_file('activity')} has the sums of all steps."
    return picture(
        shapes,
        anchor="picture-lanes",
        title="What devices do",
        text=text,
        width=_WIDTH,
        height=y + _AXIS,
    )


def _drawn_step(side: Side) -> _Step | None:
    table = side.activity.by_device
    drawn = table.filter(table["timeline"].is_valid())
    if not drawn.num_rows:
        return None
    step = drawn["step"][0].as_py()
    whole = table.filter(pc.equal(table["step"], step))
    words = whole["kind"].cast(pa.string())
    parts = whole.filter(pc.is_in(words, value_set=pa.array([BUSY, IDLE]))).select(["device", "nanos"]).to_pylist()
    spans: dict[str, list[int]] = {}
    for row in parts:
        if row["nanos"] is not None:
            spans.setdefault(row["device"], []).append(row["nanos"])
    span = next((sum(times) for times in spans.values() if len(times) == len((BUSY, IDLE))), 0)
    if not span:
        return None
    rows = drawn.set_column(drawn.column_names.index("kind"), "kind", drawn["kind"].cast(pa.string())).to_pylist()
    return _Step(step=step, span=span, lanes={(row["device"], row["kind"]): _shares(row["timeline"]) for row in rows})


def _shares(timeline: Sequence[int | None]) -> list[int]:
    """Return shares in percent, also of a file that has others."""
    return [min(max(share or 0, 0), 100) for share in timeline]


def _ranked(first: _Step, sides: Sequence[_Step]) -> list[str]:
    """Return the devices that have lanes, those that do most first."""
    totals: dict[str, int] = {}
    for side in (first, *sides):
        for (device, _), shares in side.lanes.items():
            totals[device] = max(totals.get(device, 0), sum(shares))
    return sorted(totals, key=lambda device: (-totals[device], device))


def _lane(device: str, kind: str, sides: Sequence[_Step | None], *, y: float, longest: int) -> Iterator[Markup]:
    words = kind_words(kind)
    yield label(_LABELS - 6, y + _BASE_LINE, fit(words, _LABELS - 6), text_anchor="end", fill_opacity=0.75)
    yield shape("path", d=f"M{_LABELS} {y + _TALL:g}H{_WIDTH}", stroke="currentColor", stroke_opacity=0.25)
    colour = ORANGE if kind in _WAITING and kind not in _OF_HOST else GREY if kind in _OF_HOST else BLUE
    for place, side in enumerate(sides):
        shares = side.lanes.get((device, kind)) if side else None
        if side is None or shares is None:
            continue
        is_head = place == len(sides) - 1
        look = {"fill": colour} if is_head else {"fill": "none", "stroke": "currentColor", "stroke_opacity": 0.6}
        width = (_WIDTH - _LABELS) * side.span / longest
        title = f"{device}: {words}" + ("" if len(sides) == 1 else ", head" if is_head else ", base")
        yield shape("path", title, d=_outline(shares, x=_LABELS, width=width, bottom=y + _TALL), **look)


def _outline(shares: Sequence[int], *, x: float, width: float, bottom: float) -> str:
    """Return a path around columns as high as `shares`, in percent; what is there at all is at least a pixel high."""
    heights = [0 if not share else max(1, round(share / 100 * _TALL)) for share in shares]
    path = [f"M{x:g} {bottom:g}"]
    height = 0
    for place, now in enumerate([*heights, 0]):
        if now != height:
            path.append(f"H{x + width * place / len(heights):.4g}V{bottom - now:g}")
            height = now
    return "".join(path) + "Z"


def _words(sides: Sequence[_Step | None]) -> str:
    found = [f"step {side.step}, {format_number(side.span / NANOS_PER_MICRO, Unit.MICROS)}" for side in sides if side]
    return ARROW.join(dict.fromkeys(found))
