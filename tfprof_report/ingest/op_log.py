"""OpLogProto to columns: one row per log entry, call stacks as lists of string ids, and the string table."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import list_values
from tfprof_report.ingest.decode import Decoded
from tfprof_report.record import record


@record
class OpLogColumns:
    """The content of an OpLogProto.

    entries : one row per entry, in file order: name, float_ops (0 where absent), types (list of strings),
        has_code_def (whether the message is present, even if empty), traces (list of frames, outermost first: lineno,
        func_start_line, file_id, function_id).
    strings : id and string of each entry of id_to_string.
    """

    entries: pa.Table
    strings: pa.Table


def read_op_log(decoded: Decoded) -> OpLogColumns:
    """Return the columns of a decoded OpLogProto."""
    entries = list_values(decoded.batch.column("log_entries"))
    code_def = entries.field("code_def")
    columns = {name: entries.field(name) for name in ("name", "float_ops", "types")}
    columns["has_code_def"] = pc.is_valid(code_def)
    columns["traces"] = code_def.field("traces")
    id_to_string = decoded.batch.column("id_to_string")
    strings = {"id": id_to_string.keys, "string": pc.fill_null(id_to_string.items, "")}
    return OpLogColumns(entries=pa.table(columns), strings=pa.table(strings))
