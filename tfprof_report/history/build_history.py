"""Builds the history of models from the rows of a store's index and the commits of git."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import to_ints
from tfprof_report.clock import age_words, moment
from tfprof_report.compare.gates.policy import Gate, Policy
from tfprof_report.history.budgets import Budget, budgets_of
from tfprof_report.history.changes import explain, find_changes
from tfprof_report.history.drift import Drift, drift
from tfprof_report.history.drift_limits import drift_limits
from tfprof_report.history.figures_over_time import MONTH, WEEK, figure_over_time, row_at
from tfprof_report.history.history_data import Line, ModelHistory
from tfprof_report.history.in_order import COMMIT_NUMBER, newest_first, put_in_order
from tfprof_report.history.judge_newest import judge_newest
from tfprof_report.history.nets import Stretch, find_stretch
from tfprof_report.history.steps import Moves, find_moves
from tfprof_report.record import record
from tfprof_report.report.starts import Past
from tfprof_report.report.store.commits import Commits
from tfprof_report.report.store.index import IndexedRows
from tfprof_report.report.store.place import Place
from tfprof_report.schema.metrics import DEVICE_PEAK, WALL

USUAL = ("float_ops", "params", DEVICE_PEAK, WALL)
"""The figures that a history shows if nothing else is asked for; those with a budget are added."""

_MUCH_OLDER = 2
"""A report that is this many times as old as a stretch of days is no longer its begin."""

EXPLAINED = 30
"""How many changes of a model are explained by comparing reports: the newest ones."""


@record
class Wanted:
    """What a history shows.

    commits : those of git, the oldest first
    first : the number of the commit with which to begin
    since : in words, the stretch from that commit on; empty for all commits
    tags : the names of releases by commit
    stems : the figures; None for the usual ones and those with a budget
    more : figures that are shown beside these
    explained : most changes of a model that are explained
    """

    commits: Commits
    first: int = 0
    since: str = ""
    tags: Mapping[str, tuple[str, ...]] | None = None
    stems: tuple[str, ...] | None = None
    more: tuple[str, ...] = ()
    explained: int = EXPLAINED


def build_model(
    name: str,
    indexed: IndexedRows,
    place: Place,
    wanted: Wanted,
    gates: Sequence[Gate] = (),
    *,
    judged: Policy | None = None,
) -> ModelHistory:
    """Return the history of a model; it may have no rows, if no commit has a report that can be shown.

    `gates` are those whose limits are shown: on whole models, budgets and drift gates. `judged` is what the newest
    report is judged by; None for no verdict.

    What is noise, and what a level, is known from all reports, also of those before the first commit that is shown.
    """
    ordered = put_in_order(indexed.rows, wanted.commits)
    all_rows = ordered.rows
    all_times = _times(all_rows, wanted.commits)
    drifting = drift_limits(gates, all_rows, all_times, wanted.commits, wanted.tags)
    budgets = (*budgets_of(gates), *drifting)
    stems = [stem for stem in _stems(wanted, budgets) if _is_ever_there(all_rows, stem)]
    all_moves = {stem: find_moves(all_rows, stem) for stem in stems}
    release = _last_release(all_rows, wanted)
    begin = _begin(all_rows, all_moves, wanted)
    rows, times = all_rows.slice(begin), all_times[begin:]
    moves = {stem: each.from_row(begin) for stem, each in all_moves.items()}
    changes = find_changes(rows, (step for each in moves.values() for step in each.steps))
    tags = [(wanted.tags or {}).get(commit, ()) for commit in rows["commit"].to_pylist()]
    past = Past(place=place, model=name, commits=newest_first(wanted.commits), tags=wanted.tags)
    return ModelHistory(
        name=name,
        rows=rows,
        times=tuple(times),
        tags=tuple(tags),
        held=tuple(path in indexed.held for path in rows["report"].to_pylist()),
        lines=tuple(
            Line(
                stem=stem,
                moves=moves[stem],
                drift=_drift(all_rows, stem, all_moves[stem]),
                budgets=tuple(budget for budget in budgets if budget.stem == stem),
                over_time=figure_over_time(
                    all_rows,
                    all_times,
                    stem,
                    all_moves[stem],
                    release=release,
                    budgets=[budget for budget in budgets if budget.stem == stem],
                ).from_row(begin),
            )
            for stem in (stems if rows.num_rows else ())
        ),
        never=tuple(stem for stem in dict.fromkeys([*(wanted.stems or ()), *wanted.more]) if stem not in stems),
        changes=explain(changes, rows, place, indexed.held, wanted.explained),
        stretches=tuple(_stretches(rows, times, wanted, moves, None if release is None else release - begin)),
        left_out=(*indexed.left_out, *(replace(each, path=place.shown(each.path)) for each in ordered.recounted)),
        elsewhere=ordered.elsewhere,
        earlier=ordered.earlier,
        before=begin,
        verdict=judge_newest(all_rows, indexed, judged, past, moment()) if judged and all_rows.num_rows else None,
    )


def _stems(wanted: Wanted, budgets: Sequence[Budget]) -> Sequence[str]:
    asked_for = [*USUAL, *(budget.stem for budget in budgets)] if wanted.stems is None else wanted.stems
    return tuple(dict.fromkeys([*asked_for, *wanted.more]))


def _is_ever_there(rows: pa.Table, stem: str) -> bool:
    """Return whether any report has a figure, or a lower bound of it."""
    return bool(pc.any(pc.or_(rows[stem].is_valid(), rows[f"{stem}_at_least"].is_valid())).as_py())


def _times(rows: pa.Table, commits: Commits) -> list[datetime | None]:
    """Return the date of the commit of each row; where the list of commits has none, the time of the report."""
    own = rows["time"].to_pylist()
    numbers = rows[COMMIT_NUMBER].to_pylist()
    return [commits.times[number] or time for number, time in zip(numbers, own, strict=True)]


def _begin(rows: pa.Table, moves: Mapping[str, Moves], wanted: Wanted) -> int:
    """Return the first row to show: the last report up to the first commit, or that with which a later one is compared.

    That is an earlier one where a figure was not known for some reports.
    """
    if wanted.first >= len(wanted.commits.ids):
        return len(rows)
    last = int(np.searchsorted(to_ints(rows[COMMIT_NUMBER]), wanted.first, side="right")) - 1
    compared = (step.before for each in moves.values() for step in each.steps if step.row > last)
    return min([max(last, 0), *compared])


def _last_release(rows: pa.Table, wanted: Wanted) -> int | None:
    """Return the row of the last release before the newest report, or of the last one before it that has a report."""
    if not wanted.tags or not rows.num_rows:
        return None
    numbers = to_ints(rows[COMMIT_NUMBER])
    tagged = [number for number, commit in enumerate(wanted.commits.ids) if commit in wanted.tags]
    before = [number for number in tagged if number < numbers[-1]]
    row = int(np.searchsorted(numbers, before[-1], side="right")) - 1 if before else -1
    return row if row >= 0 else None


def _drift(rows: pa.Table, stem: str, moves: Moves) -> Drift | None:
    """Return the drift of a noisy figure in its newest level."""
    if not moves.is_noisy or not moves.levels:
        return None
    level = moves.levels[-1]
    values = rows[stem].slice(level.first, level.last - level.first + 1).drop_null()
    return drift(values.combine_chunks().to_numpy(zero_copy_only=False).astype(np.float64))


def _stretches(
    rows: pa.Table,
    times: Sequence[datetime | None],
    wanted: Wanted,
    moves: Mapping[str, Moves],
    release: int | None,
) -> list[Stretch]:
    """Return what moved over the stretch that was asked for, the last 7 and 30 days, and since the last release.

    If all commits are shown the stretch that was asked for comes last: since the first report.
    """
    newest = times[-1] if times else None
    starts: list[tuple[str, int | None]] = [(wanted.since, 0)] if wanted.since and rows.num_rows else []
    if newest is not None:
        starts += [_last_days(times, newest, age) for age in (WEEK, MONTH)]
    if release is not None and release >= 0:
        starts.append((f"since {_release_name(rows, release, wanted)}", release))
    if not wanted.since and rows.num_rows > 1:
        starts.append(("since the first report", 0))
    named: dict[str, int] = {}
    for words, start in starts:
        if start is not None:
            named.setdefault(words, start)
    return [find_stretch(rows, words, start, moves) for words, start in named.items()]


def _last_days(times: Sequence[datetime | None], newest: datetime, age: timedelta) -> tuple[str, int | None]:
    """Return the words for the last days, and the row that they begin with: the last one that is so old.

    Where it is much older the words say so: what moved since may have moved long before these days.
    """
    words, row = f"in the last {age_words(age)}", row_at(times, newest - age)
    begin = None if row is None else times[row]
    if begin is not None and newest - begin > _MUCH_OLDER * age:
        return f"since {begin:%Y-%m-%d}, the last report before {age_words(age)} ago", row
    return words, row


def _release_name(rows: pa.Table, release: int, wanted: Wanted) -> str:
    """Return the name of the last release at or after the row's commit and before the next row's."""
    numbers = to_ints(rows[COMMIT_NUMBER])
    upper = numbers[release + 1] if release + 1 < len(numbers) else numbers[release] + 1
    named = [(wanted.tags or {}).get(commit) for commit in wanted.commits.ids[numbers[release] : upper]]
    names = [those for those in named if those]
    return names[-1][0] if names else ""
