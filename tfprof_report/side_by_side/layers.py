"""Layers of several reports, matched by name: those with the most FLOPs in any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tfprof_report.compare.gates.reference import PastTotal
from tfprof_report.record import record
from tfprof_report.side_by_side.counted_otherwise import Otherwise
from tfprof_report.side_by_side.differences import Figure, compare
from tfprof_report.side_by_side.report_column import Column

STEM = "float_ops"
"""The figure by which layers are compared."""

NEEDED = ("layer", STEM, f"unknown_{STEM}")
"""The columns of layers.parquet that this takes."""

MOST = 30
"""Most layers that are shown."""


@record
class LayerRow:
    """A layer of all columns: its FLOPs in each, None where a column has no layer of this name.

    `name` is None for what is in no layer.
    """

    name: str | None
    figures: tuple[Figure | None, ...]


@record
class Layers:
    """The layers with the most FLOPs.

    rows : the most FLOPs in any column first
    count : how many layers there are by name
    shared : how many of them all columns have whose layers are known
    """

    rows: tuple[LayerRow, ...]
    count: int
    shared: int


def compare_layers(columns: Sequence[Column], otherwise: Sequence[Sequence[Otherwise]], most: int = MOST) -> Layers:
    """Return the FLOPs of the largest layers, each with the difference to the first column."""
    totals = [_totals(column) for column in columns]
    there = [found for column, found in zip(columns, totals, strict=True) if column.layers is not None]
    names = list(dict.fromkeys(name for found in totals for name in found))
    ranked = sorted(names, key=lambda name: (-max(_size(found.get(name)) for found in totals), name or ""))
    shown = [name for name in ranked[:most] if any(_size(found.get(name)) for found in totals)]
    return Layers(
        rows=tuple(LayerRow(name=name, figures=_figures(name, totals, otherwise)) for name in shown),
        count=len(names),
        shared=sum(all(name in found for found in there) for name in names),
    )


def _totals(column: Column) -> Mapping[str | None, PastTotal]:
    if column.layers is None:
        return {}
    layers = zip(*(column.layers[name].to_pylist() for name in NEEDED), strict=True)
    return {
        name: PastTotal(value=None if value is None else Fraction(value), unknown=unknown or 0)
        for name, value, unknown in layers
    }


def _size(total: PastTotal | None) -> Fraction:
    return (total.value if total else None) or Fraction(0)


def _figures(
    name: str | None,
    totals: Sequence[Mapping[str | None, PastTotal]],
    otherwise: Sequence[Sequence[Otherwise]],
) -> tuple[Figure | None, ...]:
    first = totals[0].get(name)
    found: list[Figure | None] = []
    for place, (those, apart) in enumerate(zip(totals, otherwise, strict=True)):
        is_apart = any(STEM in each.stems for each in apart)
        total = those.get(name)
        found.append(
            None
            if total is None
            else compare(first or PastTotal(), total, is_first=place == 0, is_apart=is_apart and first is not None)
        )
    return tuple(found)
