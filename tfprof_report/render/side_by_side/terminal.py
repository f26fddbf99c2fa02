"""Reports side by side as a short table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof_report.errors import one_line
from tfprof_report.formatting import label_of, shorten
from tfprof_report.render.side_by_side.content import SideBySideContent
from tfprof_report.schema.metrics import DEVICE_PEAK, ESTIMATED_PEAK, WALL
from tfprof_report.side_by_side.build import SideBySide

SHOWN = ("float_ops", "params", DEVICE_PEAK, ESTIMATED_PEAK, WALL)
"""The figures of the table, as far as any report has them."""

_NAME_LIMIT = 40


def terminal_lines(result: SideBySide, content: SideBySideContent) -> Iterator[str]:
    """Yield a line for each report, with a few figures and their differences, then the outcome and what to know."""
    places = [place for place, row in enumerate(result.rows) if row.stem in SHOWN]
    head = ["model", *(label_of(result.rows[place].stem) for place in places), "on the front"]
    rows = [
        [
            shorten(one_line(column.name), _NAME_LIMIT),
            *(_cell(content, place, number) for place in places),
            "yes" if result.fronts.whole.places[number].is_on else "no",
        ]
        for number, column in enumerate(result.columns)
    ]
    widths = [max(map(len, cells)) for cells in zip(head, *rows, strict=True)]
    for cells in (head, *rows):
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        yield "  ".join(padded).rstrip()
    yield from content.said
    yield f"{content.status.text}: {content.answer}: {content.reason}"


def _cell(content: SideBySideContent, place: int, number: int) -> str:
    cell = content.figures[place].cells[number]
    return f"{cell.value.text} ({cell.percent.text})" if cell.percent else cell.value.text
