"""The figures of several reports, each with its difference to the first one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

from tfprof_report.compare.gates.reference import PastTotal
from tfprof_report.formatting import percent_of
from tfprof_report.record import record
from tfprof_report.schema.index_columns import FIGURES
from tfprof_report.side_by_side.counted_otherwise import Otherwise
from tfprof_report.side_by_side.report_column import Column


class Standing(StrEnum):
    """How a figure of a report stands to that of the first one."""

    FIRST = "first"  # it is the first one's
    COMPARED = "compared"
    OTHERWISE = "counted otherwise"
    UNKNOWN = "unknown"
    LOWER_BOUND = "lower bound"
    FIRST_UNKNOWN = "unknown in the first"
    FIRST_LOWER_BOUND = "lower bound in the first"


@record
class Figure:
    """A figure of one column: its total, and the difference to the first column.

    `delta` is None unless the two are `Standing.COMPARED`; `percent` is None then, too, if the first is 0 and this is
    not.
    """

    total: PastTotal
    standing: Standing
    delta: Fraction | None = None
    percent: float | None = None


@record
class FigureRow:
    """A figure of all columns, in their order."""

    stem: str
    figures: tuple[Figure, ...]


def compare_figures(columns: Sequence[Column], otherwise: Sequence[Sequence[Otherwise]]) -> tuple[FigureRow, ...]:
    """Return the figures that any column knows, at least in part.

    otherwise : for each column, in what it is counted otherwise than the first
    """
    first = columns[0]
    return tuple(
        FigureRow(
            stem=stem,
            figures=tuple(
                compare(
                    first.totals[stem],
                    column.totals[stem],
                    is_first=column is first,
                    is_apart=any(stem in each.stems for each in apart),
                )
                for column, apart in zip(columns, otherwise, strict=True)
            ),
        )
        for stem in FIGURES
        if any(column.totals[stem].value is not None for column in columns)
    )


def compare(first: PastTotal, total: PastTotal, *, is_first: bool, is_apart: bool) -> Figure:
    """Return a figure with its difference to that of the first column.

    is_apart : the two are counted in different ways
    """
    standing = _standing(first, total, is_first=is_first, is_apart=is_apart)
    if standing is not Standing.COMPARED or first.value is None or total.value is None:
        return Figure(total=total, standing=standing)
    percent = percent_of(first.value, total.value)
    return Figure(total=total, standing=standing, delta=total.value - first.value, percent=percent)


def _standing(first: PastTotal, total: PastTotal, *, is_first: bool, is_apart: bool) -> Standing:
    cases = (
        (is_first, Standing.FIRST),
        (total.value is None, Standing.UNKNOWN),
        (is_apart, Standing.OTHERWISE),
        (total.unknown > 0, Standing.LOWER_BOUND),
        (first.value is None, Standing.FIRST_UNKNOWN),
        (first.unknown > 0, Standing.FIRST_LOWER_BOUND),
    )
    return next((standing for applies, standing in cases if applies), Standing.COMPARED)
