"""Chooses entries of a store: the baseline of the nearest ancestor commit, and entries old enough to remove."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta

from tfprof_report.formatting import plural
from tfprof_report.report.store.store import Entry, Held
from tfprof_report.report.store.usable import PassedOver, Unusable, by_kind

UNFINISHED = timedelta(days=1)
"""A save that started longer ago is taken as interrupted."""

_NEW_ONE = "write a report with this version and save it"
_ADVICE = {
    Unusable.COUNTED: "give the options that the coming report is counted with",
    Unusable.VERSION: _NEW_ONE,
    Unusable.SCHEMA: _NEW_ONE,
}
"""What to do, by why reports were passed over; the first that applies, since it may take no new report."""


def nearest(entries: Sequence[Entry], ancestors: Sequence[str]) -> Iterator[tuple[int, Entry]]:
    """Yield the entries of ancestors, each with its distance in commits: nearest first, the newest first per commit."""
    of_commit: dict[str, list[Entry]] = {}
    for entry in entries:
        of_commit.setdefault(entry.commit, []).append(entry)
    for back, commit in enumerate(ancestors):
        for entry in of_commit.pop(commit, ()):
            yield back, entry


def why_nothing(
    model: str, entries: Sequence[Entry], ancestors: Sequence[str], passed: Sequence[PassedOver] = ()
) -> str:
    """Return why no ancestor has a usable baseline, and what to do about it."""
    if not entries:
        return f"holds no baseline of the model {model}"
    if passed:
        reasons = ", ".join(f"{count:,} {example.kind}" for count, example in by_kind(passed))
        advice = next((f"; {_ADVICE[kind]}" for kind in _ADVICE if any(each.kind is kind for each in passed)), "")
        return f"has no usable baseline of the model {model}; passed over: {reasons}{advice}"
    listed = f"{len(ancestors):,} commits" if len(ancestors) > 1 else "only commit"
    words = f"has {plural(len(entries), 'report')} of the model {model}, none is of the {listed} in the list"
    short = [entry.commit for entry in entries if any(commit.startswith(entry.commit) for commit in ancestors)]
    if short:
        return f"{words}; {short[0]} abbreviates one of them, save under full ids"
    return f"{words}; in a shallow clone the list is short, fetch more of the history"


def to_prune(
    held: Sequence[Held],
    *,
    keep: int | None,
    older_than: timedelta | None,
    now: datetime,
    thinned: Collection[Entry] = (),
) -> tuple[Held, ...]:
    """Return the entries of one model to remove; `held` has the newest first.

    keep : the number of commits whose newest report is kept regardless of its age
    older_than : the minimum age of other entries to remove; None removes them all
    thinned : entries that a thinned history keeps

    Interrupted saves are removed after a day.
    """
    kept: dict[str, Entry] = {}
    for each in held:
        if each.is_whole and len(kept) < (keep or 0):
            kept.setdefault(each.entry.commit, each.entry)
    staying = {*kept.values(), *(each.entry for each in held if each.is_whole and each.entry in thinned)}
    limit = timedelta.min if older_than is None else older_than
    return tuple(
        each
        for each in held
        if each.entry not in staying and now - each.entry.saved > (limit if each.is_whole else UNFINISHED)
    )
