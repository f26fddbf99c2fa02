"""Why figures changed, as tables: scopes that carry a change, more or bigger ops, and the shapes behind FLOPs."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.causes.carriers import Carried, Carrier
from tfprof_report.compare.causes.flops import FlopReasons
from tfprof_report.compare.causes.movers import HEADLINE, count, largest
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.compare.delta import moved_by
from tfprof_report.formatting import format_percent, label_of, plural, unit_of
from tfprof_report.render.tables.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    delta_cell,
    name_cell,
    number_cell,
    text_cell,
)
from tfprof_report.render.tables.changes_tables import status_cell
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import Unit

WHY_TEXT = (
    "A scope's rows add up to its change; a scope whose whole change is in one child is shown as that child. "
    '"More of them" is what the additional nodes of an op type would take if each took as much as those of base on '
    'average; "each one bigger" is the rest.'
)

_PARTS = ("More of them", "Each one bigger")


def carriers_table(carried: Carried) -> Table:
    """Return the scopes that carry the change of one figure."""
    unit = unit_of(carried.stem)
    return Table(
        caption=f"{label_of(carried.stem)}: the scopes that carry the change",
        columns=(
            Column("Scope"),
            Column("Status"),
            Column("Delta", is_number=True),
            Column("Part of the change above", is_number=True),
        ),
        rows=tuple(_carrier_row(row, unit) for row in carried.rows),
        file=table_file("diff_scope"),
    )


def split_tables(rows: pa.Table, limit: int) -> tuple[Table, ...]:
    """Return a table per figure of `HEADLINE`: the op types that changed it most, each change split into two parts.

    `rows` is the comparison of op view. A figure that no op type changed has no table.
    """
    stems = [stem for stem in HEADLINE if f"more_{stem}" in rows.column_names]
    tables = (_split_table(rows, stem, limit) for stem in stems)
    return tuple(table for table in tables if table.rows)


def _split_table(rows: pa.Table, stem: str, limit: int) -> Table:
    moved, unit = moved_by(rows, stem), unit_of(stem)
    has_moved = pc.not_equal(moved, 0)
    places = largest([pc.abs(moved)], has_moved, limit + 1)
    top = rows.take(places)
    status = [RowStatus(word) for word in top["status"].to_pylist()]
    counts = (top[f"{side}_definition_count"].to_pylist() for side in ("base", "head"))
    parts = (moved.take(places), top[f"more_{stem}"], top[f"bigger_{stem}"])
    deltas, *halves = ([delta_cell(value, unit) for value in part.to_pylist()] for part in parts)
    found = zip(top["name"].to_pylist(), status, *counts, deltas, *halves, strict=True)
    return Table(
        caption=f"{label_of(stem)}: more nodes of an op type, or each one bigger",
        columns=(
            Column("Op type"),
            Column("Status"),
            *(Column(label, is_number=True) for label in ("Nodes in base", "Nodes in head", "Delta", *_PARTS)),
        ),
        rows=tuple(
            (
                name_cell(name),
                status_cell(word),
                ABSENT if word is RowStatus.NEW else _count(base),
                ABSENT if word is RowStatus.REMOVED else _count(head),
                *cells,
            )
            for name, word, base, head, *cells in found
        )[:limit],
        total=count(has_moved),
        noun="op types that changed",
        file=table_file("diff_op"),
        rest=tuple(delta.text for delta in deltas),
    )


def flops_table(reasons: FlopReasons, limit: int) -> Table:
    """Return the nodes whose FLOPs changed, and why."""
    unit = unit_of("float_ops")
    return Table(
        caption="FLOPs: what changed in a node",
        columns=(Column("Node"), Column("Delta", is_number=True), Column("What changed")),
        rows=tuple(
            (
                name_cell(row.name),
                delta_cell(row.delta, unit),
                text_cell("; ".join(row.why) or "no shape is known", "" if row.why else "unknown"),
            )
            for row in reasons.rows[:limit]
        ),
        total=reasons.count,
        noun="nodes whose FLOPs changed",
        file=table_file("diff_nodes"),
        rest=tuple(delta_cell(row.delta, unit).text for row in reasons.rows[: limit + 1]),
    )


def _carrier_row(row: Carrier, unit: Unit) -> Row:
    share = "" if row.share is None else format_percent(row.share).removeprefix("+")
    name, status = _rest(row, unit) if row.is_rest else _scope(row)
    return (name, status, delta_cell(row.delta, unit), Cell(share, key="" if row.share is None else repr(row.share)))


def _scope(row: Carrier) -> tuple[Cell, Cell]:
    status = (
        text_cell("unknown on a side", "unknown") if row.is_unknown else status_cell(row.status or RowStatus.CHANGED)
    )
    return name_cell(row.label, exact=row.name, depth=row.depth), status


def _rest(row: Carrier, unit: Unit) -> tuple[Cell, Cell]:
    """Return the cells of a row that sums up other scopes: how many, and the largest change among them."""
    if not row.others:
        return text_cell("itself")._replace(depth=row.depth), text_cell("")
    text = plural(row.others, "other")
    if row.largest is not None and row.others > 1:
        text = f"{text}, the largest {delta_cell(row.largest, unit).text}"
    return text_cell(text, "unknown")._replace(depth=row.depth), text_cell("")


def _count(value: int | None) -> Cell:
    return number_cell(value, Unit.COUNT) if value is None else text_cell(f"{value:,}")._replace(key=str(value))
