"""The files of the index of a store: ``index/MODEL/COMMIT_TIME_DIGEST.parquet`` for a report, ``rows_DIGEST`` for many.

A file is never changed. One is removed only once its rows are in another, so that of many jobs that save and prune at
the same time none loses a row; what is in two files counts once. The name of a file of many rows follows from the
reports in it: two jobs that write the same rows write the same file, and none removes what the other relies on.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tfprof_report.record import record
from tfprof_report.report.models import INDEX_FOLDER
from tfprof_report.report.store.local import LinkError
from tfprof_report.report.store.place import Place
from tfprof_report.report.store.store import ENTRY, Entry
from tfprof_report.report.store.usable import PassedOver, Unusable
from tfprof_report.schema.compatible import readable_versions
from tfprof_report.schema.index_columns import INDEX
from tfprof_report.threads import Threads

_END = ".parquet"
_DIGITS = 16
_NO_PARQUET = "is not a Parquet file"
_KNOWN = ("model", "commit", "saved", "report", "schema_version", "counting")
"""Columns that have a value in each row."""

_DATES = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
"""The first and the last time of Python."""

_LISTINGS = 100
"""How often the files are listed again where others were removed meanwhile."""


@record
class RowFile:
    """A file of the index, with the columns of `INDEX`.

    `is_whole` is whether it has no other columns: a later version may have written more, which a copy would not have.
    """

    name: str
    rows: pa.Table
    is_whole: bool = True


@record
class RowFiles:
    """The files of a model in the index by name, all their rows, and the files that are none."""

    files: tuple[RowFile, ...]
    rows: pa.Table
    left_out: tuple[PassedOver, ...]


def is_indexed(place: Place, model: str) -> bool:
    """Return whether the index has any file of a model."""
    return bool(place.sizes(_folder(model)))


def write_row(place: Place, entry: Entry, row: pa.Table) -> None:
    """Write the row of a report; OSError if the store cannot be written."""
    place.write(f"{INDEX_FOLDER}/{entry.path}{_END}", _small(row))


def read_row_files(place: Place, model: str) -> RowFiles:
    """Return the files of a model.

    Another job may remove a file while it is read: then the file with its rows is found by listing again.

    Raises
    ------
    OSError
        The store cannot be read.
    """
    found: dict[str, RowFile | PassedOver | None] = {}
    for _ in range(_LISTINGS):
        names = sorted("/".join(parts) for parts in place.sizes(_folder(model)))
        missing = [name for name in names if found.get(name) is None and not _is_hidden(name)]
        with Threads(place.jobs) as threads:
            waiting = [threads.start(_file_or_why, place, model, name) for name in missing]
            found.update(zip(missing, (result() for result in waiting), strict=True))
        if all(found[name] for name in missing):
            break
    return _checked(place, model, [each for _, each in sorted(found.items()) if each])


def write_rows(place: Place, model: str, rows: pa.Table, replaced: Sequence[RowFile]) -> None:
    """Write one file of many rows, then remove the files that it replaces; OSError if the store cannot be written."""
    reports = sorted(rows["report"].to_pylist())
    name = f"rows_{hashlib.sha256(chr(10).join(reports).encode()).hexdigest()[:_DIGITS]}{_END}"
    others = [file.name for file in replaced if file.name != name]
    if len(others) == len(replaced):
        place.write(f"{_folder(model)}/{name}", _packed(rows))
    with Threads(place.jobs) as threads:
        for done in [threads.start(place.discard, f"{_folder(model)}/{other}") for other in others]:
            done()


def one_each(tables: Iterable[pa.Table]) -> pa.Table:
    """Return the rows of tables, the oldest saved first; of several rows of a report the first."""
    rows = pa.concat_tables([INDEX.empty_table(), *tables]).combine_chunks()
    first: dict[str, int] = {}
    for at, report in enumerate(rows["report"].to_pylist()):
        first.setdefault(report, at)
    return rows.take(pa.array(first.values(), pa.int64())).sort_by([("saved", "ascending"), ("report", "ascending")])


def _folder(model: str) -> str:
    return f"{INDEX_FOLDER}/{model}"


def _is_hidden(name: str) -> bool:
    """Return whether readers of Parquet leave a file alone, as those that are being written."""
    return PurePosixPath(name).name.startswith((".", "_"))


def _file_or_why(place: Place, model: str, name: str) -> RowFile | PassedOver | None:
    """Return a file, or why it is left out; None if it is gone."""
    path = f"{_folder(model)}/{name}"
    try:
        return _parsed(name, place.read(path))
    except FileNotFoundError:
        return None
    except (LinkError, _OtherError) as problem:
        return _passed(place, model, name, problem)


class _OtherError(Exception):
    """A file is not one of the index."""


def _parsed(name: str, data: bytes) -> RowFile:
    """Return a file, whose rows are not checked yet."""
    if not name.endswith(_END):
        raise _OtherError(_NO_PARQUET)
    try:
        table = pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)
    except (pa.ArrowException, OSError) as problem:
        raise _OtherError(_NO_PARQUET) from problem
    if table.schema.equals(INDEX):
        return RowFile(name=name, rows=table)
    names = table.column_names
    if len(set(names)) < len(names):
        raise _OtherError("has a column twice")
    if odd := [each.name for each in INDEX if each.name in names and table.schema.field(each.name).type != each.type]:
        raise _OtherError(f"has {odd[0]} of another type")
    columns = [table[each.name] if each.name in names else pa.nulls(len(table), each.type) for each in INDEX]
    return RowFile(name=name, rows=pa.table(columns, schema=INDEX), is_whole=set(names) <= set(INDEX.names))


def _checked(place: Place, model: str, found: Sequence[RowFile | PassedOver]) -> RowFiles:
    """Return files without those of wrong rows; mostly all are right, which is fast to find at once."""
    files = [each for each in found if isinstance(each, RowFile)]
    left_out = [each for each in found if isinstance(each, PassedOver)]
    rows = _joined(files)
    if _problem(model, rows):
        problems = {file.name: _problem(model, file.rows) for file in files}
        left_out += [_passed(place, model, name, problem) for name, problem in problems.items() if problem]
        files = [file for file in files if not problems[file.name]]
        rows = _joined(files)
    return RowFiles(files=tuple(files), rows=rows, left_out=tuple(left_out))


def _joined(files: Iterable[RowFile]) -> pa.Table:
    return pa.concat_tables([INDEX.empty_table(), *(file.rows for file in files)]).combine_chunks()


def _passed(place: Place, model: str, name: str, why: object) -> PassedOver:
    return PassedOver(path=place.shown(f"{_folder(model)}/{name}"), kind=Unusable.ROW_FILE, why=str(why))


def _problem(model: str, rows: pa.Table) -> str | None:
    """Return what is wrong with rows of a model; None if nothing is."""
    if empty := [name for name in _KNOWN if rows[name].null_count]:
        return f"has rows without {empty[0]}"
    try:
        rows.validate(full=True)
    except pa.ArrowInvalid:
        return "has text that is not UTF-8"
    if any(pc.any(_is_no_date(rows[name])).as_py() for name in ("saved", "time")):
        return "has times that are not dates"
    path = pc.extract_regex(rows["report"], rf"^{re.escape(model)}/{ENTRY}$")
    is_own = pc.and_(pc.equal(rows["model"], model), pc.equal(pc.struct_field(path, "commit"), rows["commit"]))
    return None if pc.all(pc.fill_null(is_own, fill_value=False)).as_py() is not False else "has rows of other reports"


def _is_no_date(times: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return which times Python has no date for."""
    first, last = (pa.scalar(each, times.type) for each in _DATES)
    return pc.or_(pc.less(times, first), pc.greater(times, last))


def is_newer(rows: pa.Table) -> pa.BooleanArray:
    """Return which rows are of reports with a later schema version than this version reads."""
    return pc.greater(rows["schema_version"], readable_versions()[-1]).combine_chunks()


def _small(row: pa.Table) -> bytes:
    """Return a file of one row, which is mostly its footer."""
    sink = BytesIO()
    pq.write_table(row, sink, compression="none", use_dictionary=False, write_statistics=False, store_schema=False)
    return sink.getvalue()


def _packed(rows: pa.Table) -> bytes:
    sink = BytesIO()
    pq.write_table(rows, sink, compression="zstd", write_statistics=False, store_schema=False)
    return sink.getvalue()
