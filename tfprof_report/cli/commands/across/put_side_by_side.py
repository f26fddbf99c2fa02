"""The command `compare`."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tfprof_report import __version__
from tfprof_report.cli.commands.across.compared_columns import Source, columns_in_store, read_source, sources_of
from tfprof_report.cli.commands.store_outputs import check_outside, check_store_url, store_address
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.console import echo, print_lines, progress
from tfprof_report.cli.notes import print_rules_file
from tfprof_report.cli.params.across_options import CompareValues
from tfprof_report.clock import now
from tfprof_report.errors import BaselineError, OptionError
from tfprof_report.formatting import plural
from tfprof_report.options import flag
from tfprof_report.render.files.atomic import write_folder
from tfprof_report.render.markdown.document import LEAST_CHARS, MAX_CHARS
from tfprof_report.render.side_by_side.content import side_by_side_content
from tfprof_report.render.side_by_side.machine_files import render_side_by_side_json, render_side_by_side_parquet
from tfprof_report.render.side_by_side.side_by_side_document import render_side_by_side_markdown
from tfprof_report.render.side_by_side.side_by_side_page import render_side_by_side_html
from tfprof_report.render.side_by_side.terminal import terminal_lines
from tfprof_report.report.store.place import open_place, refused
from tfprof_report.report.unfinished import is_report_folder
from tfprof_report.side_by_side.build import put_side_by_side
from tfprof_report.side_by_side.report_column import Column

_FILES = ("compare.html", "compare.md", "compare.parquet", "compare.json")
_SOURCE, _STORE, _QUERY = "[NAME=]SOURCE", "--store", "--query"

_LEAST, MOST = 2, 50
"""Fewest and most columns."""


def write_comparison(values: CompareValues, rules: AppliedRules, *, counted: Sequence[str]) -> int:
    """Write reports side by side and return the exit code; `counted` are the options given for models in files."""
    folder = _checked(values)
    sources = sources_of(values.source or ())
    _check_sources(sources, values, counted)
    columns: list[Column] = []
    with progress(len(sources) + 1) as show:
        columns += [read_source(source, values, rules, show) for source in sources]
        if values.store is not None:
            show("reading the store")
            columns += _in_store(values, values.store, folder, len(sources))
    _check_names(columns)
    result = put_side_by_side(columns, tool_version=__version__, timestamp=values.timestamp or now())
    content = side_by_side_content(result)
    files = (
        render_side_by_side_html(result, content).encode(),
        render_side_by_side_markdown(content, values.max_chars or MAX_CHARS).encode(),
        render_side_by_side_parquet(result),
        render_side_by_side_json(result).encode(),
    )
    write_folder(folder, dict(zip(_FILES, files, strict=True)), option="--out")
    print_rules_file(rules.path)
    print_lines(terminal_lines(result, content))
    echo(f"Compare   {os.path.join(folder, _FILES[0])}")  # noqa: PTH118 as the user wrote it
    return result.exit_code


def _checked(values: CompareValues) -> str:
    """Return the folder to write; an OptionError for options that contradict each other or say nothing."""
    if values.out is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write")
    if values.query and values.store is None:
        raise OptionError("asks no store", option=_QUERY, advice="name one with --store STORE")
    if values.max_chars is not None and values.max_chars < LEAST_CHARS:
        advice = f"give {LEAST_CHARS} or more"
        raise OptionError(f"{values.max_chars} is too few", option="--max-chars", advice=advice)
    check_store_url(values.store_url)
    return values.out


def _check_sources(sources: Sequence[Source], values: CompareValues, counted: Sequence[str]) -> None:
    """Raise an OptionError if there are too few or too many columns, or options for files where there are none."""
    if values.store is None and len(sources) < _LEAST:
        advice = "give two or more, or --store STORE"
        raise OptionError(f"{plural(len(sources), 'column')}: nothing to compare", option=_SOURCE, advice=advice)
    if len(sources) > MOST:
        problem, advice = f"{len(sources):,} columns are too many", f"give {MOST} at most"
        raise OptionError(problem, option=_SOURCE, advice=advice)
    if counted and all(is_report_folder(source.path) for source in sources):
        raise OptionError(
            "reports keep the options that they were written with",
            option=", ".join(map(flag, counted)),
            advice="leave them out, or give the files of a model",
        )


def _in_store(values: CompareValues, store: str, folder: str, others: int) -> list[Column]:
    """Return the columns that a store has; a BaselineError if there are too few beside the `others`."""
    with refused(store, BaselineError, "read"):
        place = open_place(store)
        check_outside(place, {"--out": [folder]})
        found = columns_in_store(values, place, store_address(values.store_url, place, folder), MOST - others)
    if others + len(found) < _LEAST:
        problem, advice = f"brings {plural(len(found), 'column')}: nothing to compare", "ask for more, such as last=5"
        raise BaselineError(problem, file=place.name, option=_QUERY if values.query else _STORE, advice=advice)
    return found


def _check_names(columns: Sequence[Column]) -> None:
    """Raise an OptionError if two columns have the same name."""
    names = [column.name for column in columns]
    for name in names:
        if names.count(name) > 1:
            problem, advice = f"the name {name} is given twice", "give each column its own, as NAME=SOURCE"
            raise OptionError(problem, option=_SOURCE, advice=advice)
