"""The limits of drift gates on whole models: how far a figure may be from its value in an earlier report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import to_ints
from tfprof_report.compare.gates.policy import Bound, Gate, Limit, Scale, Subject
from tfprof_report.history.budgets import Budget
from tfprof_report.history.figures_over_time import row_at
from tfprof_report.history.in_order import COMMIT_NUMBER, ERA
from tfprof_report.report.starts import start_of
from tfprof_report.report.store.commits import Commits


def drift_limits(
    gates: Iterable[Gate],
    rows: pa.Table,
    times: Sequence[datetime | None],
    commits: Commits,
    tags: Mapping[str, tuple[str, ...]] | None,
) -> tuple[Budget, ...]:
    """Return the upper limits of drift gates, as the newest report has them, from their references on.

    A gate whose reference has no report, does not know the figure, or is counted in another way, has none; nor has one
    relative to a report outside of the store.

    Parameters
    ----------
    rows, times : reports in order with their dates
    commits : those that `rows` are numbered by, the oldest first

    Raises
    ------
    OptionError
        As in `start_of`.
    """
    found: list[Budget] = []
    for gate in gates:
        if gate.reference and not gate.reference.folder and gate.subject is Subject.MODEL:
            found += _limits(gate, rows, _reference(gate, rows, times, commits, tags))
    return tuple(found)


def _reference(
    gate: Gate,
    rows: pa.Table,
    times: Sequence[datetime | None],
    commits: Commits,
    tags: Mapping[str, tuple[str, ...]] | None,
) -> int | None:
    """Return the row that a gate on the last one is relative to, never that itself; None if there is none."""
    start = start_of(gate, commits, tags)
    if not rows.num_rows:
        return None
    if start is None:
        return _best(rows, gate.metric)
    if isinstance(start, timedelta):
        row = None if times[-1] is None else row_at(times[:-1], times[-1] - start)
    else:
        row = int(np.searchsorted(to_ints(rows[COMMIT_NUMBER]), start, side="right")) - 1
    return row if row is not None and 0 <= row < rows.num_rows - 1 else None


def _best(rows: pa.Table, stem: str) -> int | None:
    """Return the newest row with the lowest figure of those before the last one that are counted like that."""
    rows, last = rows.slice(0, rows.num_rows - 1), rows[ERA][-1]
    alike = pc.equal(rows[ERA], last)
    figures = pc.if_else(alike, rows[stem], None).combine_chunks()
    lowest = pc.min(figures)
    return int(np.flatnonzero(pc.equal(figures, lowest).fill_null(fill_value=False))[-1]) if lowest.is_valid else None


def _limits(gate: Gate, rows: pa.Table, row: int | None) -> Iterator[Budget]:
    if row is None or rows[ERA][row] != rows[ERA][-1] or not rows[gate.metric][row].is_valid:
        return
    base = Fraction(rows[gate.metric][row].as_py())
    for limit in gate.limits:
        if limit.bound is not Bound.AT_LEAST:
            yield Budget(
                stem=gate.metric,
                most=_most(base, limit),
                text=gate.text,
                owner=gate.owner,
                since=rows[COMMIT_NUMBER][row].as_py(),
            )


def _most(base: Fraction, limit: Limit) -> Fraction:
    if limit.scale is Scale.DIFFERENCE:
        return base + limit.value
    allowed = abs(base) * limit.value / 100
    return base + (allowed if limit.floor is None else max(allowed, limit.floor))
