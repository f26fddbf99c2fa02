"""Rows of the index of a store, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.history.build_history import Wanted, build_model
from tfprof_report.history.history_data import History, ModelHistory
from tfprof_report.history.in_order import oldest_first, put_in_order
from tfprof_report.report.links import Links
from tfprof_report.report.store.commits import Commits
from tfprof_report.report.store.index import IndexedRows
from tfprof_report.report.store.place import open_place
from tfprof_report.schema.index_columns import INDEX

DAY = datetime(2024, 1, 1, 3, tzinfo=UTC)


def commits_of(count: int, *, dated: bool = True) -> Commits:
    """Return commits c0, c1 ... a day apart, the oldest first."""
    times = tuple(DAY + timedelta(days=number) if dated else None for number in range(count))
    return Commits(ids=tuple(f"c{number}" for number in range(count)), times=times)


def index_row(commit: str, *, saved: int = 0, counting: str = "a", **figures: Any) -> dict[str, Any]:
    """Return a row of a report saved some seconds after `DAY`; `figures` are further columns."""
    when = DAY + timedelta(seconds=saved)
    named = f"m/{commit}_{when:%Y%m%dT%H%M%SZ}_{saved:016x}"
    made = {"model": "m", "commit": commit, "saved": when, "report": named, "outcome": "ok", "steps": 5}
    way = {"counting": counting, "counting_version": 3, "rules": "extended 3", "semantics": "corrected"}
    return {**made, **way, **figures}


def index_of(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return rows as a table."""
    return pa.Table.from_pylist([dict(row) for row in rows], schema=INDEX)


def in_order(stem: str, values: Sequence[Any], **columns: Sequence[Any]) -> pa.Table:
    """Return reports of consecutive commits with these values of a figure; `columns` have a value for each."""
    rows = [
        index_row(f"c{number}", **{stem: value, **{name: those[number] for name, those in columns.items()}})
        for number, value in enumerate(values)
    ]
    return put_in_order(index_of(rows), oldest_first(reversed_commits(len(values)))).rows


def reversed_commits(count: int) -> Commits:
    """Return the same commits as a list of git has them, the newest first."""
    made = commits_of(count)
    return Commits(ids=made.ids[::-1], times=made.times[::-1])


def history_of(
    *models: ModelHistory, store: str = "baselines", store_url: str = "", links: Links | None = None
) -> History:
    """Return the history of models."""
    return History(
        tool_version="1",
        timestamp="2024-05-02T08:30:00Z",
        store=store,
        store_url=store_url,
        commits=(),
        since="",
        models=models,
        links=links or Links(),
    )


def model_of(
    figures: Mapping[str, Sequence[Any]], *, name: str = "m", gates: Sequence[str] = (), **wanted: Any
) -> ModelHistory:
    """Return the history of a model with a report a day, by the columns of its figures; `wanted` as in `Wanted`."""
    count = len(next(iter(figures.values())))
    rows = index_of(
        [index_row(f"c{number}", **{stem: those[number] for stem, those in figures.items()}) for number in range(count)]
    )
    indexed = IndexedRows(rows=rows, held=frozenset(), left_out=())
    about = Wanted(**{"commits": commits_of(count), "explained": 0, **wanted})
    return build_model(name, indexed, open_place("nowhere"), about, tuple(map(parse_gate, gates)))
