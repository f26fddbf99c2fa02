"""The page of columns: names, types and units from the code, meanings from the pages that explain the tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from reference_pages.described_columns import OF_FIGURES, Description, Section, UndescribedError, read_sections
from reference_pages.markdown import code, page, table
from tfprof_report.batch.outcome import COLUMNS
from tfprof_report.record import record
from tfprof_report.render.history.history_files import POINTS
from tfprof_report.render.side_by_side.machine_files import TIDY
from tfprof_report.schema.index_columns import INDEX
from tfprof_report.schema.metrics import SCHEMA_VERSION, VIEWS
from tfprof_report.schema.tables import TABLES
from tfprof_report.schema.units import unit_of_column

DOCS = Path(__file__).parents[2] / "docs"
_FILES = ("tables.md", "history.md", "compare.md", "batch.md")

_VIEWS, _DIFFERENCES, _LAYERS, _OF_BATCH = "Views", "Differences", "layers.parquet", "What is written"
_STORE = "The index of a store"
_OF_OTHERS = {"history.parquet": POINTS, "compare.parquet": TIDY, "batch.parquet": COLUMNS, _STORE: INDEX}
"""Tables that no report has, by their titles."""

_INTRODUCTION = f"""
The columns of all tables in their order: of a report, in version {SCHEMA_VERSION} of the schema, then those that other
commands write. [Tables of a report](../tables.md) explains the former. NULL means unknown, never 0.
A string may be dictionary-coded.
""".strip()

_BOUND = re.compile("_(at_least|low|high)$")
"""How columns end that have the unit of their figure."""


@record
class _Table:
    """A table with the section that describes its columns, and another for some of those of base and head."""

    title: str
    schema: pa.Schema
    section: str
    of_sides: str = ""


def columns() -> str:
    """Return the page.

    Raises
    ------
    UndescribedError
        A column is not described, is described with another type, or is described and not there.
    """
    sections = read_sections(DOCS, _FILES)
    parts, described = [], set()
    for each in _tables(sections):
        rows = []
        for field in each.schema:
            section, name, found = _find(field.name, each, sections)
            described.add((section, name))
            kind = type_words(field.type)
            if found.kind not in ("", kind) and section != OF_FIGURES:
                raise UndescribedError(f"{section}: {name} has the type {kind}, not {found.kind}")
            rows.append((code(field.name), kind, unit_of_column(_BOUND.sub("", field.name)) or "", found.meaning))
        parts += [
            f"## {each.title if each.title == _STORE else code(each.title)}",
            f"[What its rows are]({sections[each.section].address})",
            table(("column", "type", "unit", "meaning"), rows),
        ]
    for title in sorted(sections.keys() - {OF_FIGURES}):
        for name in sections[title].columns:
            if (title, name) not in described:
                raise UndescribedError(f"{title}: no table has the column {name}")
    return page("Columns", _INTRODUCTION, *parts)


def type_words(kind: pa.DataType) -> str:
    """Return a type in the words of docs/tables.md."""
    if pa.types.is_dictionary(kind):
        return type_words(kind.value_type)
    if pa.types.is_list(kind):
        return f"list of {type_words(kind.value_type)}"
    if pa.types.is_float64(kind):
        return "float64"
    return str(kind).split("<")[0].split("[")[0]  # struct, map, timestamp


def _tables(sections: Mapping[str, Section]) -> list[_Table]:
    found = []
    for name, schema in TABLES.items():
        title = f"{name}.parquet"
        others = _DIFFERENCES if name.startswith("diff_") else _VIEWS if name in VIEWS else title
        first = title if title in sections else others
        of_sides = _LAYERS if name == "diff_layers" else ""
        found.append(_Table(title=title, schema=schema, section=first, of_sides=of_sides))
    titles = {"batch.parquet": _OF_BATCH}
    return found + [
        _Table(title=title, schema=schema, section=titles.get(title, title)) for title, schema in _OF_OTHERS.items()
    ]


def _find(column: str, each: _Table, sections: Mapping[str, Section]) -> tuple[str, str, Description]:
    """Return the section that describes a column of a table, under which name, and what it says."""
    bare = column.removeprefix("base_").removeprefix("head_")
    for title, name in ((each.section, column), (each.of_sides, bare), (OF_FIGURES, column)):
        if title in sections and (found := sections[title].find(name)):
            return title, *found
    raise UndescribedError(f"{each.section}: nothing is said of the column {column}")
