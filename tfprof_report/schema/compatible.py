"""Read tables and records of another tool version, of this schema version or of the one before it.

What such a version did not write is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.schema.metrics import NANOS, NANOS_PER_MICRO, SCHEMA_VERSION, VIEWS
from tfprof_report.schema.tables import TABLES

_ROW = ("row", "parent", "depth", "subtree_size", "name", "leaf", "node", "accounted", "shown", "position")
"""Columns of every view without which its rows can't be placed or shown."""

_NEEDED = {
    "nodes": ("node", "name", "op"),
    "steps": ("node", "step", "device", "first_device"),
    "memory": ("device", "step", "micros", "bytes"),
    "peak": ("device", "step", "name", "kind", "bytes"),
    "activity": ("step", "device", "kind"),
    "transfers": ("step", "kind", "count"),
    "waits": ("step", "device", "nanos"),
    "unmatched": ("input", "name", "records"),
    "scope": _ROW,
    "graph": _ROW,
    "op": (*_ROW, "run_devices", "op_types"),
    "code": (*_ROW, "path", "run_devices", "op_types"),
}
"""Columns that a table must have; any other column, and any of another table, may be missing, and is then unknown."""

_MAY_BE_NULL = ("op", "parent", "position", "path", "run_devices", "op_types")
"""Of those that must be there, columns that are not known in each row; so are some of a view and of a peak."""


_OTHER_COLUMNS = "does not have the columns of this version"


def readable_versions() -> tuple[int, int]:
    """Return the schema versions of reports that this version reads: the one before its own, and its own."""
    return SCHEMA_VERSION - 1, SCHEMA_VERSION


def version_problem(version: object) -> str | None:
    """Return why a report of this schema version cannot be read, None if it can."""
    before, now = readable_versions()
    if isinstance(version, int) and version in (before, now):
        return None
    return f"was written with schema version {version}, this version reads {before} and {now}"


class UnlikeError(Exception):
    """A table lacks a required column or a value in it, or a column has an unexpected type; the message says which."""


def as_now(name: str, table: pa.Table, *, version: int = SCHEMA_VERSION) -> pa.Table:
    """Return a table `name` of a report folder of a schema version with the columns of this version.

    Missing columns are NULL (but nanoseconds are those of the microseconds), extra ones are dropped. In an earlier
    version a column may have another type: where its values do not fit into today's, it is NULL too.

    Raises
    ------
    UnlikeError
        A required column or a value in it is missing, or a column has an unexpected type.
    """
    needed = _NEEDED.get(name, ())
    if not set(needed) <= set(table.column_names):
        raise UnlikeError(_OTHER_COLUMNS)
    columns = []
    for field in TABLES[name]:
        if field.name not in table.column_names:
            columns.append(_stand_in(field, table))
        elif table.column_names.count(field.name) == 1 and table[field.name].type == field.type:
            columns.append(table[field.name])
        elif version < SCHEMA_VERSION and field.name not in needed:
            columns.append(_converted(table[field.name], field.type))
        else:
            raise UnlikeError(_OTHER_COLUMNS)
        if columns[-1].null_count and field.name in _known_columns(name):
            raise UnlikeError(f"has rows without {field.name}")
    return pa.table(columns, schema=TABLES[name])


def _known_columns(name: str) -> set[str]:
    """Return the columns of a table that have a value in each row."""
    others = ("node",) if name in VIEWS else ("name", "bytes") if name == "peak" else ()
    return {*_NEEDED.get(name, ())} - {*_MAY_BE_NULL, *others}


def _converted(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array | pa.ChunkedArray:
    """Return a column in another type; NULL if a value does not fit."""
    try:
        return column.cast(kind)
    except pa.ArrowException:
        return pa.nulls(len(column), kind)


def _stand_in(field: pa.Field, table: pa.Table) -> pa.Array | pa.ChunkedArray:
    """Return a missing column: nanoseconds from microseconds, anything else unknown."""
    micros = next((stem for stem, column in NANOS.items() if column == field.name), None)
    if micros not in table.column_names or table[micros].type != field.type:
        return pa.nulls(table.num_rows, field.type)
    return pc.multiply_checked(table[micros], NANOS_PER_MICRO)


def known_fields(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values for which the dataclass `kind` has a field; other versions may have written more."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in values.items() if name in names}
