"""The index of a store: a row of totals for each report, also for those that were pruned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.record import record
from tfprof_report.report.models import INDEX_FOLDER, name_problem
from tfprof_report.report.store.place import Place
from tfprof_report.report.store.row_files import (
    RowFiles,
    is_indexed,
    is_newer,
    one_each,
    read_row_files,
    write_row,
    write_rows,
)
from tfprof_report.report.store.store import (
    DamagedError,
    Entry,
    UnseenError,
    entries_among,
    fetch_summary,
    foreign_among,
    is_ahead,
    links_in,
    models_in,
)
from tfprof_report.report.store.summary_row import NoRowError, row_of
from tfprof_report.report.store.usable import PassedOver, Unusable
from tfprof_report.schema.compatible import version_problem
from tfprof_report.schema.index_columns import INDEX
from tfprof_report.threads import Threads

_LATER = ("report", "schema_version")


@record
class IndexedRows:
    """The rows of one model, one for each report, the oldest saved first, after those from the future.

    rows : the columns of `INDEX`
    held : the column ``report`` of those whose reports are still in the store; of the others there are only totals
    left_out : reports without a row and files of the index without rows, and why
    """

    rows: pa.Table
    held: frozenset[str]
    left_out: tuple[PassedOver, ...]


def indexed_models(place: Place) -> list[str]:
    """Return the models that have reports or rows in the store, sorted; OSError if it cannot be read."""
    rows_only = (name for name in place.folders(INDEX_FOLDER) if name_problem(name) is None)
    return sorted({*models_in(place), *rows_only})


def read_index(place: Place, model: str, now: datetime) -> IndexedRows:
    """Return the rows of a model; those that the index lacks are made from the summaries of the reports.

    A report whose row is in the index is not read: it may be damaged, or in part removed, all the same.

    Raises
    ------
    OSError
        The store cannot be read.
    """
    return _gather(place, model, now).index(place)


def index_saved(place: Place, entry: Entry, summary: bytes, now: datetime, *, is_new: bool) -> None:
    """Write the row of a report that was saved if it is new, and those of all of its model if the model has none yet.

    A report from which no row can be made has none; readers say so.

    Raises
    ------
    OSError
        The store cannot be written.
    """
    is_first = not is_indexed(place, entry.model)
    if is_new:
        with suppress(NoRowError):
            write_row(place, entry, pa.Table.from_pylist([row_of(entry, summary)], schema=INDEX))
    if is_first and (made := _gather(place, entry.model, now).made).num_rows:
        write_rows(place, entry.model, made, replaced=())  # nothing is removed: who saves need not be allowed to


def compact(place: Place, model: str, now: datetime) -> IndexedRows:
    """Write the rows of a model, also those that the index lacks, into one file in place of all; return the rows.

    Raises
    ------
    OSError
        The store cannot be read or written.
    """
    found = _gather(place, model, now)
    own = [file for file in found.files.files if file.is_whole and not is_newer(file.rows).true_count]
    if len(own) > 1 or found.made.num_rows:
        write_rows(place, model, one_each([*(file.rows for file in own), found.made]), replaced=own)
    return found.index(place)


@record
class _Gathered:
    """The files of a model in the index, rows made for other reports, reports that have none, and all reports."""

    files: RowFiles
    made: pa.Table
    without: tuple[PassedOver, ...]
    reports: frozenset[str]
    now: datetime

    def index(self, place: Place) -> IndexedRows:
        """Return the rows; those of later versions are left out."""
        found = one_each([self.files.rows, self.made])
        newer = is_newer(found)
        later = tuple(
            PassedOver(path=place.shown(report), kind=Unusable.SCHEMA, why=str(version_problem(version)))
            for report, version in zip(*(found.filter(newer)[name].to_pylist() for name in _LATER), strict=True)
        )
        rows = _in_order(found.filter(pc.invert(newer)), self.now)
        held = self.reports.intersection(rows["report"].to_pylist())
        return IndexedRows(rows=rows, held=held, left_out=(*self.without, *later, *self.files.left_out))


def _gather(place: Place, model: str, now: datetime) -> _Gathered:
    files = read_row_files(place, model)
    names = place.folders(model)
    entries = entries_among(names, model, now)
    there = set(files.rows["report"].to_pylist())
    made, without = _made(place, (entry for entry in entries if entry.path not in there))
    without += tuple(_odd(place, Unusable.FOREIGN, "its name is not that of a report", foreign_among(names, model)))
    without += tuple(_odd(place, Unusable.LINK, "it is not followed", links_in(place, model)))
    return _Gathered(
        files=files, made=made, without=without, reports=frozenset(entry.path for entry in entries), now=now
    )


def _odd(place: Place, kind: Unusable, why: str, paths: Iterable[str]) -> Iterator[PassedOver]:
    return (PassedOver(path=place.shown(path), kind=kind, why=why) for path in paths)


def _in_order(rows: pa.Table, now: datetime) -> pa.Table:
    """Return rows that are sorted by time of saving with those from the future first: others of a commit go before."""
    saved = rows["saved"].to_pylist()
    ahead = next((back for back, time in enumerate(reversed(saved)) if not is_ahead(time, now)), len(saved))
    return pa.concat_tables([rows.slice(len(saved) - ahead), rows.slice(0, len(saved) - ahead)])


def _made(place: Place, entries: Iterable[Entry]) -> tuple[pa.Table, tuple[PassedOver, ...]]:
    """Return rows made from summaries, and the reports from which none can be made."""
    with Threads(place.jobs) as threads:
        waiting = [threads.start(_row_or_why, place, entry) for entry in entries]
        found = [result() for result in waiting]
    rows = [each for each in found if isinstance(each, dict)]
    return (
        pa.Table.from_pylist(rows, schema=INDEX),
        tuple(each for each in found if isinstance(each, PassedOver)),
    )


def _row_or_why(place: Place, entry: Entry) -> dict[str, Any] | PassedOver:
    def passed(kind: Unusable, why: object) -> PassedOver:
        return PassedOver(path=place.shown(entry.path), kind=kind, why=str(why))

    try:
        return row_of(entry, fetch_summary(place, entry))
    except NoRowError as problem:
        return passed(problem.kind, problem.why)
    except UnseenError as problem:
        return passed(Unusable.UNFINISHED, problem)
    except DamagedError as problem:
        return passed(Unusable.DAMAGED, problem)
