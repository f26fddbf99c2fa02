"""What another tool of the same schema version wrote, as this one has it: columns and fields may be more or fewer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import pyarrow as pa

from tfprof_report.schema.metrics import METRICS

_FOREST = pa.schema(
    [
        ("row", pa.int64()),
        ("parent", pa.int64()),
        ("depth", pa.int64()),
        ("subtree_size", pa.int64()),
        ("name", pa.string()),
        ("leaf", pa.string()),
        ("path", pa.string()),
        ("run_devices", pa.list_(pa.string())),
        ("op_types", pa.list_(pa.string())),
        ("node", pa.int64()),
        ("accounted", pa.bool_()),
        ("shown", pa.bool_()),
        ("position", pa.int64()),
    ]
)
"""Columns of the tables of views before their figures, in order."""

_OF_SOME = {"path": ("code",), "run_devices": ("op", "code"), "op_types": ("op", "code")}
"""Columns that only these views have."""

_NEEDED = {
    "nodes": ("node", "name", "op"),
    "steps": ("node", "step", "device", "first_device"),
    "memory": ("device", "step", "micros", "bytes"),
    "unmatched": ("input", "name", "records"),
}
"""Columns without which a table says nothing. Others are unknown where they are not there."""


class UnlikeError(Exception):
    """A table has not the columns that it needs, or they are of other types."""


def as_now(name: str, table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of `schema`: what it lacks is NULL, what it has beyond is left aside.

    Raises
    ------
    UnlikeError
        It lacks what it needs, or a column has another type.
    """
    return _fit(table, schema, _NEEDED[name])


def view_as_now(name: str, table: pa.Table) -> pa.Table:
    """Return the rows of a view in the same way."""
    forest = [field for field in _FOREST if name in _OF_SOME.get(field.name, (name,))]
    figures = [
        pa.field(f"{prefix}_{stem}", pa.float64() if metric.is_mean else pa.int64())
        for prefix in ("self", "total")
        for stem, metric in METRICS.items()
    ]
    return _fit(table, pa.schema([*forest, *figures]), [field.name for field in forest])


def known_fields(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a record that was written what the dataclass `kind` has a field for; other versions write more."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in values.items() if name in names}


def _fit(table: pa.Table, schema: pa.Schema, needed: Iterable[str]) -> pa.Table:
    if not set(needed) <= set(table.column_names):
        raise UnlikeError
    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, field.type))
        elif table.column_names.count(field.name) == 1 and table[field.name].type == field.type:
            columns.append(table[field.name])
        else:
            raise UnlikeError
    return pa.table(columns, schema=schema)
