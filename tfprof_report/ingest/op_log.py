"""OpLogProto to columns: one row per log entry. Call stacks stay undecoded lists until a view asks for them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from tfprof_report.ingest.arrays import list_values
from tfprof_report.ingest.decode import Decoded


@dataclass(frozen=True, slots=True, kw_only=True)
class OpLogColumns:
    """The entries of an OpLogProto in file order: name, float_ops (0 where absent), types (list of strings)."""

    entries: pa.Table


def read_op_log(decoded: Decoded) -> OpLogColumns:
    """Return the columns of a decoded OpLogProto (``log_entries``)."""
    entries = list_values(decoded.batch.column("log_entries"))
    return OpLogColumns(
        entries=pa.table({name: entries.field(name) for name in ("name", "float_ops", "types")}),
    )
