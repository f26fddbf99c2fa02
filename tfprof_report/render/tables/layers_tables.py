"""Layers as tables: those of one side, alike ones as one row, and those that changed between two sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfprof_report.compare.causes.cause_kinds import sizes
from tfprof_report.formatting import UNKNOWN, format_percent, in_a_sentence, label_of, plural, unit_of
from tfprof_report.render.tables.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    name_cell,
    text_cell,
    total_cell,
    visible,
)
from tfprof_report.render.tables.folded_layers import FoldedLayers, LayerGroup, counts_on
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

OF_OP = ("op", "weights", "op_input_shapes")

IN_NO_LAYER = "in no layer"

MOST_MEMBERS = 50
"""Most layers or blocks that a row opens to."""

NOTHING = text_cell("")
"""The cell of a member that is alike in what the row above says."""


def label_of_layer(stem: str) -> str:
    """Return the header of a figure of layers; the peak of the device is the part of it that a layer holds."""
    return "Memory at the peak" if stem == DEVICE_PEAK else label_of(stem)


def layers_table(found: FoldedLayers, limit: int, stem: str = "", most_members: int = MOST_MEMBERS) -> Table:
    """Return layers as a table, those with the most of the figure `stem` first; by default all, the most FLOPs first.

    With `stem`, that figure is the first one, with its share, and groups that have nothing of it are left out. A row of
    several layers opens to at most `most_members` of them.
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

    def row_of(group: LayerGroup, *, is_alike: bool = False) -> Row:
        cells = [_figure(group, each) for each in stems]
        part = (_share(group, first, whole),) if whole else ()
        line = group.main["code_line"]
        return (
            name_of_layers(group.names),
            *((cells[0], *part, *cells[1:]) if stem else (*cells, *part)),
            NOTHING if is_alike else text_cell(main_op(group.main)),
            *((NOTHING if is_alike else name_cell(line) if line else ABSENT,) if has_code else ()),
        )

    def members_of(group: LayerGroup) -> tuple[Row, ...]:
        members = group.members(first)
        shown = tuple(row_of(member, is_alike=group.is_alike) for member in members[:most_members])
        return cut_members(shown, len(members), len(columns), file)

    file = table_file("layers")
    return Table(
        caption=f"Layers by {in_a_sentence(label_of_layer(stem))}" if stem else "Layers",
        columns=columns,
        rows=tuple(map(row_of, groups[:limit])),
        members=tuple(map(members_of, groups[:limit])),
        total=len(groups),
        noun="kinds of layers",
        file=file,
        notes=(f"{plural(found.left_out, 'layer')} with less of each figure only in {file}.",)
        if found.left_out
        else (),
    )


def cut_members(shown: tuple[Row, ...], count: int, width: int, file: str) -> tuple[Row, ...]:
    """Return the rows that a row opens to, with a last one that says how many of `count` are left out."""
    more = count - len(shown)
    return (*shown, (text_cell(f"{more:,} more in {file}"), *(NOTHING,) * (width - 1))) if more else shown


def name_of_layers(names: Sequence[str | None]) -> Cell:
    """Return the name of layers or blocks in one row: the first and the last where they count on."""
    first, last = names[0], names[-1]
    if first is None or last is None:
        return text_cell(IN_NO_LAYER)
    cell, count = name_cell(first), len(names)
    if count == 1:
        return cell
    text = f"{cell.text} \N{HORIZONTAL ELLIPSIS} {name_cell(last).text} x {count:,}"
    others = visible(", ".join(name for name in names if name is not None))
    return cell._replace(text=text if counts_on(names) else f"{cell.text} and {count - 1:,} alike", exact=others)


def _figure(group: LayerGroup, stem: str) -> Cell:
    return total_cell(group.total(stem), unit_of(stem), group.unknown(stem))


def _share(group: LayerGroup, stem: str, whole: Number) -> Cell:
    value = group.total(stem)
    if value is None:
        return text_cell(UNKNOWN, "unknown")
    share = 100 * value / whole
    return text_cell(format_percent(share).removeprefix("+"))._replace(key=str(share))


def main_op(row: Mapping[str, Any]) -> str:
    """Return the op with the most FLOPs, its variable of the most dimensions, and the shape that it works on."""
    if not row["op"]:
        return ""
    weights = max((shape for shape in row["weights"] or () if shape), key=len, default=None)
    given = next((shape for shape in row["op_input_shapes"] or () if shape), None)
    words = [row["op"], *([sizes(weights)] if weights else []), *([f"on {sizes(given)}"] if given else [])]
    return " ".join(words)
