"""The command `index`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from tfprof_report.cli.commands.named_files import check_named_files
from tfprof_report.cli.commands.store_outputs import check_outside, check_store_url, store_address
from tfprof_report.cli.console import echo, say
from tfprof_report.cli.params.across_options import IndexValues
from tfprof_report.clock import moment_of, now
from tfprof_report.errors import BaselineError, InputError, OptionError, shown
from tfprof_report.formatting import plural
from tfprof_report.render.files.atomic import write_files
from tfprof_report.render.reports_index.index_page import MOST_ROWS, render_reports_index
from tfprof_report.report.models import INDEX_FOLDER, name_problem
from tfprof_report.report.store.place import Place, open_place, refused
from tfprof_report.report.store.queried import Queried, query_store
from tfprof_report.report.store.reports_below import FoundReport, reports_below
from tfprof_report.report.store.row_files import is_indexed
from tfprof_report.report.store.store import entries_of, models_in
from tfprof_report.report.store.store_query import in_time, parse_query
from tfprof_report.report.store.usable import passed_words
from tfprof_report.schema.files import HTML
from tfprof_report.schema.listed_columns import LISTED

_OUT, _QUERY = "--out", "--query"


def write_index(values: IndexValues) -> None:
    """Write the page that lists the reports in a folder or a store."""
    if values.out is None:
        raise OptionError("Missing option '--out'", advice="name the file to write, such as --out index.html")
    check_store_url(values.store_url)
    check_named_files([(values.out, _OUT)], (), own=())
    with refused(values.place, BaselineError, "read"):
        place = open_place(values.place)
        is_store = _is_store(place)
    if is_store:
        with refused(values.place, BaselineError, "read"):
            check_outside(place, {_OUT: [values.out]})
            rows = list(_rows_of_store(place, values, store_address(values.store_url, place, _folder_of(values.out))))
    else:
        rows = list(_rows_of_folder(values, values.out))
    page = render_reports_index(
        pa.Table.from_pylist(rows, schema=LISTED), title=shown(place.name), timestamp=values.timestamp or now()
    )
    write_files(values.out, {"": [page.encode()]}, option=_OUT)
    if len(rows) > MOST_ROWS:
        say(f"warning: shows the first {MOST_ROWS:,} of {plural(len(rows), 'report')}")
    echo(f"{plural(len(rows), 'report')}")
    echo(f"Index     {values.out}")


def _is_store(place: Place) -> bool:
    """Return whether a place holds reports, or an index of them, as a store does; a URL names nothing else."""
    if not place.is_local:
        return True
    indexed = (name for name in place.folders(INDEX_FOLDER) if name_problem(name) is None)
    has_reports = any(entries_of(place, model) for model in models_in(place))
    return has_reports or any(is_indexed(place, name) for name in indexed)


def _folder_of(file: str) -> str:
    return os.path.dirname(file) or os.curdir  # noqa: PTH120 as the user wrote it


def _rows_of_store(place: Place, values: IndexValues, store_url: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of the reports that are meant, the newest first; a BaselineError if there are none."""
    today = moment_of(values.timestamp)
    found: dict[str, Queried] = {}
    for text in values.query or [""]:
        answer = query_store(place, parse_query(text, option=_QUERY, now=today, last=None), today)
        found |= {str(each.row["report"]): each for each in answer.reports}
        for model, passed in answer.left_out.items():
            for words in passed_words(passed):
                say(f"warning: {model}: {words}")
    if not found:
        option = _QUERY if values.query else None
        raise BaselineError("holds no report that is meant", file=place.name, option=option, advice="ask for others")
    for each in sorted(found.values(), key=lambda each: in_time(each.row), reverse=True):
        link = (
            f"{store_url.rstrip('/')}/{quote(str(each.row['report']))}/{HTML}" if store_url and each.is_held else None
        )
        yield dict(each.row) | {"link": link, "problem": None if each.is_held else "pruned: only its totals are kept"}


def _rows_of_folder(values: IndexValues, out: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of the reports below a folder, by path; an InputError if there are none."""
    for option, value in ((_QUERY, values.query), ("--store-url", values.store_url)):
        if value is not None:
            raise OptionError(f"{values.place} is no store", option=option, advice="leave it out, or name a store")
    top = Path(os.path.relpath(Path(values.place).absolute(), Path(_folder_of(out)).absolute()))
    count = 0
    for found in reports_below(values.place):
        count += 1
        yield _row_of_folder(found, top)
    if not count:
        raise InputError("holds no reports", file=values.place, advice="name a folder of report folders, or a store")


def _row_of_folder(found: FoundReport, top: Path) -> dict[str, Any]:
    link = quote(os.fsencode(top / found.path / HTML)) if found.has_page else None
    return dict(found.row or {}) | {"model": shown(found.path), "link": link, "problem": found.problem or None}
