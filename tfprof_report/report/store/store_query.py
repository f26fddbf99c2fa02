"""Queries on a store: which of its reports are meant, such as ``model=encoder, branch=main, last=5``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from tfprof_report.clock import parse_age, time_of
from tfprof_report.errors import OptionError
from tfprof_report.options import unknown_word
from tfprof_report.record import record

_EARLIEST = datetime.min.replace(tzinfo=UTC)
_TEXTS = ("model", "branch", "commit", "label")
_KEYS = (*_TEXTS, "since", "last")
_GRAMMAR = 'write KEY=VALUE, ..., such as "model=encoder, branch=main, last=5"'


@record
class Query:
    """Which reports of a store are meant.

    model, branch, label : the values that are meant; none for any. Of models they may be globs
    commit : the same for commits, which may be abbreviated
    since : the time from which on reports are meant; None for any
    last : how many of each model, the newest; None for all
    """

    model: tuple[str, ...] = ()
    branch: tuple[str, ...] = ()
    commit: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    since: datetime | None = None
    last: int | None = None

    def select(self, rows: pa.Table) -> list[dict[str, Any]]:
        """Return the rows of one model that are meant, the oldest report first, and of a commit only the newest.

        rows : rows of the index of the model, in the order of `read_index`
        """
        newest = {row["commit"]: row for row in rows.to_pylist()}
        meant = (row for row in newest.values() if self._is_meant(row))
        found = sorted(meant, key=in_time)
        return found if self.last is None else found[-self.last :]

    def _is_meant(self, row: Mapping[str, Any]) -> bool:
        texts = (not values or row[name] in values for name, values in (("branch", self.branch), ("label", self.label)))
        is_of_commit = not self.commit or row["commit"].startswith(self.commit)
        return is_of_commit and all(texts) and (self.since is None or _time(row) >= self.since)


def parse_query(text: str, *, option: str, now: datetime, last: int | None) -> Query:
    """Return what a query means; `last` holds if it names neither ``last`` nor ``since``.

    A key of text may be given several times: any of its values is meant. Ages run back from `now`.

    Raises
    ------
    OptionError
        It is no list of ``KEY=VALUE``, a key is not known, or a value is none of its key.
    """
    found: dict[str, list[str]] = {}
    named = f'{option} "{text}"'
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not value:
            raise OptionError(f'"{part}" is not KEY=VALUE', option=named, advice=_GRAMMAR)
        if key not in _KEYS:
            raise unknown_word(key, option=option, known=_KEYS)
        if key in found and key not in _TEXTS:
            raise OptionError(f"{key} is given twice", option=named, advice="give it once")
        found.setdefault(key, []).append(value)
    if not found and text:
        raise OptionError("says nothing", option=named, advice=_GRAMMAR)
    return Query(
        **{name: tuple(found.get(name, ())) for name in _TEXTS},
        since=_since(found["since"][0], named, now) if "since" in found else None,
        last=_last(found["last"][0], named) if "last" in found else None if "since" in found else last,
    )


def _since(text: str, option: str, now: datetime) -> datetime:
    day = time_of(text)
    if day is not None:
        return day
    try:
        return now - parse_age(text, option=option)
    except OverflowError:
        return _EARLIEST
    except OptionError as error:
        advice = "give one, such as since=2026-01-31 or since=30d"
        raise OptionError(f"{text} is no day and no age", option=option, advice=advice) from error


def _last(text: str, option: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text[:20]):
        raise OptionError(
            f"last={text} is no number of reports", option=option, advice="give 1 or more, such as last=5"
        )
    return int(text[:20])


def in_time(row: Mapping[str, Any]) -> tuple[datetime, datetime, str]:
    """Return by what rows of the index are sorted, the oldest report first: ties by when and where it was saved."""
    return _time(row), row["saved"], row["report"]


def _time(row: Mapping[str, Any]) -> datetime:
    """Return the time of a report; when it was saved if it names none."""
    time: datetime = row["time"] or row["saved"]
    return time
