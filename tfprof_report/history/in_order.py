"""Puts the reports of a model into the order of git, and keeps those apart that are counted in different ways."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_ints
from tfprof_report.record import record
from tfprof_report.report.store.commits import Commits
from tfprof_report.report.store.usable import PassedOver, Unusable

COMMIT_NUMBER, ERA = "commit_number", "era"
"""Columns of the rows in order: the place of the commit, and which way of counting; the oldest is 0."""


@record
class Ordered:
    """The reports of a model that history shows: one for each commit, in the order of git.

    rows : their rows of the index, with `COMMIT_NUMBER` and `ERA`. Figures of different eras are never compared.
    elsewhere : the number of reports of commits that are not in the list
    earlier : the number of reports of a commit that has a newer one
    recounted : reports between two others that are counted in another way than both of these
    """

    rows: pa.Table
    elsewhere: int = 0
    earlier: int = 0
    recounted: tuple[PassedOver, ...] = ()


def oldest_first(commits: Commits) -> Commits:
    """Return commits in the order in which they were made, each once; a list begins with the nearest."""
    places = {commit: place for place, commit in reversed(list(enumerate(commits.ids)))}
    order = sorted(places.values(), reverse=True)
    return Commits(
        ids=tuple(commits.ids[place] for place in order), times=tuple(commits.times[place] for place in order)
    )


def newest_first(commits: Commits) -> Commits:
    """Return the commits of `oldest_first` in the order in which a list has them."""
    return Commits(ids=commits.ids[::-1], times=commits.times[::-1])


def put_in_order(rows: pa.Table, commits: Commits) -> Ordered:
    """Return the rows of an index in the order of `commits`, the oldest first; of a commit the last row.

    An era goes back from the newest report to the oldest one that is counted in the same way: what is counted otherwise
    in between is left out. Before it comes the next era.
    """
    number = pc.index_in(rows["commit"], value_set=pa.array(commits.ids, pa.string()))
    listed = rows.filter(number.is_valid())
    order = np.argsort(to_ints(number.drop_null()), kind="stable")
    listed, numbers = listed.take(order), to_ints(number.drop_null())[order]
    counting = to_ints(pc.dictionary_encode(listed["counting"].combine_chunks()).indices)
    starts, codes = _eras(counting)
    era = np.searchsorted(starts, np.arange(len(counting)), side="right") - 1
    counts = counting == codes[era]
    # of a commit the last row that counts: also where an era begins at it
    places = np.flatnonzero(counts)
    kept = places[np.diff(numbers[places], append=-1) != 0]
    chosen = listed.take(kept)
    chosen = chosen.append_column(COMMIT_NUMBER, pa.array(numbers[kept], pa.int64()))
    return Ordered(
        rows=chosen.append_column(ERA, pa.array(_numbered(era[kept]), pa.int64())),
        elsewhere=rows.num_rows - listed.num_rows,
        earlier=len(places) - len(kept),
        recounted=tuple(_recounted(listed.filter(~counts))),
    )


def _eras(counting: Ints) -> tuple[Ints, Ints]:
    """Return the first row of each era, in order, and its way of counting."""
    first = np.zeros(counting.max(initial=-1) + 1, dtype=np.int64)
    first[counting[::-1]] = np.arange(len(counting))[::-1]
    starts: list[int] = []
    codes: list[int] = []
    end = len(counting)
    while end:
        codes.append(int(counting[end - 1]))
        end = int(first[codes[-1]])
        starts.append(end)
    return np.array(starts[::-1], dtype=np.int64), np.array(codes[::-1], dtype=np.int64)


def _numbered(era: Ints) -> Ints:
    """Return eras numbered without gaps: one may have lost its only commit to the next."""
    return np.cumsum(np.diff(era, prepend=era[:1]) != 0)


def _recounted(rows: pa.Table) -> Iterator[PassedOver]:
    for path in rows["report"].to_pylist():
        yield PassedOver(path=path, kind=Unusable.COUNTED, why="reports before and after it are counted alike")
