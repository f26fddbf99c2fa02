"""Layers as tables: those of one side, alike ones as one row, and those that changed between two sides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.causes.cause_kinds import sizes
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.compare.delta import moved_by
from tfprof_report.formatting import format_percent, label_of, unit_of
from tfprof_report.render.tables.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    delta_cell,
    name_cell,
    text_cell,
    total_cell,
)
from tfprof_report.render.tables.changes_tables import status_cell
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import SUMMED_STEMS, Number

LAYERS_TEXT = (
    "A layer has its variables, its forward nodes, their gradients, and the part of the optimizer that updates its "
    "variables."
)

ALIKE_TEXT = "Layers with the same op, shapes and figures, whose names differ in numbers only, are one row."

_FIGURES = ("float_ops", "trainable_params", "bytes", "micros")
_OF_OP = ("op", "weights", "op_input_shapes")

_MOST = 20_000
"""Most layers that are looked at; more are only in the file."""

IN_NO_LAYER = "in no layer"


def layers_table(layers: pa.Table, limit: int) -> Table | None:
    """Return the layers of one side, the one with the most FLOPs first; alike ones are one row. None without any."""
    if not layers.num_rows:
        return None
    stems = [
        stem
        for stem in _FIGURES
        if layers[stem].null_count < layers.num_rows and pc.any(pc.not_equal(layers[stem], 0)).as_py()
    ]
    whole = pc.sum(layers["float_ops"]).as_py() or 0
    groups = _groups(layers.slice(0, _MOST).to_pylist())
    has_code = any(row["code_line"] for rows in groups for row in rows)
    columns = (
        Column("Layer"),
        *(Column(label_of(stem), is_number=True) for stem in stems),
        *((Column("Share of FLOPs", is_number=True),) if whole else ()),
        Column("Most of it"),
        *((Column("Code"),) if has_code else ()),
    )
    rows = tuple(
        (
            _name(group),
            *(_figure(group, stem) for stem in stems),
            *((_share(group, whole),) if whole else ()),
            text_cell(_main_op(group[0])),
            *((name_cell(group[0]["code_line"]) if group[0]["code_line"] else ABSENT,) if has_code else ()),
        )
        for group in groups[:limit]
    )
    file = table_file("layers")
    return Table(caption="Layers", columns=columns, rows=rows, total=len(groups), noun="kinds of layers", file=file)


def _groups(rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return layers that are alike together, those with the most FLOPs and parameters first."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        found[row["alike"]].append(row)
    return sorted(found.values(), key=lambda group: tuple(-_sum(group, stem) for stem in ("float_ops", "params")))


def _sum(group: Iterable[dict[str, Any]], stem: str) -> Number:
    total: Number = sum(row[stem] or 0 for row in group)
    return total


def _name(group: Sequence[dict[str, Any]]) -> Cell:
    name = group[0]["layer"]
    if name is None:
        return text_cell(IN_NO_LAYER)
    cell = name_cell(name)
    if len(group) == 1:
        return cell
    others = ", ".join(row["layer"] for row in group)
    return cell._replace(text=f"{cell.text} and {len(group) - 1:,} alike", exact=others)


def _figure(group: Sequence[dict[str, Any]], stem: str) -> Cell:
    unknown = sum(row[f"unknown_{stem}"] or 0 for row in group) if stem in SUMMED_STEMS else 0
    value = None if all(row[stem] is None for row in group) else _sum(group, stem)
    return total_cell(value, unit_of(stem), unknown)


def _share(group: Sequence[dict[str, Any]], whole: Number) -> Cell:
    share = 100 * _sum(group, "float_ops") / whole
    return text_cell(format_percent(share).removeprefix("+"))._replace(key=str(share))


def _main_op(row: dict[str, Any]) -> str:
    """Return the op with the most FLOPs, its variable of the most dimensions, and the shape that it works on."""
    if not row["op"]:
        return ""
    weights = max((shape for shape in row["weights"] or () if shape), key=len, default=None)
    given = next((shape for shape in row["op_input_shapes"] or () if shape), None)
    words = [row["op"], *([sizes(weights)] if weights else []), *([f"on {_sizes(given)}"] if given else [])]
    return " ".join(words)


def _sizes(shape: Sequence[int]) -> str:
    return "x".join("?" if size < 0 else str(size) for size in shape)


def changed_layers_table(layers: pa.Table, limit: int) -> Table | None:
    """Return the layers of either side that changed, the largest change of FLOPs, then of parameters, first."""
    moved = {stem: moved_by(layers, stem) for stem in ("float_ops", "params") if layers.num_rows}
    if not moved:
        return None
    changed = pc.invert(pc.is_in(layers["status"].cast(pa.string()), value_set=pa.array([RowStatus.UNCHANGED])))
    keys = {stem: pc.fill_null(pc.abs(column), 0) for stem, column in moved.items()}
    order = pc.sort_indices(
        pa.table({**keys, "row": pa.array(range(layers.num_rows))}),
        sort_keys=[*((stem, "descending") for stem in keys), ("row", "ascending")],
    )
    chosen = order.filter(changed.take(order))
    rows = layers.take(chosen.slice(0, limit)).to_pylist()
    parts = {stem: column.take(chosen.slice(0, limit)).to_pylist() for stem, column in moved.items()}
    return Table(
        caption="Layers that changed",
        columns=(
            Column("Layer"),
            Column("Status"),
            *(
                Column(part, group=label_of(stem), is_number=True)
                for stem in moved
                for part in ("Base", "Head", "Delta")
            ),
            Column("Most of it in base"),
            Column("Most of it in head"),
        ),
        rows=tuple(
            _changed_row(row, {stem: values[place] for stem, values in parts.items()}) for place, row in enumerate(rows)
        ),
        total=len(chosen),
        noun="layers",
        file=table_file("diff_layers"),
    )


def _changed_row(row: dict[str, Any], parts: dict[str, Number | None]) -> Row:
    name = row["layer"] or row["base_layer"]
    figures = [
        cell
        for stem, part in parts.items()
        for cell in (
            *(
                total_cell(row[f"{side}_{stem}"], unit_of(stem), row[f"{side}_unknown_{stem}"])
                if row["status"] != missing
                else ABSENT
                for side, missing in (("base", RowStatus.NEW), ("head", RowStatus.REMOVED))
            ),
            delta_cell(part, unit_of(stem)),
        )
    ]
    ops = [_main_op({key: row[f"{side}_{key}"] for key in _OF_OP}) for side in ("base", "head")]
    return (
        name_cell(name) if name else text_cell(IN_NO_LAYER),
        status_cell(RowStatus(row["status"])),
        *figures,
        *map(text_cell, ops),
    )
