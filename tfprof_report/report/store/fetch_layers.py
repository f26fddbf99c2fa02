"""Reads the layers of a report in a store without the rest of it."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from tfprof_report.report.store.place import Place
from tfprof_report.report.store.store import DamagedError, entry_at, fetch
from tfprof_report.schema.files import table_file

_FILE = table_file("layers")


def fetch_layers(place: Place, path: str, columns: Sequence[str]) -> pa.Table | None:
    """Return columns of the layers of a report, by its path in the store; None if its version wrote no such table.

    Raises
    ------
    DamagedError
        As in `store.fetch`, or it is no such table.
    OSError
        The store cannot be read.
    """
    files = fetch(place, entry_at(path), only=(_FILE,))
    if _FILE not in files:
        return None
    try:
        table = pq.ParquetFile(pa.BufferReader(files[_FILE]))
        return table.read(columns=list(columns)) if {*columns} <= {*table.schema_arrow.names} else None
    except pa.ArrowException as problem:
        raise DamagedError(f"{_FILE} is not a Parquet file") from problem
