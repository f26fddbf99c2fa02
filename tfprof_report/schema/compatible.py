"""What another tool of the same schema version wrote, as this one has it: columns and fields may be more or fewer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import pyarrow as pa

from tfprof_report.schema.metrics import METRICS, VIEWS
from tfprof_report.schema.tables import TABLES

_FIGURES = {f"{prefix}_{stem}" for prefix in ("self", "total") for stem in METRICS}

_NEEDED = {
    "nodes": ("node", "name", "op"),
    "steps": ("node", "step", "device", "first_device"),
    "memory": ("device", "step", "micros", "bytes"),
    "unmatched": ("input", "name", "records"),
    **{view: tuple(name for name in TABLES[view].names if name not in _FIGURES) for view in VIEWS},
}
"""Columns without which a table says nothing. Others are unknown where they are not there."""


class UnlikeError(Exception):
    """A table has not the columns that it needs, or they are of other types."""


def as_now(name: str, table: pa.Table) -> pa.Table:
    """Return a table that a side is read from with the columns of this version.

    What it lacks is NULL, what it has beyond is left aside.

    Raises
    ------
    UnlikeError
        It lacks what it needs, or a column has another type.
    """
    if not set(_NEEDED[name]) <= set(table.column_names):
        raise UnlikeError
    columns = []
    for field in TABLES[name]:
        if field.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, field.type))
        elif table.column_names.count(field.name) == 1 and table[field.name].type == field.type:
            columns.append(table[field.name])
        else:
            raise UnlikeError
    return pa.table(columns, schema=TABLES[name])


def known_fields(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a record that was written what the dataclass `kind` has a field for; other versions write more."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in values.items() if name in names}
