"""Rates and bounds as tables: layers, ops and steps of one side, and what became bound by something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.bounds.changed_bounds import Bounds
from tfprof_report.compare.bounds.find_bounds import Level, rows_of
from tfprof_report.formatting import ARROW, UNKNOWN, format_number, format_percent, plural
from tfprof_report.render.tables.cells import Cell, Column, Row, Table, name_cell, number_cell, text_cell, total_cell
from tfprof_report.render.tables.layers_tables import IN_NO_LAYER
from tfprof_report.report.report import Report
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import Unit

BOUNDS_TEXT = (
    "Bytes are those that ops have to move at least, by shapes. The share is the shortest time that arithmetic and "
    "bytes allow on the device, of the time taken. What takes longer of the two bounds an op; launch: it takes less "
    "than the launch of an execution; waiting: it waits for others."
)

NO_SPEEDS = (
    "Name the peaks of devices in the rules file ([devices]) to see the share of the peak and what bounds each op."
)

_RATES = (
    Column("Time", is_number=True),
    Column("FLOPs", is_number=True),
    Column("FLOP/s", is_number=True),
    Column("Bytes", is_number=True),
    Column("FLOP/byte", is_number=True),
    Column("Share of peak", is_number=True),
    Column("Bound"),
)


def bounds_tables(report: Report, limit: int) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """Return what became bound by something else, layers, ops and steps as tables, and the sentences before them.

    There are none unless time and FLOPs of some op are known.
    """
    bounds = report.bounds
    if not pc.any(pc.greater(bounds.head["float_ops_per_second"], 0)).as_py():
        return (), ()
    nodes = report.head.nodes["name"]
    found = (
        changed_bounds_table(bounds, limit),
        _table(bounds.head, Level.LAYER, lambda row: _layer(row["layer"]), limit),
        _table(bounds.head, Level.OP, lambda row: name_cell(nodes[row["node"]].as_py()), limit),
        _table(bounds.head, Level.STEP, lambda row: Cell(str(row["step"]), key=str(row["step"])), limit),
    )
    words = bound_words(bounds)
    text = (*([words] if words else []), BOUNDS_TEXT, *([] if bounds.has_speeds else [NO_SPEEDS]))
    return tuple(table for table in found if table is not None), text


_CAPTIONS = {Level.LAYER: "Layers by time", Level.OP: "Ops by time", Level.STEP: "Steps, by their wall time"}
_NAMES = {Level.LAYER: "Layer", Level.OP: "Op", Level.STEP: "Step"}


def _table(found: pa.Table, level: Level, name: Callable[[Mapping[str, Any]], Cell], limit: int) -> Table | None:
    """Return the rows of a level, those with the most time first, steps in their order; None without any."""
    rows = rows_of(found, level)
    if not rows.num_rows:
        return None
    order = [("step", "ascending")] if level is Level.STEP else [("micros", "descending")]
    shown = rows.take(pc.sort_indices(rows, sort_keys=order).slice(0, limit)).to_pylist()
    has_devices = len(pc.unique(rows["device"].combine_chunks())) > 1
    return Table(
        caption=_CAPTIONS[level],
        columns=(Column(_NAMES[level]), *_RATES, *((Column("Device"),) if has_devices else ())),
        rows=tuple((name(row), *_rates(row), *((name_cell(row["device"]),) if has_devices else ())) for row in shown),
        total=rows.num_rows,
        noun=f"{level}s",
        file=table_file("bounds"),
    )


def changed_bounds_table(bounds: Bounds, limit: int) -> Table | None:
    """Return what became bound by something else, with the figures of both sides; None if nothing did."""
    rows = bounds.changed
    if not rows.num_rows:
        return None
    return Table(
        caption="Bound by something else than in base",
        columns=(
            Column("Layer or op"),
            Column("Finding"),
            Column("Time"),
            Column("FLOP/s"),
            Column("FLOP/byte"),
            Column("Share of peak"),
        ),
        rows=tuple(_changed(row) for row in rows.slice(0, limit).to_pylist()),
        total=rows.num_rows,
        noun="layers and ops",
        file=table_file("bounds"),
    )


def bound_words(bounds: Bounds) -> str:
    """Return in a sentence how many layers, or else ops, became bound by what; empty if none did."""
    for level in (Level.LAYER, Level.OP):
        rows = bounds.changed.filter(pc.equal(bounds.changed["level"], str(level)))
        counts = rows["head_bound"].cast(pa.string()).value_counts().to_pylist() if rows.num_rows else []
        parts = [f"{plural(each['counts'], str(level))} became {each['values']}-bound" for each in counts]
        if parts:
            return f"{', '.join(parts)}."
    return ""


def _changed(row: Mapping[str, Any]) -> Row:
    is_layer = row["level"] == Level.LAYER
    name = _layer(row["name"]) if is_layer else name_cell(row["name"])

    def both(figure: str, words: Any) -> Cell:
        return text_cell(ARROW.join(words(row[f"{side}_{figure}"]) for side in ("base", "head")))

    return (
        name,
        text_cell(f"became {row['head_bound']}-bound, was {row['base_bound']}-bound"),
        both("micros", lambda value: format_number(value, Unit.MICROS)),
        both("float_ops_per_second", lambda value: format_number(value, Unit.COUNT)),
        both("float_ops_per_byte", lambda value: format_number(value, Unit.COUNT)),
        both("share_of_peak", _percent),
    )


def _rates(row: Mapping[str, Any]) -> Row:
    no_floats, no_bytes = row["unknown_run_float_ops"], row["unknown_run_moved_bytes"]
    return (
        number_cell(row["micros"], Unit.MICROS),
        total_cell(row["run_float_ops"], Unit.COUNT, no_floats),
        total_cell(row["float_ops_per_second"], Unit.COUNT, no_floats),
        total_cell(row["run_moved_bytes"], Unit.BYTES, no_bytes),
        _intensity(row["float_ops_per_byte"], no_floats, no_bytes),
        _share(row["share_of_peak"], lacks=no_floats + no_bytes > 0),
        text_cell(row["bound"] or UNKNOWN, "" if row["bound"] else "unknown"),
    )


def _intensity(value: float | None, no_floats: int, no_bytes: int) -> Cell:
    """Return FLOPs per byte: at least so many if only FLOPs are lacking, else those of what is known."""
    if value is None or not no_bytes:
        return total_cell(value, Unit.COUNT, no_floats)
    return number_cell(value, Unit.COUNT)._replace(
        exact=f"of what is known; {plural(no_bytes, 'node')} without bytes", tone="inconclusive"
    )


def _share(share: float | None, *, lacks: bool) -> Cell:
    if share is None:
        return Cell(UNKNOWN, tone="unknown")
    words, tone = ("at least ", "inconclusive") if lacks else ("", "")
    return Cell(words + _percent(share), key=repr(share), tone=tone)


def _percent(share: float | None) -> str:
    return UNKNOWN if share is None else format_percent(100 * share).removeprefix("+")


def _layer(name: str | None) -> Cell:
    return text_cell(IN_NO_LAYER) if name is None else name_cell(name)
