"""The columns of a table, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import pyarrow as pa

from tfprof_report.later import Later


class Columns:
    """Named columns of `num_rows` rows; a column is computed at first use and then kept."""

    def __init__(self, num_rows: int, sources: Mapping[str, Callable[[], pa.Array]]) -> None:
        self.num_rows = num_rows
        self._columns = {name: Later(compute) for name, compute in sources.items()}

    @property
    def column_names(self) -> list[str]:
        """The names, in order."""
        return list(self._columns)

    def __getitem__(self, name: str) -> pa.Array:
        return self._columns[name]()

    def filter(self, mask: pa.Array) -> Columns:
        """Return the rows where `mask` is true."""
        count = int(mask.true_count)
        return Columns(count, {name: partial(_filtered, column, mask) for name, column in self._columns.items()})

    def select(self, names: Iterable[str]) -> pa.RecordBatch:
        """Return some columns as a batch."""
        return pa.record_batch({name: self[name] for name in names})

    def to_batch(self) -> pa.RecordBatch:
        """Return all columns as a batch."""
        return self.select(self.column_names)


def _filtered(column: Later[pa.Array], mask: pa.Array) -> pa.Array:
    return column().filter(mask)
