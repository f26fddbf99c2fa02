"""The files of a report folder: its summary, and others as they are, checked against the digests in it."""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tfprof_report.buckets.reasons import advice_on
from tfprof_report.errors import BaselineError, InputError, OptionError, not_utf8
from tfprof_report.ingest.files.file_bytes import bytes_of, why_unread
from tfprof_report.ingest.files.folders import exists, is_file, join
from tfprof_report.record import record
from tfprof_report.report.unfinished import why_half_written
from tfprof_report.schema.compatible import version_problem
from tfprof_report.schema.files import SUMMARY
from tfprof_report.urls import is_url

_REWRITE = "write the report again with this version"
_FINISHED = "give a finished report folder"


@record
class UnusableError(Exception):
    """What is wrong with the file `name` of a report folder."""

    problem: str
    name: str
    advice: str = _REWRITE
    details: str | None = None


@contextmanager
def usable_folder(path: str, error: type[InputError | BaselineError]) -> Iterator[None]:
    """Raise `error` for what is wrong with the report folder `path`, whose files are read in the block."""
    try:
        yield
    except UnusableError as problem:
        raise error(
            problem.problem, file=join(path, problem.name), advice=problem.advice, details=problem.details
        ) from problem
    except OSError as problem:
        if half_written := why_half_written(path):
            raise error(half_written.problem, file=path, advice=half_written.advice) from problem
        reason = f"cannot be read ({why_unread(problem, path)})"
        advice = (advice_on(problem) if is_url(path) else None) or _FINISHED
        raise error(reason, file=str(problem.filename or path), advice=advice) from problem
    except (ArithmeticError, AttributeError, LookupError, OptionError, TypeError, ValueError) as problem:
        raise error(
            "holds something else than this version writes",
            file=join(path, SUMMARY),
            advice=_REWRITE,
            details=f"{type(problem).__name__}: {problem}",
        ) from problem


def read_summary(path: str) -> dict[str, Any]:
    """Return the summary of a report of one model; call this and the following within `usable_folder`."""
    data = _bytes_of(join(path, SUMMARY))
    try:
        text = data.decode()
        summary: dict[str, Any] = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(summary, ensure_ascii=False).encode()  # a ValueError for what no other file can hold
        version = summary["schema_version"]
    except UnicodeDecodeError as reason:
        raise UnusableError(problem=not_utf8(reason), name=SUMMARY) from reason
    except (ValueError, LookupError, TypeError, RecursionError) as reason:
        raise UnusableError(problem="is not the summary of a report", name=SUMMARY, details=str(reason)) from reason
    if "models" in summary:
        advice = "give the folder of one of them, which is in it under the model's name"
        raise UnusableError(problem="is a report of several models", name=SUMMARY, advice=advice)
    if problem := version_problem(version):
        raise UnusableError(problem=problem, name=SUMMARY)
    return summary


def _bytes_of(file: str) -> bytes:
    """Return the content of a file of the report; an OSError if it is a pipe, which would be waited for without end."""
    if not is_url(file) and exists(file) and not is_file(file):
        raise OSError(errno.EINVAL, "not a file", file)
    try:
        return bytes_of(file)
    except OSError as problem:
        problem.filename = file
        raise


def read_file(path: str, name: str, summary: dict[str, Any]) -> bytes:
    """Return a file that the summary lists."""
    data = _bytes_of(join(path, name))
    if hashlib.sha256(data).hexdigest() != summary["files"].get(name, {}).get("sha256"):
        raise UnusableError(
            problem=f"is not the file that {SUMMARY} lists: the folder is incomplete or was changed", name=name
        )
    return data


def read_table(path: str, name: str, summary: dict[str, Any]) -> pa.Table:
    """Return a table that the summary lists, with the columns that it was written with."""
    file = f"{name}.parquet"
    return parse_table(read_file(path, file, summary), file)


def parse_table(data: bytes, file: str) -> pa.Table:
    """Return the table in the bytes of a Parquet file; an `UnusableError` about the `file` if they are none."""
    try:
        table = pq.ParquetFile(_arrow_file(data)).read()
        return table.cast(pa.schema([(field.name, _arrow_type(field.type)) for field in table.schema]))
    except (pa.ArrowException, OSError) as reason:
        raise UnusableError(problem="is not a Parquet file", name=file, details=str(reason)) from reason


def _arrow_file(data: bytes) -> pa.BufferReader:
    """Return bytes as an in-memory file that Arrow owns.

    Arrow's threads release their buffers slightly after the read. Releasing a Python object needs the interpreter, and
    if that is already shutting down, as after an error, the process aborts.
    """
    sink = pa.BufferOutputStream()
    sink.write(data)
    return pa.BufferReader(sink.getvalue())


def _arrow_type(kind: pa.DataType) -> pa.DataType:
    """Return a list type with Arrow's field name for items, which differs from Parquet's."""
    return pa.list_(_arrow_type(kind.value_type)) if pa.types.is_list(kind) else kind
