"""Reads a report folder back, as one side of a comparison. A folder is complete when its summary lists its digests."""

from __future__ import annotations

import hashlib
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tfprof_report.compare.result import Measured
from tfprof_report.errors import BaselineError, TfprofReportError
from tfprof_report.ingest.sources import InputFile, Side
from tfprof_report.model.schema import METRICS, SCHEMA_VERSION
from tfprof_report.model.totals import DevicePeak
from tfprof_report.report.measured import NODES, STEPS
from tfprof_report.views.build import VIEWS

SUMMARY = "summary.json"
"""Written last; it holds the digests of all other files."""


def is_report_folder(path: str) -> bool:
    """Return whether `path` is a folder with a summary, complete or not."""
    return (Path(path) / SUMMARY).is_file()


def read_report_folder(path: str, error: type[TfprofReportError] = BaselineError) -> Measured:
    """Return what an earlier report measured.

    Raises
    ------
    BaselineError, or the class given as `error`
        The folder is not complete, a file was changed, or it was written with another schema version.
    """
    summary = _summary(path, error)
    tables = {name: _table(path, f"{name}.parquet", summary["files"], error) for name in ("nodes", "steps", *VIEWS)}
    for name, schema in (("nodes", NODES), ("steps", STEPS)):
        if not tables[name].schema.equals(schema):
            raise error("does not have the columns of this version", file=f"{path}/{name}.parquet", advice=_AGAIN)
    side = summary["side"]
    steps, count = tables["steps"], tables["nodes"].num_rows
    rows = steps["node"]
    if steps.num_rows and (rows[0].as_py() < 0 or rows[-1].as_py() >= count):
        raise error("names nodes that nodes.parquet does not have", file=f"{path}/steps.parquet", advice=_AGAIN)
    return Measured(
        side=Side(**{**side, "inputs": tuple(InputFile(**file) for file in side["inputs"])}),
        nodes=tables["nodes"],
        steps=steps,
        step_numbers=tuple(summary["steps"]),
        devices=tuple(
            DevicePeak(**{**peak, "device_peak_bytes": _int(peak["device_peak_bytes"])}) for peak in summary["devices"]
        ),
        views={name: tables[name] for name in VIEWS},
        capable={total["stem"]: total["capable"] for total in summary["totals"] if total["stem"] in METRICS},
    )


_AGAIN = "write the report again with this version"


def _int(value: int | str | None) -> int | None:
    return None if value is None else int(value)


def _summary(path: str, error: type[TfprofReportError]) -> dict[str, Any]:
    file = f"{path}/{SUMMARY}"
    try:
        summary: dict[str, Any] = json.loads(Path(file).read_bytes())
        version = summary["schema_version"]
    except OSError as reason:
        raise error(
            f"cannot be read ({reason.strerror})", file=file, advice="give a finished report folder"
        ) from reason
    except (ValueError, KeyError, TypeError) as reason:
        raise error("is not the summary of a report", file=file, advice=_AGAIN, details=str(reason)) from reason
    if version != SCHEMA_VERSION:
        raise error(
            f"was written with schema version {version}, this version reads {SCHEMA_VERSION}", file=file, advice=_AGAIN
        )
    return summary


def _table(path: str, name: str, files: dict[str, Any], error: type[TfprofReportError]) -> pa.Table:
    file = f"{path}/{name}"
    try:
        data = Path(file).read_bytes()
    except OSError as reason:
        raise error(
            f"cannot be read ({reason.strerror})", file=file, advice="give a finished report folder"
        ) from reason
    if hashlib.sha256(data).hexdigest() != files.get(name, {}).get("sha256"):
        raise error(
            f"is not the file that {SUMMARY} lists: the folder is incomplete or was changed", file=file, advice=_AGAIN
        )
    try:
        return pq.read_table(BytesIO(data)).replace_schema_metadata(None)
    except (pa.ArrowException, OSError) as reason:
        raise error("is not a Parquet file", file=file, advice=_AGAIN, details=str(reason)) from reason
