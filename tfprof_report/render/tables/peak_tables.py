"""What a device holds at its peak as tables: totals by kind, then the nodes that hold the most."""

from __future__ import annotations

from tfprof_report.compare.comparison import RowStatus
from tfprof_report.formatting import format_number, format_percent
from tfprof_report.model.parts.peak_kinds import RULES
from tfprof_report.render.tables.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    delta_cell,
    name_cell,
    number_cell,
    percent_cell,
    sort_key,
    text_cell,
    visible,
)
from tfprof_report.render.tables.changes_tables import change_key, status_cell
from tfprof_report.report.at_peak import AtPeak, Held
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import Unit

PEAK_TEXT = (
    "A buffer counts for the node that allocated it, also where a later node takes it over. What was allocated before "
    "the step, mostly parameters and their optimizer's state, has no record."
)


def peak_words(found: AtPeak) -> str:
    """Return which peak this is, in a sentence."""
    peak = format_number(found.peak, Unit.BYTES)
    after = "" if found.micros is None else f", {format_number(found.micros, Unit.MICROS)} after its first allocation"
    return f"The highest peak: {peak} on {visible(found.device)} in step {found.step}{after}."


def kinds_table(found: AtPeak) -> Table:
    """Return the bytes of each kind; with a base, of both sides, the largest change first. Notes define the kinds."""
    kinds = sorted(found.kinds, key=lambda held: change_key(held.base, held.head)) if found.is_compared else found.kinds
    return Table(
        caption="What holds the memory at the peak",
        columns=(Column("Kind"), *_columns(found)),
        rows=tuple((text_cell(str(held.kind)), *_figures(held, found)) for held in kinds),
        notes=tuple(f"{held.kind.capitalize()}: {RULES[held.kind]}." for held in kinds),
    )


def holders_table(found: AtPeak, limit: int) -> Table | None:
    """Return the nodes that hold the most; None if none is known to hold any."""
    if not found.holders:
        return None
    return Table(
        caption=f"Nodes at the peak, {'largest changes' if found.is_compared else 'largest'} first",
        columns=(
            Column("Node"),
            Column("Kind"),
            *((Column("Status"),) if found.is_compared else ()),
            *_columns(found),
        ),
        rows=tuple(
            (
                name_cell(held.name),
                text_cell(str(held.kind)),
                *((status_cell(held.status),) if held.status else ()),
                *_figures(held, found),
            )
            for held in found.holders[:limit]
        ),
        total=found.holder_count,
        noun="nodes and kinds",
        file=table_file("diff_peak" if found.is_compared else "peak"),
    )


def held_layers_table(found: AtPeak, limit: int) -> Table | None:
    """Return the layers whose nodes hold the most; None without layers."""
    if not any(layer.name for layer in found.layers):
        return None
    rows = tuple(
        (
            name_cell(layer.name) if layer.name else text_cell("in no layer"),
            *(
                (
                    number_cell(layer.base, Unit.BYTES),
                    number_cell(layer.head, Unit.BYTES),
                    delta_cell(layer.head - (layer.base or 0), Unit.BYTES),
                )
                if found.is_compared
                else (number_cell(layer.head, Unit.BYTES), _share(layer.head, found.peak))
            ),
        )
        for layer in found.layers
        if layer.base or layer.head
    )
    return Table(
        caption=f"Layers at the peak, {'largest changes' if found.is_compared else 'largest'} first",
        columns=(Column("Layer"), *(column for column in _columns(found) if column.label != "Change")),
        rows=rows[:limit],
        total=len(rows),
        noun="layers",
        file=table_file("peak"),
    )


def _columns(found: AtPeak) -> tuple[Column, ...]:
    labels = ("Base", "Head", "Delta", "Change") if found.is_compared else ("Held", "Share of the peak")
    return tuple(Column(label, is_number=True) for label in labels)


def _figures(held: Held, found: AtPeak) -> Row:
    if not found.is_compared:
        return number_cell(held.head, Unit.BYTES), _share(held.head, found.peak)
    return (
        ABSENT if held.status is RowStatus.NEW else number_cell(held.base, Unit.BYTES),
        ABSENT if held.status is RowStatus.REMOVED else number_cell(held.head, Unit.BYTES),
        delta_cell(held.delta, Unit.BYTES),
        ABSENT if held.state is None else percent_cell(held.percent, held.state),
    )


def _share(part: int | None, whole: int) -> Cell:
    if part is None or not whole:
        return ABSENT
    share = 100 * part / whole
    return Cell(format_percent(share).removeprefix("+"), sort_key(share))
