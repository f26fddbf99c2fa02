"""Read tables and records that another tool version with the same schema version wrote, with more or fewer columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.schema.metrics import NANOS, NANOS_PER_MICRO
from tfprof_report.schema.tables import TABLES

_ROW = ("row", "parent", "depth", "subtree_size", "name", "leaf", "node", "accounted", "shown", "position")
"""Columns of every view without which its rows can't be placed or shown."""

_NEEDED = {
    "nodes": ("node", "name", "op"),
    "steps": ("node", "step", "device", "first_device"),
    "memory": ("device", "step", "micros", "bytes"),
    "unmatched": ("input", "name", "records"),
    "scope": _ROW,
    "graph": _ROW,
    "op": (*_ROW, "run_devices", "op_types"),
    "code": (*_ROW, "path", "run_devices", "op_types"),
}
"""Columns that a table must have; any other column may be missing, and is then unknown (NULL)."""


class UnlikeError(Exception):
    """A table lacks a required column, or a column has an unexpected type."""


def as_now(name: str, table: pa.Table) -> pa.Table:
    """Return a table `name` of a report folder with the columns of this version.

    Missing columns are NULL (but nanoseconds are those of the microseconds), extra ones are dropped.

    Raises
    ------
    UnlikeError
        A required column is missing, or a column has an unexpected type.
    """
    if not set(_NEEDED[name]) <= set(table.column_names):
        raise UnlikeError
    columns = []
    for field in TABLES[name]:
        if field.name not in table.column_names:
            columns.append(_stand_in(field, table))
        elif table.column_names.count(field.name) == 1 and table[field.name].type == field.type:
            columns.append(table[field.name])
        else:
            raise UnlikeError
    return pa.table(columns, schema=TABLES[name])


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
