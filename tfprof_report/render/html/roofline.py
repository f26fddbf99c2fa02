"""The roofline of a device: FLOPs per second of layers over their FLOPs per byte, below what the device can do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from tfprof_report.compare.bounds.find_bounds import Level, rows_of
from tfprof_report.compare.bounds.roofs import Bound
from tfprof_report.formatting import format_number, format_percent, plural
from tfprof_report.record import record
from tfprof_report.render.html.svg import BLUE, GREY, INK, ORANGE, Picture, label, picture, shape
from tfprof_report.render.tables.layers_tables import IN_NO_LAYER
from tfprof_report.report.report import Report
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import Unit

MOST_LAYERS = 60
_MOST_ROOFS = 3

_LEAST_PART = 0.01
"""A type has a roof in the picture if it has this share of the FLOPs."""

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BELOW = 360, 260, 48, 22, 24, 38
_RADIUS = (3.0, 7.0)
_LABEL = 13
"""The height of a line of text."""

_COLOURS = {Bound.ARITHMETIC: BLUE, Bound.MEMORY: ORANGE}
_LEAST_DECADES = 1


def roofline(report: Report) -> Picture | None:
    """Return the layers on the device that took the most time of those whose peaks are known; None if there are none.

    Both axes are logarithmic. The area of a dot grows with the time of its layer.
    """
    layers = rows_of(report.bounds.head, Level.LAYER)
    points = layers.filter(_is_drawn(layers)).sort_by([("micros", "descending")])
    if not points.num_rows:
        return None
    device = points["device"][0].as_py()
    layers = layers.filter(pc.equal(layers["device"].cast(pa.string()), device))
    found = points.filter(pc.equal(points["device"].cast(pa.string()), device)).to_pylist()
    unclear = layers.filter(pc.and_(_lacks(layers), pc.invert(_is_drawn(layers)))).num_rows
    roofs = _roofs(rows_of(report.bounds.head, Level.OP), device)
    if not roofs:
        return None
    drawn, bandwidth = found[:MOST_LAYERS], float(found[0]["peak_bytes_per_second"])
    axes = _Axes.around(drawn, [peak for _, peak in roofs], bandwidth)
    shapes = [*axes.draw(), *_draw_roofs(axes, roofs, bandwidth), *_draw_points(axes, drawn)]
    left_out = (
        f" Left out: {plural(len(found) - len(drawn), 'layer')} with less time." if len(found) > len(drawn) else ""
    )
    if unclear:
        left_out += f" Left out: {plural(unclear, 'layer')} of which too few FLOPs or bytes are known."
    text = (
        f"Layers on {device}: FLOP/s over FLOP/byte, both axes logarithmic; the larger the dot, the more time. The "
        "lines are the peaks of the device. Blue: bound by arithmetic, orange: by memory, grey: by launch, waiting or "
        "unknown."
        f"{left_out} {table_file('bounds')} has the figures."
    )
    return picture(
        shapes,
        anchor="picture-roofline",
        title="Roofline by layer",
        text=text,
        width=_WIDTH,
        height=_HEIGHT,
    )


def _is_drawn(rows: pa.Table) -> pa.Array:
    """Return which layers have a place; with ops of which not all is known only if the others decide what bounds it."""
    parts = [pc.is_valid(rows["peak_bytes_per_second"])]
    parts += [pc.fill_null(pc.greater(rows[name], 0), fill_value=False) for name in _AXES]
    on_ridge = pc.is_in(rows["bound"].cast(pa.string()), value_set=pa.array([str(bound) for bound in _COLOURS]))
    return reduce(pc.and_, [*parts, pc.or_(on_ridge, pc.invert(_lacks(rows)))])


def _lacks(rows: pa.Table) -> pa.Array:
    """Return which layers have ops without FLOPs or bytes."""
    return pc.greater(pc.add(rows["unknown_run_float_ops"], rows["unknown_run_moved_bytes"]), 0)


_AXES = ("float_ops_per_byte", "float_ops_per_second")


def _roofs(rows: pa.Table, device: str) -> list[tuple[str, float]]:
    """Return the types with the most FLOPs on a device, and their peaks; the same peak once."""
    ops = rows.filter(
        pc.and_(
            pc.equal(rows["device"].cast(pa.string()), device),
            pc.and_(pc.is_valid(rows["peak_float_ops_per_second"]), pc.greater(rows["run_float_ops"], 0)),
        )
    )
    plain = pa.table(
        {
            "dtype": ops["dtype"].cast(pa.string()),
            "peak": ops["peak_float_ops_per_second"],
            "float_ops": ops["run_float_ops"],
        }
    )
    sums = plain.group_by(["dtype", "peak"]).aggregate([("float_ops", "sum")])
    ranked = sums.sort_by([("float_ops_sum", "descending"), ("dtype", "ascending")]).to_pylist()
    by_peak: dict[float, list[str]] = {}
    least = _LEAST_PART * sum(row["float_ops_sum"] for row in ranked)
    for row in (each for each in ranked if each["float_ops_sum"] >= least):
        by_peak.setdefault(row["peak"], []).append(row["dtype"] or "other types")
    return [(", ".join(types), peak) for peak, types in list(by_peak.items())[:_MOST_ROOFS]]


@record
class _Axes:
    """Where figures are in the picture: the powers of ten at its edges."""

    first_x: int
    last_x: int
    first_y: int
    last_y: int

    @classmethod
    def around(cls, points: Sequence[dict[str, Any]], peaks: Sequence[float], bandwidth: float) -> _Axes:
        """Return axes with all points and ridges."""
        xs = [row[_AXES[0]] for row in points] + [peak / bandwidth for peak in peaks]
        ys = [row[_AXES[1]] for row in points] + list(peaks)
        first_x, last_x, first_y, last_y = (
            round_of(math.log10(pick(values)))
            for values in (xs, ys)
            for pick, round_of in ((min, math.floor), (max, math.ceil))
        )
        return cls(
            first_x=first_x,
            last_x=max(last_x, first_x + _LEAST_DECADES),
            first_y=first_y,
            last_y=max(last_y, first_y + _LEAST_DECADES),
        )

    def x(self, intensity: float) -> float:
        share = (math.log10(intensity) - self.first_x) / (self.last_x - self.first_x)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, rate: float) -> float:
        share = (math.log10(rate) - self.first_y) / (self.last_y - self.first_y)
        return _HEIGHT - _BELOW - share * (_HEIGHT - _BELOW - _TOP)

    def draw(self) -> Iterator[Markup]:
        """Yield a line and a number for each power of ten, fewer if there are many, and what the axes are."""
        left, right = self.x(10.0**self.first_x), self.x(10.0**self.last_x)
        low, high = self.y(10.0**self.first_y), self.y(10.0**self.last_y)
        for power in _powers(self.first_x, self.last_x):
            x = self.x(10.0**power)
            yield shape("path", d=f"M{x:.1f} {high:.1f}V{low:.1f}", stroke="currentColor", stroke_opacity=0.15)
            yield label(x, low + 15, _tick(power), text_anchor="middle")
        for power in _powers(self.first_y, self.last_y):
            y = self.y(10.0**power)
            yield shape("path", d=f"M{left:.1f} {y:.1f}H{right:.1f}", stroke="currentColor", stroke_opacity=0.15)
            yield label(left - 6, y + 4, _tick(power), text_anchor="end")
        yield label(0, 10, "FLOP/s")
        yield label(right, _HEIGHT - 6, "FLOP/byte", text_anchor="end")


_MOST_LINES = 6


def _tick(power: int) -> str:
    """Return a power of ten: ``10 G``, ``0.01``."""
    return format_number(10.0**power, Unit.COUNT).replace(".00", "").replace("0.10", "0.1")


def _powers(first: int, last: int) -> range:
    return range(first, last + 1, 1 + (last - first) // _MOST_LINES)


def _draw_roofs(axes: _Axes, roofs: Sequence[tuple[str, float]], bandwidth: float) -> Iterator[Markup]:
    """Yield for each peak the line up to its ridge, as bytes allow, and the level one from there on."""
    right, above = axes.x(10.0**axes.last_x), 0.0
    for types, peak in sorted(roofs, key=lambda roof: -roof[1]):
        ridge = peak / bandwidth
        low = max(10.0**axes.first_x, 10.0**axes.first_y / bandwidth)
        start = f"M{axes.x(low):.1f} {axes.y(low * bandwidth):.1f}L" if low < ridge else "M"
        title = (
            f"{types}: {format_number(peak, Unit.COUNT)} FLOP/s from {format_number(ridge, Unit.COUNT)} FLOP/byte on; "
            f"below, {format_number(bandwidth, Unit.COUNT)} bytes/s"
        )
        line = f"{start}{axes.x(ridge):.1f} {axes.y(peak):.1f}H{right:.1f}"
        yield shape("path", title, d=line, fill="none", stroke="currentColor", stroke_width=1.5)
        above = max(axes.y(peak) - 5, above + _LABEL)  # peaks that are almost equal have labels below each other
        yield label(right, above, f"{types}: {format_number(peak, Unit.COUNT)}", text_anchor="end")


def _draw_points(axes: _Axes, points: Sequence[dict[str, Any]]) -> Iterator[Markup]:
    """Yield the dots, the largest below the others."""
    longest = points[0]["micros"]
    for row in points:
        bound = row["bound"]
        share = row["share_of_peak"]
        words = [
            f"{'at least ' if row['unknown_run_float_ops'] else ''}{format_number(row[_AXES[1]], Unit.COUNT)} FLOP/s",
            f"{format_number(row[_AXES[0]], Unit.COUNT)} FLOP/byte",
            format_number(row["micros"], Unit.MICROS),
            *([f"{format_percent(100 * share).removeprefix('+')} of the peak"] if share is not None else []),
            *([f"bound by {bound}"] if bound else []),
        ]
        radius = _RADIUS[0] + (_RADIUS[1] - _RADIUS[0]) * math.sqrt(row["micros"] / longest)
        yield shape(
            "circle",
            f"{row['layer'] or IN_NO_LAYER}: {', '.join(words)}",
            cx=axes.x(row[_AXES[0]]),
            cy=axes.y(row[_AXES[1]]),
            r=radius,
            fill=_COLOURS.get(bound, GREY),
            stroke=INK,
            stroke_opacity=0.5,
        )
