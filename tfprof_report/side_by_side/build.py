"""Puts reports side by side: everything that renderers lay out, and the outcome."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof_report.errors import ExitCode
from tfprof_report.record import record
from tfprof_report.side_by_side.counted_otherwise import Otherwise, counted_otherwise
from tfprof_report.side_by_side.differences import FigureRow, Standing, compare_figures
from tfprof_report.side_by_side.front import Fronts, find_fronts
from tfprof_report.side_by_side.layers import Layers, compare_layers
from tfprof_report.side_by_side.report_column import Column

NODES = "definition_count"


@record
class SideBySide:
    """Several reports side by side, the first of which the others are compared with.

    otherwise : for each column, in what it is counted otherwise than the first
    same_as : for each column, the number of an earlier one with the same input files; None if there is none
    """

    tool_version: str
    timestamp: str
    columns: tuple[Column, ...]
    otherwise: tuple[tuple[Otherwise, ...], ...]
    same_as: tuple[int | None, ...]
    rows: tuple[FigureRow, ...]
    fronts: Fronts
    layers: Layers

    @property
    def compared(self) -> tuple[int | None, ...]:
        """For each column, how many figures have a difference to the first; None for the first."""
        counts = [
            sum(row.figures[place].standing is Standing.COMPARED for row in self.rows)
            for place in range(len(self.columns))
        ]
        return (None, *counts[1:])

    @property
    def empty(self) -> tuple[int, ...]:
        """The columns whose reports have no nodes: nothing about them is known."""
        return tuple(place for place, column in enumerate(self.columns) if not column.totals[NODES].value)

    @property
    def is_conclusive(self) -> bool:
        """Whether each column has a figure that is compared, and no report is empty."""
        return all(count != 0 for count in self.compared) and not self.empty

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command: nothing compared is never a success."""
        return ExitCode.OK if self.is_conclusive else ExitCode.INCONCLUSIVE


def put_side_by_side(columns: Sequence[Column], *, tool_version: str, timestamp: str) -> SideBySide:
    """Return two or more reports side by side."""
    otherwise = tuple(counted_otherwise(columns[0].row, column.row) for column in columns)
    return SideBySide(
        tool_version=tool_version,
        timestamp=timestamp,
        columns=tuple(columns),
        otherwise=otherwise,
        same_as=_same_as(columns),
        rows=compare_figures(columns, otherwise),
        fronts=find_fronts(columns, otherwise),
        layers=compare_layers(columns, otherwise),
    )


def _same_as(columns: Sequence[Column]) -> tuple[int | None, ...]:
    """Return for each column the first one before it with the same input files."""
    seen: dict[str, int] = {}
    found: list[int | None] = []
    for place, column in enumerate(columns):
        digest = column.row["inputs"]
        found.append(seen.get(digest) if digest else None)
        seen.setdefault(digest, place)
    return tuple(found)
