"""The index of a store: a row of totals for each report, also for those that were pruned."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pyarrow as pa

from tfprof_report.record import record
from tfprof_report.report.store.place import Place
from tfprof_report.report.store.store import DamagedError, Entry, UnseenError, entries_of, fetch_summary
from tfprof_report.report.store.summary_row import NoRowError, row_of
from tfprof_report.report.store.usable import PassedOver, Unusable
from tfprof_report.schema.index_columns import INDEX
from tfprof_report.threads import Threads

_JOBS = 16
"""Files read at a time: a server or a disk takes most of the time."""

_ORDER = [("saved", "ascending"), ("report", "ascending")]


@record
class IndexedRows:
    """The rows of one model, the oldest saved first, one for each report.

    rows : the columns of `INDEX`
    held : the column ``report`` of those that are still in the store; of the others there are only totals
    left_out : what has no row, and why
    """

    rows: pa.Table
    held: frozenset[str]
    left_out: tuple[PassedOver, ...]


def read_index(place: Place, model: str, now: datetime) -> IndexedRows:
    """Return the rows of a model; those that the index lacks are made from the summaries of the reports.

    Raises
    ------
    OSError
        The store cannot be read.
    """
    entries = entries_of(place, model, now)
    made, left_out = _made(place, entries)
    rows = pa.Table.from_pylist(made, schema=INDEX).sort_by(_ORDER)
    held = frozenset(entry.path for entry in entries).intersection(rows["report"].to_pylist())
    return IndexedRows(rows=rows, held=held, left_out=left_out)


def _made(place: Place, entries: Iterable[Entry]) -> tuple[list[dict[str, Any]], tuple[PassedOver, ...]]:
    """Return rows made from summaries, and the reports from which none can be made."""
    with Threads(_JOBS) as threads:
        waiting = [threads.start(_row_or_why, place, entry) for entry in entries]
        found = [result() for result in waiting]
    return (
        [each for each in found if isinstance(each, dict)],
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
