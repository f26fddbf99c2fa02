"""The table of what a report leaves out, and how much that is."""

from __future__ import annotations

from collections.abc import Iterable

from tfprof_report.model.totals import LeftOut
from tfprof_report.render.cells import ABSENT, Cell, Column, Table, number_cell, text_cell
from tfprof_report.units import label_of, unit_of

_STEMS = ("definition_count", "params", "float_ops", "bytes", "micros")


def left_out_table(parts: Iterable[tuple[str, LeftOut]]) -> Table:
    """Return a row per part of each side, with what would be in the totals; a side is a word such as ``head``."""
    return Table(
        caption="Left out on request (--leave-out, --outputs)",
        columns=(Column("What"), Column("Side"), *(Column(label_of(stem), is_number=True) for stem in _STEMS)),
        rows=tuple((text_cell(part.part), text_cell(side), *_figures(part)) for side, part in parts),
        notes=("A node that fits several rows is in the first of them.",),
    )


def _figures(part: LeftOut) -> tuple[Cell, ...]:
    totals = {total.stem: total.value for total in part.totals}
    is_empty = not totals["definition_count"]
    return tuple(
        ABSENT if is_empty and stem != "definition_count" else number_cell(totals[stem], unit_of(stem))
        for stem in _STEMS
    )
