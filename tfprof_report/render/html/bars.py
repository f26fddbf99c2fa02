"""Bar charts by op type and by device. Each bar has its name above it, so that they are readable on a phone too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from tfprof_report.arrays import Floats
from tfprof_report.formatting import ARROW, format_exact, format_percent, format_total, label_of, plural, unit_of
from tfprof_report.render.html.svg import BLUE, Picture, fit, label, picture, shape, width_of
from tfprof_report.render.tables.cells import visible
from tfprof_report.report.report import Report
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import Number, Unit

MOST_BARS = 12

_WIDTH, _BASE_LINE, _TOP, _THICKNESS, _GAP = 360, 12, 17, 8, 14
_SIDES = ("base", "head")


def op_bars(report: Report, stem: str) -> Picture | None:
    """Return the bars of a figure by op type, of both sides in a comparison; None if none is above 0."""
    if "op" not in report.head.views:
        return None
    columns, rows, lacks = [f"total_{stem}"], report.head.views["op"].rows, [f"unknown_{stem}"]
    if report.comparison and "op" in report.comparison.views:
        columns, rows = [f"base_{stem}", f"head_{stem}"], report.comparison.views["op"]
        lacks = [f"base_unknown_{stem}", f"head_unknown_{stem}"]
    if not {*columns, *lacks} <= set(rows.column_names):
        return None
    return draw_bars(
        rows.select(["name", *columns]),
        lacks=rows.select(lacks),
        anchor=f"picture-ops-{stem.replace('_', '-')}",
        title=f"{label_of(stem)} by op type",
        unit=unit_of(stem),
        kind="op types",
        file=table_file("op"),
    )


def draw_bars(
    rows: pa.Table, *, anchor: str, title: str, unit: Unit, kind: str, file: str, lacks: pa.Table | None = None
) -> Picture | None:
    """Return bars for the rows with the largest figures; None if no figure is above 0.

    `rows` has the name, then a column of figures per side, head last; NULL is unknown or a row that the side lacks.
    `lacks` has for each side how many nodes the figures lack: with any, they are lower bounds.
    """
    sizes = np.array([_sizes(column) for column in rows.columns[1:]])
    largest = sizes.max(axis=0)
    counted = int(np.count_nonzero(largest > 0))
    if not counted:
        return None
    order = np.argsort(-largest, kind="stable")[:counted]
    shown = pa.array(order[:MOST_BARS])
    top = rows.take(shown)
    gaps = [[count or 0 for count in column.take(shown).to_pylist()] for column in (lacks.columns if lacks else ())]
    height = _TOP + len(sizes) * _THICKNESS + _GAP
    shapes = [
        each
        for place, (name, *figures) in enumerate(zip(*top.to_pydict().values(), strict=True))
        for each in _bars(
            name, figures, [gap[place] for gap in gaps], y=place * height, full=float(largest.max()), unit=unit
        )
    ]
    text = "Filled: head. Outlined: base. " if len(sizes) > 1 else ""
    if counted > MOST_BARS:
        share = format_percent(100 * float(sizes[-1, order[MOST_BARS:]].sum() / max(sizes[-1].sum(), 1)))
        text += (
            f"The {MOST_BARS} largest of {counted:,} {kind}; the others have {share.removeprefix('+')}. {file} has all."
        )
    else:
        text += f"No {kind} are left out; {file} has their figures."
    if lacks is not None and (unknown := pc.sum(lacks.columns[-1]).as_py()):
        text += f" {plural(unknown, 'node')} of head {'is' if unknown == 1 else 'are'} unknown and in no bar."
    full_height = top.num_rows * height - _GAP
    return picture(shapes, anchor=anchor, title=title, text=text, width=_WIDTH, height=full_height)


def _bars(
    name: str, figures: Sequence[Number | None], lacks: Sequence[int], *, y: float, full: float, unit: Unit
) -> Iterator[Markup]:
    """Yield a name with its figures and, below it, a bar per side, base outlined."""
    gaps = lacks or [0] * len(figures)
    amounts = (format_total(figure, unit, unknown=gap) for figure, gap in zip(figures, gaps, strict=True))
    amount = ARROW.join(dict.fromkeys(amounts))
    sides = _SIDES[-len(figures) :]
    exact = ", ".join(f"{side} {format_exact(figure, unit)}" for side, figure in zip(sides, figures, strict=True))
    yield label(0, y + _BASE_LINE, fit(name, _WIDTH - width_of(amount) - _GAP))
    yield label(_WIDTH, y + _BASE_LINE, amount, text_anchor="end")
    for place, (side, figure) in enumerate(zip(sides, figures, strict=True)):
        if figure is None or figure <= 0:
            continue
        # A stroke is centred on its edge: inset by half a pixel, the outlined bar is as large as a filled one.
        inset = 0.5 if side == "base" else 0
        yield shape(
            "rect",
            f"{visible(name)}: {exact}",
            x=inset,
            y=y + _TOP + place * _THICKNESS + inset,
            width=max(figure / full * _WIDTH - 2 * inset, 0.5),
            height=_THICKNESS - 1 - 2 * inset,
            **({"fill": "none", "stroke": "currentColor"} if inset else {"fill": BLUE}),
        )


def _sizes(column: pa.ChunkedArray) -> Floats:
    """Return figures as floats for ranking, 0 where unknown."""
    sizes: Floats = column.cast(pa.float64(), safe=False).to_numpy()
    return np.nan_to_num(sizes, posinf=0, neginf=0)
