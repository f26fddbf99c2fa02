"""The outcome of a batch: a row for each entry, its columns, and the exit code over all of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Any

import pyarrow as pa

from tfprof_report import __version__
from tfprof_report.batch.entry import Entry
from tfprof_report.errors import ExitCode, shown
from tfprof_report.record import record
from tfprof_report.render.machine.parquet import parquet_bytes
from tfprof_report.schema.metrics import COUNTING_VERSION
from tfprof_report.urls import show_names

BATCH_JSON, BATCH_PARQUET, BATCH_PAGE = "batch.json", "batch.parquet", "index.html"
OUTCOME_VERSION = 1
"""Version of the keys of batch.json and the columns of batch.parquet."""


class State(StrEnum):
    """What became of an entry."""

    WRITTEN = "written"
    SKIPPED = "skipped"  # there already, of the same inputs, options and version
    FAILED = "failed"  # the report ended with an error
    LOST = "lost"  # its worker was lost with it, each time that it was tried
    TIMED_OUT = "timed out"
    TOO_LARGE = "too large"  # no worker has the memory that it needs
    NOT_DONE = "not done"  # the batch ended before


DONE = (State.WRITTEN, State.SKIPPED)
"""States in which there is a report."""


@record
class Result:
    """How an entry ended.

    exit_code : that of the report; of states without one, that of an input that cannot be read
    verdict : outcome of the verdict; None without a report
    reason : one line, why the exit code is not 0; None where it is
    messages : the warnings and notes that the report printed
    seconds, peak_bytes, host : of the last try; None where they are not known
    report : its folder, or its path in the store
    made : what a task brings back that is not a report, such as the history of a model
    """

    state: State
    exit_code: int = int(ExitCode.INPUT)
    verdict: str | None = None
    reason: str | None = None
    messages: tuple[str, ...] = ()
    seconds: float | None = None
    peak_bytes: int | None = None
    host: str | None = None
    report: str | None = None
    made: Any = None


@record
class Row:
    """An entry with its result; `attempts` is how often a worker began it."""

    entry: Entry
    result: Result
    attempts: int = 0

    @property
    def values(self) -> dict[str, Any]:
        """Return the row by the columns of `COLUMNS`."""
        entry, result = self.entry, self.result
        found = {field.name: getattr(result, field.name) for field in fields(result)}
        found |= {name: getattr(entry, name) for name in ("model", "name", "commit", "branch")}
        found |= {"labels": dict(sorted(entry.labels.items())), "messages": list(result.messages)}
        found |= {"attempts": self.attempts, "estimated_bytes": entry.need_bytes, "command": list(entry.command)}
        return {name: _for_readers(found[name]) for name in COLUMNS.names}


def _for_readers(value: Any) -> Any:
    """Return a value with names of URLs, whose texts UTF-8 can hold: names of files need not be UTF-8."""
    match value:
        case str():
            return shown(show_names(value))
        case list():
            return [_for_readers(each) for each in value]
    return value


COLUMNS = pa.schema(
    [
        ("model", pa.string()),
        ("name", pa.string()),
        ("commit", pa.string()),
        ("branch", pa.string()),
        ("labels", pa.map_(pa.string(), pa.string())),
        ("state", pa.string()),
        ("exit_code", pa.int64()),
        ("verdict", pa.string()),
        ("reason", pa.string()),
        ("report", pa.string()),
        ("seconds", pa.float64()),
        ("peak_bytes", pa.int64()),
        ("estimated_bytes", pa.int64()),
        ("host", pa.string()),
        ("attempts", pa.int64()),
        ("messages", pa.list_(pa.string())),
        ("command", pa.list_(pa.string())),
    ]
)
"""The columns of batch.parquet, and the keys of each entry in batch.json."""


def not_done(entry: Entry, reason: str) -> Row:
    """Return the row of an entry that was not done, and why."""
    return Row(entry=entry, result=Result(state=State.NOT_DONE, reason=reason))


def exit_code_of(rows: Iterable[Row]) -> ExitCode:
    """Return the worst exit code of all rows; without rows, that of nothing comparable."""
    return ExitCode.worst(row.result.exit_code for row in rows)


def counts_of(rows: Iterable[Row]) -> dict[State, int]:
    """Return how many rows are in each state that occurs, in the order of `State`."""
    counted = Counter(row.result.state for row in rows)
    return {state: counted[state] for state in State if counted[state]}


def outcome_files(rows: Sequence[Row], *, is_complete: bool) -> dict[str, bytes]:
    """Return batch.json and batch.parquet by name; `is_complete` is false while the batch still runs."""
    head: Mapping[str, Any] = {
        "version": OUTCOME_VERSION,
        "tool": "tfprof-report",
        "tool_version": __version__,
        "counting_version": COUNTING_VERSION,
        "is_complete": is_complete,
        "exit_code": int(exit_code_of(rows)),
        "counts": {str(state): count for state, count in counts_of(rows).items()},
    }
    values = [row.values for row in rows]
    listed = [{**each, "labels": list(each["labels"].items())} for each in values]
    table = pa.Table.from_pylist(listed, schema=COLUMNS)
    metadata = {f"tfprof_report.{name}": json.dumps(value) for name, value in head.items()}
    return {
        BATCH_JSON: (json.dumps({**head, "entries": values}, indent=1) + "\n").encode(),
        BATCH_PARQUET: parquet_bytes(table, metadata, __version__),
    }
