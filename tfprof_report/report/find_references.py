"""Finds the reports that drift gates are relative to: in a store, by its index and the commits of git, or in a folder.

A gate on the total of the whole model takes the totals that the index has, and reads no report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from tfprof_report.clock import age_words, moment_of, time_of
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.context import why_not_comparable
from tfprof_report.compare.gates.policy import Bound, Gate, Policy
from tfprof_report.compare.gates.reference import NO_STORE, Found, NotFound
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import BaselineError
from tfprof_report.formatting import COMMIT_DIGITS, plural
from tfprof_report.record import record
from tfprof_report.report.distance import Distance
from tfprof_report.report.folder import read_report_folder
from tfprof_report.report.past_totals import counting_of, totals_of_row, why_unlike
from tfprof_report.report.starts import Past, place_of, start_of, written
from tfprof_report.report.store.index import IndexedRows, read_index
from tfprof_report.report.store.place import Place, refused
from tfprof_report.report.store.store import DamagedError, UnseenError, read_side
from tfprof_report.report.store.usable import passed_words
from tfprof_report.schema.index_columns import FIGURES, SPREAD, figure_columns, spread_columns
from tfprof_report.schema.metrics import Number
from tfprof_report.urls import name_of

_IN_A_TREND = 60
"""Most reports of which a figure over time is made."""


@record
class Looked:
    """What was found for each drift gate, what a reader should know about the store, and each figure over time."""

    references: dict[Gate, Found | NotFound] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    trends: dict[str, tuple[Number | None, ...]] = field(default_factory=dict)


@record
class _Row:
    """A report of a commit in the list: the place of the commit, its date, and columns of the report's row.

    `place` is the place of the row in the index.
    """

    back: int
    place: int
    date: datetime | None
    columns: Mapping[str, Any]

    @property
    def commit(self) -> str:
        return str(self.columns["commit"])


@record
class _Head:
    """What reports are compared with, its full commit and date, and the columns that say how it is counted."""

    side: Side
    commit: str | None
    date: datetime
    counting: Mapping[str, Any]


def find_references(
    policy: Policy, head: Side, past: Past | None, name_map: NameMap | None = None, *, jobs: int = 1
) -> Looked:
    """Return what was found for each drift gate of a policy, and, where there is a store, each figure over time.

    Raises
    ------
    BaselineError
        The store or a report cannot be read, or is damaged.
    OptionError
        As in `start_of`.
    """
    gates = [gate for gate in policy.gates if gate.reference]
    seen = _seen(head, past)
    indexed, rows = _rows(gates, seen, past) if past else (None, [])
    compared: dict[str, Comparison] = {}

    def compared_with(report: str, side: Side) -> Comparison:
        if report not in compared:
            compared[report] = compare(side, head, name_map, jobs=jobs)
        return compared[report]

    side: Side | None
    found: Found | NotFound
    references: dict[Gate, Found | NotFound] = {}
    for gate in gates:
        if gate.reference and gate.reference.folder:
            side, found = _of_folder(gate, gate.reference.folder, seen, past)
        elif past is None or indexed is None:
            side, found = None, NO_STORE
        else:
            side, found = _of_store(gate, rows, seen, past, indexed)
        if isinstance(found, Found) and side and not found.doubt:
            comparison = compared_with(found.report, side)
            doubt = "; ".join(why_not_comparable(comparison, policy.max_unmatched))
            found = replace(found, comparison=comparison, doubt=doubt)
        references[gate] = found
    left_out = passed_words(indexed.left_out) if indexed else []
    return Looked(
        references=references,
        diagnostics=tuple(
            Diagnostic(severity=Severity.WARNING, code="references_left_out", text=words) for words in left_out
        ),
        trends=_trends(rows, seen, indexed) if indexed else {},
    )


def _seen(head: Side, past: Past | None) -> _Head:
    """Return head; its date is that of its commit in the list, else that of the report."""
    place = place_of(head.origin.commit, past.commits) if past else None
    date = past.commits.times[place] if past and place is not None else None
    return _Head(
        side=head,
        commit=past.commits.ids[place] if past and place is not None else head.origin.commit,
        date=date or moment_of(head.origin.timestamp),
        counting=counting_of(head),
    )


def _rows(gates: Sequence[Gate], head: _Head, past: Past) -> tuple[IndexedRows, list[_Row]]:
    """Return the index, and the reports of the commits before head's: the nearest first, of a commit the newest."""
    with refused(past.place.name, BaselineError, "read"):
        indexed = read_index(past.place, past.model, head.date)
    metrics = dict.fromkeys(gate.metric for gate in gates)
    figures = [column for metric in metrics for column in figure_columns(metric)]
    figures += [column for metric in metrics if metric in SPREAD for column in spread_columns(metric)]
    facts = ["commit", "time", "report", "basis", "steps", *head.counting]
    place_of = {commit: place for place, commit in reversed(list(enumerate(past.commits.ids)))}
    rows = [
        _Row(back=back, place=place, date=past.commits.times[back] or columns["time"], columns=columns)
        for place, columns in reversed(list(enumerate(indexed.rows.select([*facts, *figures]).to_pylist())))
        if (back := place_of.get(columns["commit"])) is not None and columns["commit"] != head.commit
    ]
    return indexed, sorted(rows, key=lambda row: row.back)


