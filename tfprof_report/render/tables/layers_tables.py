"""Layers as tables: those of one side, alike ones as one row, and those that changed between two sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.causes.cause_kinds import sizes
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.compare.delta import moved_by
from tfprof_report.formatting import UNKNOWN, format_percent, in_a_sentence, label_of, plural, unit_of
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
    visible,
)
from tfprof_report.render.tables.changes_tables import status_cell
from tfprof_report.render.tables.folded_layers import FoldedLayers, LayerGroup
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import DEVICE_PEAK, Number

LAYERS_TEXT = (
    "A layer has its variables, its forward nodes, their gradients, and the part of the optimizer that updates its "
    "variables."
)

ALIKE_TEXT = (
    "Layers with the same op, shapes and figures, whose names differ in numbers only, are one row; so are blocks of "
    "layers that repeat as a whole."
)

_OF_OP = ("op", "weights", "op_input_shapes")

IN_NO_LAYER = "in no layer"


def label_of_layer(stem: str) -> str:
    """Return the header of a figure of layers; the peak of the device is the part of it that a layer holds."""
    return "Memory at the peak" if stem == DEVICE_PEAK else label_of(stem)


def layers_table(found: FoldedLayers, limit: int, stem: str = "") -> Table:
    """Return layers as a table, those with the most of the figure `stem` first; by default all, the most FLOPs first.

    With `stem`, that figure is the first one, with its share, and groups that have nothing of it are left out.
    """
    first = stem or next((each for each in ("float_ops", *found.stems) if each in found.stems), "float_ops")
    stems = sorted(found.stems, key=lambda each: each != first) if stem else found.stems
    whole = found.totals.get(first, 0) if stem or first == "float_ops" else 0
    groups = found.takers(stem) if stem else found.ranked(first)
    has_code = any(group.main["code_line"] for group in groups)
    share = (Column(f"Share of {in_a_sentence(label_of_layer(first))}", is_number=True),) if whole else ()
    figures = [Column(label_of_layer(each), is_number=True) for each in stems]
    columns = (
        Column("Layer"),
        *((figures[0], *share, *figures[1:]) if stem else (*figures, *share)),
        Column("Most of it"),
        *((Column("Code"),) if has_code else ()),
    )

    def row_of(group: LayerGroup) -> Row:
        cells = [_figure(group, each) for each in stems]
        part = (_share(group, first, whole),) if whole else ()
        line = group.main["code_line"]
        return (
            _name(group),
            *((cells[0], *part, *cells[1:]) if stem else (*cells, *part)),
            text_cell(_main_op(group.main)),
            *((name_cell(line) if line else ABSENT,) if has_code else ()),
        )

    file = table_file("layers")
    return Table(
        caption=f"Layers by {in_a_sentence(label_of_layer(stem))}" if stem else "Layers",
        columns=columns,
        rows=tuple(map(row_of, groups[:limit])),
        total=len(groups),
        noun="kinds of layers",
        file=file,
        notes=(f"{plural(found.left_out, 'layer')} with less of each figure only in {file}.",)
        if found.left_out
        else (),
    )


def _name(group: LayerGroup) -> Cell:
    first, last = group.names[0], group.names[-1]
    if first is None or last is None:
        return text_cell(IN_NO_LAYER)
    cell, count = name_cell(first), len(group.names)
    if count == 1:
        return cell
    text = f"{cell.text} \N{HORIZONTAL ELLIPSIS} {name_cell(last).text} x {count:,}"
    others = visible(", ".join(name for name in group.names if name is not None))
    return cell._replace(text=text if group.counts_on else f"{cell.text} and {count - 1:,} alike", exact=others)


def _figure(group: LayerGroup, stem: str) -> Cell:
    return total_cell(group.total(stem), unit_of(stem), group.unknown(stem))


def _share(group: LayerGroup, stem: str, whole: Number) -> Cell:
    value = group.total(stem)
    if value is None:
        return text_cell(UNKNOWN, "unknown")
    share = 100 * value / whole
    return text_cell(format_percent(share).removeprefix("+"))._replace(key=str(share))


def _main_op(row: Mapping[str, Any]) -> str:
    """Return the op with the most FLOPs, its variable of the most dimensions, and the shape that it works on."""
    if not row["op"]:
        return ""
    weights = max((shape for shape in row["weights"] or () if shape), key=len, default=None)
    given = next((shape for shape in row["op_input_shapes"] or () if shape), None)
    words = [row["op"], *([sizes(weights)] if weights else []), *([f"on {sizes(given)}"] if given else [])]
    return " ".join(words)


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
