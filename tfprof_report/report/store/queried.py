"""Asks a store for the reports that a query means."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tfprof_report.errors import BaselineError
from tfprof_report.options import hint_at
from tfprof_report.record import record
from tfprof_report.report.store.index import indexed_models, read_index
from tfprof_report.report.store.place import Place
from tfprof_report.report.store.store import check_model
from tfprof_report.report.store.store_query import Query
from tfprof_report.report.store.usable import PassedOver

_GLOB = frozenset("*?[")
"""Characters that no name of a model has."""


@record
class Queried:
    """A report that is meant: its row of the index, and whether the report itself is still in the store."""

    row: Mapping[str, Any]
    is_held: bool


@record
class Answer:
    """The reports that are meant, model by model, the oldest first; and what has no row, by model."""

    reports: tuple[Queried, ...]
    left_out: Mapping[str, tuple[PassedOver, ...]]


def query_store(place: Place, query: Query, now: datetime) -> Answer:
    """Return the reports of a store that a query means.

    Raises
    ------
    OptionError
        A name cannot be that of a model.
    BaselineError
        The store has no reports, or none of a model that the query names.
    OSError
        The store cannot be read.
    """
    there = indexed_models(place)
    if not there:
        raise BaselineError("holds no baselines", file=place.name, advice="check the name of the store")
    named = [name for text in query.model for name in _meant(text, there, place)]
    reports, left_out = [], {}
    for name in dict.fromkeys(named) or there:
        indexed = read_index(place, name, now)
        reports += [Queried(row=row, is_held=row["report"] in indexed.held) for row in query.select(indexed.rows)]
        left_out[name] = indexed.left_out
    return Answer(reports=tuple(reports), left_out=left_out)


def _meant(text: str, there: Sequence[str], place: Place) -> Sequence[str]:
    """Return the models that a name or a glob means."""
    if not _GLOB.isdisjoint(text):
        found = fnmatch.filter(there, text)
        problem = f"holds no model whose name matches {text}"
    else:
        check_model(text, "model")
        found = [text] if text in there else []
        problem = f"holds no baseline of the model {text}"
    if not found:
        raise BaselineError(problem, file=place.name, advice=hint_at(text, there))
    return found
