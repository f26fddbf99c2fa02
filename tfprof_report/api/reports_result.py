"""The reports of a store, or of a folder of several models: their tables as one, with the model and the commit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import pyarrow as pa

from tfprof_report.api.facts import FACTS, fact_table, plain
from tfprof_report.api.result import Result
from tfprof_report.clock import moment
from tfprof_report.errors import BaselineError, InputError
from tfprof_report.record import record
from tfprof_report.render.html.notebook_cell import render_reports_cell
from tfprof_report.report.models import read_models_folder
from tfprof_report.report.read_back.folder_files import parse_table, read_file, read_summary, usable_folder
from tfprof_report.report.store.index import indexed_models, read_index
from tfprof_report.report.store.place import Place, refused
from tfprof_report.report.store.store import DamagedError, Entry, entry_at, fetch, fetch_summary
from tfprof_report.report.store.usable import PassedOver, Unusable, passed_words
from tfprof_report.schema.compatible import UnlikeError, as_now, version_problem
from tfprof_report.schema.files import VERDICT
from tfprof_report.schema.tables import TABLES
from tfprof_report.threads import Threads

KEYS = pa.schema([("model", pa.string()), ("commit", pa.string()), ("timestamp", pa.string())])
"""The columns that tell the reports apart; they come first in every table."""

_ENDING = ".parquet"


@record
class Member:
    """One of several reports.

    read : returns one of its files, checked against the digest in the summary
    usable : the block in which that is done, which turns what is wrong with the report into one line
    """

    model: str
    commit: str | None
    summary: Mapping[str, Any]
    read: Callable[[str], bytes]
    usable: Callable[[], Any]

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of its tables that this version knows."""
        names = (name.removesuffix(_ENDING) for name in self.summary["files"] if name.endswith(_ENDING))
        return tuple(name for name in names if name in TABLES)

    def table(self, name: str) -> pa.Table:
        """Return one of its tables, with the columns of this version; `KEYS` come first."""
        with self.usable():
            if name in FACTS:
                found = fact_table(name, json.loads(self.read(VERDICT)))
            else:
                file = f"{name}{_ENDING}"
                found = plain(_as_now(name, parse_table(self.read(file), file), self.summary))
        keys = (self.model, self.commit, str(self.summary["timestamp"]))
        for place, (key, value) in enumerate(zip(KEYS, keys, strict=True)):
            found = found.add_column(place, key, pa.repeat(pa.scalar(value, key.type), found.num_rows))
        return found


@record
class Reports:
    """Several reports by model, the oldest first, and what is passed over, in words; `jobs` are read at a time."""

    name: str
    members: tuple[Member, ...]
    warnings: tuple[str, ...] = ()
    jobs: int = 1


class ReportsResult(Result):
    """Several reports. The first columns of each table are ``model``, ``commit`` and ``timestamp``, that of the report.

    ``warnings`` says which reports of a store are left out, and why.
    """

    def __init__(self, reports: Reports) -> None:
        super().__init__()
        self._reports = reports
        self.warnings = reports.warnings

    @property
    def tables(self) -> tuple[str, ...]:
        """The names of all tables that any of the reports has, and of those that every report has."""
        there = {name for member in self._reports.members for name in member.tables}
        always = ("nodes", "layers", "scope", "op", "steps")
        return (*(name for name in TABLES if name in there or name in always), *FACTS)

    def _arrow(self, name: str) -> pa.Table:
        empty = plain((FACTS[name] if name in FACTS else TABLES[name]).empty_table())
        schema = pa.schema([*KEYS, *empty.schema])
        members = [member for member in self._reports.members if name in FACTS or name in member.tables]
        with Threads(self._reports.jobs) as threads:
            waiting = [threads.start(member.table, name) for member in members]
            found = [result() for result in waiting]
        return pa.concat_tables([schema.empty_table(), *found])

    def __repr__(self) -> str:
        return f"<{len(self._reports.members):,} reports in {self._reports.name}>"

    def _repr_html_(self) -> str:
        return render_reports_cell(
            self._reports.name, self.arrow("verdict").to_pylist(), self.arrow("totals").to_pylist()
        )


def read_store(place: Place, text: str) -> Reports:
    """Return the reports of a store, which `text` named.

    Raises
    ------
    BaselineError
        It holds nothing, or cannot be read.
    """
    with refused(text, BaselineError, "read"):
        models, now = indexed_models(place), moment()
        found = {model: read_index(place, model, now) for model in models}
        entries = {
            model: [entry_at(path) for path in index.rows["report"].to_pylist() if path in index.held]
            for model, index in found.items()
        }
        members = [member for model in models for member in _members(place, entries[model])]
    if not models:
        raise BaselineError("holds no baselines", file=place.name, advice="check the name of the store")
    passed = {model: passed_words([*found[model].left_out, *_too_old(place, members, model)]) for model in models}
    return Reports(
        name=place.name,
        members=tuple(member for member in members if not version_problem(member.summary["schema_version"])),
        warnings=tuple(f"{model}: {words}" for model in models for words in passed[model]),
        jobs=place.jobs,
    )


def _too_old(place: Place, members: Sequence[Member], model: str) -> Iterator[PassedOver]:
    """Yield the reports of a model that this version cannot read any more."""
    for member in members:
        problem = version_problem(member.summary["schema_version"]) if member.model == model else None
        if problem:
            yield PassedOver(path=place.shown(model), kind=Unusable.SCHEMA, why=problem)


def _members(place: Place, entries: Sequence[Entry]) -> Iterator[Member]:
    with Threads(place.jobs) as threads:
        waiting = [threads.start(_stored, place, entry) for entry in entries]
        yield from [result() for result in waiting]


def _stored(place: Place, entry: Entry) -> Member:
    with _usable_entry(place, entry):
        summary = fetch_summary(place, entry)
        return Member(
            model=entry.model,
            commit=entry.commit,
            summary=json.loads(summary),
            read=lambda name: fetch(place, entry, summary, only=(name,))[name],
            usable=partial(_usable_entry, place, entry),
        )


@contextmanager
def _usable_entry(place: Place, entry: Entry) -> Iterator[None]:
    shown = place.shown(entry.path)
    with usable_folder(shown, BaselineError):
        try:
            yield
        except OSError:
            with refused(shown, BaselineError, "read"):
                raise
        except DamagedError as problem:
            advice = "remove it from the store, and save the report again"
            raise BaselineError(f"is damaged ({problem})", file=shown, advice=advice) from problem


def read_models(folder: str) -> Reports:
    """Return the reports of a folder of several models; an InputError if it is not complete."""
    members = [_in_folder(name, path) for name, path in read_models_folder(folder, InputError).items()]
    return Reports(name=folder, members=tuple(members))


def _in_folder(name: str, folder: str) -> Member:
    usable = partial(usable_folder, folder, InputError)
    with usable():
        summary = read_summary(folder)
        commit = summary["side"]["commit"]
    return Member(
        model=name,
        commit=commit,
        summary=summary,
        read=lambda file: read_file(folder, file, summary),
        usable=usable,
    )


def _as_now(name: str, table: pa.Table, summary: Mapping[str, Any]) -> pa.Table:
    try:
        return as_now(name, table, version=summary["schema_version"])
    except UnlikeError as problem:
        raise ValueError(str(problem)) from problem
