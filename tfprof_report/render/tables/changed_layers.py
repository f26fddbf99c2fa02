"""The layers that changed between two sides as a table, alike changes as one row that opens to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.comparison import RowStatus
from tfprof_report.compare.delta import moved_by
from tfprof_report.formatting import label_of, unit_of
from tfprof_report.render.tables.cells import ABSENT, Column, Row, Table, delta_cell, text_cell, total_cell
from tfprof_report.render.tables.changes_tables import status_cell
from tfprof_report.render.tables.folded_layers import fold_names
from tfprof_report.render.tables.layers_tables import (
    MOST_MEMBERS,
    NOTHING,
    OF_OP,
    cut_members,
    main_op,
    name_of_layers,
)
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import Number

_STEMS = ("float_ops", "params")

_SIDES = {"base": RowStatus.NEW, "head": RowStatus.REMOVED}
"""Both sides, each with the status of a layer that it lacks."""

_MOST = 2000
"""Most layers that are folded, those with the largest changes; the others are only in the file."""

_Part = tuple[str | None, tuple[Mapping[str, Any], ...]]
"""A layer or a block by its name, and its layers with columns of diff_layers.parquet and ``moved_X``."""


def changed_layers_table(layers: pa.Table, limit: int) -> Table | None:
    """Return the layers of either side that changed, the largest change of FLOPs, then of parameters, first.

    Layers and blocks with the same change are one row, as in `fold_layers`.
    """
    if not layers.num_rows:
        return None
    moved = {f"moved_{stem}": moved_by(layers, stem) for stem in _STEMS}
    for name, column in moved.items():
        layers = layers.append_column(name, column)
    changed = layers.filter(pc.not_equal(layers["status"].cast(pa.string()), RowStatus.UNCHANGED))
    order = pc.sort_indices(
        pa.table({**{name: pc.fill_null(pc.abs(changed[name]), 0) for name in moved}, "row": range(changed.num_rows)}),
        sort_keys=[*((name, "descending") for name in moved), ("row", "ascending")],
    )
    rows = changed.take(order.slice(0, _MOST)).to_pylist()
    groups = sorted(_groups(rows), key=lambda parts: [-abs(_moved(_all(parts), stem) or 0) for stem in _STEMS])
    file, columns = table_file("diff_layers"), _columns()
    more = changed.num_rows - len(rows)
    return Table(
        caption="Layers that changed",
        columns=columns,
        rows=tuple(_row([name for name, _ in parts], _all(parts)) for parts in groups[:limit]),
        members=tuple(_members(parts, len(columns), file) for parts in groups[:limit]),
        total=len(groups),
        noun="kinds of changed layers" if any(len(_all(parts)) > 1 for parts in groups) else "layers",
        file=file,
        notes=(f"{more:,} more layers with smaller changes only in {file}.",) if more else (),
    )


def _columns() -> tuple[Column, ...]:
    return (
        Column("Layer"),
        Column("Status"),
        *(Column(part, group=label_of(stem), is_number=True) for stem in _STEMS for part in ("Base", "Head", "Delta")),
        Column("Most of it in base"),
        Column("Most of it in head"),
    )


def _groups(rows: Sequence[Mapping[str, Any]]) -> list[list[_Part]]:
    """Return groups of layers, or of blocks of layers, that changed alike."""
    facts = ["status", *(f"{part}_{stem}" for stem in _STEMS for part in ("base", "head", "moved"))]
    facts += [f"{side}_{fact}" for side in _SIDES for fact in OF_OP]
    forms = [repr([row[fact] for fact in facts]) for row in rows]
    groups = fold_names([row["layer"] or row["base_layer"] for row in rows], forms)
    return [[(name, tuple(rows[place] for place in places)) for name, places in parts.items()] for parts in groups]


def _all(parts: Sequence[_Part]) -> list[Mapping[str, Any]]:
    return [row for _, rows in parts for row in rows]


def _members(parts: Sequence[_Part], width: int, file: str) -> tuple[Row, ...]:
    """Return the rows that a row opens to: its layers or blocks, of a single block its layers."""
    is_alike = len(parts) > 1
    found = list(parts) if is_alike else [(row["layer"] or row["base_layer"], (row,)) for row in _all(parts)]
    if len(found) == 1:
        return ()
    shown = tuple(_row([name], rows, is_alike=is_alike) for name, rows in found[:MOST_MEMBERS])
    return cut_members(shown, len(found), width, file)


def _moved(rows: Sequence[Mapping[str, Any]], stem: str) -> Number | None:
    """Return by how much layers changed together; None if that of one is not known."""
    moved = [row[f"moved_{stem}"] for row in rows]
    return None if None in moved else sum(moved)


def _row(names: Sequence[str | None], rows: Sequence[Mapping[str, Any]], *, is_alike: bool = False) -> Row:
    statuses = {row["status"] for row in rows}
    status = RowStatus(statuses.pop()) if len(statuses) == 1 else RowStatus.CHANGED
    figures = [
        cell
        for stem in _STEMS
        for cell in (
            *(ABSENT if status == lacks else _figure(rows, side, stem) for side, lacks in _SIDES.items()),
            delta_cell(_moved(rows, stem), unit_of(stem)),
        )
    ]
    main = max(rows, key=lambda row: max(row["head_float_ops"] or 0, row["base_float_ops"] or 0))
    ops = [text_cell(main_op({fact: main[f"{side}_{fact}"] for fact in OF_OP})) for side in _SIDES]
    return (name_of_layers(names), status_cell(status), *figures, *([NOTHING] * len(ops) if is_alike else ops))


def _figure(rows: Sequence[Mapping[str, Any]], side: str, stem: str) -> Any:
    known = [row[f"{side}_{stem}"] for row in rows if row[f"{side}_{stem}"] is not None]
    unknown = sum(row[f"{side}_unknown_{stem}"] or 0 for row in rows)
    return total_cell(sum(known) if known else None, unit_of(stem), unknown)
