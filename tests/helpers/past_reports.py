"""Rows of an index of a store, made from sides, and stores that hold nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
from repository import ROOT

from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.side import Side
from tfprof_report.render.machine.summary_json import render_summary
from tfprof_report.report.build_report import build_report
from tfprof_report.report.starts import Past
from tfprof_report.report.store.commits import Commits
from tfprof_report.report.store.index import IndexedRows
from tfprof_report.report.store.local import LocalPlace
from tfprof_report.report.store.store import Entry
from tfprof_report.report.store.summary_row import row_of
from tfprof_report.schema.index_columns import INDEX

START = datetime(2026, 1, 1, tzinfo=UTC)
"""The day of commit 0; there is one a day."""


def commit_id(number: int) -> str:
    """Return the id of a commit, which begins with its number."""
    return f"{number:08}" + "ab" * 16


def time_of_commit(number: int) -> datetime:
    """Return the time of a commit."""
    return START + timedelta(days=number)


def row_of_side(side: Side, number: int, **changes: Any) -> dict[str, Any]:
    """Return the row of a side as the report of a commit."""
    made = build_report(side, base=None, policy=Policy(), timestamp="2026-01-01T00:00:00Z", tool_version="1")
    entry = Entry(model="net", commit=commit_id(number), saved=time_of_commit(number), digest=f"{number:016x}")
    return dict.fromkeys(INDEX.names) | row_of(entry, render_summary(made, {}).encode()) | changes


def indexed(rows: Sequence[dict[str, Any]]) -> IndexedRows:
    """Return rows as an index has them."""
    table = pa.Table.from_pylist(list(rows), schema=INDEX)
    return IndexedRows(rows=table, held=frozenset(table["report"].to_pylist()), left_out=())


def past(head: int, tags: dict[int, str] | None = None, *, has_times: bool = True) -> Past:
    """Return where commits up to that of `head` are, with names of tags by number of commit."""
    numbers = range(head, -1, -1)
    return Past(
        place=LocalPlace(root=ROOT / "no-store", name="store"),
        model="net",
        commits=Commits(
            ids=tuple(map(commit_id, numbers)),
            times=tuple(time_of_commit(number) if has_times else None for number in numbers),
        ),
        tags=None if tags is None else {commit_id(number): (name,) for number, name in tags.items()},
    )


def of_commit(side: Side, number: int | None, timestamp: str | None = None) -> Side:
    """Return a side as that of a commit."""
    commit = None if number is None else commit_id(number)
    return replace(side, origin=replace(side.origin, commit=commit, timestamp=timestamp))
