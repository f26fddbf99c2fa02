"""The nodes that grew and those that shrank, as tables; what is folded is counted, with its largest change."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tfprof_report.compare.movers import Mover, Movers
from tfprof_report.compare.result import RowStatus
from tfprof_report.model.schema import Unit
from tfprof_report.render.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    count_of,
    delta_cell,
    name_cell,
    number_cell,
    percent_cell,
    shorten,
    text_cell,
    visible,
)
from tfprof_report.units import label_of, unit_of

ARROW = " \N{RIGHTWARDS ARROW} "
_FILE = "diff_nodes.parquet"
_NAME_LIMIT = 120
"""Characters of a name within a sentence."""


def grown_table(movers: Movers, limit: int) -> Table | None:
    """Return the nodes whose figure grew most, None where no node's did."""
    return _table(movers, movers.grown, movers.grown_count, limit, "grew") if movers.grown else None


def shrunk_table(movers: Movers, limit: int) -> Table | None:
    """Return the nodes whose figure shrank most, None where no node's did."""
    return _table(movers, movers.shrunk, movers.shrunk_count, limit, "shrank") if movers.shrunk else None


def fold_notes(movers: Movers, threshold: Fraction) -> tuple[str, ...]:
    """Return what no table of nodes shows: changes below the threshold, and figures known on one side only."""
    label, notes = label_of(movers.stem), []
    if movers.largest_folded:
        name = shorten(visible(movers.largest_folded.name), _NAME_LIMIT)
        largest = delta_cell(movers.largest_folded.delta, unit_of(movers.stem)).text
        nodes = count_of(movers.folded_count, "node")
        notes.append(
            f"{label}: {nodes} changed by less than {percent_text(threshold)} of base's total each, "
            f"the largest {largest} ({name}); {_FILE} has them."
        )
    if movers.blurred_count:
        nodes = count_of(movers.blurred_count, "node")
        notes.append(f"{label}: changed between known and unknown, so without a difference: {nodes}.")
    return tuple(notes)


def percent_text(threshold: Fraction) -> str:
    """Return a threshold as people write it: ``0.1 %``."""
    return f"{float(threshold):g} %"


def _table(movers: Movers, rows: Sequence[Mover], count: int, limit: int, verb: str) -> Table:
    unit = unit_of(movers.stem)
    return Table(
        caption=f"{label_of(movers.stem)}: nodes that {verb} most",
        columns=(
            Column("Node"),
            Column("Op"),
            Column("Status"),
            *(Column(label, is_number=True) for label in ("Base", "Head", "Delta", "Change")),
        ),
        rows=tuple(_row(row, unit) for row in rows[:limit]),
        total=count,
        noun=f"nodes that {verb}",
        file=_FILE,
        rest=tuple(delta_cell(row.delta, unit).text for row in rows[: limit + 1]),
    )


def _row(row: Mover, unit: Unit) -> Row:
    ops = dict.fromkeys(op for op in (row.base_op, row.head_op) if op is not None)
    return (
        name_cell(row.name),
        name_cell(ARROW.join(ops)),
        status_cell(row.status),
        ABSENT if row.status is RowStatus.NEW else number_cell(row.base, unit),
        ABSENT if row.status is RowStatus.REMOVED else number_cell(row.head, unit),
        delta_cell(row.delta, unit),
        ABSENT if row.state is None else percent_cell(row.percent, row.state),
    )


def status_cell(status: RowStatus) -> Cell:
    """Return what happened to a row, marked where only one side has it."""
    return text_cell(status, status if status in (RowStatus.NEW, RowStatus.REMOVED) else "")
