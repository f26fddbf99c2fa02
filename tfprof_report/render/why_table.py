"""Why figures changed, as tables: the scopes that carry a change, more or bigger ops, and the shapes behind FLOPs."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.carriers import Carried, Carrier
from tfprof_report.compare.flop_reasons import FlopReasons
from tfprof_report.compare.movers import HEADLINE, count, largest, moved_by
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
    text_cell,
)
from tfprof_report.render.movers_table import status_cell
from tfprof_report.units import format_percent, label_of, unit_of

WHY_TEXT = (
    "A scope's rows add up to its change; a scope all of whose change is in one child is shown as that child. "
    "Of an op type, more of them is what its additional nodes would take if each took as much as those of base on "
    "average; each one bigger is the rest."
)

_PARTS = {"moved": "Delta", "more": "More of them", "bigger": "Each one bigger"}


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
        file="diff_scope.parquet",
    )


def split_table(rows: pa.Table, limit: int) -> Table | None:
    """Return the op types that changed, with the two parts of each change; None where none changed.

    `rows` are the differences of op view.
    """
    stems = [stem for stem in HEADLINE if f"more_{stem}" in rows.column_names]
    moved = {stem: moved_by(rows, stem) for stem in stems}
    stems = [stem for stem in stems if count(pc.not_equal(moved[stem], 0))]
    if not stems:
        return None
    ranks = [pc.abs(moved[stem]) for stem in stems]
    has_moved = pc.fill_null(pc.greater(ranks[0], 0), fill_value=False)
    for rank in ranks[1:]:
        has_moved = pc.or_(has_moved, pc.fill_null(pc.greater(rank, 0), fill_value=False))
    places = largest(ranks, has_moved, limit + 1)
    top = rows.take(places)
    names, status = top["name"].to_pylist(), [RowStatus(word) for word in top["status"].to_pylist()]
    counts = [top[f"{side}_definition_count"].to_pylist() for side in ("base", "head")]
    figures = []
    for stem in stems:
        parts = (moved[stem].take(places), *(top[f"{part}_{stem}"] for part in ("more", "bigger")))
        figures += [[delta_cell(value, unit_of(stem)) for value in part.to_pylist()] for part in parts]
    cells = zip(names, status, *counts, zip(*figures, strict=True), strict=True)
    return Table(
        caption="Op types: more of them, or each one bigger",
        columns=(
            Column("Op type"),
            Column("Status"),
            Column("Base", "Nodes", is_number=True),
            Column("Head", "Nodes", is_number=True),
            *(Column(label, label_of(stem), is_number=True) for stem in stems for label in _PARTS.values()),
        ),
        rows=tuple(
            (
                name_cell(name),
                status_cell(word),
                ABSENT if word is RowStatus.NEW else _count(base),
                ABSENT if word is RowStatus.REMOVED else _count(head),
                *parts,
            )
            for name, word, base, head, parts in cells
        )[:limit],
        total=count(has_moved),
        noun="op types that changed",
        file="diff_op.parquet",
        rest=tuple(_largest(stems, row) for row in zip(*figures, strict=True)),
    )


def flops_table(reasons: FlopReasons, limit: int) -> Table:
    """Return the nodes whose FLOPs changed, with what is behind it."""
    unit = unit_of("float_ops")
    return Table(
        caption="FLOPs: what changed in a node",
        columns=(Column("Node"), Column("Delta", is_number=True), Column("What changed")),
        rows=tuple(
            (
                name_cell(row.name),
                delta_cell(row.delta, unit),
                text_cell("; ".join(row.why) or "no shape that is known", "" if row.why else "unknown"),
            )
            for row in reasons.rows[:limit]
        ),
        total=reasons.count,
        noun="nodes whose FLOPs changed",
        file="diff_nodes.parquet",
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
    """Return what a rest stands for; the largest change in it says how much it folds."""
    if not row.others:
        return text_cell("itself")._replace(depth=row.depth), text_cell("")
    text = count_of(row.others, "other")
    if row.largest is not None and row.others > 1:
        text = f"{text}, at most {delta_cell(row.largest, unit).text} each"
    return text_cell(text, "unknown")._replace(depth=row.depth), text_cell("")


def _largest(stems: Sequence[str], figures: Sequence[Cell]) -> str:
    """Return the first figure that an op type changed: rows are ranked by it."""
    deltas = zip(stems, figures[:: len(_PARTS)], strict=True)
    return next((f"{label_of(stem)} {cell.text}" for stem, cell in deltas if cell.key not in ("", "0")), "")


def _count(value: int | None) -> Cell:
    return number_cell(value, Unit.COUNT) if value is None else text_cell(f"{value:,}")._replace(key=str(value))
