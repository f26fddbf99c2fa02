"""The report's tables as Parquet: Arrow schemas, no pandas index, the report's conventions as key-value metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO

import pyarrow as pa
import pyarrow.parquet as pq

from tfprof_report.ingest.origin import Origin
from tfprof_report.report.breakdowns import not_counted_table
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import UNIT_CONVENTIONS
from tfprof_report.schema.tables import DEVICES, WALLS

PREFIX = "tfprof_report."
"""Prefix of every key of the metadata."""


def tables_of(report: Report) -> dict[str, pa.Table]:
    """Return the tables of a report by file name: nodes and what belongs to them, views, and comparisons."""
    peaks = [asdict(peak) for peak in report.head.devices]
    tables = {
        "nodes": report.head.nodes,
        "steps": report.head.steps,
        "devices": pa.Table.from_pylist(peaks, schema=DEVICES),
        "walls": pa.Table.from_pylist([asdict(wall) for wall in report.head.walls], schema=WALLS),
        "memory": report.head.memory,
        "peak": report.head.peak,
        "activity": report.head.activity.by_device,
        "transfers": report.head.activity.by_pair,
        "waits": report.head.activity.waits,
        "unmatched": report.head.unmatched,
        "layers": report.head.layers,
        "bounds": report.bounds.head,
        "not_counted": not_counted_table(report.not_counted),
    }
    tables |= {name: view.rows for name, view in report.head.views.items()}
    if report.comparison:
        tables |= {"diff_nodes": report.comparison.nodes, "diff_layers": report.comparison.layers}
        tables |= {f"diff_{name}": table for name, table in report.comparison.views.items()}
        tables["diff_peak"] = report.comparison.peak
        if report.activity:
            tables["diff_activity"] = report.activity.devices
            tables["diff_transfers"] = report.activity.transfers
            tables["diff_waits"] = report.activity.waits
    return {f"{name}.parquet": table for name, table in tables.items()}


def render_parquet(table: pa.Table, report: Report) -> bytes:
    """Return a table as a Parquet file that carries the report's metadata."""
    return parquet_bytes(table, _metadata(report), report.tool_version)


def parquet_bytes(table: pa.Table, metadata: Mapping[str, str], tool_version: str) -> bytes:
    """Return a table as a Parquet file with metadata: the same bytes with every pyarrow.

    It has no statistics, which releases of pyarrow write differently. A reader skips row groups by them, and these
    tables rarely have two.
    """
    sink = BytesIO()
    described = table.replace_schema_metadata(dict(metadata))
    pq.write_table(described, sink, compression="zstd", version="2.6", write_statistics=False)
    return _created_by(f"tfprof-report version {tool_version}", sink.getvalue())


def _created_by(application: str, file: bytes) -> bytes:
    """Return a Parquet file with `application` as its ``created_by``, which pyarrow fills with its own version.

    A file ends with a footer (Thrift, compact: a text is its length and its bytes), the length of the footer in four
    bytes, and ``PAR1``. Nothing that follows ``created_by`` in the footer has a text of the user, so that the last
    occurrence is the field.
    """
    written = pq.read_metadata(BytesIO(file)).created_by
    start, _, end = file.rpartition(_thrift_text(written))
    length = int.from_bytes(end[-8:-4], "little") + len(application) - len(written)
    return start + _thrift_text(application) + end[:-8] + length.to_bytes(4, "little") + end[-4:]


def _thrift_text(text: str) -> bytes:
    data = text.encode()
    return bytes([len(data)]) + data  # a length below 128 is one byte


def _metadata(report: Report) -> dict[str, str]:
    """Return the key-value metadata: versions, conventions, options, input digests, label, commit and branch."""
    values = {
        "schema_version": str(report.schema_version),
        "tool_version": report.tool_version,
        "semantics": report.head.measurement.semantics_name,
        "counting_version": str(report.head.counting_version),
        "rules": report.head.rules,
        "timestamp": report.timestamp,
        "conventions": json.dumps(UNIT_CONVENTIONS, sort_keys=True),
        "options": json.dumps(report.head.measurement.as_dict(), sort_keys=True),
        **_origin(report.head.origin),
    }
    if report.comparison:
        values |= {f"base_{key}": value for key, value in _origin(report.comparison.base.origin).items()}
    return {PREFIX + key: value for key, value in values.items() if value is not None}


def _origin(side: Origin) -> dict[str, str | None]:
    inputs = json.dumps([asdict(file) for file in side.inputs], sort_keys=True)
    return {"inputs": inputs, "label": side.label, "commit": side.commit, "branch": side.branch}
