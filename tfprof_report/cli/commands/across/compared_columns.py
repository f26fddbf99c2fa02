"""The columns of the command `compare`: reports, models that are measured for it, and what a query on a store means."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from urllib.parse import quote

from tfprof_report.cli.commands.jobs import side_of
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.config.path_globs import GlobError, Match
from tfprof_report.cli.config.url_globs import matches_of, names_many
from tfprof_report.cli.console import say
from tfprof_report.cli.inputs import measurement_from
from tfprof_report.cli.notes import print_diagnostics, print_notes
from tfprof_report.cli.params.across_options import CompareValues
from tfprof_report.cli.params.model_options import InputValues
from tfprof_report.clock import moment_of
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import BaselineError, InputError, OptionError, shown
from tfprof_report.formatting import COMMIT_DIGITS
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.ingest.files.folders import join
from tfprof_report.job import Job, run
from tfprof_report.record import record
from tfprof_report.render.machine.summary_json import render_summary
from tfprof_report.report.folder import read_report_folder
from tfprof_report.report.models import listed_models, read_models_folder
from tfprof_report.report.store.fetch_layers import fetch_layers
from tfprof_report.report.store.place import Place
from tfprof_report.report.store.queried import Queried, query_store
from tfprof_report.report.store.store import DamagedError
from tfprof_report.report.store.store_query import parse_query
from tfprof_report.report.store.summary_row import NoRowError, row_of_summary
from tfprof_report.report.store.usable import passed_words
from tfprof_report.schema.files import HTML, SUMMARY
from tfprof_report.side_by_side.layers import NEEDED
from tfprof_report.side_by_side.report_column import Column, column_of
from tfprof_report.urls import is_url, name_of

_STORE, _QUERY = "--store", "--query"
_OPTION = "[NAME=]SOURCE"


@record
class Source:
    """A column that is not in a store: its name and its path."""

    name: str
    path: str


def sources_of(texts: Sequence[str]) -> tuple[Source, ...]:
    """Return the sources on the command line, each with the name that is given, or the part of its path that differs.

    A text that is a path as a whole names none. What a glob matches, and the models of a report of several, are sources
    of their own.

    Raises
    ------
    OptionError
        A name is empty or given twice, or a glob matches nothing.
    InputError
        A report of several models is incomplete.
    """
    found = [each for text in texts for each in _expanded(*_parted(text))]
    usual = iter(_short_names([path for name, path in found if not name]))
    sources = tuple(Source(name=name or next(usual), path=path) for name, path in found)
    taken: set[str] = set()
    for source in sources:
        if source.name in taken:
            problem, advice = (
                f"the name {shown(source.name)} is given twice",
                "give each column its own, as NAME=SOURCE",
            )
            raise OptionError(problem, option=_OPTION, advice=advice)
        taken.add(source.name)
    return sources


def _parted(text: str) -> tuple[str, str]:
    """Return the name, empty if none is given, and the path."""
    name, equals, path = text.partition("=")
    if not equals or is_url(text) or os.path.lexists(text):
        return "", text
    if not name or not path:
        raise OptionError("is not NAME=SOURCE", file=text, option=_OPTION, advice="write a name, = and a path")
    return shown(name), path


def _expanded(name: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield name and path of all that a glob matches, and of each model of a report of several; else those given."""
    if names_many(path):
        for match in _matches(path):
            yield from _expanded(f"{name}/{match.name}" if name else "", match.path)
        return
    if not path or not listed_models(path):
        yield name, path
        return
    for model, folder in read_models_folder(path, InputError).items():
        yield f"{name}/{model}" if name else "", folder


def _matches(pattern: str) -> list[Match]:
    try:
        return matches_of(pattern)
    except GlobError as error:
        problem, advice = error.args
        raise OptionError(problem, file=pattern, option=_OPTION, advice=advice) from error


def _short_names(paths: Sequence[str]) -> list[str]:
    """Return as many last parts of each path as tell all apart; paths that are equal stay so."""
    parts = [PurePath(name_of(path)).parts for path in paths]
    for count in range(1, max(map(len, parts), default=0) + 1):
        names = [shown(str(PurePath(*each[-count:]))) for each in parts]
        if len({*names}) == len({*parts}):
            return names
    return [shown(name_of(path)) for path in paths]