def _trends(rows: Sequence[_Row], head: _Head, indexed: IndexedRows) -> dict[str, tuple[Number | None, ...]]:
    """Return each figure in the last reports that are counted like head, the oldest first; one of each commit."""
    newest = {row.back: row.place for row in reversed(rows) if _is_counted_alike(row, head)}
    places = [newest[back] for back in sorted(newest)[:_IN_A_TREND]][::-1]
    shown = indexed.rows.select(list(FIGURES)).take(pa.array(places, pa.int64()))
    return {stem: tuple(shown[stem].to_pylist()) for stem in FIGURES}


def _of_store(
    gate: Gate, rows: Sequence[_Row], head: _Head, past: Past, indexed: IndexedRows
) -> tuple[Side | None, Found | NotFound]:
    """Return the reference of a gate, and its report, if the gate needs it."""
    if not rows:
        return None, NotFound(reason=_why_no_rows(indexed, past))
    start = start_of(gate, past.commits, past.tags)
    row = _chosen(gate, start, rows, head, past)
    if isinstance(row, NotFound):
        return None, row
    doubt = why_unlike(gate, row.columns, head.side, head.counting)
    side: Side | None = None
    if gate.needs_report and not doubt:
        read = _read_held(gate, row, past.place, indexed.held)
        if isinstance(read, NotFound):
            return None, read
        side = read
    age = _age(row.date, head)
    earlier = row.back - start if isinstance(start, int) else 0
    before = f"{plural(earlier, 'commit')} before it" if earlier else ""
    return side, Found(
        words=_words(gate, row.commit, before, Distance(commits_back=row.back, age_seconds=age)),
        report=row.columns["report"],
        commit=row.commit,
        commits_back=row.back,
        age_seconds=age,
        doubt=doubt,
        totals=None if side else totals_of_row(row.columns),
    )


def _why_no_rows(indexed: IndexedRows, past: Past) -> str:
    count = indexed.rows.num_rows
    if not count:
        return f"the store holds no report of the model {past.model}"
    listed = plural(len(past.commits.ids), "commit")
    return f"of the {listed} in the list, none before this one is of the {plural(count, 'report')} in the store"