def read_source(source: Source, values: CompareValues, rules: AppliedRules, progress: Callable[[str], None]) -> Column:
    """Return the column of a report folder, or of a model that is measured as `report` measures it.

    Raises
    ------
    InputError
        The folder is no complete report, or a file of the model cannot be read.
    """
    side = side_of(InputValues(source=source.path), rules)
    if isinstance(side, str):
        progress(f"reading {name_of(side)}")
        head, summary = read_report_folder(side, InputError, views=()), _summary_of(side)
        return _column(source, summary, head.layers, _link(Path(side, HTML), values.out or ""))
    job = Job(
        head=side,
        base=None,
        policy=Policy(),
        measurement=measurement_from(values.job),
        speeds=rules.devices,
        timestamp=values.timestamp,
    )
    report = run(job, progress)
    print_notes(side)
    print_diagnostics(report.diagnostics, of=source.name)
    return _column(source, render_summary(report, {}).encode(), report.head.layers)


def _summary_of(folder: str) -> bytes:
    return read_bytes(join(folder, SUMMARY), option=_OPTION)


def _column(source: Source, summary: bytes, layers: object, link: str = "") -> Column:
    try:
        row = row_of_summary(summary)
    except NoRowError as problem:
        advice = "write the report again with this version"
        raise InputError(problem.why, file=source.path, advice=advice) from problem
    return column_of(source.name, shown(name_of(source.path)), row, layers=layers, link=link)


def _link(page: Path, out: str) -> str:
    """Return the address of a page on this machine, seen from a folder; empty if there is no such page."""
    return quote(os.fsencode(os.path.relpath(page.absolute(), Path(out).absolute()))) if page.is_file() else ""


def columns_in_store(values: CompareValues, place: Place, store_url: str, most: int) -> list[Column]:
    """Return the columns of the reports that the queries mean, in their order; a report that several mean once.

    Raises
    ------
    OptionError
        A query is wrong, or means more than `most` reports.
    BaselineError
        The store has no such model, or no report is meant.
    """
    now = moment_of(values.timestamp)
    texts = values.query or [""]
    queries = [parse_query(text, option=_QUERY, now=now, last=1) for text in texts]
    found: dict[str, Queried] = {}
    for text, query in zip(texts, queries, strict=True):
        answer = query_store(place, query, now)
        for model, passed in answer.left_out.items():
            for words in passed_words(passed):
                say(f"warning: {model}: {words}")
        if not answer.reports:
            option = f'{_QUERY} "{text}"' if text else _STORE
            raise BaselineError(
                "holds no report that is meant", file=place.name, option=option, advice="ask for others"
            )
        found |= {str(each.row["report"]): each for each in answer.reports}
    if len(found) > most:
        problem, advice = f"brings {len(found):,} columns", f"{most:,} have room; ask for fewer, such as last=1"
        raise OptionError(problem, file=place.name, option=_QUERY if values.query else _STORE, advice=advice)
    names = _names_in_store(list(found.values()))
    return [_column_in_store(place, name, each, store_url) for name, each in zip(names, found.values(), strict=True)]


def _names_in_store(reports: Iterable[Queried]) -> list[str]:
    """Return model and commit of each report, the commit whole where its beginning is that of another."""
    reports = list(reports)
    short = [f"{each.row['model']}@{each.row['commit'][:COMMIT_DIGITS]}" for each in reports]
    whole = [f"{each.row['model']}@{each.row['commit']}" for each in reports]
    return [name if short.count(name) == 1 else full for name, full in zip(short, whole, strict=True)]


def _column_in_store(place: Place, name: str, found: Queried, store_url: str) -> Column:
    path = str(found.row["report"])
    layers, why = None, "its report was pruned; only its totals are kept"
    if found.is_held:
        try:
            layers, why = fetch_layers(place, path, NEEDED), "its version wrote none"
        except DamagedError as problem:
            why = f"its report is damaged ({problem})"
            say(f"warning: {place.shown(path)}: {why}; only its totals in the index are used")
    link = f"{store_url.rstrip('/')}/{quote(path)}/{HTML}" if store_url and found.is_held else ""
    return column_of(name, shown(place.shown(path)), found.row, layers=layers, no_layers=why, link=link)