def _chosen(
    gate: Gate, start: int | timedelta | None, rows: Sequence[_Row], head: _Head, past: Past
) -> _Row | NotFound:
    """Return the row that a gate is relative to; of a commit the newest, better one that is counted like head."""
    if start is None:
        return _best(gate, rows, head)
    if isinstance(start, int):
        commit = past.commits.ids[start]
        if commit == head.commit:
            return NotFound(reason=f"this report is of commit {commit[:COMMIT_DIGITS]} itself")
        found = [row for row in rows if row.back >= start]
        why = f"neither commit {commit[:COMMIT_DIGITS]} nor any before it has a report"
    else:
        ages = [(head.date - row.date, row) for row in rows if row.date]
        found = [row for age, row in ages if age >= start]
        oldest = max((age for age, _ in ages), default=None)
        why = f"no report is {age_words(start)} old"
        why += f", the oldest is {age_words(max(oldest, timedelta(0)))} old" if oldest is not None else ""
    if not found:
        return NotFound(reason=why)
    of_commit = [row for row in found if row.back == found[0].back]
    return next((row for row in of_commit if _is_counted_alike(row, head)), of_commit[0])


def _best(gate: Gate, rows: Sequence[_Row], head: _Head) -> _Row | NotFound:
    """Return the row with the lowest figure, of a lower limit the highest; the nearest of those that are equal."""
    alike = [row for row in rows if _is_counted_alike(row, head)]
    known = [row for row in alike if row.columns[gate.metric] is not None]
    if not known:
        listed = f"{plural(len(rows), 'report')} of ancestors"
        lack = f"none knows all of {gate.metric}" if alike else "none is counted like this one"
        return NotFound(reason=f"of {listed}, {lack}")
    choose = max if gate.limits[0].bound is Bound.AT_LEAST else min
    return choose(known, key=lambda row: row.columns[gate.metric])


def _is_counted_alike(row: _Row, head: _Head) -> bool:
    return bool(row.columns["counting"] == head.counting["counting"])


def _read_held(gate: Gate, row: _Row, place: Place, held: frozenset[str]) -> Side | NotFound:
    """Return the report of a row; why there is none, if it was pruned.

    Raises
    ------
    BaselineError
        It cannot be read, or is damaged.
    """
    pruned = NotFound(reason=f"the report of commit {row.commit[:COMMIT_DIGITS]} was pruned, only its totals are kept")
    path = row.columns["report"]
    if path not in held:
        return pruned
    try:
        with refused(place.name, BaselineError, "read"):
            return read_side(place, path)
    except UnseenError:
        return pruned
    except DamagedError as problem:
        raise BaselineError(
            f"the report is damaged ({problem})", file=place.shown(path), option=written(gate)
        ) from None
    except BaselineError as error:
        raise BaselineError(str(error), option=written(gate), details=error.details) from error


def _of_folder(gate: Gate, folder: str, head: _Head, past: Past | None) -> tuple[Side, Found]:
    """Return the report in a folder, and that as the reference of a gate."""
    try:
        side = read_report_folder(folder)
    except BaselineError as error:
        raise BaselineError(str(error), option=written(gate), details=error.details) from error
    origin = side.origin
    back = place_of(origin.commit, past.commits) if past else None
    date = past.commits.times[back] if past and back is not None else None
    age = _age(date or time_of(origin.timestamp), head)
    return side, Found(
        words=_words(gate, origin.commit, "", Distance(commits_back=back, age_seconds=age)),
        report=name_of(folder),
        commit=origin.commit,
        commits_back=back,
        age_seconds=age,
        doubt=why_unlike(gate, counting_of(side), head.side, head.counting),
    )


def _words(gate: Gate, commit: str | None, before: str, distance: Distance) -> str:
    """Return since what, which commit and how far back: ``since v1.2 (commit 3f2a9c1b2d4e, 41 commits back)``."""
    name = f"commit {commit[:COMMIT_DIGITS]}" if commit else ""
    facts = ", ".join(filter(None, (name, before, distance.words)))
    what = gate.reference.words if gate.reference else ""
    return f"{what} ({facts})" if facts else what


def _age(date: datetime | None, head: _Head) -> int | None:
    """Return the seconds from a date to head's; None if it is not known, or later."""
    age = (head.date - date) // timedelta(seconds=1) if date else None
    return None if age is None or age < 0 else age
